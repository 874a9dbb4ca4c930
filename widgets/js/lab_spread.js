/** One figure of all runs of all policies: a dot for each run, a bar at the median. */

/** @import { Lab, LabState, LabView, Spread } from "./lab_types.js" */
import { control, make, setAttribute, setText, setValue } from "./dom.js";
import { columnName, columnOf, figureText } from "./lab_say.js";
import { spreadOf } from "./lab_view.js";
import { speaker } from "./words.js";

/** @param {Lab} lab @param {(figure: string) => void} set */
export function makeSpread(lab, set) {
  const say = speaker(lab);
  const options = lab.columns.map(({ id }) => make("option", { value: id }, columnName(lab, id)));
  const select = control("select", { class: "cb-select" }, ...options);
  select.addEventListener("change", () => set(select.value));
  const rows = lab.policies.map(({ id, label }) => makeSpreadRow(lab, id, label));
  const heads = ["policy", "runs", "least", "median", "most"].map((key) =>
    make("th", { scope: "col", class: `pl-${key}` }, say(`spread_${key}`)),
  );
  const caption = make("caption", { class: "cb-hidden" });
  const about = make("p", { class: "cb-about" });
  const table = make(
    "table",
    { class: "pl-spread" },
    caption,
    make("thead", {}, make("tr", {}, ...heads)),
    make("tbody", {}, ...rows.map(({ node }) => node)),
  );
  let drawn = "";
  return {
    node: make(
      "div",
      { class: "pl-all" },
      make("label", { class: "pl-figure" }, make("span", { class: "cb-label" }, say("figure")), select),
      table,
      about,
    ),
    /** @param {LabView} view */
    update({ state, panels }) {
      setValue(select, state.figure);
      if (drawn !== state.figure) {
        drawn = state.figure;
        const scale = scaleOf(lab, state.figure);
        for (const row of rows) row.draw(state.figure, scale);
        setText(caption, say("spread", { figure: columnName(lab, state.figure) }));
        const log = columnOf(lab, state.figure).log ? ` ${say("spread_log")}` : "";
        setText(about, `${say("spread_about")}${log}`);
      }
      rows.forEach((row) => {
        const shown = panels.filter(({ policy }) => policy.id === row.policy);
        row.mark(shown.map(({ curve }) => curve.seed));
      });
    },
  };
}

/** @param {Lab} lab @param {string} policy @param {string} label */
function makeSpreadRow(lab, policy, label) {
  const { seeds } = lab.figures[policy];
  const dots = seeds.map(() => make("i", { class: "pl-dot" }));
  const median = make("i", { class: "pl-median" });
  const track = make("div", { class: "pl-track", "aria-hidden": "true" }, ...dots, median);
  const cells = ["least", "median", "most"].map((key) => make("td", { class: `cb-number pl-${key}` }));
  const node = make(
    "tr",
    {},
    make("th", { scope: "row", class: "pl-policy" }, label),
    make("td", { class: "pl-runs" }, track, make("span", { class: "cb-hidden" }, `${seeds.length}`)),
    ...cells,
  );
  return {
    node,
    policy,
    /** @param {string} figure @param {(value: number) => number} scale */
    draw(figure, scale) {
      /** @type {number[]} */
      const values = lab.figures[policy][figure];
      const { least, median: middle, most } = spreadOf(values);
      values.forEach((value, i) => (dots[i].style.left = `${scale(value)}%`));
      median.style.left = `${scale(middle)}%`;
      [least, middle, most].forEach((value, i) => setText(cells[i], figureText(lab, figure, value)));
    },
    /** @param {number[]} chosen seeds of the runs that are drawn above */
    mark(chosen) {
      setAttribute(node, "data-shown", chosen.length ? "yes" : "no");
      seeds.forEach((seed, i) => setAttribute(dots[i], "data-chosen", chosen.includes(seed)));
    },
  };
}

/** Per cent of the track for a value, over all policies. @param {Lab} lab @param {string} figure
 * @returns {(value: number) => number} */
function scaleOf(lab, figure) {
  const values = lab.policies.flatMap(({ id }) => /** @type {number[]} */ (lab.figures[id][figure]));
  const { least, most } = spreadOf(values);
  const form = columnOf(lab, figure).log && least > 0 ? Math.log : (/** @type {number} */ value) => value;
  const [low, high] = [form(least), form(most)];
  return (value) => (high > low ? (100 * (form(value) - low)) / (high - low) : 0);
}
