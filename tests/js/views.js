/** What the module composes: reads {catalogue, fragments} from stdin, prints one view for each. */

import { readFileSync } from "node:fs";
import { compose } from "../../widgets/js/compose.js";
import { parseState } from "../../widgets/js/state.js";

const { catalogue, fragments } = JSON.parse(readFileSync(0, "utf8"));

/** @param {string} fragment */
function view(fragment) {
  const { segments, total, sizes, fits, answers, run, cost, offers } = compose(catalogue, parseState(catalogue, fragment));
  return {
    fragment,
    segments: segments.map(({ id }) => id),
    total,
    sizes,
    fits,
    answers: answers.map(({ id, verdict, answer, carrier }) => ({ id, verdict, answer, segment: carrier?.segment ?? null })),
    run: run && { outcome: run.run.outcome, verdict: run.run.verdict, steps: run.steps, refused: run.refused?.step ?? null },
    cost: cost && { reused: cost.reused, fresh: cost.fresh, units: cost.units, breaks: cost.breaks?.id ?? null },
    offers,
  };
}

process.stdout.write(JSON.stringify(fragments.map(view)));
