/** The controls' state and its short form in a link: `cb=1.34.drop.-.6.task`. */

/** @import { Catalogue, Form, State, Tools } from "./types.js" */

export const FORMS = /** @type {Form[]} */ (["drop", "clear", "careful", "careless"]);
export const TOOLS = /** @type {Tools[]} */ (["6", "40", "none"]);
const VERSION = "1";
const FIELDS = 6;

/** What is wrong with a fragment: which field, what it holds, what was expected. */
export class StateError extends Error {
  /** @param {string} field @param {string} value @param {string} expected */
  constructor(field, value, expected) {
    super(`${field}: expected ${expected}, got ${value}`);
    this.field = field;
    this.value = value;
    this.expected = expected;
  }
}

/** Parts that a checkbox switches. @param {Catalogue} catalogue */
export function switchable(catalogue) {
  return catalogue.parts.filter((part) => part.switchable && part.id !== "tools");
}

/**
 * The state that a fragment stands for. Throws StateError.
 * @param {Catalogue} catalogue @param {string} fragment @returns {State}
 */
export function parseState(catalogue, fragment) {
  const fields = fragment.replace(/^#?(cb=)?/, "").split(".");
  const [version, k, older, vs, tools, off] = fields;
  if (version !== VERSION) throw new StateError("version", version, VERSION);
  if (fields.length !== FIELDS) throw new StateError("fields", `${fields.length}`, `${FIELDS}`);
  const { steps } = catalogue.session;
  if (!/^\d{1,6}$/.test(k) || Number(k) > steps) throw new StateError("k", k, `${steps}`);
  const form = member("older", older, FORMS);
  const others = FORMS.filter((name) => name !== form);
  return {
    k: Number(k),
    older: form,
    vs: member("vs", vs, ["-", ...others]),
    tools: member("tools", tools, TOOLS),
    off: parseOff(catalogue, off),
  };
}

/** @template {string} T @param {string} field @param {string} value @param {T[]} allowed @returns {T} */
function member(field, value, allowed) {
  const found = allowed.find((name) => name === value);
  if (found === undefined) throw new StateError(field, value, allowed.join(", "));
  return found;
}

/** @param {Catalogue} catalogue @param {string} text @returns {string[]} in the parts' order */
function parseOff(catalogue, text) {
  const ids = switchable(catalogue).map((part) => part.id);
  const named = text === "-" ? [] : text.split(",").map((id) => member("off", id, ids));
  return ids.filter((id) => named.includes(id));
}

/** The state's fragment; `parseState` gives the state back. @param {State} state */
export function formatState({ k, older, vs, tools, off }) {
  return `cb=${[VERSION, k, older, vs, tools, off.join(",") || "-"].join(".")}`;
}

/** @param {State} a @param {State} b */
export function sameState(a, b) {
  return formatState(a) === formatState(b);
}

/** The state with a part switched. @param {Catalogue} catalogue @param {State} state
 * @param {string} part @param {boolean} on @returns {State} */
export function switchPart(catalogue, state, part, on) {
  const off = on ? state.off.filter((id) => id !== part) : [...state.off, part];
  const order = switchable(catalogue).map(({ id }) => id);
  return { ...state, off: order.filter((id) => off.includes(id)) };
}

/** The state with another form for the older steps; the two forms compared never are the same.
 * @param {State} state @param {Form} older @returns {State} */
export function chooseForm(state, older) {
  return { ...state, older, vs: state.vs === older ? state.older : state.vs };
}
