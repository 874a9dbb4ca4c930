/** What a state of PolicyLab shows: the runs that are drawn, the figures of all, the axes. */

/** @import { Break, Choice, Curve, Lab, LabState, LabView, Panel, Spread } from "./lab_types.js" */
import { curvesOf, drawnRun } from "./lab_state.js";
import { nameOf } from "./lab_say.js";

/** Tokens between two places at which the axis may end. */
const STEP = 20_000;

/** @param {Lab} lab @param {LabState} state @returns {LabView} */
export function composeLab(lab, state) {
  const chosen = state.second ? [state.first, state.second] : [state.first];
  const panels = chosen.map((choice) => panelOf(lab, choice));
  const drawn = panels.flatMap(({ totals, ghosts }) => [totals, ...ghosts]);
  return {
    state,
    panels,
    requests: Math.max(...panels.map(({ totals }) => totals.length)),
    columns: Math.max(...drawn.map((totals) => totals.length)),
    tokens: axisEnd(Math.max(lab.tier, ...drawn.flat())),
    cost: Math.max(...panels.flatMap(({ curve }) => curve.costs)),
  };
}

/** The first round number of tokens above the highest column. @param {number} most */
function axisEnd(most) {
  return STEP * (Math.floor(most / STEP) + 1);
}

/** @param {Lab} lab @param {Choice} choice @returns {Panel} */
function panelOf(lab, choice) {
  const policy = lab.policies.find(({ id }) => id === choice.policy) ?? lab.policies[0];
  const curve = drawnRun(lab, choice);
  const others = choice.seed === null ? curvesOf(lab, choice.policy).filter((one) => one !== curve) : [];
  const found = lab.figures[choice.policy];
  const spread = Object.fromEntries(lab.columns.map(({ id }) => [id, spreadOf(found[id])]));
  const place = found.seeds.indexOf(curve.seed);
  const figures = Object.fromEntries(
    lab.columns.map(({ id }) => [id, choice.seed === null ? spread[id].median : found[id][place]]),
  );
  return {
    choice,
    policy,
    name: nameOf(lab, choice),
    curve,
    totals: totalsOf(curve),
    ghosts: others.map(totalsOf),
    count: found.seeds.length,
    spread,
    figures,
  };
}

/** Tokens of each request. @param {Curve} curve @returns {number[]} */
export function totalsOf({ regions }) {
  const sizes = Object.values(regions);
  return sizes[0].map((_, place) => sizes.reduce((sum, size) => sum + size[place], 0));
}

/** @param {number[]} values @returns {Spread} */
export function spreadOf(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  const median = (sorted[Math.floor(middle)] + sorted[Math.ceil(middle)]) / 2;
  return { least: sorted[0], median, most: sorted[sorted.length - 1] };
}

/** The break at a request, if there is one. @param {Panel} panel @param {number} request */
export function breakAt({ curve }, request) {
  return curve.breaks.find((one) => one.request === request);
}

/** The next request with a break in any of the runs, or the one before; 0 where there is none.
 * @param {LabView} view @param {1 | -1} way */
export function nextBreak({ state, panels }, way) {
  const places = panels.flatMap(({ curve }) => curve.breaks.map(({ request }) => request));
  const there = places.filter((place) => (place - state.request) * way > 0);
  return there.length ? (way > 0 ? Math.min(...there) : Math.max(...there)) : 0;
}

/** True where what is compared rests on a single run. @param {LabView} view */
export function restsOnOne({ panels }) {
  return panels.length > 1 && panels.some(({ choice }) => choice.seed !== null);
}
