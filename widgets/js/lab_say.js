/** PolicyLab's sentences, made from the catalogue's templates. */

/** @import { Break, Choice, Column, Kind, Lab, LabView, Panel } from "./lab_types.js" */
/** @import { LinkError } from "./lab_state.js" */
import { brieflyQuoted, count, fill, percent, speaker } from "./words.js";

/** A figure as it is written. @param {Kind} kind @param {number} value */
export function written(kind, value) {
  if (kind === "millions") return `${(value / 1e6).toFixed(2)} M`;
  if (kind === "dollars") return dollars(value);
  if (kind === "percent") return percent(value);
  return Number.isInteger(value) ? count(value) : `${value}`; // a median may lie half-way
}

/** Dollars, with two digits that say something: $1.38, $0.09, $0.0016. @param {number} value */
export function dollars(value) {
  const digits = value >= 0.01 || value === 0 ? 2 : 4;
  return `$${value.toFixed(digits)}`;
}

/** @param {Lab} lab @param {string} id @returns {Column} */
export function columnOf(lab, id) {
  return lab.columns.find((column) => column.id === id) ?? lab.columns[0];
}

/** A figure of a column as it is written. @param {Lab} lab @param {string} id @param {number} value */
export function figureText(lab, id, value) {
  return written(columnOf(lab, id).kind, value);
}

/** The name of a column. @param {Lab} lab @param {string} id */
export function columnName(lab, id) {
  return fill(lab.words[`column_${id}`] ?? id, { total: lab.total });
}

/** @param {Lab} lab @param {Choice} choice */
export function nameOf(lab, { policy, seed }) {
  const label = lab.policies.find(({ id }) => id === policy)?.label ?? policy;
  return speaker(lab)(seed === null ? "name_all" : "name_one", { policy: label, seed: seed ?? "" });
}

/** What a panel says below its controls, in two lines. @param {Lab} lab @param {Panel} panel */
export function panelTexts(lab, { choice, curve, count: runs, figures, ghosts }) {
  const say = speaker(lab);
  const values = {
    count: runs,
    steps: figureText(lab, "steps", figures.steps),
    input: figureText(lab, "input", figures.input),
    cached: figureText(lab, "cached_share", figures.cached_share),
    cost: dollars(figures.cost),
  };
  const ending = curve.ending === "done" ? "" : say("panel_unfinished", { ending: endingText(lab, curve.ending) });
  if (choice.seed !== null) return [say("panel_one", values), ending];
  if (runs === 1) return [say("panel_only", values), ending];
  const drawn = ghosts.length ? "panel_drawn" : "panel_drawn_alone";
  return [say("panel_all", values), `${say(drawn, { seed: curve.seed, others: ghosts.length })} ${ending}`.trim()];
}

/** @param {Lab} lab @param {string} ending */
function endingText(lab, ending) {
  const say = speaker(lab);
  if (ending === "too large") return say("ending_large");
  return ending === "limit" ? say("ending_limit") : say("ending_refused");
}

/** What happened at a request of a run. @param {Lab} lab @param {Panel} panel
 * @param {number} request @param {Break | undefined} broken */
export function requestText(lab, { curve, totals }, request, broken) {
  const say = speaker(lab);
  const place = request - 1;
  if (request > totals.length) return say("at_ended", { requests: totals.length });
  const size = say("at_size", {
    request,
    tokens: count(totals[place]),
    read: percent(curve.read[place] / totals[place]),
    cost: dollars(curve.costs[place]),
  });
  if (request === 1) return `${size} ${say("at_first")}`;
  return `${size} ${broken ? breakText(lab, broken) : say("at_whole")}`;
}

/** @param {Lab} lab @param {Break} broken */
function breakText(lab, broken) {
  const say = speaker(lab);
  const values = { invalidated: count(broken.invalidated), freed: count(broken.freed) };
  if (broken.message === null) return say("at_break_tools", values);
  const what = say(`what_${broken.kind}`, { step: broken.step ?? "" });
  return say("at_break", { ...values, message: broken.message, what, acts: actsText(lab, broken) });
}

