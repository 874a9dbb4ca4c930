/** Composes the states whose fragments come in on standard input, and prints what came of each. */

import { readFileSync } from "node:fs";
import { compose } from "../../widgets/js/compose.js";
import { parseState } from "../../widgets/js/state.js";

/** @type {import("../../widgets/js/types.js").Catalogue} */
const catalogue = JSON.parse(readFileSync(process.argv[2], "utf-8"));
/** @type {string[]} */
const fragments = JSON.parse(readFileSync(0, "utf-8"));

/** @param {string} fragment */
function view(fragment) {
  const { total, sizes, fits, answers, cost, run } = compose(catalogue, parseState(catalogue, fragment));
  return {
    total,
    sizes,
    fits,
    answers: answers.map(({ answer, verdict }) => ({ answer, verdict })),
    reused: cost?.reused,
    units: cost?.units,
    run: run && {
      outcome: run.run.outcome,
      verdict: run.run.verdict,
      steps: run.steps,
      refused: run.refused && { step: run.refused.step, size: run.size },
    },
  };
}

console.log(JSON.stringify(fragments.map(view)));
