import assert from "node:assert/strict";
import { test } from "node:test";
import { groupSizes, ledgerOf } from "../../widgets/js/compaction.js";
import { compose, composeBeside } from "../../widgets/js/compose.js";
import { FORMS, TOOLS, formatState, parseState } from "../../widgets/js/state.js";
import { catalogue } from "./small_catalogue.js";

/** @param {string} fragment */
const at = (fragment) => compose(catalogue, parseState(catalogue, fragment));

/** @param {string} fragment */
const idsAt = (fragment) => at(fragment).segments.map(({ id }) => id).join(" ");

const every = [0, 1, 2, 3, 4].flatMap((k) =>
  FORMS.flatMap((older) =>
    TOOLS.flatMap((tools) =>
      [[], ["report"], ["task"], ["report", "task"]].map((off) => ({ k, older, vs: /** @type {"-"} */ ("-"), tools, off })),
    ),
  ),
);

test("each form of the older steps sends what it says", () => {
  assert.equal(idsAt("cb=1.1.drop.-.6.task"), "system tool report call_4 result_4 user");
  assert.equal(
    idsAt("cb=1.2.clear.-.6.task"),
    "system tool report call_1 cleared_1 call_2 cleared_2 call_3 result_3 call_4 result_4 user",
  );
  assert.equal(idsAt("cb=1.1.careful.-.6.report"), "system tool careful call_4 result_4 user task");
  assert.equal(idsAt("cb=1.3.careful.-.6.task"), "system tool report call_2 result_2 call_3 result_3 call_4 result_4 user");
  assert.equal(idsAt("cb=1.0.careless.-.none.task"), "system report careless user");
});

test("with every step recent all four forms are the same call", () => {
  const calls = FORMS.map((form) => idsAt(`cb=1.4.${form}.-.6.task`));
  assert.equal(new Set(calls).size, 1);
});

test("the parts add up to the whole, in every state", () => {
  for (const state of every) {
    const view = compose(catalogue, state);
    const sum = Object.values(view.sizes).reduce((a, b) => a + b);
    assert.equal(sum, view.total, formatState(state));
    const groups = Object.values(groupSizes(view.segments, 4 - state.k)).reduce((a, b) => a + b);
    assert.equal(groups, view.total);
    assert.equal(view.fits, view.total <= 100);
  }
});

test("a call over the budget has no answers, no run, no cost and no offers", () => {
  const view = at("cb=1.4.drop.-.40.task");
  assert.equal(view.total, 10 + 65 + 8 + 40 + 3);
  assert.deepEqual([view.fits, view.answers, view.run, view.cost, view.offers], [false, [], null, null, {}]);
});

test("the first evidence that is present decides", () => {
  assert.equal(at("cb=1.4.drop.-.6.-").answers[0].carrier?.segment, "task");
  assert.equal(at("cb=1.4.drop.-.6.task").answers[0].carrier?.segment, "call_2");
  assert.deepEqual(at("cb=1.2.drop.-.6.task").answers[0], { id: "rule", verdict: "wrong", answer: "yes", carrier: null });
  assert.equal(at("cb=1.2.drop.-.6.report").answers[1].verdict, "absent");
});

test("a run ends at the step whose call does not fit", () => {
  const view = at("cb=1.4.drop.-.6.-"); // 75 tokens: the second call has 105
  assert.equal(view.total, 75);
  assert.deepEqual(view.run?.steps.map(({ step }) => step), [5]);
  assert.deepEqual([view.run?.refused?.step, view.run?.size], [6, 105]);
  const short = at("cb=1.0.drop.-.6.task");
  assert.deepEqual([short.run?.run.outcome, short.run?.refused, short.run?.steps.length], ["breaks it", null, 2]);
});

test("a call costs little as far as it begins like the one before", () => {
  const whole = at("cb=1.4.drop.-.6.task").cost;
  assert.deepEqual([whole?.reused, whole?.fresh, whole?.breaks?.id], [43, 23, "call_3"]);
  assert.equal(whole?.units.toFixed(3), ((43 * 0.1 + 23 + 40) / 10).toFixed(3));
  const cut = at("cb=1.3.drop.-.6.task").cost;
  assert.deepEqual([cut?.reused, cut?.breaks?.id], [23 + 2, "call_2"]);
  assert.equal(at("cb=1.3.drop.-.none.task").cost?.reused, 10);
});

test("an offer is the smallest change that makes the answer right in a call that fits", () => {
  const near = at("cb=1.2.drop.-.6.task").offers.rule;
  assert.deepEqual([near.kind, near.value, near.carrier.segment], ["step", "3", "call_2"]);
  const far = at("cb=1.0.drop.-.6.task").offers.rule;
  assert.deepEqual([far.kind, far.value], ["form", "careful"]);
  const part = at("cb=1.4.drop.-.6.report,task").offers.found;
  assert.deepEqual([part.kind, part.value], ["part", "report"]);
  const tight = at("cb=1.1.drop.-.40.task").offers.rule; // 96 tokens: only 4 are left
  assert.deepEqual([tight.kind, tight.value, tight.state.tools], ["form", "careful", "6"]);
});

test("taking an offer makes the answer right, in every state", () => {
  for (const state of every) {
    const view = compose(catalogue, state);
    for (const [probe, offer] of Object.entries(view.offers)) {
      const after = compose(catalogue, offer.state);
      assert.equal(after.fits, true);
      assert.equal(after.answers.find(({ id }) => id === probe)?.verdict, "right", formatState(state));
    }
  }
});

test("the second form differs in nothing but the form", () => {
  const state = parseState(catalogue, "cb=1.1.careful.careless.6.task");
  const other = composeBeside(catalogue, state);
  assert.equal(formatState(other?.state ?? state), "cb=1.1.careless.-.6.task");
  assert.equal(composeBeside(catalogue, { ...state, vs: "-" }), null);
});

test("the ledger says what a summary of so many steps keeps", () => {
  assert.deepEqual(ledgerOf(catalogue, 1), []);
  assert.deepEqual([2, 3, 4].map((n) => ledgerOf(catalogue, n)[0]).map(({ careful, careless }) => [careful, careless]), [
    ["verbatim", "lost"],
    ["verbatim", "paraphrased"],
    ["verbatim", "lost"],
  ]);
});
