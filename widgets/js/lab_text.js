/** A request word for word: its messages in the order in which they are sent, fetched when asked. */

/** @import { Lab, LabTexts, LabView, Panel, Piece } from "./lab_types.js" */
import { copyButton } from "./copy.js";
import { makeDisclosure } from "./disclosure.js";
import { control, make, setAttribute, setText, uniqueName } from "./dom.js";
import { formatChoice } from "./lab_state.js";
import { breakAt } from "./lab_view.js";
import { loadInto } from "./texts.js";
import { count, speaker } from "./words.js";

/** @param {Lab} lab @param {(runs: string[]) => Promise<LabTexts>} load @param {(text: string) => void} announce */
export function makeLabText(lab, load, announce) {
  const say = speaker(lab);
  const shown = makeShown(lab, load, announce, (view) => disclosure.update(view));
  const disclosure = makeDisclosure(
    say("text"),
    (/** @type {LabView} */ { panels, state }) => {
      const order = [shown.chosen(panels), ...panels];
      const panel = order.find(({ totals }) => totals.length >= state.request) ?? order[0];
      const tokens = count(panel.totals[state.request - 1] ?? 0);
      return { text: say("text_closed", { name: panel.name, tokens }) };
    },
    (body, view) => {
      if (!body.contains(shown.node)) body.replaceChildren(shown.node);
      shown.update(view);
    },
  );
  return disclosure;
}

/** The choice of the run, and the messages of its request.
 * @param {Lab} lab @param {(runs: string[]) => Promise<LabTexts>} load @param {(text: string) => void} announce
 * @param {(view: LabView) => void} choose called when another run is chosen; it has this updated */
function makeShown(lab, load, announce, choose) {
  const say = speaker(lab);
  const name = uniqueName("pl-text");
  const radios = [0, 1].map((index) => control("input", { type: "radio", name, value: index }));
  const labels = radios.map((radio) => make("label", { class: "cb-choice" }, radio, make("span", {})));
  const legend = make("legend", { class: "cb-label" }, say("text_run"));
  const runs = make("fieldset", { class: "cb-older" }, legend, make("div", { class: "cb-choices" }, ...labels));
  const about = make("p", { class: "cb-about" });
  const list = make("ol", { class: "pl-pieces" });
  const holder = make("div", {}, list);
  /** @typedef {{pool: Piece[], rows: Map<string, ReturnType<typeof makeRow>>}} Answer */
  /** @type {Map<string, {ranges: [number, number][][], answer: Answer}>} the runs whose texts are here */
  const known = new Map();
  let waits = false;
  let failed = "";
  /** @type {LabView | null} */
  let latest = null;
  /** @type {string[]} */
  let words = [];
  const copy = copyButton(lab, say("text_copy"), say("text_whole"), announce, () => words.join("\n\n"));
  radios[0].checked = true;
  radios.forEach((radio) => radio.addEventListener("change", () => latest && choose(latest)));
  const chosen = (/** @type {Panel[]} */ panels) => panels[radios[1].checked ? 1 : 0] ?? panels[0];

  /** @param {string} run */
  const ask = async (run) => {
    waits = true;
    const came = await loadInto(holder, lab, () => load([run]), (/** @type {LabTexts} */ { pool, requests }) => {
      const answer = { pool, rows: new Map() };
      for (const [name, ranges] of Object.entries({ [run]: [], ...requests })) known.set(name, { ranges, answer });
    });
    waits = false;
    failed = came ? "" : run;
    draw();
  };

  function draw() {
    if (!latest) return;
    const { panels, state } = latest;
    if (radios[1].checked && panels.length < 2) radios[0].checked = true;
    panels.forEach((panel, index) => setText(labels[index].lastChild ?? labels[index], panel.name));
    labels[1].hidden = panels.length < 2;
    const panel = chosen(panels);
    const name = formatChoice({ ...panel.choice, seed: panel.curve.seed });
    const run = known.get(name);
    const sent = run?.ranges[state.request - 1];
    const comes = !run && lab.texts.runs.includes(name);
    copy.hidden = !sent;
    about.hidden = comes;
    if (comes && !waits && name !== failed) void ask(name);
    if (comes) return;
    if (!holder.contains(list)) holder.replaceChildren(list);
    if (!run || !sent) {
      list.replaceChildren();
      setText(about, missingText(lab, run ? state.request : 0));
      return;
    }
    const places = sent.flatMap(([from, to]) => Array.from({ length: to - from }, (_, i) => from + i));
    words = places.map((place) => run.answer.pool[place][4]);
    setText(about, say("text_about", { pieces: places.length }));
    patchChildren(list, rowNodes(places, panel, state.request, run.answer));
  }

  /** @param {number[]} places @param {Panel} panel @param {number} request @param {Answer} answer */
  function rowNodes(places, panel, request, { pool, rows }) {
    const read = panel.curve.read[request - 1];
    const broken = breakAt(panel, request)?.message ?? 0;
    /** @type {Map<number, number>} how often a piece has been sent so far: some are sent twice */
    const times = new Map();
    let [tokens, number] = [0, 0];
    return places.map((place) => {
      times.set(place, (times.get(place) ?? 0) + 1);
      const key = `${place}.${times.get(place)}`;
      const row = rows.get(key) ?? makeRow(lab, pool[place]);
      rows.set(key, row);
      tokens += pool[place][3];
      const message = pool[place][1] !== "definition";
      number += message ? 1 : 0;
      row.update(message ? `${number}` : "", tokens <= read, message && number === broken);
      return row.node;
    });
  }

  return {
    node: make("div", { class: "cb-texts" }, runs, about, copy, holder),
    chosen,
    /** @param {LabView} view */
    update(view) {
      failed = "";
      latest = view;
      draw();
    },
  };
}

