/** Fetches the exact texts through the host: a script in the page, Python in a notebook. */

/** @import { Model } from "./types.js" */
import { make, setText } from "./dom.js";
import { speaker } from "./words.js";

/** @typedef {{kind: "text", sha: string, texts?: any}} TextMessage `texts` is what the widget asked for */

/** @param {Model} model @param {{texts: {sha: string}}} catalogue */
export function makeTextLoader(model, catalogue) {
  const { sha } = catalogue.texts;
  /** @type {{resolve: (texts: any) => void, reject: (reason: Error) => void}[]} */
  let waiting = [];
  /** @param {TextMessage} message */
  const receive = (message) => {
    if (message?.kind !== "text" || message.sha !== sha) return;
    const { texts } = message;
    for (const { resolve, reject } of waiting) {
      if (texts) resolve(texts);
      else reject(new Error(`no texts ${sha}`));
    }
    waiting = [];
  };
  model.on("msg:custom", receive);
  return {
    /** A page has all texts in one script; Python is told which are wanted, where not all are.
     * @param {string[]} [wanted] @returns {Promise<any>} */
    load: (wanted) =>
      new Promise((resolve, reject) => {
        waiting.push({ resolve, reject });
        model.send({ kind: "text", sha, wanted });
      }),
    stop: () => model.off("msg:custom", receive),
  };
}

/** Fetches the texts, says so in their place, and hands them over.
 * @param {HTMLElement} body @param {{words: Record<string, string>, texts: {file: string}}} catalogue
 * @param {() => Promise<any>} load @param {(texts: any) => void} take
 * @returns {Promise<boolean>} whether they came */
export function loadInto(body, catalogue, load, take) {
  const say = speaker(catalogue);
  const wait = make("p", { class: "cb-about", role: "status" }, say("text_loading"));
  body.replaceChildren(wait);
  return load().then(
    (texts) => {
      take(texts);
      return true;
    },
    () => {
      setText(wait, say("text_failed", { file: catalogue.texts.file }));
      return false;
    },
  );
}
