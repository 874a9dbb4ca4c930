/** Outlines of columns and steps, in units of one request across and one token (or dollar) up. */

/** Columns are drawn a little narrower than their place. */
const GAP = 0.1;

/** One outline for a layer of columns. @param {number[]} from where each column starts
 * @param {number[]} sizes @param {number} top the upper end of the axis; y grows downwards */
export function columnsPath(from, sizes, top) {
  return sizes
    .map((size, i) => {
      if (size <= 0) return "";
      const [low, high] = [top - from[i], top - from[i] - size].map(short);
      return `M${i} ${low}V${high}H${i + 1 - GAP}V${low}Z`;
    })
    .join("");
}

/** A line of steps over the columns. @param {number[]} values @param {number} top */
export function stepsPath(values, top) {
  return values.map((value, i) => `${i ? "V" : "M0 "}${short(top - value)}H${i + 1 - GAP / 2}`).join("");
}

/** Where the layers of a stack start. @param {number[][]} layers @returns {number[][]} */
export function stacked(layers) {
  const starts = [layers[0].map(() => 0)];
  for (const layer of layers.slice(0, -1)) {
    const below = starts[starts.length - 1];
    starts.push(layer.map((size, i) => below[i] + size));
  }
  return starts;
}

/** @param {number} value */
function short(value) {
  return Number(value.toPrecision(6));
}
