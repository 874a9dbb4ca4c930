/** A builder of the reader's own: what the status line says of it, and the lines below. */

/** @import { Catalogue, View } from "./types.js" */
import { make, setText, show } from "./dom.js";
import { flips } from "./say.js";
import { formatState } from "./state.js";
import { count, percent, speaker } from "./words.js";

/** What the status line says; null where the call is made by no builder of the reader's.
 * @param {Catalogue} catalogue @param {View | null} before the view when the current gesture
 * began @param {View} after @returns {string | null} */
export function ownStatus(catalogue, before, after) {
  const { own } = catalogue;
  if (!own) return null;
  if (own.state !== formatState(after.state)) return own.running;
  if (own.say) return own.say;
  const say = speaker(catalogue);
  const size = say("status_size", { total: count(after.total), share: percent(after.total / catalogue.budget) });
  if (before?.fits && after.fits) return `${flips(catalogue, before, after)} ${size}`;
  const right = after.answers.filter(({ verdict }) => verdict === "right").length;
  return say("status_first", { right, all: catalogue.probes.length, size });
}

/** Lines about the latest build: each problem of its request, what it printed. */
export function makeOwnLines() {
  const node = make("ul", { class: "cb-own", hidden: true });
  return {
    node,
    /** @param {Catalogue} catalogue */
    update({ own }) {
      const lines = own?.lines ?? [];
      while (node.children.length > lines.length) node.lastElementChild?.remove();
      lines.forEach((line, index) => {
        const item = node.children[index] ?? node.appendChild(make("li"));
        setText(item, line);
      });
      show(node, lines.length > 0);
    },
  };
}
