/** What becomes of the older steps: tokens before and after, and what a summary keeps. */

/** @import { Catalogue, Kept, LedgerRow, Segment } from "./types.js" */

/** @typedef {"verbatim" | "paraphrased" | "lost"} LedgerStatus */

/** What a summary of the older steps keeps. @param {Catalogue} catalogue @param {number} older
 * @returns {{row: LedgerRow, careful: LedgerStatus, careless: LedgerStatus}[]} */
export function ledgerOf(catalogue, older) {
  /** @param {Kept} kept @returns {LedgerStatus} */
  const status = (kept) => {
    /** @param {[number, number][] | undefined} ranges */
    const within = (ranges) => ranges?.some(([from, to]) => from <= older && older <= to) ?? false;
    if (within(kept.verbatim)) return "verbatim";
    return within(kept.paraphrased) ? "paraphrased" : "lost";
  };
  return catalogue.ledger
    .filter((row) => row.step <= older)
    .map((row) => ({ row, careful: status(row.careful), careless: status(row.careless) }));
}

/** @typedef {"fixed" | "older_calls" | "older_outputs" | "summary" | "recent"} Group */

/** Tokens of a call by what a compaction does to them. @param {Segment[]} segments
 * @param {number} older @returns {Record<Group, number>} */
export function groupSizes(segments, older) {
  const sums = { fixed: 0, older_calls: 0, older_outputs: 0, summary: 0, recent: 0 };
  for (const segment of segments) sums[groupOf(segment, older)] += segment.tokens;
  return sums;
}

/** @param {Segment} segment @param {number} older @returns {Group} */
function groupOf({ part, step, role }, older) {
  if (part === "summary") return "summary";
  if (step === null) return "fixed";
  if (step > older) return "recent";
  return role === "tool" ? "older_outputs" : "older_calls";
}
