/**
 * Gives the widgets of a built page what a notebook would give them: a model with `get`, `set`,
 * `save_changes`, `on`, `off`, `send`. The state lives in the page's address, the catalogue in
 * the page, the exact texts in a script that is loaded when they are asked for. A classic
 * script, and the modules come from the page too: so it works from a file.
 */

(() => {
  /** @typedef {(...values: any[]) => void} Listener */
  /** @typedef {{key: string, catalogue: any, module: string}} Widget what the page holds for one */
  const DELAY = 150; // milliseconds; browsers allow about three changes of the address a second
  const page = /** @type {any} */ (globalThis);
  /** @type {Map<string, Listener[]>} who waits for which texts */
  const waiting = new Map();

  /** The fragment's items as they are written. */
  function items() {
    return location.hash.slice(1).split("&");
  }

  /** An item in plain text; one that cannot be decoded stays as it is. @param {string} item */
  function decode(item) {
    try {
      return decodeURIComponent(item);
    } catch {
      return item;
    }
  }

  /** @param {string} key @returns {string} "" where the address holds no such item */
  function readItem(key) {
    return items().map(decode).find((item) => item.startsWith(`${key}=`)) ?? "";
  }

  /** Other widgets' items stay as they are written. @param {string} key @param {string} value */
  function writeItem(key, value) {
    const others = items().filter((item) => decode(item).includes("=") && !decode(item).startsWith(`${key}=`));
    history.replaceState(history.state, "", `#${[...others, value].join("&")}`);
  }

  /** Loads a script that hands over texts. @param {string} file @param {string} sha @param {Listener} done */
  function loadTexts(file, sha, done) {
    const others = waiting.get(sha);
    if (others) return void others.push(done);
    waiting.set(sha, [done]);
    const script = document.createElement("script");
    script.src = `${document.documentElement.dataset.content_root ?? ""}_static/${file}`;
    script.onerror = () => page.patchContextText(sha);
    document.head.append(script);
  }
  page.patchContextText = (/** @type {string} */ sha, /** @type {any} */ texts) => {
    for (const done of waiting.get(sha) ?? []) done(texts);
    waiting.delete(sha);
  };

  /** @param {Widget} widget */
  function makeModel({ key, catalogue }) {
    /** @type {Map<string, Set<Listener>>} */
    const listeners = new Map();
    /** @type {Record<string, any>} */
    const values = { catalogue, state: readItem(key) };
    let timer = 0;
    /** @param {string} name @param {...any} sent */
    const tell = (name, ...sent) => listeners.get(name)?.forEach((listener) => listener(...sent));
    const write = () => {
      clearTimeout(timer);
      if (timer) writeItem(key, values.state);
      timer = 0;
    };
    addEventListener("pagehide", write);
    addEventListener("hashchange", () => {
      const item = readItem(key);
      if (!item) return; // a link to a heading of the page: the widget stays as it is
      values.state = item;
      tell("change:state");
    });
    return {
      get: (/** @type {string} */ name) => values[name],
      set: (/** @type {string} */ name, /** @type {any} */ value) => void (values[name] = value),
      save_changes() {
        clearTimeout(timer);
        timer = setTimeout(write, DELAY);
      },
      on(/** @type {string} */ name, /** @type {Listener} */ listener) {
        listeners.set(name, (listeners.get(name) ?? new Set()).add(listener));
      },
      off: (/** @type {string} */ name, /** @type {Listener} */ listener) =>
        void listeners.get(name)?.delete(listener),
      send(/** @type {{kind: string, sha: string}} */ { kind, sha }) {
        if (kind !== "text") return;
        loadTexts(catalogue.texts.file, sha, (texts) => tell("msg:custom", { kind, sha, texts }));
      },
    };
  }

  /** @param {HTMLElement} el */
  async function start(el) {
    const data = el.nextElementSibling;
    if (!data || el.dataset.started) return;
    el.dataset.started = "yes";
    /** @type {Widget} */
    const widget = JSON.parse(data.textContent ?? "");
    const address = URL.createObjectURL(new Blob([widget.module], { type: "text/javascript" }));
    const { default: made } = await import(address);
    URL.revokeObjectURL(address);
    made.render({ model: makeModel(widget), el });
    if (readItem(widget.key)) el.scrollIntoView();
  }

  for (const el of document.querySelectorAll("[data-patch-widget]")) {
    void start(/** @type {HTMLElement} */ (el));
  }
})();
