/** What unfolds: it says its result while it is closed. */

import { control, make, setAttribute, setText } from "./dom.js";

/**
 * A disclosure; its body is drawn only while it is open.
 * @template Shown
 * @param {string} title
 * @param {(shown: Shown) => {text: string, verdict?: string}} closed what it says while closed
 * @param {(body: HTMLElement, shown: Shown) => void} draw
 */
export function makeDisclosure(title, closed, draw) {
  const result = make("span", { class: "cb-result" });
  const head = control("summary", { class: "cb-summary" }, make("span", { class: "cb-summary-title" }, title), result);
  const body = make("div", { class: "cb-body" });
  const node = make("details", { class: "cb-details" }, head, body);
  /** @type {Shown | null} */
  let shown = null;
  node.addEventListener("toggle", () => {
    if (node.open && shown) draw(body, shown);
  });
  return {
    node,
    /** @param {Shown} next */
    update(next) {
      shown = next;
      const { text, verdict } = closed(next);
      setText(result, text);
      setAttribute(result, "data-verdict", verdict);
      if (node.open) draw(body, next);
    },
  };
}
