/** Texts that are looked up and filled in, and how figures are written in them. */

/** A whole number with commas: 112,000. @param {number} value */
export function count(value) {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** A share as a whole percentage: 64%. @param {number} share */
export function percent(share) {
  return `${Math.round(share * 100)}%`;
}

/** @param {number} from @param {number} to */
export function range(from, to) {
  return from === to ? `${from}` : `${from}–${to}`;
}

/** Characters that are shown of a value. */
const SHOWN = 24;

/** A value from a link or a field, short enough for a sentence. Signs that nobody sees stand as one
 * that is seen: some of them would turn the words behind them around. @param {string} value */
export function brieflyQuoted(value) {
  const letters = [...value.slice(0, 4 * SHOWN).replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, "\ufffd")];
  return letters.length > SHOWN ? `${letters.slice(0, SHOWN).join("")}…` : letters.join("");
}

/** Looks up and fills a template; a text that is missing shows as its key.
 * @param {{words: Record<string, string>}} catalogue
 * @returns {(key: string, values?: Record<string, string | number>) => string} */
export function speaker(catalogue) {
  return (key, values = {}) => fill(catalogue.words[key] ?? key, values);
}

/** @param {string} template @param {Record<string, string | number>} values */
export function fill(template, values) {
  return template.replace(/\{(\w+)\}/g, (whole, name) => `${values[name] ?? whole}`);
}
