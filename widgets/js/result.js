/** What follows from a call: answers, parts, and what unfolds below. Made from one catalogue. */

/** @import { Catalogue, Model, State, View } from "./types.js" */
import { make } from "./dom.js";
import { makeAnswers, makeMore } from "./draw_answers.js";
import { makeCompaction, makeCost, makePartsTable, makeRun } from "./draw_details.js";
import { makeParts } from "./draw_parts.js";
import { makeExactText } from "./draw_text.js";
import { makeLater } from "./later.js";
import { makeTextLoader } from "./texts.js";

/** @param {Catalogue} catalogue @param {Model} model @param {() => State} current
 * @param {(next: State, gesture?: string) => void} set
 * @param {(text: string) => void} announce */
export function makeResult(catalogue, model, current, set, announce) {
  const texts = makeTextLoader(model, catalogue);
  const answers = makeAnswers(catalogue, set);
  const parts = makeParts(catalogue, current, set);
  const more = makeMore(catalogue, answers.list);
  const later = makeLater();
  let drawn = false;
  const details = [
    makeRun(catalogue),
    makeCost(catalogue),
    ...(catalogue.own ? [] : [makeCompaction(catalogue)]),
    ...(catalogue.own?.still ? [] : [makeExactText(catalogue, texts.load, announce)]),
    makePartsTable(catalogue),
  ];
  return {
    nodes: [
      make("div", { class: "cb-main" }, answers.node, parts.node, more.node),
      make("div", { class: "cb-folded" }, ...details.map(({ node }) => node)),
    ],
    /** The answers and the parts now; what unfolds below once they are seen.
     * @param {{view: View, other: View | null, before: View | null}} frame */
    update(frame) {
      answers.update(frame);
      parts.update(frame.view);
      more.update(frame);
      const unfold = () => details.forEach((one) => one.update(frame));
      if (drawn) later.do(unfold);
      else unfold();
      drawn = true;
    },
    stop() {
      later.stop();
      texts.stop();
    },
  };
}
