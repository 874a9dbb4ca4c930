/** What unfolds below the pictures: a request by region, the breaks, every figure as a table. */

/** @import { Lab, LabView, Panel } from "./lab_types.js" */
import { makeDisclosure } from "./disclosure.js";
import { make, makeTable } from "./dom.js";
import { actsText, columnName, dollars, figureText } from "./lab_say.js";
import { formatChoice } from "./lab_state.js";
import { breakAt, spreadOf } from "./lab_view.js";
import { count, percent, speaker } from "./words.js";

/** @typedef {(body: HTMLElement, view: LabView) => void} Draw */

/** Draws where other runs are shown than at the last time: what is drawn knows no request.
 * @param {Draw} draw @returns {Draw} */
function forRuns(draw) {
  let drawn = "";
  return (body, view) => {
    const runs = view.panels.map(({ choice }) => formatChoice(choice)).join();
    if (runs === drawn) return;
    drawn = runs;
    draw(body, view);
  };
}

/** @param {Lab} lab */
export function makeRegionTable(lab) {
  const say = speaker(lab);
  /** @param {Panel} panel @param {number} place @param {(panel: Panel) => string} shown */
  const cell = (panel, place, shown) => (place < panel.totals.length ? shown(panel) : say("part_none"));
  return makeDisclosure(
    say("parts"),
    (/** @type {LabView} */ { panels, state }) => {
      const sizes = panels.map((panel) =>
        cell(panel, state.request - 1, ({ totals }) => say("text_tokens", { tokens: count(totals[state.request - 1]) })),
      );
      return { text: sizes.join(" | ") };
    },
    (body, { panels, state }) => {
      const place = state.request - 1;
      /** @param {string} name @param {(panel: Panel) => string} shown */
      const row = (name, shown) => [name, ...panels.map((panel) => cell(panel, place, shown))];
      const rows = [
        ...lab.regions.map(({ id, label }) => row(label, ({ curve }) => count(curve.regions[id][place]))),
        row(say("part_total"), ({ totals }) => count(totals[place])),
        row(say("part_read"), ({ curve, totals }) => `${count(curve.read[place])} (${percent(curve.read[place] / totals[place])})`),
        row(say("part_cost"), ({ curve }) => dollars(curve.costs[place])),
      ];
      const head = [say("part_region"), ...panels.map(({ name }) => say("part_tokens", { name }))];
      const numbers = panels.map((_, index) => index + 1);
      body.replaceChildren(makeTable({ caption: say("parts"), head, rows, numbers }));
    },
  );
}

/** @param {Lab} lab */
export function makeBreakTable(lab) {
  const say = speaker(lab);
  return makeDisclosure(
    say("breaks"),
    (/** @type {LabView} */ { panels: [first, second] }) => {
      const values = { first: first.name, count: first.curve.breaks.length };
      if (!second) return { text: say("breaks_closed", values) };
      return { text: say("breaks_closed_pair", { ...values, second: second.name, count_second: second.curve.breaks.length }) };
    },
    forRuns((body, { panels }) => {
      const rows = panels.flatMap(({ name, curve }) =>
        curve.breaks.map((one) => [
          name,
          `${one.request}`,
          say(`part_name_${one.part}`),
          one.message === null ? say("part_none") : `${one.message}, ${say(`what_${one.kind}`, { step: one.step ?? "" })}`,
          actsText(lab, one),
          count(one.invalidated),
          count(one.freed),
        ]),
      );
      const head = ["run", "request", "part", "message", "act", "invalidated", "freed"].map((key) => say(`breaks_${key}`));
      const table = makeTable({ caption: say("breaks"), head, rows, numbers: [1, 5, 6] });
      if (rows.length > 12) table.classList.add("cb-long");
      const found = rows.length ? table : make("p", { class: "cb-about" }, say("breaks_none"));
      body.replaceChildren(make("p", { class: "cb-about" }, say("breaks_about")), found);
    }),
  );
}

/** @param {Lab} lab */
export function makeRequestTable(lab) {
  const say = speaker(lab);
  return makeDisclosure(
    say("table"),
    (/** @type {LabView} */ { panels }) => ({
      text: say("table_closed", { rows: panels.reduce((sum, { totals }) => sum + totals.length, 0) }),
    }),
    forRuns((body, { panels }) => {
      const regions = lab.regions.map(({ label }) => label);
      const ends = ["total", "read", "cost", "break"].map((key) => say(`table_${key}`));
      const head = [say("table_request"), ...regions, ...ends];
      const numbers = head.map((_, index) => index);
      const tables = panels.map((panel) => {
        const { name, curve, totals } = panel;
        const rows = totals.map((total, i) => [
          `${i + 1}`,
          ...lab.regions.map(({ id }) => count(curve.regions[id][i])),
          count(total),
          count(curve.read[i]),
          dollars(curve.costs[i]),
          `${breakAt(panel, i + 1)?.message ?? say("part_none")}`,
        ]);
        const table = makeTable({ caption: `${say("table")}: ${name}`, head, rows, numbers });
        table.classList.add("cb-long");
        return make("div", { class: "pl-table" }, make("h4", { class: "cb-heading" }, name), table);
      });
      body.replaceChildren(...tables);
    }),
  );
}

/** All figures of all policies. @param {Lab} lab */
export function makeAllTable(lab) {
  const say = speaker(lab);
  return makeDisclosure(
    say("all"),
    (/** @type {LabView} */ _view) => ({ text: say("all_closed") }),
    (body) => {
      if (body.childElementCount) return;
      const head = [say("spread_policy"), say("spread_runs"), ...lab.columns.map(({ id }) => columnName(lab, id)), say("column_unfinished")];
      const rows = lab.policies.map(({ id, label }) => {
        const found = lab.figures[id];
        const cells = lab.columns.map((column) => {
          const { least, median, most } = spreadOf(found[column.id]);
          return [least, median, most].map((value) => figureText(lab, column.id, value)).join(" / ");
        });
        return [label, `${found.seeds.length}`, ...cells, `${found.finished.filter((done) => !done).length}`];
      });
      const few = lab.policies.some(({ id }) => lab.figures[id].seeds.length < lab.few);
      const about = say("all_about", { typical: lab.typical, world: lab.world, limit: count(lab.limit), tier: count(lab.tier), times: lab.times });
      body.replaceChildren(
        make("p", { class: "cb-about" }, few ? `${about} ${say("all_few", { few: lab.few })}` : about),
        makeTable({ caption: say("all"), head, rows, numbers: head.map((_, index) => index).slice(1) }),
      );
    },
  );
}
