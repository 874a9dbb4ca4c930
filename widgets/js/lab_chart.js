/** The picture of one run: tokens of each request by region, what came from the cache, the cost. */

/** @import { Curve, Lab, LabView, Panel } from "./lab_types.js" */
import { make, setAttribute, setText } from "./dom.js";
import { columnsPath, stacked, stepsPath } from "./lab_paths.js";
import { dollars } from "./lab_say.js";
import { count, speaker } from "./words.js";

const SVG = "http://www.w3.org/2000/svg";

/** @param {Lab} lab @param {(request: number) => void} choose called where the picture is pressed */
export function makeChart(lab, choose) {
  const say = speaker(lab);
  const stack = makeStack(lab);
  const costs = makeCosts();
  const marks = make("div", { class: "pl-marks", "aria-hidden": "true" });
  const axis = make("span", {});
  const end = make("span", {});
  const dear = make("span", {});
  const now = make("i", { class: "pl-now" });
  const plot = make("div", { class: "pl-plot", role: "img" }, stack.node, ...stack.lines);
  const strip = make("div", { class: "pl-strip", role: "img" }, costs.node);
  const ends = make("div", { class: "pl-axis", "aria-hidden": "true" }, axis, dear, end);
  const node = make("div", { class: "pl-chart" }, plot, marks, strip, ends, now);
  let columns = 1;
  node.addEventListener("pointerdown", (event) => press(event));
  node.addEventListener("pointermove", (event) => event.buttons === 1 && press(event));

  /** @param {PointerEvent} event */
  function press(event) {
    const { left, width } = node.getBoundingClientRect();
    choose(Math.floor(((event.clientX - left) / width) * columns) + 1);
  }

  return {
    node,
    /** @param {Panel} panel @param {LabView} view */
    draw(panel, view) {
      columns = view.columns;
      stack.draw(panel, view);
      costs.draw(lab, panel, view);
      marks.replaceChildren(...markNodes(lab, panel.curve, view.columns));
      setText(axis, say("axis_first"));
      setText(end, `${view.columns}`);
      setText(dear, say("axis_cost", { cost: dollars(view.cost) }));
      setAttribute(plot, "aria-label", chartText(lab, panel));
      setAttribute(strip, "aria-label", say("chart_costs", { most: dollars(Math.max(...panel.curve.costs)) }));
    },
    /** @param {number} request */
    point(request) {
      now.style.left = `${(100 * (request - 1)) / columns}%`;
      now.style.width = `${100 / columns}%`;
    },
  };
}

/** @param {Lab} lab */
function makeStack(lab) {
  const say = speaker(lab);
  const layers = lab.regions.map(({ id }) => path("pl-layer", `--cb-part: var(--pl-region-${id})`));
  const ghosts = path("pl-ghosts");
  const read = path("pl-read");
  const node = drawing([ghosts, ...layers, read]);
  const tier = makeLine("pl-tier");
  const limit = makeLine("pl-limit");
  const top = make("span", { class: "pl-top", "aria-hidden": "true" });
  return {
    node,
    lines: [tier.node, limit.node, top],
    /** @param {Panel} panel @param {LabView} view */
    draw(panel, view) {
      const { curve, policy } = panel;
      node.setAttribute("viewBox", `0 0 ${view.columns} ${view.tokens}`);
      const sizes = lab.regions.map(({ id }) => curve.regions[id]);
      const starts = stacked(sizes);
      layers.forEach((layer, i) => layer.setAttribute("d", columnsPath(starts[i], sizes[i], view.tokens)));
      ghosts.setAttribute("d", panel.ghosts.map((one) => stepsPath(one, view.tokens)).join(""));
      read.setAttribute("d", stepsPath(curve.read, view.tokens));
      tier.draw(lab.tier / view.tokens, say("line_tier", { tier: count(lab.tier), times: lab.times }));
      const act = policy.limit;
      limit.draw(act && act / view.tokens, say("line_limit", { limit: count(act ?? 0) }));
      setText(top, say("axis_tokens", { tokens: count(view.tokens) }));
    },
  };
}

/** A level line with its words. @param {string} name */
function makeLine(name) {
  const words = make("span", {});
  const node = make("i", { class: name, "aria-hidden": "true" }, words);
  return {
    node,
    /** @param {number | null} share of the axis @param {string} text */
    draw(share, text) {
      node.hidden = share === null;
      node.style.bottom = `${100 * (share ?? 0)}%`;
      setText(words, text);
    },
  };
}

function makeCosts() {
  const plain = path("pl-cost");
  const dear = path("pl-cost-dear");
  const node = drawing([plain, dear]);
  return {
    node,
    /** @param {Lab} lab @param {Panel} panel @param {LabView} view */
    draw(lab, { curve, totals }, view) {
      node.setAttribute("viewBox", `0 0 ${view.columns} ${view.cost}`);
      const zero = curve.costs.map(() => 0);
      const [low, high] = [false, true].map((above) =>
        curve.costs.map((cost, i) => (totals[i] > lab.tier === above ? cost : 0)),
      );
      plain.setAttribute("d", columnsPath(zero, low, view.cost));
      dear.setAttribute("d", columnsPath(zero, high, view.cost));
    },
  };
}

/** A mark under each request whose beginning broke. @param {Lab} lab @param {Curve} curve
 * @param {number} columns */
function markNodes(lab, { breaks }, columns) {
  return breaks.map(({ request, acts }) => {
    const kind = acts.includes("covered") ? "summary" : "break";
    const style = `left: ${(100 * (request - 0.5)) / columns}%`;
    return make("i", { class: "pl-mark", "data-kind": kind, style });
  });
}

/** @param {Lab} lab @param {Panel} panel */
function chartText(lab, { name, totals }) {
  return speaker(lab)("chart", {
    name,
    requests: totals.length,
    least: count(Math.min(...totals)),
    most: count(Math.max(...totals)),
    dear: totals.filter((tokens) => tokens > lab.tier).length,
    tier: count(lab.tier),
  });
}

/** @param {SVGPathElement[]} paths */
function drawing(paths) {
  const node = document.createElementNS(SVG, "svg");
  node.setAttribute("preserveAspectRatio", "none");
  node.setAttribute("aria-hidden", "true");
  node.append(...paths);
  return node;
}

/** @param {string} name @param {string} [style] */
function path(name, style) {
  const node = document.createElementNS(SVG, "path");
  node.setAttribute("class", name);
  if (style) node.setAttribute("style", style);
  return node;
}

/** What the colours and lines of all pictures mean. @param {Lab} lab */
export function makeLegend(lab) {
  const say = speaker(lab);
  const regions = lab.regions.map(({ id, label }) => {
    const swatch = make("i", { class: "cb-swatch", style: `--cb-part: var(--pl-region-${id})` });
    return make("li", { class: "pl-key" }, swatch, label);
  });
  const signs = ["read", "break", "summary", "dear", "ghost"].map((sign) =>
    make("li", { class: "pl-key" }, make("i", { class: "pl-sign", "data-sign": sign }), say(`legend_${sign}`)),
  );
  return make("ul", { class: "pl-legend", "aria-label": say("legend") }, ...regions, ...signs);
}