/** What the policy did. @param {Lab} lab @param {Break} broken */
export function actsText(lab, { acts }) {
  const say = speaker(lab);
  return acts.map((act) => say(`act_${act}`)).join(", ") || say("act_none");
}

/** The status line. @param {Lab} lab @param {LabView} view */
export function labStatus(lab, { panels }) {
  const [first, second] = panels;
  if (!second) return aloneText(lab, first);
  if (first.choice.seed === null && second.choice.seed === null) return pairText(lab, first, second);
  return warnText(lab, first, second);
}

/** @param {Lab} lab @param {Panel} panel */
function aloneText(lab, { choice, policy, count: runs, spread, figures }) {
  const { least, most } = spread.cost;
  const values = { first: policy.label, count: runs, least: dollars(least), most: dollars(most) };
  const key = runs === 1 ? "status_only" : choice.seed === null ? "status_alone" : "status_one";
  return speaker(lab)(key, { ...values, cost: dollars(figures.cost) });
}

/** @param {Lab} lab @param {Panel} first @param {Panel} second */
function pairText(lab, first, second) {
  const [was, is] = [first, second].map(({ figures }) => figures);
  const counts = { count: first.count, count_second: second.count };
  const values = {
    first: first.policy.label,
    second: second.policy.label,
    count: first.count === second.count ? first.count : speaker(lab)("counts", counts),
    cost: dollars(is.cost),
    before: dollars(was.cost),
    ratio: ratioText(lab, was.cost, is.cost),
    steps: figureText(lab, "steps", is.steps),
    steps_before: figureText(lab, "steps", was.steps),
  };
  const same = first.policy === second.policy;
  const text = speaker(lab)(same ? "status_pair_same" : "status_pair", values);
  if (Math.min(first.count, second.count) >= lab.few) return text;
  return `${text} ${speaker(lab)("status_few", { few: lab.few })}`;
}

/** @param {Lab} lab @param {number} was @param {number} is */
function ratioText(lab, was, is) {
  const say = speaker(lab);
  const times = Math.max(was / is, is / was);
  if (times < 1.05) return say("ratio_equal");
  return say(was > is ? "ratio_cheaper" : "ratio_dearer", { times: times.toFixed(times < 10 ? 1 : 0) });
}

/** What two single runs tell: nothing, and why. @param {Lab} lab @param {Panel} first
 * @param {Panel} second */
function warnText(lab, first, second) {
  const say = speaker(lab);
  if (first.choice.seed === null || second.choice.seed === null) return say("warn_mixed");
  const cost = dollars(first.figures.cost);
  const other = dollars(second.figures.cost);
  if (first.policy === second.policy) {
    const [steps, more] = [first, second].map(({ figures }) => figureText(lab, "steps", figures.steps));
    return say("status_twice", { cost, cost_second: other, steps, steps_second: more });
  }
  const runs = say("warn_runs", {
    first: first.policy.label,
    second: second.policy.label,
    count: Math.min(first.count, second.count),
    cost,
    cost_second: other,
    least: dollars(first.spread.cost.least),
    most: dollars(first.spread.cost.most),
    least_second: dollars(second.spread.cost.least),
    most_second: dollars(second.spread.cost.most),
  });
  return `${say("warn")} ${runs} ${medianText(lab, first, second)}`;
}

/** @param {Lab} lab @param {Panel} first @param {Panel} second */
function medianText(lab, first, second) {
  const say = speaker(lab);
  const [less, more] = [first, second].sort((a, b) => a.spread.cost.median - b.spread.cost.median);
  const [low, high] = [less, more].map(({ spread }) => dollars(spread.cost.median));
  if (low === high) return say("warn_equal", { cost: low });
  return say("warn_median", { cheaper: less.policy.label, less: low, more: high });
}

/** What is wrong with a link. @param {Lab} lab @param {LinkError} error */
export function linkProblem(lab, { field, value, expected }) {
  const say = speaker(lab);
  const problem = say(`problem_${field}`, { value: brieflyQuoted(value), expected });
  return say("status_bad_link", { problem });
}
