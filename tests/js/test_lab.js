import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { columnsPath, stacked, stepsPath } from "../../widgets/js/lab_paths.js";
import { dollars, labStatus, linkProblem, panelTexts, requestText, written } from "../../widgets/js/lab_say.js";
import { LinkError, carried, formatLab, parseLab, within } from "../../widgets/js/lab_state.js";
import { breakAt, composeLab, nextBreak, restsOnOne, spreadOf, totalsOf } from "../../widgets/js/lab_view.js";
import { lab as small } from "./small_lab.js";

const toml = readFileSync(new URL("../../data/words/policy_lab.toml", import.meta.url), "utf8");
const words = Object.fromEntries([...toml.matchAll(/^(\w+) = "(.*)"$/gm)].map(([, key, text]) => [key, text]));
const lab = { ...small, words };
/** @param {string} fragment */
const view = (fragment) => composeLab(lab, parseLab(lab, fragment));

test("a state comes back from its link", () => {
  for (const policy of lab.policies.map(({ id }) => id)) {
    for (const seed of ["all", "2"]) {
      for (const second of ["-", "none:all", "clear:1"]) {
        if (policy === "mine" && seed !== "all") continue;
        const link = `pl=1.${policy}:${seed}.${second}.2.steps`;
        assert.equal(formatLab(lab, parseLab(lab, link)), link);
        assert.equal(formatLab(lab, parseLab(lab, `#${link}`)), link);
      }
    }
  }
});

test("a link that cannot be read names the field, the value, what was expected", () => {
  const cases = [
    ["pl=2.none:all.-.1.cost", "version", "2"],
    ["pl=1.none:all.-.1", "fields", "4"],
    ["pl=1.nothing:all.-.1.cost", "policy", "nothing"],
    ["pl=1.none:all.x.1.cost", "policy", "x"],
    ["pl=1.none.-.1.cost", "run", ""],
    ["pl=1.none:3.-.1.cost", "run", "3"],
    ["pl=1.none:02.-.1.cost", "run", "02"],
    ["pl=1.none:all:1.-.1.cost", "run", "all:1"],
    ["pl=1.none:all.-.5.cost", "request", "5"],
    ["pl=1.none:all.-.0.cost", "request", "0"],
    ["pl=1.none:all.-.1e0.cost", "request", "1e0"],
    ["pl=1.none:all.-.1.price", "figure", "price"],
  ];
  for (const [link, field, value] of cases) {
    assert.throws(
      () => parseLab(lab, link),
      (error) => error instanceof LinkError && error.field === field && error.value === value,
      link,
    );
    try {
      parseLab(lab, link);
    } catch (error) {
      const told = linkProblem(lab, /** @type {LinkError} */ (error));
      assert.match(told, new RegExp(`“${value}”|${value} fields`));
      assert.doesNotMatch(told, /[{}]|problem_/);
    }
  }
});

test("what a link holds is quoted briefly, and turns no words around", () => {
  const told = (/** @type {string} */ name) => linkProblem(lab, new LinkError("policy", name, "none"));
  assert.match(told("\u202e\u0000<b>\ud800x"), /policy “\ufffd\ufffd<b>\ufffdx”/);
  assert.match(told("𝒳".repeat(30)), new RegExp(`“${"𝒳".repeat(24)}…”`));
  assert.match(told("a".repeat(24)), /“a{24}”/);
  assert.match(told("a".repeat(1_000_000)), /“a{24}…”/);
});

test("what was shown is kept as far as another catalogue has it", () => {
  const before = { first: { policy: "none", seed: null }, second: { policy: "mine", seed: 7 }, request: 4, figure: "steps" };
  assert.deepEqual(carried(lab, before), before);
  const runs = lab.curves.filter(({ policy, seed }) => policy !== "none" || seed === 1);
  const fewer = { ...lab, curves: runs.map((run) => (run.policy === "mine" ? { ...run, seed: 1 } : run)) };
  const kept = { ...before, second: { policy: "mine", seed: null }, request: 3 };
  assert.deepEqual(carried(fewer, before), kept);
  const none = { ...lab, curves: runs.filter(({ policy }) => policy !== "mine") };
  assert.equal(carried(none, before), null);
  assert.deepEqual(carried(none, { ...before, second: null }), { ...before, second: null, request: 3 });
});

test("a request stays inside the runs that are drawn", () => {
  const state = { ...parseLab(lab, lab.first), request: 99 };
  assert.equal(within(lab, state).request, 5);
  assert.equal(within(lab, { ...state, second: null }).request, 4);
  assert.equal(within(lab, { ...state, request: -3 }).request, 1);
});

test("all runs are drawn by the typical one, with the others behind it", () => {
  const { panels, requests, columns, tokens } = view("pl=1.none:all.mine:all.1.cost");
  assert.deepEqual(panels.map(({ curve }) => curve.seed), [2, 7]);
  assert.deepEqual(panels[0].ghosts, [[110, 30010, 50010]]);
  assert.deepEqual(panels[1].ghosts, []);
  assert.deepEqual([requests, columns, tokens], [4, 4, 160_000]);
  assert.equal(panels[0].figures.cost, 1.2);
  assert.equal(view("pl=1.none:1.-.1.cost").panels[0].figures.cost, 0.6);
  assert.equal(view("pl=1.clear:1.-.1.cost").tokens, 120_000, "the dear tier is always in sight");
});

