/** What unfolds below: ten steps on, cost, before and after, table. Each says its result closed. */

/** @import { Catalogue, RunStep, View } from "./types.js" */
import { groupSizes, ledgerOf } from "./compaction.js";
import { makeDisclosure } from "./disclosure.js";
import { make, makeTable } from "./dom.js";
import { olderSteps, present, sumTokens } from "./present.js";
import { firstStep, inUnits, labelOf } from "./say.js";
import { count, percent, range, speaker } from "./words.js";

/** @typedef {{view: View, other: View | null}} Shown */

/** @param {Catalogue} catalogue */
export function makeRun(catalogue) {
  const say = speaker(catalogue);

  /** @param {View} view */
  const outcome = (view) => {
    if (!view.run) return { text: say("run_not_sent"), verdict: "refused" };
    const { run, refused } = view.run;
    if (refused) return { text: say("run_refused", { step: refused.step }), verdict: "refused" };
    return { text: run.outcome, verdict: run.verdict };
  };

  /** @param {RunStep} step */
  const line = ({ step, call, because, result }) =>
    make(
      "li",
      { class: "cb-step", value: step },
      make("code", { class: "cb-call" }, call),
      make("p", { class: "cb-because" }, because),
      make("p", { class: "cb-outcome" }, result),
    );

  /** @param {View} view @param {boolean} compared */
  const column = (view, compared) => {
    const { text, verdict } = outcome(view);
    const node = make("div", { class: "cb-run" });
    if (compared) {
      const head = `${say(`form_${view.state.older}`)}: ${text}`;
      node.append(make("p", { class: "cb-outcome-head", "data-verdict": verdict }, head));
    }
    if (!view.run) return node;
    const list = make("ol", { class: "cb-steps" }, ...view.run.steps.map(line));
    const { refused, size } = view.run;
    if (refused) {
      const values = { tokens: count(size), over: count(size - catalogue.budget) };
      const text = say("run_refused_row", values);
      list.append(make("li", { class: "cb-step", value: refused.step, "data-verdict": "refused" }, make("p", {}, text)));
    }
    node.append(list);
    return node;
  };

  return makeDisclosure(
    say("run"),
    (/** @type {Shown} */ { view, other }) => {
      const first = outcome(view);
      return other ? { text: `${first.text} | ${outcome(other).text}` } : first;
    },
    (body, { view, other }) => {
      const about = say("run_about", { from: firstStep(catalogue, view.state) });
      const columns = [view, ...(other ? [other] : [])].map((one) => column(one, other !== null));
      body.replaceChildren(make("p", { class: "cb-about" }, about), make("div", { class: "cb-runs" }, ...columns));
    },
  );
}

/** @param {Catalogue} catalogue */
export function makeCost(catalogue) {
  const say = speaker(catalogue);
  const { prices, session } = catalogue;

  /** @param {View} view */
  const breakText = ({ cost }) => {
    if (!cost?.breaks) return say("cost_whole");
    const { part, step } = cost.breaks;
    const values = { part: labelOf(catalogue, part), step: step ?? "" };
    return say(step === null ? "cost_break" : "cost_break_step", values);
  };

  /** @param {View} view */
  const closed = (view) =>
    view.cost
      ? say("cost_closed", { cost: inUnits(view.cost.units), break: breakText(view) })
      : say("cost_not_sent");

  /** @param {View} view @returns {string[][]} */
  const rows = ({ cost }) => {
    if (!cost) return [];
    /** @type {[string, number, number][]} */
    const kinds = [
      [say("cost_reused"), cost.reused, prices.reused],
      [say("cost_new"), cost.fresh, prices.new],
      [say("cost_reply"), cost.reply, prices.reply],
    ];
    const lines = kinds.map(([kind, tokens, each]) => [
      kind,
      count(tokens),
      `${each}`,
      ((tokens * each) / prices.per).toFixed(1),
    ]);
    const sum = count(cost.reused + cost.fresh + cost.reply);
    return [...lines, [say("cost_total"), sum, "", cost.units.toFixed(1)]];
  };

  return makeDisclosure(
    say("cost"),
    (/** @type {Shown} */ { view, other }) => ({ text: other ? `${closed(view)} | ${closed(other)}` : closed(view) }),
    (body, { view, other }) => {
      const per = count(prices.per);
      const heads = [say("cost_kind"), say("cost_count"), say("cost_price", { per }), say("cost_sum")];
      const tables = [view, ...(other ? [other] : [])].map((one) => {
        const name = `${say(`form_${one.state.older}`)}: ${closed(one)}`;
        const table = makeTable({ caption: name, head: heads, rows: rows(one), numbers: [1, 2, 3], foot: true });
        const head = other ? [make("p", { class: "cb-outcome-head" }, name)] : [];
        return make("div", {}, ...head, ...(one.cost ? [table] : []));
      });
      body.replaceChildren(
        make("p", { class: "cb-about" }, `${say("cost_about", { step: session.steps })} ${say("cost_unit", { per })}`),
        make("div", { class: "cb-runs" }, ...tables),
      );
    },
  );
}

