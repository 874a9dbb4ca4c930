/** What a widget says of its latest change, to the eye and to a screen reader. */

import { make, setText } from "./dom.js";

/** Milliseconds without a change after which a screen reader is told of the last one. */
const QUIET = 500;

/** The status line, and the region that tells a screen reader once it is quiet. */
export function makeStatus() {
  const shown = make("p", { class: "cb-status", "aria-hidden": "true" });
  const spoken = make("div", { class: "cb-hidden", role: "status", "aria-live": "polite" });
  let timer = 0;
  /** Told as a new text: of one that is patched some screen readers say only what is different.
   * @param {string} text */
  const tell = (text) => {
    if (spoken.textContent !== text) spoken.textContent = text;
  };
  return {
    nodes: [shown, spoken],
    /** @param {string} text @param {string} [before] said first to a screen reader */
    say(text, before = "") {
      setText(shown, text);
      window.clearTimeout(timer);
      timer = window.setTimeout(() => tell(`${before} ${text}`.trim()), QUIET);
    },
    stop: () => window.clearTimeout(timer),
  };
}
