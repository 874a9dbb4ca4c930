/** The answers, question by question: verdict, answer, the evidence or what would have held it. */

/** @import { Answer, Carrier, Catalogue, Probe, Segment, State, View } from "./types.js" */
import { control, make, setAttribute, setText, show, uniqueName } from "./dom.js";
import { lostInHistory, lostText } from "./offers.js";
import { brief, goneText, labelOf, offerText } from "./say.js";
import { sameState } from "./state.js";
import { fill, speaker } from "./words.js";

/** @typedef {import("./draw_controls.js").SetState} SetState */
/** @typedef {{view: View, other: View | null, before: View | null}} Frame */

const ICONS = { right: "✓", wrong: "✗", absent: "?", refused: "–" };

/** @param {Catalogue} catalogue @param {SetState} set */
export function makeAnswers(catalogue, set) {
  const say = speaker(catalogue);
  const byId = new Map(catalogue.segments.map((segment) => [segment.id, segment]));
  const rows = catalogue.probes.map((probe) => makeAnswerRow(catalogue, probe, byId, set));
  const tally = make("span", { class: "cb-tally" });
  const heads = [make("span"), make("span")];
  const columns = make("div", { class: "cb-columns" }, ...heads);
  const list = make("ul", { class: "cb-list", id: uniqueName("cb-answers") }, ...rows.map(({ node }) => node));
  return {
    node: make(
      "div",
      { class: "cb-answers" },
      make("h4", { class: "cb-heading" }, make("span", {}, say("answers")), tally),
      columns,
      list,
    ),
    list,
    /** @param {Frame} frame */
    update(frame) {
      rows.forEach((row, index) => row.update(frame, index));
      setText(tally, tallyText(catalogue, frame.view));
      show(tally, frame.other === null);
      show(columns, frame.other !== null);
      [frame.view, frame.other].forEach((view, index) => {
        if (view) setText(heads[index], columnText(catalogue, view));
      });
    },
  };
}

/** @param {Catalogue} catalogue @param {View} view */
function tallyText(catalogue, view) {
  const say = speaker(catalogue);
  const right = view.answers.filter(({ verdict }) => verdict === "right").length;
  return view.fits ? say("answers_count", { right, all: catalogue.probes.length }) : say("answers_none");
}

/** @param {Catalogue} catalogue @param {View} view */
function columnText(catalogue, view) {
  const form = speaker(catalogue)(`form_${view.state.older}`);
  return `${form}: ${tallyText(catalogue, view)}`;
}

/** The button that unfolds the answers that are right, where the widget is narrow.
 * @param {Catalogue} catalogue @param {HTMLElement} list */
export function makeMore(catalogue, list) {
  const say = speaker(catalogue);
  const attributes = { type: "button", class: "cb-more", "aria-expanded": "false", "aria-controls": list.id };
  const button = control("button", attributes);
  button.addEventListener("click", () => {
    const open = button.getAttribute("aria-expanded") === "false";
    button.setAttribute("aria-expanded", `${open}`);
    setAttribute(list, "data-all", open);
  });
  return {
    node: button,
    /** @param {Frame} frame */
    update({ view, other }) {
      const both = view.answers.filter((found, index) => {
        return worst(found, other ? (other.answers[index] ?? null) : found) === "right";
      });
      setText(button, say("answers_right", { right: both.length }));
    },
  };
}

/** @param {Catalogue} catalogue @param {Probe} probe @param {Map<string, Segment>} byId
 * @param {SetState} set */
