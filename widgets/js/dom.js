/** Building and patching nodes. Text is only ever set as text. */

/** @typedef {Record<string, string | number | boolean | null | undefined>} Attributes */
/** @typedef {Node | string} Child */

/**
 * An element with attributes and children; `true` sets an empty attribute, null and false none.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag @param {Attributes} [attributes] @param {...Child} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function make(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) setAttribute(node, name, value);
  node.append(...children);
  return node;
}

/**
 * A control. The attribute keeps JupyterLab's keyboard shortcuts away from it: without it
 * `m` would turn the cell into text, and it has to stand on the control itself.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag @param {Attributes} [attributes] @param {...Child} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function control(tag, attributes = {}, ...children) {
  return make(tag, { ...attributes, "data-lm-suppress-shortcuts": "true" }, ...children);
}

/** A name that no other element of the page has, in whichever copy of this module it is made.
 * @param {string} prefix */
export function uniqueName(prefix) {
  return `${prefix}-${Math.random().toString(36).slice(2, 12)}`;
}

/** The style that gives an element a part's colour, which the style sheet names after the part.
 * @param {string} part */
export function partColour(part) {
  return `--cb-part: var(--cb-part-${part})`;
}

/** Sets an attribute where it is another one: a browser begins to work even for the same value.
 * @param {Element} node @param {string} name @param {Attributes[string]} value */
export function setAttribute(node, name, value) {
  const text = value === true ? "" : `${value}`;
  if (value === null || value === undefined || value === false) node.removeAttribute(name);
  else if (node.getAttribute(name) !== text) node.setAttribute(name, text);
}

/** Sets a node's text where it is another one. A text that is there is patched: the browser has
 * less to do than for a new one. @param {Node} node @param {string} text */
export function setText(node, text) {
  const { firstChild } = node;
  if (!(firstChild instanceof Text) || firstChild.nextSibling) node.textContent = text;
  else if (firstChild.data !== text) firstChild.data = text;
}

/** Sets a control's value where it is another one: for a select a browser else lays the page out.
 * @param {HTMLInputElement | HTMLSelectElement} node @param {string} value */
export function setValue(node, value) {
  if (node.value !== value) node.value = value;
}

/** Shows or hides a node; the focus moves to `heir` when it would be lost.
 * @param {HTMLElement} node @param {boolean} shown @param {HTMLElement} [heir] */
export function show(node, shown, heir) {
  if (node.hidden === !shown) return;
  if (!shown && heir && node.contains(document.activeElement)) heir.focus({ preventScroll: true });
  node.hidden = !shown;
}

/** A table. @param {{caption: string, head: string[], rows: Child[][], numbers?: number[],
 * foot?: boolean}} table `numbers` are the columns that hold figures; `foot`: the last row sums up
 * @returns {HTMLElement} */
export function makeTable({ caption, head, rows, numbers = [], foot = false }) {
  /** @param {number} column */
  const kind = (column) => (numbers.includes(column) ? "cb-number" : null);
  const header = make("tr", {}, ...head.map((text, i) => make("th", { scope: "col", class: kind(i) }, text)));
  const lines = rows.map((cells, index) =>
    make(
      "tr",
      { class: foot && index === rows.length - 1 ? "cb-sum" : null },
      ...cells.map((cell, i) =>
        i === 0 ? make("th", { scope: "row" }, cell) : make("td", { class: kind(i) }, cell),
      ),
    ),
  );
  const table = make(
    "table",
    { class: "cb-table" },
    make("caption", { class: "cb-hidden" }, caption),
    make("thead", {}, header),
    make("tbody", {}, ...lines),
  );
  return control("div", { class: "cb-scroll", tabindex: 0, role: "region", "aria-label": caption }, table);
}
