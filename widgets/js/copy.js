/** A button that copies a text, and says whether it could. */

import { control, make, setText } from "./dom.js";
import { count, speaker } from "./words.js";

/**
 * @param {{words: Record<string, string>}} catalogue
 * @param {string} label
 * @param {string} name what is copied, as it is told
 * @param {(text: string) => void} announce
 * @param {() => string} text
 */
export function copyButton(catalogue, label, name, announce, text) {
  const say = speaker(catalogue);
  const button = control("button", { type: "button", class: "cb-button" }, label);
  const note = make("span", { "aria-hidden": "true" });
  button.addEventListener("click", async () => {
    const copied = text();
    let told = say("text_not_copied");
    try {
      await navigator.clipboard.writeText(copied);
      told = say("text_copied", { part: name, characters: count(copied.length) });
    } catch {
      // Told below: the browser, or the page's address, does not allow it.
    }
    setText(note, told);
    announce(told);
  });
  return make("div", { class: "cb-copy" }, button, note);
}
