/** The parts of the call: on or off, and how many tokens each of them takes. */

/** @import { Catalogue, Part, State, Tools, View } from "./types.js" */
import { control, make, partColour, setAttribute, setText, setValue } from "./dom.js";
import { olderSteps, present, sumByPart } from "./present.js";
import { firstStep, toolsText } from "./say.js";
import { TOOLS, switchPart } from "./state.js";
import { count, percent, range, speaker } from "./words.js";

/** @typedef {import("./draw_controls.js").SetState} SetState */

/** @param {Catalogue} catalogue @param {() => State} state @param {SetState} set */
export function makeParts(catalogue, state, set) {
  const say = speaker(catalogue);
  const rows = catalogue.parts.map((part) => makePartRow(catalogue, part, state, set));
  const total = make("span", { class: "cb-tokens" });
  const share = make("span", { class: "cb-share" });
  const sum = make("li", { class: "cb-part cb-sum" }, make("span", { class: "cb-name" }, say("part_total")), share, total);
  return {
    node: make(
      "div",
      { class: "cb-parts" },
      make("h4", { class: "cb-heading" }, say("parts")),
      make("ul", { class: "cb-list" }, ...rows.map(({ node }) => node), sum),
    ),
    /** @param {View} view */
    update(view) {
      // What the parts would add that are switched off.
      const all = { ...view.state, off: [] };
      const whole = view.state.off.length ? sumByPart(catalogue, present(catalogue, all)) : view.sizes;
      rows.forEach((row) => row.update(view, whole));
      setText(total, count(view.total));
      setText(share, percent(view.total / catalogue.budget));
      setAttribute(sum, "data-over", !view.fits);
    },
  };
}

/** @param {Catalogue} catalogue @param {Part} part @param {() => State} state
 * @param {SetState} set */
function makePartRow(catalogue, part, state, set) {
  const say = speaker(catalogue);
  const name = make("span", { class: "cb-name" });
  const tokens = make("span", { class: "cb-tokens" });
  const swatch = make("i", { class: "cb-swatch", style: partColour(part.id) });
  const choice = part.id === "tools" ? toolsControl(catalogue, state, set) : null;
  const box = part.switchable && !choice ? control("input", { type: "checkbox" }) : null;
  box?.addEventListener("change", () => set(switchPart(catalogue, state(), part.id, box.checked)));
  const label = box
    ? make("label", { class: "cb-part-label" }, box, swatch, name)
    : make("span", { class: "cb-part-label" }, make("span", { class: "cb-no-box" }), swatch, name);
  if (choice) label.append(choice);
  const node = make("li", { class: "cb-part" }, label, tokens);
  return {
    node,
    /** @param {View} view @param {Record<string, number>} whole */
    update(view, whole) {
      const sent = view.sizes[part.id] > 0;
      if (box) box.checked = !view.state.off.includes(part.id);
      if (choice) setValue(choice, view.state.tools);
      setText(name, nameText(catalogue, part, view));
      setText(tokens, tokensText(view.sizes[part.id], whole[part.id]));
      setAttribute(node, "data-sent", sent ? "yes" : "no");
    },
  };

  /** @param {number} size @param {number} wouldBe */
  function tokensText(size, wouldBe) {
    if (size > 0) return count(size);
    return wouldBe > 0 ? say("part_adds", { tokens: count(wouldBe) }) : say("part_empty");
  }
}

/** @param {Catalogue} catalogue @param {() => State} state @param {SetState} set */
function toolsControl(catalogue, state, set) {
  const say = speaker(catalogue);
  const options = TOOLS.map((tools) =>
    make("option", { value: tools }, toolsText(catalogue, tools)),
  );
  const select = control("select", { class: "cb-select", "aria-label": say("tools_number") }, ...options);
  select.addEventListener("change", () => set({ ...state(), tools: /** @type {Tools} */ (select.value) }));
  return select;
}

/** @param {Catalogue} catalogue @param {Part} part @param {View} view */
function nameText(catalogue, part, view) {
  const say = speaker(catalogue);
  const older = olderSteps(catalogue, view.state);
  const { steps } = catalogue.session;
  if (part.id === "history") {
    const from = view.state.older === "clear" ? 1 : firstStep(catalogue, view.state);
    if (from > steps) return say("part_history_none", { part: part.label });
    return say("part_history", { part: part.label, range: range(from, steps) });
  }
  if (part.id === "summary" && view.sizes.summary > 0) {
    return say("part_summary", { part: part.label, range: range(1, older) });
  }
  return part.label;
}