function makeAnswerRow(catalogue, probe, byId, set) {
  const cells = [makeCell(catalogue, probe, byId), makeCell(catalogue, probe, byId)];
  const button = control("button", { type: "button", class: "cb-button cb-offer" });
  const node = make(
    "li",
    { class: "cb-answer", tabindex: -1 },
    make("p", { class: "cb-question" }, probe.question),
    cells[0].node,
    make("span", { class: "cb-offer-place" }, button),
    cells[1].node,
  );
  /** @type {{from: State, to: State} | null} the offer that was taken last, to be taken back */
  let taken = null;
  /** @type {State | null} */
  let next = null;
  button.addEventListener("click", () => {
    if (!next) return;
    const now = current;
    taken = taken || !now ? null : { from: now, to: next };
    set(next);
  });
  /** @type {State | null} */
  let current = null;

  /** @param {View} view the first form's, also while two are compared */
  const patchOffer = (view) => {
    const offer = view.offers[probe.id];
    if (taken && !sameState(taken.to, view.state)) taken = null;
    next = taken?.from ?? offer?.state ?? null;
    const say = speaker(catalogue);
    if (taken) setText(button, say("offer_undo"));
    else if (offer) setText(button, offerText(catalogue, view.state, offer));
    show(button, next !== null, node);
    setAttribute(node, "data-offer", next !== null);
  };

  return {
    node,
    /** @param {Frame} frame @param {number} index */
    update({ view, other, before }, index) {
      current = view.state;
      const found = view.answers[index] ?? null;
      const was = before?.answers[index]?.verdict;
      const changed = found !== null && was !== undefined && was !== found.verdict;
      cells[0].update(view, found, changed);
      show(cells[1].node, other !== null);
      if (other) cells[1].update(other, other.answers[index] ?? null, false);
      setAttribute(node, "data-verdict", worst(found, other ? (other.answers[index] ?? null) : found));
      setAttribute(node, "data-changed", changed);
      patchOffer(view);
    },
  };
}

/** The verdict of two that says most: refused, wrong, absent, right.
 * @param {Answer | null} first @param {Answer | null} second */
function worst(first, second) {
  const found = [first, second].map((one) => one?.verdict ?? "refused");
  const ranked = /** @type {const} */ (["refused", "wrong", "absent"]);
  return ranked.find((verdict) => found.includes(verdict)) ?? "right";
}

/** @param {Catalogue} catalogue @param {Probe} probe @param {Map<string, Segment>} byId */
function makeCell(catalogue, probe, byId) {
  const say = speaker(catalogue);
  const inHistory = lostInHistory(catalogue, probe);
  /** @type {Carrier | null} the evidence that stands there */
  let shown = null;
  const form = make("p", { class: "cb-form" });
  const icon = make("span", { class: "cb-icon", "aria-hidden": "true" });
  const word = make("span", { class: "cb-word" });
  const text = make("span", { class: "cb-said" });
  const quote = make("mark", { class: "cb-quote" });
  const source = make("span", { class: "cb-source" });
  const node = make(
    "div",
    { class: "cb-cell" },
    form,
    make("p", { class: "cb-verdict" }, icon, word, text),
    make("p", { class: "cb-evidence" }, source, quote),
  );
  return {
    node,
    /** @param {View} view @param {Answer | null} found @param {boolean} changed */
    update(view, found, changed) {
      const verdict = found?.verdict ?? "refused";
      setAttribute(node, "data-lit", changed && verdict === "right");
      setText(form, say(`form_${view.state.older}`));
      if (shown && found?.carrier === shown) return;
      shown = found?.carrier ?? null;
      setAttribute(node, "data-verdict", verdict);
      setText(icon, ICONS[verdict]);
      setText(word, `${say(`verdict_${verdict}`)} `);
      setText(text, found ? saidText(found) : "");
      setAttribute(text, "title", found?.answer ?? "");
      show(quote, shown !== null);
      if (shown) {
        setText(quote, say("quote", { text: shown.quote }));
        setText(source, `${sourceText(shown)}: `);
        return;
      }
      const lost = fill(lostText(view.offers[probe.id], inHistory), { gone: goneText(catalogue, view.state) });
      setText(source, found === null ? "" : lost || say("nothing_carries"));
    },
  };

  /** The answer in short, as Patch's words where it is wrong. @param {Answer} found */
  function saidText({ verdict, answer }) {
    const text = brief(answer);
    if (verdict === "wrong" && !text.includes("“")) return say("quote", { text });
    return verdict === "absent" && text.includes(say("verdict_absent")) ? "" : text;
  }

  /** @param {Carrier} carrier */
  function sourceText(carrier) {
    const segment = byId.get(carrier.segment);
    if (!segment) return "";
    const values = { part: labelOf(catalogue, segment.part), step: segment.step ?? "" };
    return say(segment.step === null ? "source_part" : "source_step", values);
  }
}
