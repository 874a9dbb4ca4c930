/** A catalogue of PolicyLab with three policies of a few requests each. */

/** @import { Curve, Lab } from "../../widgets/js/lab_types.js" */

/** @param {string} policy @param {number} seed @param {number[]} results @param {Partial<Curve>} [more]
 * @returns {Curve} */
function run(policy, seed, results, more = {}) {
  const regions = { system: results.map(() => 10), results };
  const read = results.map((_, i) => (i ? 10 : 0));
  return { policy, seed, ending: "done", regions, read, costs: results.map((size) => size / 1000), breaks: [], ...more };
}

const broken = { part: "history", message: 4, step: 2, kind: "tool", acts: ["cleared"], invalidated: 30, freed: 12 };

/** @type {Lab} */
export const lab = {
  schema: 1,
  version: 1,
  words: {},
  regions: [
    { id: "system", label: "system prompt" },
    { id: "results", label: "results" },
  ],
  columns: [
    { id: "steps", kind: "count", log: true },
    { id: "cost", kind: "dollars", log: true },
    { id: "cached_share", kind: "percent", log: false },
    { id: "input", kind: "millions", log: true },
  ],
  policies: [
    { id: "none", label: "none", what: "everything", limit: null },
    { id: "clear", label: "clear", what: "cleared", limit: 80 },
    { id: "mine", label: "mine", what: "", limit: null },
  ],
  figures: {
    none: { seeds: [1, 2, 3], finished: [true, true, true], steps: [3, 4, 9], cost: [0.6, 1.2, 4], cached_share: [0, 0, 0], input: [1e6, 2e6, 3e6] },
    clear: { seeds: [1, 2, 3, 4], finished: [true, true, true, false], steps: [3, 5, 5, 8], cost: [0.05, 0.07, 0.09, 0.5], cached_share: [0.8, 0.8, 0.9, 0.9], input: [1e6, 1e6, 1e6, 2e6] },
    mine: { seeds: [7], finished: [false], steps: [2], cost: [0.002], cached_share: [0.5], input: [4e4] },
  },
  curves: [
    run("none", 1, [100, 30000, 50000]),
    run("none", 2, [100, 90000, 120000, 150000]),
    run("clear", 1, [100, 200, 300]),
    run("clear", 2, [100, 200, 80, 90, 40], { breaks: [{ ...broken, request: 3 }, { ...broken, request: 5, acts: [] }] }),
    run("mine", 7, [10, 20], { ending: "limit", breaks: [{ ...broken, request: 2, part: "tools", message: null, kind: "definition" }] }),
  ],
  typical: 2,
  tier: 100_000,
  times: 5,
  limit: 80_000,
  few: 10,
  world: 1,
  total: 94,
  texts: { sha: "0", file: "text-0.js", runs: ["none:2"] },
  notice: "",
  first: "pl=1.none:all.clear:all.3.cost",
  experiments: [],
};
