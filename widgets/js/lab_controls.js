/** Which runs are shown, and which request of them. */

/** @import { Choice, Lab, LabState, LabView, Panel } from "./lab_types.js" */
import { control, make, setAttribute, setText, setValue } from "./dom.js";
import { curvesOf } from "./lab_state.js";
import { breakAt, nextBreak } from "./lab_view.js";
import { panelTexts, requestText } from "./lab_say.js";
import { speaker } from "./words.js";

/** The choice of one panel's runs. @param {Lab} lab @param {"first" | "second"} which
 * @param {(choice: Choice | null) => void} set */
export function makePicker(lab, which, set) {
  const say = speaker(lab);
  const nothing = which === "second" ? [make("option", { value: "" }, say("nothing"))] : [];
  const names = lab.policies.map(({ id, label, what }) =>
    make("option", { value: id }, what ? `${label}: ${what}` : label),
  );
  const policy = control("select", { class: "cb-select", "aria-label": say(`policy_${which}`) }, ...nothing, ...names);
  const runs = control("select", { class: "cb-select", "aria-label": say(`runs_${which}`) });
  const lines = [make("span", {}), make("span", {})];
  const figures = make("p", { class: "pl-figures" }, ...lines);
  let listed = "";
  policy.addEventListener("change", () => set(policy.value ? { policy: policy.value, seed: null } : null));
  runs.addEventListener("change", () => {
    set({ policy: policy.value, seed: runs.value === "" ? null : Number(runs.value) });
  });

  /** @param {Panel} panel */
  const list = ({ policy: { id }, count }) => {
    if (listed === id) return;
    listed = id;
    const all = make("option", { value: "" }, count === 1 ? say("runs_only") : say("runs_all", { count }));
    const each = curvesOf(lab, id).map(({ seed }) => make("option", { value: seed }, say("runs_one", { seed })));
    runs.replaceChildren(all, ...each);
  };
  return {
    node: make(
      "div",
      { class: "pl-picker" },
      make("span", { class: "cb-label", "aria-hidden": "true" }, say(which)),
      policy,
      runs,
      figures,
    ),
    /** @param {Panel | undefined} panel */
    update(panel) {
      setValue(policy, panel?.policy.id ?? "");
      runs.hidden = figures.hidden = !panel;
      if (!panel) return;
      list(panel);
      setValue(runs, `${panel.choice.seed ?? ""}`);
      panelTexts(lab, panel).forEach((text, index) => setText(lines[index], text));
    },
  };
}

/** The request that is looked at, and what is said of it. @param {Lab} lab
 * @param {() => LabView} view @param {(request: number) => void} set
 * @param {(text: string) => void} refuse */
export function makeRequest(lab, view, set, refuse) {
  const say = speaker(lab);
  const slider = control("input", { type: "range", class: "cb-slider", min: 1, step: 1, "aria-label": say("request") });
  const number = control("input", { type: "number", class: "cb-number-input", min: 1, step: 1, "aria-label": say("request_number") });
  const of = make("span", { class: "cb-from" });
  const before = jumpButton(-1, "break_before", "no_break_before");
  const after = jumpButton(1, "break_after", "no_break_after");
  const said = [makeSaid(lab), makeSaid(lab)];
  for (const input of [slider, number]) input.addEventListener("input", () => chosen(input));
  number.addEventListener("blur", () => (number.value = `${view().state.request}`));

  /** @param {HTMLInputElement} input */
  function chosen(input) {
    const value = input.valueAsNumber;
    if (Number.isInteger(value) && value >= 1 && value <= view().requests) set(value);
    else if (input.value !== "" || input.validity.badInput) refuse(say("problem_request", { value: input.value, expected: view().requests }));
  }

  /** @param {1 | -1} way @param {string} label @param {string} none */
  function jumpButton(way, label, none) {
    const button = control("button", { type: "button", class: "cb-button" }, say(label));
    button.addEventListener("click", () => {
      const place = nextBreak(view(), way);
      if (place) set(place);
      else refuse(say(none));
    });
    return button;
  }

  return {
    node: make(
      "div",
      { class: "pl-request" },
      make(
        "div",
        { class: "cb-length" },
        make("span", { class: "cb-label", "aria-hidden": "true" }, say("request")),
        slider,
        make("span", { class: "cb-length-end" }, number, of, before, after),
      ),
      make("div", { class: "pl-said" }, ...said.map(({ node }) => node)),
    ),
    update() {
      const { state, requests, panels } = view();
      for (const input of [slider, number]) {
        setAttribute(input, "max", requests);
        setValue(input, `${state.request}`);
      }
      setText(of, say("request_of", { requests }));
      said.forEach((one, index) => one.update(panels[index], state));
      setAttribute(slider, "aria-valuetext", `${state.request} ${say("request_of", { requests })}`);
    },
  };
}

/** What one run's request is. @param {Lab} lab */
function makeSaid(lab) {
  const name = make("span", { class: "pl-said-name" });
  const text = make("span", {});
  const node = make("p", {}, name, " ", text);
  return {
    node,
    /** @param {Panel | undefined} panel @param {LabState} state */
    update(panel, { request }) {
      node.hidden = !panel;
      if (!panel) return;
      const broken = breakAt(panel, request);
      setText(name, `${panel.name}:`);
      setText(text, requestText(lab, panel, request, broken));
      setAttribute(node, "data-broken", broken ? "yes" : "no");
    },
  };
}
