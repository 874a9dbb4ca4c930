/** The bar: a call's parts to scale, the mark at which compaction is due, the reserve. */

/** @import { Catalogue, Part, View } from "./types.js" */
import { make, partColour, setAttribute, setText, show } from "./dom.js";
import { count, percent, speaker } from "./words.js";

/** @param {Catalogue} catalogue */
export function makeBar(catalogue) {
  const say = speaker(catalogue);
  const { budget, window, reserve, threshold } = catalogue;
  const first = makeTrack(catalogue, "cb-track");
  const second = makeTrack(catalogue, "cb-track cb-track-beside");
  const size = make("span", { class: "cb-bar-size" });
  const beside = make("p", { class: "cb-bar-beside" });
  const mark = say("bar_threshold", { threshold: percent(threshold) });
  const node = make(
    "figure",
    { class: "cb-bar" },
    make("div", { class: "cb-tracks" }, first.node, second.node, make("i", { class: "cb-bar-mark" })),
    make(
      "figcaption",
      { class: "cb-legend" },
      size,
      make("span", { class: "cb-key cb-key-mark" }, mark),
      make("span", { class: "cb-key cb-key-reserve" }, say("bar_reserve", { reserve: count(reserve) })),
    ),
    beside,
  );
  node.style.setProperty("--cb-limit", `${(100 * budget) / window}%`);
  node.style.setProperty("--cb-threshold", `${(100 * budget * threshold) / window}%`);

  /** @param {View} view */
  const sizeText = (view) =>
    say("bar_size", {
      total: count(view.total),
      budget: count(budget),
      share: percent(view.total / budget),
    });

  return {
    node,
    /** @param {View} view @param {View | null} other */
    update(view, other) {
      first.update(view);
      const over = say("bar_over", { over: count(view.total - budget) });
      setText(size, view.fits ? sizeText(view) : `${sizeText(view)}, ${over}`);
      setAttribute(node, "data-over", !view.fits);
      show(second.node, other !== null);
      show(beside, other !== null);
      if (!other) return;
      second.update(other);
      const share = percent(other.total / budget);
      const form = say(`form_${other.state.older}`);
      setText(beside, say("bar_beside", { form, total: count(other.total), share }));
    },
  };
}

/** @param {Catalogue} catalogue @param {string} name */
function makeTrack(catalogue, name) {
  const say = speaker(catalogue);
  const pieces = catalogue.parts.map((part) => makeBarPiece(catalogue, part));
  const excess = make("i", { class: "cb-excess" });
  const fill = make("div", { class: "cb-fill" }, ...pieces.map(({ node }) => node));
  const reserve = make("i", { class: "cb-reserve" });
  const node = make("div", { class: name, role: "img", "aria-label": say("bar") }, reserve, fill, excess);
  return {
    node,
    /** @param {View} view */
    update(view) {
      const scale = Math.max(catalogue.window, view.total);
      for (const piece of pieces) piece.update(view, scale);
      show(excess, !view.fits);
      excess.style.width = `${(100 * Math.max(0, view.total - catalogue.budget)) / scale}%`;
      const spoken = pieces.filter(({ node: one }) => !one.hidden).map(({ node: one }) => one.title);
      setAttribute(node, "aria-label", `${say("bar")}. ${spoken.join("; ")}`);
    },
  };
}

/** @param {Catalogue} catalogue @param {Part} part */
function makeBarPiece(catalogue, { id, label }) {
  const node = make("i", { class: "cb-piece", style: partColour(id) });
  let shown = "";
  return {
    node,
    /** @param {View} view @param {number} scale tokens that the whole track stands for */
    update({ sizes }, scale) {
      const tokens = sizes[id];
      if (shown === `${tokens}/${scale}`) return;
      shown = `${tokens}/${scale}`;
      node.style.width = `${(100 * tokens) / scale}%`;
      show(node, tokens > 0);
      const values = { part: label, tokens: count(tokens), share: percent(tokens / catalogue.budget) };
      node.title = speaker(catalogue)("bar_part", values);
    },
  };
}
