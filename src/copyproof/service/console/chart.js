// Shares over time: one line for each agent, told apart by colour, dashes and marks.

import { h, s, fill, named, percent, clock, moment } from "./dom.js";

const MARKS = ["circle", "square", "triangle", "diamond", "cross", "bar"];
const DASHES = ["", "7 3", "2 3", "9 3 2 3", "4 2", "1 2"];
const MOST = 6;
const H = 240,
  STEADY = 50,
  LEFT = 44,
  RIGHT = 12,
  TOP = 12,
  BOTTOM = 24;

/** A mark of a line, around a point. */
function mark(n, x, y) {
  const kind = MARKS[n % MARKS.length],
    c = `c${n} mark`;
  switch (kind) {
    case "circle":
      return s("circle", { class: c, cx: x, cy: y, r: 4 });
    case "square":
      return s("rect", { class: c, x: x - 4, y: y - 4, width: 8, height: 8 });
    case "triangle":
      return s("path", { class: c, d: `M${x},${y - 5}l5,9h-10z` });
    case "diamond":
      return s("path", { class: c, d: `M${x},${y - 6}l5,6l-5,6l-5,-6z` });
    case "cross":
      return s("path", { class: `${c} open`, d: `M${x - 4},${y - 4}l8,8m0,-8l-8,8` });
    default:
      return s("path", { class: `${c} open`, d: `M${x - 5},${y}h10m-5,-5v10` });
  }
}

/** Points over time: {at, seconds, decisions, counts: Map of agent to decisions}. */
export class Shares {
  constructor() {
    this.points = [];
    this.bin = null;
    this.last = null;
  }

  /** Begin with what the journal tells. */
  begin(history) {
    // Spans with few decisions are put together: a share of five says little.
    const past = [];
    let bin = null;
    for (const one of history.spans) {
      bin ??= { decisions: 0, counts: new Map() };
      bin.at = one.at + history.seconds;
      bin.decisions += one.decisions;
      history.agents.forEach((agent, n) =>
        bin.counts.set(agent, (bin.counts.get(agent) ?? 0) + one.counts[n]),
      );
      if (bin.decisions >= STEADY) {
        past.push(bin);
        bin = null;
      }
    }
    const end = past.length ? past[past.length - 1].at : 0;
    this.points = past.concat(this.points.filter((one) => one.at > end));
  }

  /** Take what the stream says: totals of plays, whose differences make the next point. */
  add(found, at, seconds = 5) {
    const plays = new Map(found.agents.map((one) => [one.agent, one.plays]));
    if (this.last !== null && found.plays > this.last.total) {
      this.bin ??= { at, begun: at, decisions: 0, counts: new Map() };
      this.bin.decisions += found.plays - this.last.total;
      for (const [agent, count] of plays) {
        const before = this.last.plays.get(agent);
        if (before !== undefined) {
          this.bin.counts.set(agent, (this.bin.counts.get(agent) ?? 0) + count - before);
        }
      }
    }
    this.last = { total: found.plays, plays };
    if (
      this.bin !== null &&
      at - this.bin.begun >= seconds &&
      (this.bin.decisions >= STEADY || at - this.bin.begun >= 60)
    ) {
      this.points.push({ ...this.bin, at });
      this.points.splice(0, Math.max(0, this.points.length - 400));
      this.bin = null;
    }
  }

  /** Shares of the last decisions, of at least so many. */
  now(least = 200) {
    const sums = new Map();
    let total = 0;
    for (let n = this.points.length - 1; n >= 0 && total < least; n--) {
      total += this.points[n].decisions;
      for (const [agent, count] of this.points[n].counts) {
        sums.set(agent, (sums.get(agent) ?? 0) + count);
      }
    }
    return { total, share: (agent) => (total ? (sums.get(agent) ?? 0) / total : null) };
  }
}

/** Draw shares into an element; `limits` are {share, text}. */
export function draw(element, shares, limits) {
  const { points } = shares;
  if (points.length < 2) {
    fill(
      element,
      h("p", { class: "quiet", text: "Shares are drawn once there are decisions to look at." }),
    );
    return;
  }
  const W = Math.max(320, Math.min(1400, element.clientWidth || 760));
  const sums = new Map();
  for (const one of points)
    for (const [agent, n] of one.counts) sums.set(agent, (sums.get(agent) ?? 0) + n);
  const agents = [...sums]
    .sort((a, b) => b[1] - a[1])
    .slice(0, MOST)
    .map(([agent]) => agent);
  const first = points[0].at,
    last = points[points.length - 1].at;
  const x = (at) => LEFT + (W - LEFT - RIGHT) * (last > first ? (at - first) / (last - first) : 1);
  const y = (share) => H - BOTTOM - (H - TOP - BOTTOM) * share;
  const grid = [0, 0.25, 0.5, 0.75, 1].map((at) => [
    s("line", { class: "grid", x1: LEFT, x2: W - RIGHT, y1: y(at), y2: y(at) }),
    s("text", { class: "tick", x: LEFT - 6, y: y(at) + 4, "text-anchor": "end" }, `${100 * at} %`),
  ]);
  // The time of day alone would be that of any day.
  const told = last - first < 43200 ? clock : (at) => moment(at).slice(0, 16);
  const times = [first, (first + last) / 2, last].map((at, n) =>
    s(
      "text",
      { class: "tick", x: x(at), y: H - 6, "text-anchor": ["start", "middle", "end"][n] },
      told(at),
    ),
  );
  const lines = agents.map((agent, n) => {
    const path = points
      .map(
        (one, k) =>
          `${k ? "L" : "M"}${x(one.at).toFixed(1)},${y((one.counts.get(agent) ?? 0) / one.decisions).toFixed(1)}`,
      )
      .join("");
    const end = points[points.length - 1];
    return [
      s("path", {
        class: `c${n} line`,
        d: path,
        "stroke-dasharray": DASHES[n % DASHES.length] || null,
      }),
      mark(n, x(end.at), y((end.counts.get(agent) ?? 0) / end.decisions)),
    ];
  });
  const bars = limits.map((one) => [
    s("line", { class: "limit", x1: LEFT, x2: W - RIGHT, y1: y(one.share), y2: y(one.share) }),
    s("text", { class: "limittext", x: LEFT + 6, y: y(one.share) - 4 }, one.text),
  ]);
  const now = shares.now();
  const said = agents.map((agent) => `${agent} ${percent(now.share(agent), 0)}`).join(", ");
  fill(
    element,
    s(
      "svg",
      {
        viewBox: `0 0 ${W} ${H}`,
        height: H,
        role: "img",
        class: "chart",
        "aria-label": `Shares of decisions over time, UTC. Lately: ${said}`,
      },
      grid,
      times,
      bars,
      lines,
    ),
    h(
      "ul",
      { class: "legend" },
      agents.map((agent, n) =>
        h(
          "li",
          {},
          s(
            "svg",
            { viewBox: "0 0 34 12", width: 34, height: 12, "aria-hidden": "true" },
            s("path", {
              class: `c${n} line`,
              d: "M1,6h32",
              "stroke-dasharray": DASHES[n % DASHES.length] || null,
            }),
            mark(n, 17, 6),
          ),
          named(agent),
          " ",
          h("span", { class: "number", text: percent(now.share(agent), 0) }),
        ),
      ),
    ),
  );
}
