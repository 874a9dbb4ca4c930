/**
 * The widget PolicyLab: runs of the batch under one policy or two, request by request, and the
 * figures of all runs. Every host gives it a model with a catalogue and a state, as it does for
 * ContextBuilder. The page "Policies as values" explains what it shows.
 */

/** @import { Lab, LabState } from "./js/lab_types.js" */
/** @import { Experiment, Model } from "./js/types.js" */
import { make, setText } from "./js/dom.js";
import { makeExperiments } from "./js/experiments.js";
import { keepPlace } from "./js/keep.js";
import { makeChart, makeLegend } from "./js/lab_chart.js";
import { makePicker, makeRequest } from "./js/lab_controls.js";
import { labStatus, linkProblem } from "./js/lab_say.js";
import { makeSpread } from "./js/lab_spread.js";
import { LinkError, carried, formatLab, parseLab, within } from "./js/lab_state.js";
import { makeAllTable, makeBreakTable, makeRegionTable, makeRequestTable } from "./js/lab_tables.js";
import { makeLabText } from "./js/lab_text.js";
import { composeLab, restsOnOne } from "./js/lab_view.js";
import { makeStatus } from "./js/status.js";
import { makeTextLoader } from "./js/texts.js";
import { speaker } from "./js/words.js";

/** The state of a fragment, or the first one and what is wrong with the fragment. What the
 * catalogue before showed for it is kept as far as that can be.
 * @param {Lab} lab @param {string} fragment @param {LabState | null} [before] */
export function readLab(lab, fragment, before = null) {
  try {
    return { state: parseLab(lab, fragment || lab.first), problem: "" };
  } catch (error) {
    if (!(error instanceof LinkError)) throw error;
    const kept = before && carried(lab, before);
    if (kept) return { state: kept, problem: "" };
    return { state: parseLab(lab, lab.first), problem: linkProblem(lab, error) };
  }
}

/** @param {{model: Model, el: HTMLElement}} host @returns {() => void} the cleanup */
export function render({ model, el }) {
  let stop = mount(model, el);
  const renew = () =>
    keepPlace(el, () => {
      stop = mount(model, el, stop());
    });
  el.classList.add("cb", "pl");
  model.on("change:catalogue", renew);
  return () => {
    model.off("change:catalogue", renew);
    stop();
  };
}

/** Draws one catalogue. @param {Model} model @param {HTMLElement} el
 * @param {LabState | null} [before] what was shown of the catalogue before
 * @returns {() => LabState | null} the cleanup; it tells what was shown, null for a bad link */
function mount(model, el, before) {
  /** @type {Lab} */
  const lab = model.get("catalogue");
  const say = speaker(lab);
  let { state, problem } = readLab(lab, model.get("state"), before);
  let view = composeLab(lab, state);
  /** @type {Experiment | null} */
  let experiment = null;

  /** @param {LabState} next */
  const set = (next) => {
    problem = "";
    show(within(lab, next));
    model.set("state", formatLab(lab, state));
    model.save_changes();
  };
  /** @param {Experiment} chosen */
  const start = (chosen) => {
    experiment = chosen;
    set(parseLab(lab, chosen.state));
    status.say(labStatus(lab, view), chosen.say);
  };
  const follow = () => {
    const fragment = model.get("state");
    if (!problem && fragment === formatLab(lab, state)) return;
    ({ state, problem } = readLab(lab, fragment));
    experiment = null;
    show(state);
  };
  /** @param {number} request */
  const go = (request) => set({ ...state, request });
  /** @param {string} text */
  const refuse = (text) => status.say(text);

  const texts = makeTextLoader(model, lab);
  const status = makeStatus();
  const experiments = makeExperiments(lab, say("hint", { times: lab.times }), start);
  const pickers = [
    makePicker(lab, "first", (choice) => choice && set({ ...state, first: choice })),
    makePicker(lab, "second", (choice) => set({ ...state, second: choice })),
  ];
  const charts = pickers.map(() => makeChart(lab, (request) => go(Math.min(request, view.requests))));
  const figures = pickers.map((picker, index) => make("figure", { class: "pl-panel" }, picker.node, charts[index].node));
  const request = makeRequest(lab, () => view, go, refuse);
  const spread = makeSpread(lab, (figure) => set({ ...state, figure }));
  const details = [
    makeRegionTable(lab),
    makeLabText(lab, texts.load, (text) => status.say(text)),
    makeBreakTable(lab),
    makeRequestTable(lab),
    makeAllTable(lab),
  ];
  const notice = make("p", { class: "pl-notice", role: "alert" });
  const root = make(
    "div",
    { class: "cb-root" },
    make("h3", { class: "cb-title" }, say("title")),
    make("p", { class: "cb-sub" }, say("subtitle")),
    experiments.node,
    notice,
    ...status.nodes,
    make("div", { class: "pl-panels" }, ...figures),
    makeLegend(lab),
    request.node,
    spread.node,
    make("div", { class: "cb-folded" }, ...details.map(({ node }) => node)),
  );

  /** @param {LabState} next */
  function show(next) {
    const same = root.dataset.state && view.state.first === next.first && view.state.second === next.second;
    state = next;
    view = composeLab(lab, state);
    root.dataset.state = formatLab(lab, state);
    root.dataset.warn = restsOnOne(view) ? "yes" : "no";
    experiments.update(experiment);
    pickers.forEach((picker, index) => picker.update(view.panels[index]));
    charts.forEach((chart, index) => {
      const panel = view.panels[index];
      chart.node.hidden = !panel;
      if (panel && !same) chart.draw(panel, view);
      if (panel) chart.point(state.request);
    });
    request.update();
    spread.update(view);
    for (const one of details) one.update(view);
    status.say(problem || labStatus(lab, view));
  }

  setText(notice, lab.notice);
  notice.hidden = !lab.notice;
  show(state);
  el.replaceChildren(root);
  model.on("change:state", follow);
  return () => {
    model.off("change:state", follow);
    texts.stop();
    status.stop();
    root.remove();
    return problem ? null : state;
  };
}

export default { render };
