import assert from "node:assert/strict";
import { test } from "node:test";
import { FORMS, StateError, TOOLS, chooseForm, formatState, parseState, switchPart } from "../../widgets/js/state.js";
import { catalogue } from "./small_catalogue.js";

test("a link's fragment and the state are two forms of the same", () => {
  const parts = [[], ["report"], ["task"], ["report", "task"]];
  for (const k of [0, 1, 4])
    for (const older of FORMS)
      for (const vs of /** @type {const} */ (["-", ...FORMS]))
        for (const tools of TOOLS)
          for (const off of parts) {
            if (vs === older) continue;
            const state = { k, older, vs, tools, off };
            assert.deepEqual(parseState(catalogue, formatState(state)), state);
          }
  assert.equal(formatState(parseState(catalogue, "#cb=1.3.drop.-.6.task")), "cb=1.3.drop.-.6.task");
});

test("the order in which a link names its parts does not matter", () => {
  assert.deepEqual(parseState(catalogue, "cb=1.3.drop.-.6.task,report,task").off, ["report", "task"]);
});

test("what is wrong with a link is named: the field, its value, what was expected", () => {
  /** @type {[string, string, string][]} */
  const cases = [
    ["cb=2.3.drop.-.6.task", "version", "2"],
    ["cb=", "version", ""],
    ["cb=elsewhere", "version", "elsewhere"],
    ["cb=1.3.drop.-.6", "fields", "5"],
    ["cb=1.3.drop.-.6.task.more", "fields", "7"],
    ["cb=1.5.drop.-.6.task", "k", "5"],
    ["cb=1.-1.drop.-.6.task", "k", "-1"],
    ["cb=1.٣.drop.-.6.task", "k", "٣"],
    ["cb=1.1e0.drop.-.6.task", "k", "1e0"],
    ["cb=1.3.gone.-.6.task", "older", "gone"],
    ["cb=1.3.drop.drop.6.task", "vs", "drop"],
    ["cb=1.3.drop.-.7.task", "tools", "7"],
    ["cb=1.3.drop.-.6.system", "off", "system"],
    ["cb=1.3.drop.-.6.tools", "off", "tools"],
    ["cb=1.3.drop.-.6.", "off", ""],
    ["cb=1.3.drop.-.6.task,-", "off", "-"],
    ["cb=1.3.constructor.-.6.task", "older", "constructor"],
  ];
  for (const [fragment, field, value] of cases) {
    assert.throws(
      () => parseState(catalogue, fragment),
      (error) => error instanceof StateError && error.field === field && error.value === value,
      fragment,
    );
  }
});

test("two forms that are compared never are the same", () => {
  const state = parseState(catalogue, "cb=1.3.careful.careless.6.task");
  assert.deepEqual(chooseForm(state, "careless"), { ...state, older: "careless", vs: "careful" });
  assert.deepEqual(chooseForm(state, "drop"), { ...state, older: "drop" });
});

test("a part that is switched twice is as it was", () => {
  const state = parseState(catalogue, "cb=1.3.drop.-.6.task");
  const other = switchPart(catalogue, state, "report", false);
  assert.deepEqual(other.off, ["report", "task"]);
  assert.deepEqual(switchPart(catalogue, other, "report", true), state);
  assert.deepEqual(switchPart(catalogue, other, "report", false), other);
});