/** Puts nodes into a list and leaves those alone that are in their place.
 * @param {HTMLElement} list @param {HTMLElement[]} nodes */
function patchChildren(list, nodes) {
  nodes.forEach((node, place) => {
    if (list.children[place] !== node) list.insertBefore(node, list.children[place] ?? null);
  });
  while (list.children.length > nodes.length) list.lastElementChild?.remove();
}

/** @param {Lab} lab @param {number} request 0 where the run has no texts at all */
function missingText(lab, request) {
  const say = speaker(lab);
  return request ? say("text_ended", { request }) : say("text_missing", { runs: lab.texts.runs.join(", ") });
}

/** A message; its text is put in when it is opened. @param {Lab} lab @param {Piece} piece */
function makeRow(lab, [region, role, name, tokens, text]) {
  const say = speaker(lab);
  const who = [say(`role_${role}`), name].filter(Boolean).join(": ");
  const number = make("span", { class: "pl-piece-number" });
  const note = make("span", { class: "pl-piece-note" });
  const swatch = make("i", { class: "cb-swatch", style: `--cb-part: var(--pl-region-${region})` });
  const size = make("span", { class: "cb-tokens" }, say("text_tokens", { tokens: count(tokens) }));
  const head = control("summary", { class: "pl-piece-head" }, number, swatch, make("span", { class: "cb-name" }, who), note, size);
  const details = make("details", { class: "cb-details pl-piece" }, head);
  details.addEventListener("toggle", () => {
    if (details.childElementCount > 1) return;
    details.append(control("pre", { class: "cb-text", tabindex: 0, role: "region", "aria-label": who }, text));
  });
  const node = make("li", {}, details);
  return {
    node,
    /** @param {string} place @param {boolean} read @param {boolean} broken */
    update(place, read, broken) {
      setText(number, place);
      setText(note, broken ? say("text_breaks") : read ? say("text_read") : say("text_new"));
      setAttribute(node, "data-read", read ? "yes" : "no");
      setAttribute(node, "data-broken", broken);
    },
  };
}