/** @param {Catalogue} catalogue */
export function makeCompaction(catalogue) {
  const say = speaker(catalogue);
  const { steps } = catalogue.session;

  /** The call with every step word for word. @param {View} view @returns {Sizes} */
  const before = (view) => {
    const segments = present(catalogue, { ...view.state, k: steps });
    return { segments, total: sumTokens(segments) };
  };

  return makeDisclosure(
    say("compaction"),
    (/** @type {Shown} */ { view }) => {
      const sizes = { before: count(before(view).total), after: count(view.total) };
      const form = view.state.older;
      const rows = ledgerOf(catalogue, olderSteps(catalogue, view.state));
      if (form !== "careful" && form !== "careless") return { text: say("compaction_closed", sizes) };
      const lost = rows.filter((row) => row[form] === "lost").length;
      return { text: say("compaction_closed_ledger", { ...sizes, lost, all: rows.length }) };
    },
    (body, { view }) => {
      body.replaceChildren(
        make("p", { class: "cb-about" }, say("compaction_about", { steps })),
        sizesTable(catalogue, before(view), view),
        ...ledgerNodes(catalogue, view),
      );
    },
  );
}

/** @typedef {Pick<View, "segments" | "total">} Sizes */

/** @param {Catalogue} catalogue @param {Sizes} before @param {View} after */
function sizesTable(catalogue, before, after) {
  const say = speaker(catalogue);
  const older = olderSteps(catalogue, after.state);
  const [was, is] = [before, after].map((view) => groupSizes(view.segments, older));
  const ranges = {
    fixed: "",
    older_calls: range(1, older),
    older_outputs: range(1, older),
    summary: range(1, older),
    recent: range(older + 1, catalogue.session.steps),
  };
  const groups = /** @type {(keyof typeof ranges)[]} */ (Object.keys(ranges));
  const rows = groups
    .filter((group) => was[group] || is[group])
    .map((group) => [say(`compaction_${group}`, { range: ranges[group] }), count(was[group]), count(is[group])]);
  const share = [before, after].map((view) => percent(view.total / catalogue.budget));
  const total = [count(before.total), count(after.total)];
  rows.push([say("part_total"), ...total.map((tokens, i) => say("compaction_total", { tokens, share: share[i] }))]);
  const head = [say("compaction_kind"), say("compaction_before"), say("compaction_after")];
  return makeTable({ caption: say("compaction"), head, rows, numbers: [1, 2], foot: true });
}

