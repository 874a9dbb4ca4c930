/**
 * The widget ContextBuilder: Patch's next call, put together by the reader. Every host
 * (built page, JupyterLab, Voila) gives it a model with a catalogue and a state; it draws
 * them and writes the state back. The page "The context of one call" explains what it shows.
 */

/** @import { Catalogue, Experiment, Model, State, View } from "./js/types.js" */
import { compose, composeBeside } from "./js/compose.js";
import { make, setAttribute } from "./js/dom.js";
import { makeBar } from "./js/draw_bar.js";
import { makeHistoryControls } from "./js/draw_controls.js";
import { makeExperiments } from "./js/experiments.js";
import { keepPlace } from "./js/keep.js";
import { makeOwnLines, ownStatus } from "./js/own.js";
import { makeResult } from "./js/result.js";
import { badLinkText, problemText, statusText } from "./js/say.js";
import { makeStatus } from "./js/status.js";
import { StateError, formatState, parseState } from "./js/state.js";
import { speaker } from "./js/words.js";

/** The state of a fragment, or the first one and what is wrong with the fragment.
 * @param {Catalogue} catalogue @param {string} fragment */
export function readState(catalogue, fragment) {
  try {
    return { state: parseState(catalogue, fragment || catalogue.first), problem: "" };
  } catch (error) {
    if (!(error instanceof StateError)) throw error;
    return { state: parseState(catalogue, catalogue.first), problem: badLinkText(catalogue, error) };
  }
}

/** @param {{model: Model, el: HTMLElement}} host @returns {() => void} the cleanup */
export function render({ model, el }) {
  /** @type {Catalogue} */
  let catalogue = model.get("catalogue");
  let { state, problem } = readState(catalogue, model.get("state"));
  let view = compose(catalogue, state);
  /** @type {View | null} the view in which the current gesture began */
  let before = null;
  let gesture = "";
  /** @type {Experiment | null} */
  let experiment = null;

  /** @param {State} next @param {string} [by] the changes of one gesture count as one */
  const set = (next, by = "") => {
    if (by === "" || by !== gesture) before = view;
    gesture = by;
    problem = "";
    show(next);
    model.set("state", formatState(state));
    model.save_changes();
  };
  /** @param {Experiment} chosen */
  const start = (chosen) => {
    experiment = chosen;
    set(parseState(catalogue, chosen.state));
    status.say(told(), chosen.say);
  };
  const follow = () => {
    const fragment = model.get("state");
    if (!problem && fragment === formatState(state)) return;
    ({ state, problem } = readState(catalogue, fragment));
    before = experiment = null;
    show(state);
  };
  /** @param {string} value */
  const refuse = (value) =>
    status.say(problemText(catalogue, "k", value, `${catalogue.session.steps}`));

  /** A builder of the reader's own has made a call; an older one than is shown is left aside. */
  const renew = () => {
    /** @type {Catalogue} */
    const next = model.get("catalogue");
    if ((next.own?.number ?? 0) < (catalogue.own?.number ?? 0)) return;
    catalogue = next;
    const old = result;
    result = makeResult(catalogue, model, current, set, status.say);
    show(state);
    keepPlace(root, () => old.nodes.forEach((node, index) => node.replaceWith(result.nodes[index])));
    old.stop();
  };
  const told = () => problem || (ownStatus(catalogue, before, view) ?? statusText(catalogue, before, view));

  const status = makeStatus();
  const lines = makeOwnLines();
  const current = () => state;
  const bar = makeBar(catalogue);
  const experiments = makeExperiments(catalogue, speaker(catalogue)("hint"), start);
  const controls = makeHistoryControls(catalogue, current, set, () => (gesture = ""), refuse);
  let result = makeResult(catalogue, model, current, set, status.say);
  const root = make(
    "div",
    { class: "cb-root" },
    ...headNodes(catalogue),
    experiments.node,
    bar.node,
    controls.node,
    ...status.nodes,
    lines.node,
    ...result.nodes,
  );

  /** @param {State} next */
  function show(next) {
    state = next;
    view = compose(catalogue, state);
    const other = composeBeside(catalogue, state);
    setAttribute(root, "data-sent", view.fits ? "yes" : "no");
    setAttribute(root, "data-compared", other ? "yes" : "no");
    setAttribute(root, "data-state", formatState(state));
    experiments.update(experiment);
    bar.update(view, other);
    controls.update();
    lines.update(catalogue);
    result.update({ view, other, before });
    status.say(told());
  }

  show(state);
  el.classList.add("cb");
  el.replaceChildren(root);
  model.on("change:state", follow);
  model.on("change:catalogue", renew);
  return () => {
    model.off("change:state", follow);
    model.off("change:catalogue", renew);
    result.stop();
    status.stop();
    root.remove();
  };
}

/** @param {Catalogue} catalogue */
function headNodes(catalogue) {
  const say = speaker(catalogue);
  return [
    make("h3", { class: "cb-title" }, say("title", { steps: catalogue.session.steps })),
    make("p", { class: "cb-sub" }, say("subtitle")),
  ];
}

export default { render };
