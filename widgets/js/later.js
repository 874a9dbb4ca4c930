/** What can wait until the next frame is drawn: the frame itself is then there sooner. */

/** Of several jobs that wait only the newest is done. A page that is not seen draws no frames, so
 * there nothing waits; nor does it where the page is printed. */
export function makeLater() {
  /** @type {(() => void) | null} */
  let waiting = null;
  let frame = 0;
  let task = 0;
  const begin = () => {
    const job = waiting;
    drop();
    job?.();
  };
  const drop = () => {
    cancelAnimationFrame(frame);
    window.clearTimeout(task);
    waiting = null;
  };
  window.addEventListener("beforeprint", begin);
  return {
    /** @param {() => void} job */
    do(job) {
      const begun = waiting !== null;
      waiting = job;
      if (document.hidden) begin();
      else if (!begun) frame = requestAnimationFrame(() => (task = window.setTimeout(begin)));
    },
    stop() {
      window.removeEventListener("beforeprint", begin);
      drop();
    },
  };
}