/** @param {Catalogue} catalogue @param {View} view */
function ledgerNodes(catalogue, view) {
  const say = speaker(catalogue);
  const older = olderSteps(catalogue, view.state);
  if (older === 0) return [make("p", { class: "cb-about" }, say("ledger_none"))];
  const title = say("ledger", { range: range(1, older) });
  const rows = ledgerOf(catalogue, older);
  const head = [say("ledger_item"), say("ledger_step"), say("ledger_careful"), say("ledger_careless")];
  const each = rows.map(({ row, careful, careless }) => [
    make("span", { class: "cb-item", title: row.text }, row.text),
    `${row.step}`,
    badge(catalogue, careful),
    badge(catalogue, careless),
  ]);
  const all = makeTable({ caption: say("ledger_each"), head, rows: each, numbers: [1] });
  all.classList.add("cb-long");
  return [
    make("h5", { class: "cb-heading" }, title),
    kindsTable(catalogue, rows, title),
    make("h5", { class: "cb-heading" }, say("ledger_each")),
    all,
  ];
}

/** How many things of each kind the two summaries keep.
 * @param {Catalogue} catalogue @param {ReturnType<typeof ledgerOf>} rows @param {string} caption */
function kindsTable(catalogue, rows, caption) {
  const say = speaker(catalogue);
  const kinds = [...new Set(rows.map(({ row }) => row.kind))];
  /** @param {string} kind @param {"careful" | "careless"} form */
  const kept = (kind, form) => {
    const cell = make("span", { class: "cb-kept" });
    for (const status of /** @type {const} */ (["verbatim", "paraphrased", "lost"])) {
      const number = rows.filter((one) => one.row.kind === kind && one[form] === status).length;
      if (number) cell.append(badge(catalogue, status, `${number} `));
    }
    return cell;
  };
  const lines = kinds.map((kind) => [
    say(`kind_${kind.replace(" ", "_")}`),
    `${rows.filter(({ row }) => row.kind === kind).length}`,
    kept(kind, "careful"),
    kept(kind, "careless"),
  ]);
  const head = [say("ledger_kind"), say("ledger_count"), say("ledger_careful"), say("ledger_careless")];
  return makeTable({ caption, head, rows: lines, numbers: [1] });
}

/** @param {Catalogue} catalogue @param {import("./compaction.js").LedgerStatus} status
 * @param {string} [before] */
function badge(catalogue, status, before = "") {
  const text = `${before}${speaker(catalogue)(`ledger_${status}`)}`;
  return make("span", { class: "cb-status-word", "data-kept": status }, text);
}

/** @param {Catalogue} catalogue */
export function makePartsTable(catalogue) {
  const say = speaker(catalogue);
  /** @param {Record<string, number>} sums */
  const total = (sums) => Object.values(sums).reduce((sum, value) => sum + value, 0);
  /** @param {number} estimate @param {number} tokens */
  const ratio = (estimate, tokens) => (tokens ? (estimate / tokens).toFixed(2) : say("part_empty"));
  return makeDisclosure(
    say("table"),
    (/** @type {Shown} */ { view }) => ({ text: say("table_closed", { ratio: ratio(total(view.estimates), view.total) }) }),
    (body, { view }) => {
      const head = ["part", "tokens", "estimate", "ratio", "share", "volatility"].map((key) => say(`table_${key}`));
      /** @param {string} name @param {number} tokens @param {number} estimate @param {string} kind */
      const line = (name, tokens, estimate, kind) => [
        name,
        count(tokens),
        count(estimate),
        ratio(estimate, tokens),
        percent(tokens / catalogue.budget),
        kind,
      ];
      const rows = catalogue.parts.map(({ id, label, volatility }) =>
        line(label, view.sizes[id], view.estimates[id], volatility),
      );
      rows.push(line(say("part_total"), view.total, total(view.estimates), ""));
      body.replaceChildren(
        make("p", { class: "cb-about" }, say("table_about", { framing: catalogue.framing })),
        makeTable({ caption: say("parts"), head, rows, numbers: [1, 2, 3, 4], foot: true }),
      );
    },
  );
}
