/**
 * Which segments of the catalogue are sent in a state, what they add up to, and the answer
 * that a probe gets from them. The rules are Python's; here they are only applied.
 */

/** @import { Answer, Catalogue, Probe, Segment, State } from "./types.js" */

/** @type {WeakMap<Catalogue, Map<string, Segment>>} */
const indexes = new WeakMap();

/** The segments of a catalogue by id, put together once. @param {Catalogue} catalogue */
export function segmentsById(catalogue) {
  const known = indexes.get(catalogue);
  if (known) return known;
  const index = new Map(catalogue.segments.map((segment) => [segment.id, segment]));
  indexes.set(catalogue, index);
  return index;
}

/** Steps that are older than the recent ones. @param {Catalogue} catalogue @param {State} state */
export function olderSteps(catalogue, state) {
  return catalogue.session.steps - state.k;
}

/** Whether a segment is sent. @param {Catalogue} catalogue @param {State} state
 * @param {Segment} segment */
export function isSent(catalogue, state, segment) {
  if (catalogue.own) return true; // that one call, whatever the controls say by now
  const { tools, at, form, from = 1, to = Infinity } = segment.when;
  if (state.off.includes(segment.part)) return false;
  if (segment.part === "tools" && state.tools === "none") return false;
  if (tools && !tools.includes(state.tools)) return false;
  const older = olderSteps(catalogue, state);
  if (form && (form !== state.older || older < from || older > to)) return false;
  if (!at || segment.step === null) return true;
  return at.includes(segment.step > older ? "recent" : state.older);
}

/** The segments of a call, in order. @param {Catalogue} catalogue @param {State} state */
export function present(catalogue, state) {
  return catalogue.segments.filter((segment) => isSent(catalogue, state, segment));
}

/** The sum of a figure, part by part. @param {Catalogue} catalogue @param {Segment[]} segments
 * @param {"tokens" | "estimate"} figure @returns {Record<string, number>} */
export function sumByPart(catalogue, segments, figure = "tokens") {
  const sums = Object.fromEntries(catalogue.parts.map((part) => [part.id, 0]));
  for (const segment of segments) sums[segment.part] += segment[figure];
  return sums;
}

/** @param {Segment[]} segments */
export function sumTokens(segments) {
  return segments.reduce((sum, segment) => sum + segment.tokens, 0);
}

/** The first evidence that is present decides. @param {Probe} probe
 * @param {(segment: string) => boolean} has @returns {Answer} */
export function answer(probe, has) {
  const carrier = probe.carriers.find(({ segment }) => has(segment)) ?? null;
  const { answer: text, verdict } = carrier ?? probe.missing;
  return { id: probe.id, verdict, answer: text, carrier };
}
