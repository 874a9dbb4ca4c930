/** PolicyLab's state and its short form in a link: `pl=1.none:all.clear:all.18.cost`. */

/** @import { Choice, Lab, LabState } from "./lab_types.js" */

const NONE = "-";
const ALL = "all";
const LENGTH = 5;

/** What is wrong with a link: which field, what it holds, what was expected. */
export class LinkError extends Error {
  /** @param {string} field @param {string} value @param {string} expected */
  constructor(field, value, expected) {
    super(`${field}: expected ${expected}, got ${value}`);
    this.field = field;
    this.value = value;
    this.expected = expected;
  }
}

/** The runs of a policy that can be drawn. @param {Lab} lab @param {string} policy */
export function curvesOf(lab, policy) {
  return lab.curves.filter((curve) => curve.policy === policy);
}

/** The run that is drawn for a choice: for all of them the typical one, or else the first.
 * @param {Lab} lab @param {Choice} choice */
export function drawnRun(lab, { policy, seed }) {
  const own = curvesOf(lab, policy);
  return own.find((curve) => curve.seed === (seed ?? lab.typical)) ?? own[0];
}

/** Requests of the longest run that is drawn. @param {Lab} lab @param {(Choice | null)[]} choices */
export function longest(lab, choices) {
  return Math.max(...choices.map((one) => (one ? drawnRun(lab, one).read.length : 1)));
}

/**
 * The state that a fragment stands for. Throws LinkError.
 * @param {Lab} lab @param {string} fragment @returns {LabState}
 */
export function parseLab(lab, fragment) {
  const fields = fragment.replace(/^#?(pl=)?/, "").split(".");
  const [version, one, other, place, figure] = fields;
  if (version !== `${lab.version}`) throw new LinkError("version", version, `${lab.version}`);
  if (fields.length !== LENGTH) throw new LinkError("fields", `${fields.length}`, `${LENGTH}`);
  const first = parseChoice(lab, one);
  const second = other === NONE ? null : parseChoice(lab, other);
  const most = longest(lab, [first, second]);
  const request = /^\d{1,6}$/.test(place) ? Number(place) : 0;
  if (request < 1 || request > most) throw new LinkError("request", place, `${most}`);
  const figures = lab.columns.map(({ id }) => id);
  if (!figures.includes(figure)) throw new LinkError("figure", figure, figures.join(", "));
  return { first, second, request, figure };
}

/** @param {Lab} lab @param {string} text @returns {Choice} */
function parseChoice(lab, text) {
  const [policy, ...rest] = text.split(":");
  const run = rest.join(":");
  const names = lab.policies.map(({ id }) => id);
  if (!names.includes(policy)) throw new LinkError("policy", policy, names.join(", "));
  if (run === ALL) return { policy, seed: null };
  const seeds = curvesOf(lab, policy).map(({ seed }) => `${seed}`);
  if (!seeds.includes(run)) throw new LinkError("run", run, seeds.join(", "));
  return { policy, seed: Number(run) };
}

/** The state's fragment; `parseLab` gives the state back. @param {Lab} lab @param {LabState} state */
export function formatLab(lab, { first, second, request, figure }) {
  const fields = [lab.version, formatChoice(first), second ? formatChoice(second) : NONE, request, figure];
  return `pl=${fields.join(".")}`;
}

/** @param {Choice} choice */
export function formatChoice({ policy, seed }) {
  return `${policy}:${seed ?? ALL}`;
}

/** The state with its request inside the runs that are drawn. @param {Lab} lab
 * @param {LabState} state @returns {LabState} */
export function within(lab, state) {
  const most = longest(lab, [state.first, state.second]);
  return { ...state, request: Math.min(Math.max(state.request, 1), most) };
}

/** A state of the catalogue before, as far as it can be shown in this one: a run that is not there
 * gives way to all of its policy's. Null where a policy is gone. @param {Lab} lab
 * @param {LabState} state @returns {LabState | null} */
export function carried(lab, state) {
  const [first, second] = [state.first, state.second].map((choice) => choice && found(lab, choice));
  if (!first || (state.second && !second)) return null;
  return within(lab, { ...state, first, second });
}

/** @param {Lab} lab @param {Choice} choice @returns {Choice | null} */
function found(lab, { policy, seed }) {
  const runs = curvesOf(lab, policy);
  if (!runs.length) return null;
  return { policy, seed: runs.some((run) => run.seed === seed) ? seed : null };
}
