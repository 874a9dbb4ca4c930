import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { compose, composeBeside } from "../../widgets/js/compose.js";
import { ownStatus } from "../../widgets/js/own.js";
import { toolsText } from "../../widgets/js/say.js";
import { parseState } from "../../widgets/js/state.js";
import { catalogue as small } from "./small_catalogue.js";

const toml = readFileSync(new URL("../../data/words/context_builder.toml", import.meta.url), "utf8");
const lines = toml.slice(toml.indexOf("[words]"), toml.indexOf("[parts]")).matchAll(/^(\w+) = (".*")$/gm);
const words = Object.fromEntries([...lines].map(([, key, text]) => [key, JSON.parse(text)]));
const FIRST = "cb=1.2.drop.-.6.task";

/** A catalogue in which a builder's own call stands. @param {object} own */
const made = (own = {}) => ({
  ...small,
  words,
  segments: small.segments.slice(0, 4).map((segment) => ({ ...segment, when: {} })),
  own: {
    number: 1, state: FIRST, say: "", lines: [], running: "It runs.", still: false,
    tools: { 6: 1, 40: 7 }, ...own,
  },
});

/** @param {object} catalogue @param {string} fragment */
const at = (catalogue, fragment) => compose(catalogue, parseState(catalogue, fragment));

test("all of an own call is sent, whatever the controls say", () => {
  const own = made();
  for (const fragment of [FIRST, "cb=1.0.careful.-.none.report,task", "cb=1.4.clear.-.40.-"]) {
    assert.deepEqual(at(own, fragment).segments, own.segments);
  }
});

test("nothing is compared with it", () => {
  assert.equal(composeBeside(made(), parseState(made(), "cb=1.2.drop.clear.6.task")), null);
});

test("the status says that it runs, what was wrong, or which answers changed", () => {
  const good = made();
  const view = at(good, FIRST);
  assert.equal(ownStatus(small, null, view), null);
  assert.equal(ownStatus(good, null, at(good, "cb=1.1.drop.-.6.task")), "It runs.");
  assert.equal(ownStatus(made({ say: "It fell." }), null, view), "It fell.");
  assert.match(ownStatus(good, null, view) ?? "", /^\d of 2 answers are right\. \d+ tokens, \d+%\.$/);
  assert.match(ownStatus(good, view, view) ?? "", /^No answer changed\. \d+ tokens, \d+%\.$/);
});

test("the tools that a setting names are counted in Python", () => {
  assert.deepEqual(["6", "40", "none"].map((setting) => toolsText(made(), setting)), ["1", "7", "none"]);
});
