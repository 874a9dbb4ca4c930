import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { compose } from "../../widgets/js/compose.js";
import { lostInHistory, lostText } from "../../widgets/js/offers.js";
import { badLinkText, brief, goneText, inUnits, offerText, statusText } from "../../widgets/js/say.js";
import { StateError, parseState } from "../../widgets/js/state.js";
import { catalogue as small } from "./small_catalogue.js";
import { count, fill, percent, range } from "../../widgets/js/words.js";

const toml = readFileSync(new URL("../../data/words/context_builder.toml", import.meta.url), "utf8");
/** The lines of the table [words]; each of them is a JSON string in TOML's clothes. */
const lines = toml.slice(toml.indexOf("[words]"), toml.indexOf("[parts]")).matchAll(/^(\w+) = (".*")$/gm);
const words = Object.fromEntries([...lines].map(([, key, text]) => [key, JSON.parse(text)]));
const catalogue = { ...small, words };

/** @param {string} fragment */
const at = (fragment) => compose(catalogue, parseState(catalogue, fragment));

/** @param {string} before @param {string} after */
const told = (before, after) => statusText(catalogue, at(before), at(after));

test("figures", () => {
  assert.deepEqual([0, 999, 1000, 96760, 1234567].map(count), ["0", "999", "1,000", "96,760", "1,234,567"]);
  assert.deepEqual([0, 0.155, 0.864, 1.07].map(percent), ["0%", "16%", "86%", "107%"]);
  assert.deepEqual([0.12, 9.94, 15.4, 101].map(inUnits), ["0.1", "9.9", "15", "101"]);
  assert.deepEqual([range(1, 1), range(1, 14)], ["1", "1–14"]);
});

test("a template keeps what it cannot fill, and never reads a value as a template", () => {
  assert.equal(fill("{a} {b} {a}", { a: "{b}" }), "{b} {b} {b}");
});

test("the status says what moved, which answers changed, and the size", () => {
  assert.equal(
    told("cb=1.3.drop.-.6.task", "cb=1.2.drop.-.6.task"),
    "Step 2 left the call. 1 answer changed: rule, right → wrong. 46 tokens, 46%.",
  );
  assert.equal(
    told("cb=1.1.drop.-.6.task", "cb=1.4.drop.-.6.task"),
    "Steps 1–3 came into the call. 1 answer changed: rule, wrong → right. 66 tokens, 66%.",
  );
  assert.equal(
    told("cb=1.2.drop.-.6.report", "cb=1.2.drop.-.6.report,task"),
    "Task left the call. 1 answer changed: rule, right → wrong. 38 tokens, 38%.",
  );
  assert.equal(
    told("cb=1.2.drop.-.6.task", "cb=1.2.careful.-.6.task"),
    "Steps 1–2 are now summed up with care. 1 answer changed: rule, wrong → right. 53 tokens, 53%.",
  );
  assert.equal(statusText(catalogue, null, at("cb=1.2.drop.-.6.task")), "1 of 2 answers are right. 46 tokens, 46%.");
});

test("the status and a lost answer say what became of old steps, whichever their form", () => {
  /** @param {string} before @param {string} after */
  const moved = (before, after) => told(before, after).split(/(?<=\.) (?=No|\d)/)[0];
  assert.equal(moved("cb=1.3.clear.-.6.task", "cb=1.2.clear.-.6.task"), "The output of step 2 left the call.");
  assert.equal(moved("cb=1.1.clear.-.6.task", "cb=1.3.clear.-.6.task"), "The outputs of steps 2–3 came into the call.");
  assert.equal(moved("cb=1.3.careless.-.6.task", "cb=1.1.careless.-.6.task"), "Steps 2–3 are now summed up carelessly.");
  assert.equal(moved("cb=1.1.careful.-.6.task", "cb=1.2.careful.-.6.task"), "Step 3 is now word for word.");
  assert.equal(moved("cb=1.4.drop.-.6.task", "cb=1.3.careful.-.6.task"), "Step 1 is now summed up with care.");
  assert.equal(
    moved("cb=1.1.clear.-.6.task", "cb=1.2.drop.-.6.task"),
    "The output of step 3 came into the call. Steps 1–2 are now left out.",
  );
  const gone = ["1.2.drop", "1.0.drop", "1.0.clear", "1.2.careful", "1.3.careless"].map((given) =>
    goneText(catalogue, at(`cb=${given}.-.6.task`).state),
  );
  assert.deepEqual(gone, [
    "this call starts at step 3",
    "this call sends no step",
    "outputs are cleared up to step 4",
    "that is summed up",
    "that is summed up",
  ]);
});

test("a call over the budget is not sent, and the status says by how much and why", () => {
  assert.equal(
    told("cb=1.4.drop.-.6.task", "cb=1.4.drop.-.40.task"),
    "Tools: 2. Not sent: 26 tokens over the budget. Largest part that you can change: Tools, 65.",
  );
  assert.equal(
    told("cb=1.4.drop.-.40.task", "cb=1.4.drop.-.6.task"),
    "Tools: 1. It fits again: 2 of 2 answers are right. 66 tokens, 66%.",
  );
});

test("an offer names the steps, the part or the form", () => {
  /** @param {string} fragment @param {string} probe */
  const offered = (fragment, probe) => {
    const view = at(fragment);
    return offerText(catalogue, view.state, view.offers[probe]);
  };
  assert.equal(offered("cb=1.2.drop.-.6.task", "rule"), "Send step 2 too");
  assert.equal(offered("cb=1.0.drop.-.6.task", "rule"), "Sum up with care");
  assert.equal(offered("cb=1.4.drop.-.6.report,task", "found"), "Send Report");
  assert.equal(offered("cb=1.1.drop.-.40.task", "rule"), "Sum up with care, with 1 tools");
});

test("what is lost is said of the evidence as it was first given", () => {
  const [rule] = catalogue.probes;
  const view = at("cb=1.0.drop.-.6.task");
  assert.equal(lostText(view.offers.rule, lostInHistory(catalogue, rule)), "said at step 2, not sent: {gone}");
});

test("an answer is shown by its first sentence, its quotation closed", () => {
  assert.equal(brief("No. The user says: “off limits.”"), "No.");
  assert.equal(brief("“First repair it. Then run it.”"), "“First repair it.”");
  assert.equal(brief("In .patch/outputs/call_9.log."), "In .patch/outputs/call_9.log.");
  assert.equal(brief(""), "");
});

test("a bad link is answered with what is wrong", () => {
  const long = "x".repeat(80);
  assert.equal(
    badLinkText(catalogue, new StateError("k", "99", "48")),
    "The link's settings cannot be read (steps “99”, expected a whole number from 0 to 48). The first state is shown.",
  );
  assert.ok(badLinkText(catalogue, new StateError("off", long, "task")).length < 140);
});
