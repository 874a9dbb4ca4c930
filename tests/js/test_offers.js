/** Offers over the kept catalogue, for every state but the second form. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { compose } from "../../widgets/js/compose.js";
import { FORMS, TOOLS, formatState, sameState, switchable } from "../../widgets/js/state.js";

/** @import { Catalogue, State } from "../../widgets/js/types.js" */

/** @type {Catalogue} */
const catalogue = JSON.parse(readFileSync(new URL("../../data/catalogue.json", import.meta.url), "utf8"));
const ids = switchable(catalogue).map(({ id }) => id);
const subsets = Array.from({ length: 2 ** ids.length }, (_, bits) => ids.filter((_, i) => bits & (2 ** i)));

/** @returns {Generator<State>} */
function* states() {
  for (let k = 0; k <= catalogue.session.steps; k += 1)
    for (const older of FORMS)
      for (const tools of TOOLS) for (const off of subsets) yield { k, older, vs: "-", tools, off };
}

test("each answer that is not right has an offer, which makes it right", () => {
  let offered = 0;
  for (const state of states()) {
    const view = compose(catalogue, state);
    view.answers.forEach(({ id, verdict }, index) => {
      if (verdict === "right") return;
      const offer = view.offers[id];
      assert.ok(offer, `${formatState(state)} ${id}`);
      offered += 1;
      if (offered % 50) return; // what follows composes a call for each
      const after = compose(catalogue, offer.state);
      assert.equal(after.answers[index]?.verdict, "right", `${formatState(state)} ${id}`);
      assert.ok(!sameState(state, offer.state));
    });
  }
  assert.ok(offered > 1000);
});
