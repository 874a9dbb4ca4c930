/**
 * What to offer where an answer is not right: the smallest change of one control that brings
 * the evidence into a call that still fits; where none does, the smallest one with fewer tools.
 */

/** @import { Answer, Catalogue, Form, Offer, Probe, Segment, State, Tools } from "./types.js" */
import { answer, isSent, present, segmentsById, sumTokens } from "./present.js";
import { FORMS, TOOLS, chooseForm, formatState, switchPart } from "./state.js";

/** How much each kind of change counts; the slider counts one for each step that it moves. Of
 * changes that count the same, the call with fewer tokens is taken. The task block counts most:
 * it is the remedy for several answers at once and has its own experiment. */
const WEIGHT = { part: 1, tools: 1, form: 2, task: 3 };

/**
 * An offer for each answer that is not right, by probe.
 * @param {Catalogue} catalogue @param {State} state @param {Answer[]} answers
 * @returns {Record<string, Offer>}
 */
export function findOffers(catalogue, state, answers) {
  const fewer = state.tools === "40" ? { ...state, tools: /** @type {const} */ ("6") } : null;
  /** @type {Record<string, Offer>} */
  const offers = {};
  catalogue.probes.forEach((probe, index) => {
    if (answers[index].verdict === "right") return;
    const offer = findOffer(catalogue, state, probe) ?? (fewer && findOffer(catalogue, fewer, probe));
    if (offer) offers[probe.id] = offer;
  });
  return offers;
}

/** @type {WeakMap<Catalogue, Map<string, number>>} */
const totals = new WeakMap();

/** The tokens of an offered call, counted once: several probes and states lead to the same one.
 * @param {Catalogue} catalogue @param {State} state */
function totalOf(catalogue, state) {
  const known = totals.get(catalogue) ?? new Map();
  totals.set(catalogue, known);
  const name = formatState({ ...state, vs: "-" });
  const total = known.get(name) ?? sumTokens(present(catalogue, state));
  known.set(name, total);
  return total;
}

/** @param {Catalogue} catalogue @param {State} state @param {Probe} probe @returns {Offer | null} */
function findOffer(catalogue, state, probe) {
  const byId = segmentsById(catalogue);
  const candidates = changesFor(catalogue, state, probe, byId).sort((a, b) => a.weight - b.weight);
  /** @type {{weight: number, total: number, offer: Offer} | null} */
  let best = null;
  for (const { weight, change } of candidates) {
    if (best && weight > best.weight) break;
    const carrier = carrierIn(catalogue, change.state, probe, byId);
    const total = carrier ? totalOf(catalogue, change.state) : Infinity;
    if (!carrier || total > catalogue.budget || (best && total >= best.total)) continue;
    best = { weight, total, offer: { ...change, carrier } };
  }
  return best && best.offer;
}

/** @typedef {{weight: number, change: Omit<Offer, "carrier">}} Candidate */
/** @typedef {Map<string, Segment>} ById */

/** The changes of one control that may send evidence of a probe.
 * @param {Catalogue} catalogue @param {State} state @param {Probe} probe @param {ById} byId
 * @returns {Candidate[]} */
function changesFor(catalogue, state, probe, byId) {
  const right = probe.carriers.filter((carrier) => carrier.verdict === "right");
  const segments = right.flatMap(({ segment }) => byId.get(segment) ?? []);
  const lengths = new Set(segments.flatMap(({ step }) => step ?? []));
  const parts = new Set(segments.map(({ part }) => part));
  return [
    ...[...lengths].map((step) => lengthChange(state, catalogue.session.steps + 1 - step)),
    ...state.off.filter((part) => parts.has(part)).map((part) => partChange(catalogue, state, part)),
    ...(parts.has("tools") ? TOOLS.map((tools) => toolsChange(state, tools)) : []),
    ...FORMS.map((form) => formChange(state, form)),
  ];
}

/** @param {State} state @param {number} k @returns {Candidate} */
function lengthChange(state, k) {
  const weight = Math.abs(k - state.k);
  return { weight, change: { kind: "step", value: `${k}`, state: { ...state, k } } };
}

/** @param {Catalogue} catalogue @param {State} state @param {string} part @returns {Candidate} */
function partChange(catalogue, state, part) {
  const weight = part === "task" ? WEIGHT.task : WEIGHT.part;
  return { weight, change: { kind: "part", value: part, state: switchPart(catalogue, state, part, true) } };
}

/** @param {State} state @param {Tools} tools @returns {Candidate} */
function toolsChange(state, tools) {
  return { weight: WEIGHT.tools, change: { kind: "tools", value: tools, state: { ...state, tools } } };
}

/** @param {State} state @param {Form} form @returns {Candidate} */
function formChange(state, form) {
  return { weight: WEIGHT.form, change: { kind: "form", value: form, state: chooseForm(state, form) } };
}

/** The evidence for the right answer in a state, else null.
 * @param {Catalogue} catalogue @param {State} state @param {Probe} probe @param {ById} byId */
function carrierIn(catalogue, state, probe, byId) {
  const found = answer(probe, (id) => {
    const segment = byId.get(id);
    return segment !== undefined && isSent(catalogue, state, segment);
  });
  return found.verdict === "right" ? found.carrier : null;
}

/** What to say of evidence that is not sent: of the part or tools that are offered; else of the
 * history. @param {Offer | undefined} offer @param {string} inHistory */
export function lostText(offer, inHistory) {
  const outside = offer?.kind === "part" || offer?.kind === "tools";
  return outside ? (offer.carrier.lost ?? "") : inHistory;
}

/** What to say of the history's message that is nearest to being sent, where the evidence was first
 * given. @param {Catalogue} catalogue @param {Probe} probe */
export function lostInHistory(catalogue, probe) {
  const carriers = probe.carriers.filter(({ lost }) => lost);
  const byId = segmentsById(catalogue);
  const steps = carriers.map(({ segment }) => byId.get(segment)?.step ?? 0);
  return carriers[steps.indexOf(Math.max(...steps))]?.lost ?? "";
}
