/** The widget's sentences, made from the catalogue's templates. */

/** @import { Catalogue, Form, Offer, State, Tools, View } from "./types.js" */
/** @import { StateError } from "./state.js" */
import { olderSteps } from "./present.js";
import { brieflyQuoted, count, percent, range, speaker } from "./words.js";

/** A cost in units, one decimal below ten: 15, 4.2. @param {number} units */
export function inUnits(units) {
  return units < 10 ? units.toFixed(1) : count(units);
}

/** An answer's first sentence; its quotation stands below it anyway. @param {string} answer */
export function brief(answer) {
  const [first] = answer.match(/^.+?[.!?](?=\s)/s) ?? [answer];
  return first.includes("“") && !first.includes("”") ? `${first}”` : first;
}

/** The name of a part. @param {Catalogue} catalogue @param {string} id */
export function labelOf(catalogue, id) {
  return catalogue.parts.find((part) => part.id === id)?.label ?? id;
}

/** The first step that is sent word for word. @param {Catalogue} catalogue @param {State} state */
export function firstStep(catalogue, state) {
  return olderSteps(catalogue, state) + 1;
}

/** What became of the steps that are not sent word for word.
 * @param {Catalogue} catalogue @param {State} state */
export function goneText(catalogue, state) {
  const say = speaker(catalogue);
  if (state.older === "drop" && state.k === 0) return say("gone_all");
  return say(`gone_${state.older}`, { start: firstStep(catalogue, state), last: olderSteps(catalogue, state) });
}

/** An offer's words. @param {Catalogue} catalogue @param {State} state @param {Offer} offer */
export function offerText(catalogue, state, offer) {
  const change = changeText(catalogue, state, offer);
  const { tools } = offer.state;
  if (offer.kind === "tools" || tools === state.tools) return change;
  return speaker(catalogue)("offer_fewer_tools", { change, tools: toolsText(catalogue, tools) });
}

/** @param {Catalogue} catalogue @param {State} state @param {Offer} offer */
function changeText(catalogue, state, offer) {
  const say = speaker(catalogue);
  if (offer.kind === "part") return say("offer_part", { part: labelOf(catalogue, offer.value) });
  if (offer.kind === "tools") return say("offer_tools", { tools: toolsText(catalogue, offer.state.tools) });
  if (offer.kind === "form") return say(`offer_form_${offer.value}`);
  const from = firstStep(catalogue, offer.state);
  const to = firstStep(catalogue, state) - 1;
  return say(from === to ? "offer_step" : "offer_steps", { from, to });
}

const FORM = ["status_form", "status_form_many"];
const SUMMED = { left: FORM, came: ["status_came_summed", "status_came_summed_many"] };

/** What is said of a step, or of several, no longer sent word for word, and of those that now are, by
 * the form in which older steps are sent. @type {Record<Form, {left: string[], came: string[]}>} */
const MOVED = {
  drop: { left: ["status_left", "status_left_many"], came: ["status_came", "status_came_many"] },
  clear: {
    left: ["status_left_clear", "status_left_clear_many"],
    came: ["status_came_clear", "status_came_clear_many"],
  },
  careful: SUMMED,
  careless: SUMMED,
};

/** What was changed between two states. @param {Catalogue} catalogue @param {State} before
 * @param {State} after @returns {string[]} sentences */
export function changes(catalogue, before, after) {
  const say = speaker(catalogue);
  /** @param {string[]} keys @param {number} from @param {number} to @param {Form} form */
  const ofSteps = ([one, many], from, to, form) =>
    say(to > from ? many : one, { steps: range(from, to), form: say(`form_${form}`) });
  const [was, is] = [before, after].map((state) => olderSteps(catalogue, state));
  const otherForm = before.older !== after.older;
  const sentences = [];
  if (is < was) sentences.push(ofSteps(MOVED[before.older].came, is + 1, was, before.older));
  if (is > was && !otherForm) sentences.push(ofSteps(MOVED[after.older].left, was + 1, is, after.older));
  if (is > 0 && otherForm) sentences.push(ofSteps(FORM, 1, is, after.older));
  if (before.tools !== after.tools) {
    sentences.push(say("status_tools", { tools: toolsText(catalogue, after.tools) }));
  }
  for (const { id, label } of catalogue.parts) {
    const [on, now] = [before, after].map((state) => !state.off.includes(id));
    if (on !== now) sentences.push(say(now ? "status_part_on" : "status_part_off", { part: label }));
  }
  return sentences;
}

/** How many tools a setting sends; its name in a link stays when tools are added.
 * @param {Catalogue} catalogue @param {Tools} setting */
export function toolsText(catalogue, setting) {
  if (setting === "none") return speaker(catalogue)("tools_none");
  const sent = catalogue.segments.filter(({ when }) => when.tools?.includes(setting));
  return count(catalogue.own?.tools[setting] ?? sent.length);
}

/** At most so many flips are named, so that the status line keeps its height. */
const NAMED = 3;

/** Which answers flipped. @param {Catalogue} catalogue @param {View} before @param {View} after */
export function flips(catalogue, before, after) {
  const say = speaker(catalogue);
  const list = catalogue.probes.flatMap((probe, index) => {
    const [was, is] = [before, after].map((view) => view.answers[index].verdict);
    const names = { short: probe.short, before: say(`verdict_${was}`), after: say(`verdict_${is}`) };
    return was === is ? [] : [say("status_change", names)];
  });
  if (list.length === 0) return say("status_same");
  const key = list.length === 1 ? "status_changed" : "status_changed_many";
  const more = say("status_more", { count: list.length - NAMED + 1 });
  const named = list.length > NAMED ? [...list.slice(0, NAMED - 1), more] : list;
  return say(key, { count: list.length, list: named.join("; ") });
}

/** The status line. @param {Catalogue} catalogue @param {View | null} before the view when the
 * current gesture began, null at the start @param {View} after */
export function statusText(catalogue, before, after) {
  const say = speaker(catalogue);
  const share = percent(after.total / catalogue.budget);
  const size = say("status_size", { total: count(after.total), share });
  const right = after.answers.filter(({ verdict }) => verdict === "right").length;
  const counted = { right, all: catalogue.probes.length };
  const moved = before ? changes(catalogue, before.state, after.state) : [];
  if (!after.fits) return [...moved, notSent(catalogue, after)].join(" ");
  if (!before || moved.length === 0) return say("status_first", { ...counted, size });
  if (!before.fits) return [...moved, say("status_sent_again", counted), size].join(" ");
  return [...moved, flips(catalogue, before, after), size].join(" ");
}

/** @param {Catalogue} catalogue @param {View} view */
function notSent(catalogue, view) {
  const can = catalogue.parts.filter(({ id, switchable }) => switchable || id === "tools");
  const largest = can.reduce((a, b) => (view.sizes[b.id] > view.sizes[a.id] ? b : a));
  return speaker(catalogue)("status_not_sent", {
    over: count(view.total - catalogue.budget),
    part: largest.label,
    tokens: count(view.sizes[largest.id]),
  });
}

/** What is wrong with a value, in words. @param {Catalogue} catalogue @param {string} field
 * @param {string} value @param {string} expected */
export function problemText(catalogue, field, value, expected) {
  return speaker(catalogue)(`problem_${field}`, { value: brieflyQuoted(value), expected });
}

/** What is wrong with a link. @param {Catalogue} catalogue @param {StateError} error */
export function badLinkText(catalogue, { field, value, expected }) {
  const problem = problemText(catalogue, field, value, expected);
  return speaker(catalogue)("status_bad_link", { problem });
}
