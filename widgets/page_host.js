/**
 * Gives the widgets of a built page what a notebook would give them: a model with `get`, `set`,
 * `save_changes`, `on`, `off`, `send`. The state lives in the page's address, under a key of its
 * own for each widget; the catalogue and the module are in the page, once for all widgets; the
 * exact texts are in a script that is loaded when they are asked for. A classic script, and the
 * modules come from the page too: so it works from a file.
 */

(() => {
  /** @typedef {(...values: any[]) => void} Listener */
  /** @typedef {{key: string, own: string, state: string, data: string}} Widget its key in the
   * address, the key with which its states begin, the first of them, and the id of the element with
   * what it shares */
  /** @typedef {{catalogue: any, module: Promise<{default: {render: Listener}}>}} Shared */
  const DELAY = 150; // milliseconds; browsers allow about three changes of the address a second
  const page = /** @type {any} */ (globalThis);
  if (page.patchWidgets) return; // a page that was put together from several holds this twice
  /** @type {Map<string, Listener[]>} who waits for which texts */
  const waiting = new Map();
  /** @type {Map<string, Record<string, string>>} */
  const loaded = new Map();
  /** @type {Map<string, Shared>} */
  const shared = new Map();
  /** @type {Set<string>} */
  const keys = new Set();

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

  /** @param {string} key @param {string} own @returns {string} the state, "" where the address
   * holds no such item */
  function readItem(key, own) {
    const found = items().map(decode).find((item) => item.startsWith(`${key}=`));
    return found === undefined ? "" : `${own}${found.slice(key.length)}`;
  }

  /** The heading to which the address leads, as it is written: an item that gives no state. */
  function readHeading() {
    return items().find((item) => !decode(item).includes("=")) ?? "";
  }

  /** Other widgets' items stay as they are written. @param {string} key @param {string} state
   * @param {string} [heading] to which the address leads besides */
  function writeItem(key, state, heading = "") {
    const others = items().filter((item) => decode(item).includes("=") && !decode(item).startsWith(`${key}=`));
    const value = `${key}${state.slice(state.indexOf("="))}`;
    history.replaceState(history.state, "", `#${[...(heading ? [heading] : []), ...others, value].join("&")}`);
  }

  /** Loads a script that hands over texts, once. @param {string} file @param {string} sha @param {Listener} done */
  function loadTexts(file, sha, done) {
    const texts = loaded.get(sha);
    if (texts) return void done(texts);
    const others = waiting.get(sha);
    if (others) return void others.push(done);
    waiting.set(sha, [done]);
    const script = document.createElement("script");
    script.src = `${document.documentElement.dataset.content_root ?? ""}_static/${file}`;
    script.onerror = () => page.patchContextText(sha);
    document.head.append(script);
  }
  page.patchContextText = (/** @type {string} */ sha, /** @type {any} */ texts) => {
    if (texts) loaded.set(sha, texts);
    for (const done of waiting.get(sha) ?? []) done(texts);
    waiting.delete(sha);
  };

  /** @param {any} catalogue @param {string} key @param {Widget} widget */
  function makeModel(catalogue, key, { own, state: first }) {
    /** @type {Map<string, Set<Listener>>} */
    const listeners = new Map();
    /** @type {Record<string, any>} */
    const values = { catalogue, state: readItem(key, own) || first };
    let written = readItem(key, own) !== ""; // whether the address says what is shown
    let timer = 0;
    /** @param {string} name @param {...any} sent */
    const tell = (name, ...sent) => listeners.get(name)?.forEach((listener) => listener(...sent));
    const write = () => {
      clearTimeout(timer);
      if (timer) writeItem(key, values.state);
      written ||= timer !== 0;
      timer = 0;
    };
    addEventListener("pagehide", write);
    addEventListener("hashchange", () => {
      const item = readItem(key, own);
      if (item) {
        values.state = item;
        written = true;
        tell("change:state");
      } else if (written) {
        writeItem(key, values.state, readHeading()); // after a link to a heading of the page
      }
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

  /** What widgets share: read and imported once. @param {string} id */
  function readShared(id) {
    const known = shared.get(id);
    if (known) return known;
    const { catalogue, module } = JSON.parse(document.getElementById(id)?.textContent ?? "");
    const address = URL.createObjectURL(new Blob([module], { type: "text/javascript" }));
    const read = { catalogue, module: import(address).finally(() => URL.revokeObjectURL(address)) };
    shared.set(id, read);
    return read;
  }

  /** A key that no widget before has: the second of two with the key `cb` gets `cb-2`. @param {string} key */
  function ownKey(key) {
    let own = key;
    for (let number = 2; keys.has(own); number += 1) own = `${key}-${number}`;
    keys.add(own);
    return own;
  }

  /** @param {HTMLElement} el */
  async function start(el) {
    el.dataset.started = "yes";
    /** @type {Widget} */
    const widget = JSON.parse(el.nextElementSibling?.textContent ?? "");
    const key = ownKey(widget.key);
    const { catalogue, module } = readShared(widget.data);
    const { default: made } = await module;
    made.render({ model: makeModel(catalogue, key, widget), el });
    if (readItem(key, widget.own) && !document.querySelector("[data-linked]")) {
      el.dataset.linked = "yes"; // of several widgets in a link the first is scrolled to, unless it names a heading
      (document.getElementById(decode(readHeading())) ?? el).scrollIntoView();
    }
  }

  page.patchWidgets = {
    /** Starts the widgets that stand in the page by now and have not been started. */
    start() {
      for (const el of document.querySelectorAll("[data-patch-widget]:not([data-started])")) {
        void start(/** @type {HTMLElement} */ (el));
      }
    },
  };
})();
