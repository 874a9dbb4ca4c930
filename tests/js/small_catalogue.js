/** A catalogue made by hand: four steps of 10 tokens, figures that can be added up in the head. */

/** @import { Catalogue, Segment } from "../../widgets/js/types.js" */

/** @param {string} id @param {string} part @param {number} tokens @param {Partial<Segment>} [more]
 * @returns {Segment} */
function segment(id, part, tokens, more = {}) {
  const estimate = tokens + 1;
  return { id, part, step: null, role: "system", tokens, estimate, head: id, when: {}, ...more };
}

/** @param {number} step @returns {Segment[]} a call of 4 tokens, its result of 6, or of 2 cleared */
function step(step) {
  return [
    segment(`call_${step}`, "history", 4, { step, role: "assistant", when: { at: ["recent", "clear"] } }),
    segment(`result_${step}`, "history", 6, { step, role: "tool", when: { at: ["recent"] } }),
    segment(`cleared_${step}`, "history", 2, { step, role: "tool", when: { at: ["clear"] } }),
  ];
}

/** @param {string} id @param {string} label @param {boolean} [switchable] */
const part = (id, label, switchable = false) => ({ id, label, switchable, volatility: "fixed" });

/** @param {string} segment @param {string} answer @param {string} [lost] */
const carrier = (segment, answer, lost) =>
  ({ segment, start: 0, end: 1, quote: "q", answer, verdict: /** @type {const} */ ("right"), lost });

/** @type {Catalogue} */
export const catalogue = {
  schema: 1,
  session: { steps: 4 },
  window: 110,
  reserve: 10,
  budget: 100,
  threshold: 0.8,
  framing: 4,
  words: {},
  parts: [
    part("system", "System"),
    part("tools", "Tools"),
    part("report", "Report", true),
    part("summary", "Summary"),
    part("history", "History"),
    part("user", "User"),
    part("task", "Task", true),
  ],
  segments: [
    segment("system", "system", 10),
    segment("tool", "tools", 5, { when: { tools: ["6", "40"] } }),
    segment("team", "tools", 60, { when: { tools: ["40"] } }),
    segment("report", "report", 8),
    segment("careful", "summary", 7, { when: { form: "careful", from: 2, to: 4 } }),
    segment("careless", "summary", 7, { when: { form: "careless", from: 1, to: 4 } }),
    ...[1, 2, 3, 4].flatMap(step),
    segment("user", "user", 3, { role: "user" }),
    segment("task", "task", 9),
  ],
  probes: [
    {
      id: "rule",
      question: "May it?",
      short: "rule",
      missing: { answer: "yes", verdict: "wrong" },
      carriers: [carrier("task", "no"), carrier("call_2", "no", "said at step 2, not sent: {gone}"), carrier("careful", "no")],
    },
    {
      id: "found",
      question: "What?",
      short: "found",
      missing: { answer: "", verdict: "absent" },
      carriers: [carrier("report", "it", "in the report")],
    },
  ],
  facts: [
    { id: "rule", missing: "0", carriers: [{ segment: "task", value: "1" }, { segment: "call_2", value: "1" }] },
  ],
  runs: {
    0: { outcome: "breaks it", verdict: "wrong", steps: [1, 2].map((n) => runStep(n, 30)) },
    1: { outcome: "keeps it", verdict: "right", steps: [1, 2, 3].map((n) => runStep(n, 30)) },
  },
  ledger: [
    { id: "a", kind: "rule", text: "a", step: 2, careful: { verbatim: [[2, 4]] }, careless: { paraphrased: [[3, 3]] } },
  ],
  previous: ["system", "tool", "report", "call_1", "result_1", "call_2", "result_2", "user"],
  shared: { 3: { call_2: 2 } },
  prices: { reused: 0.1, new: 1, reply: 4, per: 10, reply_tokens: 10 },
  first: "cb=1.2.drop.-.6.task",
  experiments: [],
  texts: { sha: "small", file: "text-small.js" },
};

/** @param {number} step @param {number} tokens */
function runStep(step, tokens) {
  return { step: step + 4, call: "c", because: "b", result: "r", tokens };
}
