/** Keeps the reader's place while something is drawn anew: what is open and what has the focus. */

/** @param {HTMLElement} root it stays; what is in it may be replaced by the change
 * @param {() => void} change */
export function keepPlace(root, change) {
  const focused = controlsIn(root).findIndex((one) => one === document.activeElement);
  const open = unfolding(root).map((one) => one.open);
  change();
  unfolding(root).forEach((one, place) => one.toggleAttribute("open", open[place] ?? false));
  const heirs = controlsIn(root);
  if (focused >= 0) (heirs[focused] ?? heirs.at(-1))?.focus({ preventScroll: true });
}

/** @param {HTMLElement} root @returns {HTMLElement[]} */
function controlsIn(root) {
  return [...root.querySelectorAll(/** @type {"button"} */ ("button, input, select, summary"))];
}

/** The outer disclosures. @param {HTMLElement} root */
function unfolding(root) {
  return [...root.querySelectorAll("details")].filter((one) => !one.parentElement?.closest("details"));
}
