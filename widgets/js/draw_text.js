/** The exact text of the call, part by part, fetched when it is first asked for. */

/** @import { Answer, Catalogue, Part, Segment, View } from "./types.js" */
import { copyButton } from "./copy.js";
import { makeDisclosure } from "./disclosure.js";
import { control, make, setText, show } from "./dom.js";
import { labelOf } from "./say.js";
import { loadInto } from "./texts.js";
import { count, speaker } from "./words.js";

/** @typedef {Record<string, string>} Texts */

/**
 * @param {Catalogue} catalogue
 * @param {() => Promise<Texts>} load
 * @param {(text: string) => void} announce
 */
export function makeExactText(catalogue, load, announce) {
  const say = speaker(catalogue);
  /** @type {ReturnType<typeof makeTexts> | null} */
  let drawn = null;
  let asked = false;
  /** @type {View | null} */
  let latest = null;

  /** @param {HTMLElement} body */
  const begin = async (body) => {
    asked = true;
    asked = await loadInto(body, catalogue, load, (texts) => {
      drawn = makeTexts(catalogue, texts, announce);
      body.replaceChildren(drawn.node);
      if (latest) drawn.update(latest);
    });
  };

  return makeDisclosure(
    say("text"),
    (/** @type {{view: View}} */ { view }) => ({ text: say("text_closed", { total: count(view.total), count: view.segments.length }) }),
    (body, { view }) => {
      latest = view;
      if (drawn) drawn.update(view);
      else if (!asked) void begin(body);
    },
  );
}

/** @param {Catalogue} catalogue @param {Texts} texts @param {(text: string) => void} announce */
function makeTexts(catalogue, texts, announce) {
  const say = speaker(catalogue);
  const parts = catalogue.parts.map((part) => makeTextPart(catalogue, part, texts, announce));
  /** @type {View | null} */
  let latest = null;
  const whole = () => joined(latest?.segments ?? [], texts);
  const all = copyButton(catalogue, say("text_copy_all"), say("text_whole"), announce, whole);
  return {
    node: make("div", { class: "cb-texts" }, all, ...parts.map(({ node }) => node)),
    /** @param {View} view */
    update(view) {
      latest = view;
      for (const part of parts) part.update(view);
    },
  };
}

/** A part's pieces; a piece's node is made once and shown while it is sent.
 * @param {Catalogue} catalogue @param {Part} part @param {Texts} texts
 * @param {(text: string) => void} announce */
function makeTextPart(catalogue, part, texts, announce) {
  const say = speaker(catalogue);
  const size = make("span", { class: "cb-result" });
  const head = control("summary", { class: "cb-summary" }, make("span", { class: "cb-summary-title" }, part.label), size);
  const pieces = make("div", { class: "cb-pieces" });
  /** @type {View | null} */
  let latest = null;
  const own = () => joined(latest?.segments.filter((one) => one.part === part.id) ?? [], texts);
  const copy = copyButton(catalogue, say("text_copy_part", { part: part.label }), part.label, announce, own);
  const node = make("details", { class: "cb-details cb-text-part" }, head, make("div", { class: "cb-body" }, copy, pieces));
  const mine = catalogue.segments.filter((segment) => segment.part === part.id);
  /** @type {Map<string, ReturnType<typeof makePiece>>} */
  const made = new Map();

  const draw = () => {
    if (!latest || !node.open) return;
    /** @type {Node | null} */
    let last = null;
    for (const segment of mine) {
      const sent = latest.ids.has(segment.id);
      let piece = made.get(segment.id);
      if (!piece && sent) {
        piece = makePiece(catalogue, segment, texts[segment.id] ?? segment.head);
        made.set(segment.id, piece);
        pieces.insertBefore(piece.node, last ? last.nextSibling : pieces.firstChild);
      }
      if (!piece) continue;
      show(piece.node, sent, head);
      if (sent) piece.update(latest.answers);
      last = piece.node;
    }
  };
  node.addEventListener("toggle", draw);
  return {
    node,
    /** @param {View} view */
    update(view) {
      latest = view;
      show(node, view.sizes[part.id] > 0);
      setText(size, say("text_part", { tokens: count(view.sizes[part.id]) }));
      draw();
    },
  };
}

/** @param {Catalogue} catalogue @param {Segment} segment @param {string} text */
function makePiece(catalogue, segment, text) {
  const say = speaker(catalogue);
  const { step, role, tokens } = segment;
  const values = { step: step ?? "", role: say(`role_${role}`), tokens: count(tokens) };
  const title = say(step === null ? "text_piece" : "text_piece_step", values);
  const block = control("pre", { class: "cb-text", tabindex: 0, role: "region", "aria-label": `${labelOf(catalogue, segment.part)}: ${title}` });
  let marked = "";
  block.append(text);
  return {
    node: make("div", { class: "cb-one-text" }, make("p", { class: "cb-source" }, title), block),
    /** Marks the spans on which answers rest. @param {Answer[]} answers */
    update(answers) {
      const spans = answers.flatMap(({ carrier }) =>
        carrier?.segment === segment.id ? [[carrier.start, carrier.end]] : [],
      );
      const ordered = spans.sort(([a], [b]) => a - b);
      if (marked === String(ordered)) return;
      marked = String(ordered);
      block.replaceChildren(...highlighted(text, ordered));
    },
  };
}

/** The text with its spans marked; of spans that overlap the first is taken.
 * @param {string} text @param {number[][]} spans ascending @returns {(string | Node)[]} */
function highlighted(text, spans) {
  const nodes = [];
  let at = 0;
  for (const [start, end] of spans) {
    if (start < at) continue;
    nodes.push(text.slice(at, start), make("mark", { class: "cb-mark" }, text.slice(start, end)));
    at = end;
  }
  return [...nodes, text.slice(at)];
}

/** @param {Segment[]} segments @param {Texts} texts */
function joined(segments, texts) {
  return segments.map(({ id }) => texts[id] ?? "").join("\n\n");
}