test("regions add up, and are stacked without a gap", () => {
  const layers = Object.values(lab.curves[1].regions);
  const starts = stacked(layers);
  const tops = starts[1].map((start, i) => start + layers[1][i]);
  assert.deepEqual(tops, totalsOf(lab.curves[1]));
  assert.deepEqual(starts[1], layers[0]);
});

test("columns and steps are drawn from the bottom up", () => {
  assert.equal(columnsPath([0, 10], [5, 20], 100), "M0 100V95H0.9V100ZM1 90V70H1.9V90Z");
  assert.equal(columnsPath([0, 0], [0, 1], 2), "M1 2V1H1.9V2Z");
  assert.equal(stepsPath([0, 40], 100), "M0 100H0.95V60H1.95");
});

test("the next break is that of either run", () => {
  assert.equal(nextBreak(view("pl=1.none:all.clear:all.1.cost"), 1), 3);
  assert.equal(nextBreak(view("pl=1.clear:all.mine:all.3.cost"), 1), 5);
  assert.equal(nextBreak(view("pl=1.clear:all.mine:all.3.cost"), -1), 2);
  assert.equal(nextBreak(view("pl=1.clear:all.mine:all.5.cost"), 1), 0);
});

test("a median lies between", () => {
  assert.deepEqual(spreadOf([3, 1, 2]), { least: 1, median: 2, most: 3 });
  assert.deepEqual(spreadOf([4, 1, 2, 3]), { least: 1, median: 2.5, most: 4 });
  assert.deepEqual(spreadOf([7]), { least: 7, median: 7, most: 7 });
});

test("every figure carries its unit", () => {
  assert.deepEqual([1.377, 0.0861, 0.00157, 0].map(dollars), ["$1.38", "$0.09", "$0.0016", "$0.00"]);
  assert.deepEqual([written("millions", 3415928), written("percent", 0.843), written("count", 1234)], ["3.42 M", "84%", "1,234"]);
  assert.equal(written("count", 3.5), "3.5");
});

test("medians are compared, single runs are warned of", () => {
  const pair = view("pl=1.none:all.clear:all.1.cost");
  assert.equal(restsOnOne(pair), false);
  assert.match(labStatus(lab, pair), /Medians of 3 and 4 runs: with “clear” a run costs \$0\.08, with “none” \$1\.20.*15 times cheaper, in 5 requests instead of 4\. With fewer than 10 runs/);
  assert.doesNotMatch(labStatus({ ...lab, few: 3 }, pair), /chance/);
  const back = view("pl=1.clear:all.none:all.1.cost");
  assert.match(labStatus(lab, back), /15 times dearer/);
  const single = view("pl=1.none:1.clear:2.1.cost");
  assert.equal(restsOnOne(single), true);
  assert.match(
    labStatus(lab, single),
    /tell you nothing.*“none” costs \$0\.60 and “clear” \$0\.07\. .*\$0\.60 to \$4\.00 and \$0\.05 to \$0\.50\. At the median “clear” is cheaper: \$0\.08 against \$1\.20/,
  );
  assert.match(labStatus(lab, view("pl=1.none:1.none:2.1.cost")), /same policy twice: \$0\.60 and \$1\.20, 3 and 4 requests/);
  const mixed = view("pl=1.none:1.clear:all.1.cost");
  assert.equal(restsOnOne(mixed), true);
  assert.match(labStatus(lab, mixed), /One run against many/);
  assert.equal(restsOnOne(view("pl=1.none:1.-.1.cost")), false);
  assert.match(labStatus(lab, view("pl=1.none:1.-.1.cost")), /one run.*\$0\.60.*3 runs.*\$0\.60 to \$4\.00/);
  assert.equal(labStatus(lab, view("pl=1.mine:all.-.1.cost")), "The only run with “mine” costs $0.0020.");
  assert.match(labStatus(lab, view("pl=1.none:all.-.1.cost")), /\$1\.20 at the median of 3 runs/);
});

test("a request says what it is, what broke, what was freed", () => {
  const { panels } = view("pl=1.clear:all.mine:all.1.cost");
  /** @param {number} which @param {number} request */
  const said = (which, request) => requestText(lab, panels[which], request, breakAt(panels[which], request));
  assert.match(said(0, 1), /^request 1 has 110 tokens, 0% from the cache, \$0\.10\. .*first request/);
  assert.match(said(0, 2), /only adds to the request before/);
  assert.match(said(0, 3), /message 4 \(a result of step 2\): old results are cleared\. 30 tokens .* 12 are freed/);
  assert.match(said(0, 5), /: the text changed\./);
  assert.match(said(1, 2), /tool definition: 30 tokens/);
  assert.match(said(1, 3), /ended after 2 requests/);
});

test("a panel says its runs, which is drawn, and how it ended", () => {
  const [none, mine] = view("pl=1.none:all.mine:7.1.cost").panels;
  const [only] = view("pl=1.mine:all.-.1.cost").panels;
  assert.match(panelTexts(lab, only)[0], /^Its only run: 2 requests/);
  assert.deepEqual(panelTexts(lab, none), [
    "Medians of 3 runs: 4 requests, 2.00 M tokens, 0% from the cache, $1.20.",
    "Drawn: seed 2; in grey 1 more.",
  ]);
  assert.deepEqual(panelTexts(lab, mine), [
    "This run: 2 requests, 0.04 M tokens, 50% from the cache, $0.0020.",
    "Not finished: stopped at the limit of steps.",
  ]);
});
