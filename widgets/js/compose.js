/** One call composed from the catalogue, and what follows from it: answers, run, cost, offers. */

/** @import { Catalogue, Cost, RunView, Segment, State, View } from "./types.js" */
import { findOffers } from "./offers.js";
import { answer, present, sumByPart, sumTokens } from "./present.js";

/** The run that follows from what the call holds; a step whose call does not fit ends it.
 * @param {Catalogue} catalogue @param {State} state @param {Set<string>} ids
 * @param {number} total @returns {RunView | null} */
export function findRun(catalogue, state, ids, total) {
  const values = catalogue.facts.map(
    (fact) => fact.carriers.find(({ segment }) => ids.has(segment))?.value ?? fact.missing,
  );
  const run = catalogue.runs[values.join("|")];
  if (!run) return null;
  let size = total;
  for (const [index, step] of run.steps.entries()) {
    if (size > catalogue.budget) {
      return { run, steps: run.steps.slice(0, index), refused: step, size };
    }
    size += step.tokens;
    for (const part of /** @type {const} */ (["files", "task"])) {
      if (!state.off.includes(part)) size += step[part] ?? 0;
    }
  }
  return { run, steps: run.steps, refused: null, size };
}

/** What the call costs after the previous one, whose prefix a provider reuses.
 * @param {Catalogue} catalogue @param {Segment[]} segments @returns {Cost} */
export function price(catalogue, segments) {
  const { previous, shared, prices } = catalogue;
  const at = segments.findIndex((segment, index) => segment.id !== previous[index]);
  const same = at < 0 ? segments : segments.slice(0, at);
  const breaks = at < 0 ? null : segments[at];
  const inCommon = breaks ? (shared[at]?.[breaks.id] ?? 0) : 0;
  const reused = sumTokens(same) + inCommon;
  const fresh = sumTokens(segments) - reused;
  const reply = prices.reply_tokens;
  const units = (reused * prices.reused + fresh * prices.new + reply * prices.reply) / prices.per;
  return { reused, fresh, reply, units, breaks };
}

/** One call and what follows from it. A call over the budget is not sent: it has no answers.
 * @param {Catalogue} catalogue @param {State} state @returns {View} */
export function compose(catalogue, state) {
  const segments = present(catalogue, state);
  const ids = new Set(segments.map((segment) => segment.id));
  const total = sumTokens(segments);
  const fits = total <= catalogue.budget;
  const answers = fits ? catalogue.probes.map((probe) => answer(probe, (id) => ids.has(id))) : [];
  return {
    state,
    segments,
    ids,
    sizes: sumByPart(catalogue, segments),
    estimates: sumByPart(catalogue, segments, "estimate"),
    total,
    fits,
    answers,
    run: fits ? findRun(catalogue, state, ids, total) : null,
    cost: fits ? price(catalogue, segments) : null,
    offers: fits ? findOffers(catalogue, state, answers) : {},
  };
}

/** The call in the second form, where one is compared. @param {Catalogue} catalogue
 * @param {State} state @returns {View | null} */
export function composeBeside(catalogue, state) {
  const { vs } = state;
  return vs === "-" || catalogue.own ? null : compose(catalogue, { ...state, older: vs, vs: "-" });
}
