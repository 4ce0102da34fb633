// The stage: shares of the traffic over the rounds as a picture, and the providers as a table.

import { count, el, percent, write } from "./elements.js";
import { BINS } from "./run.js";

// Each provider has a colour and a shape: you the second, the best one the first.
const SERIES = [2, 3, 4, 5, 1];
const seriesOf = (scene, agent, own) =>
  own.includes(agent) ? 2 : SERIES[scene === 4 ? agent + 1 : agent];

// Colours as the style sheet has them for the present theme.
export function colours(element) {
  const probe = el("span", { class: "probe" });
  element.append(probe);
  const found = {};
  for (const name of ["ink", "quiet", "line", "paper", "surface", "link", ...[1, 2, 3, 4, 5, 6].map((k) => `series-${k}`)]) {
    probe.style.color = `var(--${name})`;
    found[name] = getComputedStyle(probe).color;
  }
  probe.remove();
  return found;
}

// A canvas as sharp as the screen; gives its context and its size in CSS pixels.
export function sharpened(canvas) {
  const { width, height } = canvas.getBoundingClientRect();
  const ratio = Math.min(devicePixelRatio || 1, 2);
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return { context, width, height };
}

export class Stage {
  constructor(container) {
    this.canvas = el("canvas", { class: "river", role: "img", "aria-label": "Shares of the traffic" });
    this.body = el("tbody");
    this.container = container;
    container.append(
      el("div", { class: "river-frame" }, this.canvas),
      el("table", { class: "providers" },
        el("caption", { class: "visually-hidden" }, "The providers, their share of the last rounds, all their rounds and their income"),
        el("thead", {}, el("tr", {}, ...["Provider", "Traffic now", "Rounds", "Income"].map((title, k) =>
          el("th", { scope: "col", class: k > 1 ? "number" : null }, title)))),
        this.body,
      ),
    );
    this.rows = [];
    this.theme();
    const watch = matchMedia("(prefers-color-scheme: dark)");
    watch.addEventListener("change", () => this.theme());
    new ResizeObserver(() => this.run && this.draw()).observe(this.canvas);
  }

  theme() {
    this.colours = colours(this.container);
    if (this.run) this.draw();
  }

  // A new game: a row for each provider.
  show(run, scene, own) {
    this.run = run;
    this.scene = scene;
    this.own = own;
    // Your names lie together at the bottom of the picture, the others above in their order.
    this.order = [...own, ...run.game.agents.map((_, i) => i).filter((i) => !own.includes(i))];
    this.rows = this.order.map((i) => this.row(run.game.agents[i], i));
    this.body.replaceChildren(...this.rows.map(({ element }) => element));
  }

  row(agent, i) {
    const yours = this.own.includes(i);
    const number = this.own.indexOf(i);
    const name = yours ? (number === 0 ? "You" : `You, name ${number + 1}`) : `${agent.means[0]}`;
    const arms = agent.copies.reduce((sum, one) => sum + one, 0);
    const fill = el("span", { class: `fill series-${seriesOf(this.scene, i, this.own)}-fill` });
    const share = el("span", { class: "share" });
    const rounds = el("td", { class: "number" });
    const income = el("td", { class: "number" });
    const shown = yours ? `${agent.means.join(" and ")}` : "";
    const element = el("tr", { class: yours ? "yours" : null },
      el("th", { scope: "row" },
        el("span", { class: `shape series-${seriesOf(this.scene, i, this.own)}`, "aria-hidden": "true" }),
        el("span", { class: "who" }, name, el("small", {}, [shown, arms === 1 ? "" : `${count(arms)} arms`].filter(Boolean).join(", ")))),
      el("td", { class: "bar" }, el("span", { class: "track", "aria-hidden": "true" }, fill), share),
      rounds, income);
    return { i, element, fill, share, rounds, income };
  }

  // Called in every frame; texts only now and then.
  update(withText) {
    const { run } = this;
    for (const row of this.rows) {
      const share = run.recentShare(row.i);
      row.fill.style.transform = `scaleX(${share.toFixed(4)})`;
      if (withText) {
        write(row.share, percent(share));
        write(row.rounds, count(run.source.plays[row.i]));
        write(row.income, count(run.source.revenue[row.i]));
      }
    }
    this.draw();
  }

  // The upper edge of each area at the middle of each bin, smoothed over five bins.
  edges() {
    const { run, order } = this;
    const bins = Math.ceil((run.t * BINS) / run.game.horizon);
    const tops = order.map(() => new Float64Array(bins));
    for (let b = 0; b < bins; b++) {
      let all = 0;
      const mine = order.map(() => 0);
      for (let near = Math.max(0, b - 2); near <= Math.min(bins - 1, b + 2); near++) {
        order.forEach((i, place) => {
          const rounds = run.bins[near * run.agents + i];
          mine[place] += rounds;
          all += rounds;
        });
      }
      let top = 0;
      mine.forEach((rounds, place) => (tops[place][b] = top += rounds / all));
    }
    return tops;
  }

  // Areas one above the other, with a thin line of paper between them, so that colour is not all
  // that parts them.
  draw() {
    const { run, order } = this;
    const { context, width, height } = sharpened(this.canvas);
    if (width === 0) return;
    context.fillStyle = this.colours.surface;
    context.fillRect(0, 0, width, height);
    const tops = this.edges();
    const bins = tops[0].length;
    if (bins === 0) return;
    const front = (run.t / run.game.horizon) * width;
    const path = (top) => {
      context.lineTo(0, height * (1 - top[0]));
      for (let b = 0; b < bins; b++) context.lineTo(Math.min(((b + 0.5) / BINS) * width, front), height * (1 - top[b]));
      context.lineTo(front, height * (1 - top[bins - 1]));
    };
    for (let place = order.length - 1; place >= 0; place--) {
      context.fillStyle = this.colours[`series-${seriesOf(this.scene, order[place], this.own)}`];
      context.beginPath();
      path(tops[place]);
      context.lineTo(front, height);
      context.lineTo(0, height);
      context.fill();
      if (place === order.length - 1) continue;
      context.strokeStyle = this.colours.paper;
      context.lineWidth = 1.5;
      context.beginPath();
      path(tops[place]);
      context.stroke();
    }
    this.labels(context, width, height, bins);
  }

  // Names in the areas that are wide enough, at the front.
  labels(context, width, height, bins) {
    const { run, order } = this;
    if (bins < 4) return;
    context.font = "600 14px system-ui, sans-serif";
    context.textAlign = "right";
    context.textBaseline = "middle";
    const right = Math.min(width, ((run.t / run.game.horizon) * width)) - 8;
    if (right < 90) return;
    let floor = 0;
    for (const i of order) {
      const share = run.recentShare(i);
      const middle = height * (1 - floor - share / 2);
      floor += share;
      if (share * height < 22) continue;
      const yours = this.own.includes(i);
      const name = yours ? "you" : String(run.game.agents[i].means[0]);
      const wide = context.measureText(name).width;
      context.fillStyle = this.colours.paper;
      context.beginPath();
      context.roundRect(right - wide - 12, middle - 11, wide + 16, 22, 11);
      context.fill();
      context.fillStyle = this.colours.ink;
      context.fillText(name, right, middle);
    }
  }

  // The picture in words, when a game is over or stands still.
  describe() {
    const { run, rows } = this;
    const said = rows.map(({ i }) => `${this.own.includes(i) ? "you" : run.game.agents[i].means[0]} ${percent(run.t ? run.source.plays[i] / run.t : 0)}`);
    this.canvas.setAttribute("aria-label", `Shares of ${count(run.t)} rounds: ${said.join(", ")}`);
  }
}
