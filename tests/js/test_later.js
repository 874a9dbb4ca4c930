import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { makeLater } from "../../widgets/js/later.js";

/** A page whose frames are drawn when the test says so. */
class Page extends EventTarget {
  hidden = false;
  /** @type {Map<number, () => void>} */
  frames = new Map();
  /** @type {Map<number, () => void>} */
  tasks = new Map();
  number = 0;

  /** @param {Map<number, () => void>} into @param {() => void} job */
  put(into, job) {
    into.set(++this.number, job);
    return this.number;
  }

  /** Draws a frame, and does what comes after it. */
  draw() {
    for (const jobs of [this.frames, this.tasks]) {
      const due = [...jobs.values()];
      jobs.clear();
      for (const job of due) job();
    }
  }
}

/** @type {Page} */
let page;
/** @type {string[]} */
let done;

beforeEach(() => {
  page = new Page();
  done = [];
  Object.assign(globalThis, {
    window: Object.assign(page, {
      setTimeout: (/** @type {() => void} */ job) => page.put(page.tasks, job),
      clearTimeout: (/** @type {number} */ id) => page.tasks.delete(id),
    }),
    document: page,
    requestAnimationFrame: (/** @type {() => void} */ job) => page.put(page.frames, job),
    cancelAnimationFrame: (/** @type {number} */ id) => page.frames.delete(id),
  });
});

afterEach(() => {
  for (const name of ["window", "document", "requestAnimationFrame", "cancelAnimationFrame"]) {
    Reflect.deleteProperty(globalThis, name);
  }
});

test("of several jobs the newest is done, after the frame", () => {
  const later = makeLater();
  for (const name of ["a", "b"]) later.do(() => done.push(name));
  assert.deepEqual(done, []);
  page.draw();
  later.do(() => done.push("c"));
  page.draw();
  page.draw();
  assert.deepEqual(done, ["b", "c"]);
});

test("an older job is not done after what a page that is not seen had done at once", () => {
  const later = makeLater();
  later.do(() => done.push("old"));
  page.hidden = true;
  later.do(() => done.push("new"));
  assert.deepEqual(done, ["new"]);
  page.hidden = false;
  page.draw();
  assert.deepEqual(done, ["new"]);
});

test("a page that is printed has all of it", () => {
  const later = makeLater();
  later.do(() => done.push("a"));
  page.dispatchEvent(new Event("beforeprint"));
  assert.deepEqual(done, ["a"]);
  page.draw();
  assert.deepEqual(done, ["a"]);
});

test("what was stopped is never done", () => {
  const later = makeLater();
  later.do(() => done.push("a"));
  later.stop();
  page.dispatchEvent(new Event("beforeprint"));
  page.draw();
  assert.deepEqual(done, []);
});
