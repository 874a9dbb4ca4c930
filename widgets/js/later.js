/** What can wait until the next frame is drawn: the frame itself is then there sooner. */

/** Of several jobs that wait only the newest is done. A page that is not seen draws no frames, so
 * there nothing waits. */
export function makeLater() {
  /** @type {(() => void) | null} */
  let waiting = null;
  let frame = 0;
  let task = 0;
  const begin = () => {
    const job = waiting;
    waiting = null;
    job?.();
  };
  return {
    /** @param {() => void} job */
    do(job) {
      if (document.hidden) return job();
      if (waiting === null) frame = requestAnimationFrame(() => (task = window.setTimeout(begin)));
      waiting = job;
    },
    stop() {
      cancelAnimationFrame(frame);
      window.clearTimeout(task);
      waiting = null;
    },
  };
}
