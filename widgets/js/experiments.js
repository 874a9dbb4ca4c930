/** The experiments of a widget: a row of buttons, and below it what to look for. */

/** @import { Experiment } from "./types.js" */
import { control, make, setAttribute, setText } from "./dom.js";
import { speaker } from "./words.js";

/** @param {{words: Record<string, string>, experiments: Experiment[]}} catalogue
 * @param {string} hint what stands there before one is begun
 * @param {(experiment: Experiment) => void} start */
export function makeExperiments(catalogue, hint, start) {
  const say = speaker(catalogue);
  const buttons = catalogue.experiments.map((experiment) => {
    const button = control("button", { type: "button", class: "cb-button" }, experiment.label);
    button.addEventListener("click", () => start(experiment));
    return button;
  });
  const about = make("p", { class: "cb-hint" });
  const row = { class: "cb-experiments", role: "group", "aria-label": say("experiments") };
  return {
    node: make("div", { class: "cb-start" }, make("div", row, ...buttons), about),
    /** @param {Experiment | null} current */
    update(current) {
      catalogue.experiments.forEach(({ id }, index) => {
        setAttribute(buttons[index], "aria-current", id === current?.id ? "step" : null);
      });
      setText(about, current?.say ?? hint);
    },
  };
}
