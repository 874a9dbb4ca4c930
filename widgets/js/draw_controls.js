/** The controls of the history: how much of it, and what becomes of the rest. */

/** @import { Catalogue, Form, State } from "./types.js" */
import { control, make, setAttribute, setText, setValue, uniqueName } from "./dom.js";
import { firstStep } from "./say.js";
import { FORMS, chooseForm } from "./state.js";
import { olderSteps } from "./present.js";
import { range, speaker } from "./words.js";

/** @typedef {(next: State, gesture?: string) => void} SetState a gesture's changes count as one */

/** @param {Catalogue} catalogue @param {() => State} state @param {SetState} set
 * @param {() => void} settle called when a gesture ends
 * @param {(value: string) => void} refuse called with a number of steps that cannot be */
export function makeHistoryControls(catalogue, state, set, settle, refuse) {
  const length = makeLength(catalogue, state, set, settle, refuse);
  const form = makeForm(catalogue, state, set);
  return {
    node: make("div", { class: "cb-controls" }, length.node, form.node),
    update() {
      length.update();
      form.update();
    },
  };
}

/** @param {Catalogue} catalogue @param {() => State} state @param {SetState} set
 * @param {() => void} settle @param {(value: string) => void} refuse */
function makeLength(catalogue, state, set, settle, refuse) {
  const say = speaker(catalogue);
  const limits = { min: 0, max: catalogue.session.steps, step: 1 };
  const slider = control("input", { type: "range", class: "cb-slider", "aria-label": say("recent"), ...limits });
  const number = control("input", { type: "number", class: "cb-number-input", "aria-label": say("recent_number"), ...limits });
  const start = make("span", { class: "cb-from" });
  let first = 0; // the number of steps before the field was typed in
  let typing = false;
  const chosen = (/** @type {HTMLInputElement} */ input) => {
    const k = input.valueAsNumber;
    const can = Number.isInteger(k) && k >= 0 && k <= limits.max;
    if (can) return set({ ...state(), k }, "length");
    if (state().k !== first) set({ ...state(), k: first }, "length"); // not what "49" begins with
    if (input.value !== "" || input.validity.badInput) refuse(input.value);
  };
  for (const input of [slider, number]) {
    input.addEventListener("input", () => {
      typing = input === number;
      chosen(input);
      typing = false;
    });
    input.addEventListener("change", settle);
  }
  number.addEventListener("focus", () => (first = state().k));
  number.addEventListener("change", () => (first = state().k));
  number.addEventListener("blur", () => (number.value = `${state().k}`));
  return {
    node: make(
      "div",
      { class: "cb-length" },
      make("span", { class: "cb-label", "aria-hidden": "true" }, say("recent")),
      slider,
      make("span", { class: "cb-length-end" }, number, start),
    ),
    update() {
      const { k } = state();
      const from = k === 0 ? say("recent_none") : say("recent_from", { start: firstStep(catalogue, state()) });
      setValue(slider, `${k}`);
      if (!typing && number.valueAsNumber !== k) number.value = `${k}`;
      setAttribute(slider, "aria-valuetext", `${k}, ${from}`);
      setText(start, from);
    },
  };
}

/** @param {Catalogue} catalogue @param {() => State} state @param {SetState} set */
function makeForm(catalogue, state, set) {
  const say = speaker(catalogue);
  const name = uniqueName("cb-older");
  const legend = make("legend", { class: "cb-label" });
  const radios = FORMS.map((form) => control("input", { type: "radio", name, value: form }));
  FORMS.forEach((form, index) =>
    radios[index].addEventListener("change", () => set(chooseForm(state(), form))),
  );
  const choices = FORMS.map((form, index) =>
    make("label", { class: "cb-choice" }, radios[index], say(`form_${form}`)),
  );
  const beside = control(
    "select",
    { class: "cb-select", disabled: catalogue.own !== undefined },
    make("option", { value: "-" }, say("beside_none")),
    ...FORMS.map((form) => make("option", { value: form }, say(`form_${form}`))),
  );
  beside.addEventListener("change", () => {
    set({ ...state(), vs: /** @type {Form | "-"} */ (beside.value) });
  });
  return {
    node: make(
      "div",
      { class: "cb-forms" },
      make("fieldset", { class: "cb-older" }, legend, make("div", { class: "cb-choices" }, ...choices)),
      make("label", { class: "cb-beside" }, make("span", {}, say("beside")), beside),
    ),
    update() {
      const { older, vs } = state();
      const steps = olderSteps(catalogue, state());
      setText(legend, say(steps > 1 ? "older" : steps ? "older_one" : "older_none", { range: range(1, steps) }));
      FORMS.forEach((form, index) => {
        radios[index].checked = form === older;
        setAttribute(beside.options[index + 1], "disabled", form === older);
      });
      setValue(beside, vs);
    },
  };
}
