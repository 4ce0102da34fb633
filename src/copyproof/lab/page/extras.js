// What chapters 3, 4 and 5 show below the stage: the price of names, the robots, the commands.

import { copyText, count, decimal, el, save, write } from "./elements.js";
import { drawCurve } from "./curve.js";
import { isPlayable } from "./game.js";
import { MEANS, NAME_GAMES, ROBOT_GAMES, ROBOT_ROUNDS, commandsOf, gameOf, marketFile, marketOf } from "./market.js";
import { NAME_COUNTS, NamesStudy } from "./names.js";
import { Robots } from "./robots.js";
import { sceneOf } from "./state.js";
import { settingOf } from "./levers.js";

// Each panel has `advance(until)`, which works until the clock says so, and `update(state)`.
class NamesPanel {
  constructor(app, container) {
    this.app = app;
    this.said = el("p", { class: "why", id: "c-star" });
    this.frame = el("div");
    this.progress = el("p", { class: "quiet" });
    container.append(el("h3", {}, "What names are worth"), this.said, this.frame, this.progress);
    this.update(app.state);
  }

  update(state) {
    const key = JSON.stringify([state.policy, state.rounds, state.seed]);
    if (key !== this.key) {
      this.key = key;
      const { laboratory } = this.app;
      this.study = laboratory !== null || isPlayable(state.policy) ? new NamesStudy(state, laboratory) : null;
    }
    this.shown = -1;
    this.show(state);
  }

  advance(until) {
    if (this.study === null) return false;
    try {
      this.study.advance(until);
    } catch (error) { // the engine's
      this.study = null;
      write(this.said, error.message);
      return false;
    }
    if (this.study.games !== this.shown) this.show(this.app.state);
    return !this.study.isOver;
  }

  show({ cost, policy }) {
    this.frame.hidden = this.study === null;
    if (this.study === null) {
      write(this.progress, "");
      write(this.said, `c* is computed here for the five rules that the page plays; for ${policy} copyproof lab computes it.`);
      return;
    }
    const found = this.study.result();
    this.shown = this.study.games;
    write(this.progress, `${count(this.shown)} of ${NAME_GAMES} games with each number of names, all with the same luck.`);
    if (found === null) {
      this.said.textContent = "Playing …";
      return;
    }
    const { means, cStar, error, names } = found;
    const net = NAME_COUNTS.map((m, place) => [m, means[place] - cost * (m - 1)]);
    const best = net.reduce((one, other) => (other[1] > one[1] ? other : one));
    const width = Number.isNaN(error) ? "" : ` ± ${decimal(error)}`;
    const pays = best[0] > 1;
    this.said.replaceChildren(
      el("b", {}, `c* = ${decimal(cStar)}${width}`),
      ` rewards for a name, reached with ${names} names. `,
      !pays
        ? `A name costs ${count(cost)}, more than it brings: one name is best, and the lever is dead again.`
        : cost > 0 || best[0] < NAME_COUNTS.at(-1)
          ? `A name costs ${count(cost)}: ${best[0]} names still pay.`
          : "Names are free, so take as many as you can.",
    );
    drawCurve(this.frame, {
      points: net, xs: NAME_COUNTS, xLabel: "names", yLabel: "income less the price of names", series: 2,
      level: { y: means[0], name: `one name: ${decimal(means[0])}` }, format: count,
      label: `Income less what names cost: ${net.map(([m, value]) => `${m} names ${decimal(value)}`).join(", ")}`,
    });
    this.app.found = { scene: 3, cStar, error, means, games: found.games };
  }
}

class RobotsPanel {
  constructor(app, container) {
    this.app = app;
    this.cards = MEANS.slice(1).map((mean, i) => {
      const copies = el("b", {}, "1");
      const element = el("li", {},
        el("span", { class: `shape series-${[3, 4, 5, 1][i]}`, "aria-hidden": "true" }), ` robot ${mean}`, copies);
      return { element, copies };
    });
    this.said = el("p", { class: "why", id: "rest", role: "status" });
    this.frame = el("div");
    this.moves = el("ol", { class: "moves", tabindex: "0", "aria-label": "Moves of the robots" });
    container.append(
      el("h3", {}, "The robots' copies"), el("ul", { class: "robots" }, ...this.cards.map(({ element }) => element)),
      this.said, el("h3", {}, "Your regret after each robot's turn"), this.frame, el("h3", {}, "Moves"), this.moves);
    this.update(app.state);
  }

  update(state) {
    const key = JSON.stringify([state.policy, state.seed]);
    if (key === this.key && state.profile === this.robots.profile.join(".")) {
      if (state.at > 0 !== this.stands) this.show();
      return;
    }
    this.key = key;
    this.robots = new Robots(state, this.app.laboratory);
    this.failure = null;
    this.moves.replaceChildren();
    this.shown = 0;
    this.show();
  }

  // A game that stands still is a state to be kept: the robots stand still with it.
  advance(until) {
    if (this.failure !== null || this.app.state.at > 0) return false;
    try {
      if (this.robots.advance(until)) this.show();
    } catch (error) { // the engine's
      this.failure = error;
      write(this.said, error.message);
    }
    return !this.robots.isOver;
  }

  show() {
    const { robots } = this;
    this.stands = this.app.state.at > 0;
    robots.profile.forEach((copies, i) => {
      write(this.cards[i].copies, copies === 1 ? "1 arm" : `${copies} copies`);
      this.cards[i].element.classList.toggle("thinks", !robots.isOver && !this.stands && robots.robot === i);
    });
    for (const move of robots.moves.slice(this.shown)) {
      this.moves.append(el("li", {}, `robot ${move.mean} goes from ${move.from} to ${move.to}: ${decimal(move.gain)} more a game`));
    }
    this.shown = robots.moves.length;
    if (robots.moves.length === 0 && robots.isOver) this.moves.replaceChildren(el("li", {}, "none: nobody had anything to gain"));
    const regrets = robots.history;
    const last = regrets.at(-1);
    const share = last === undefined ? 0 : last / (ROBOT_ROUNDS * MEANS[4]);
    write(this.said, robots.isOver
      ? `${robots.isEquilibrium ? "The robots rest" : "The robots find no rest"}: regret ${decimal(last)} a game of ` +
        `${count(ROBOT_ROUNDS)} rounds, ${decimal(100 * share)} % of what visitors could have had; with honest robots ${decimal(robots.honest)}.`
      : this.stands ? "The robots stand still with the game." : `Robot ${MEANS[robots.robot + 1]} thinks …`);
    if (regrets.length > 0) {
      const label = `Regret after each turn: ${regrets.map(decimal).join(", ")}`;
      const most = Math.max(8, regrets.length - 1);
      const step = Math.ceil(most / 8);
      drawCurve(this.frame, {
        points: regrets.map((y, x) => [x, y]), xs: Array.from({ length: Math.floor(most / step) + 1 }, (_, k) => k * step),
        xLabel: "turns", yLabel: `regret, mean of ${ROBOT_GAMES} games`, series: 1, format: count, label,
      });
    }
    this.app.found = { scene: 4, regret: last, profile: robots.profile.join("."), isOver: robots.isOver };
    if (!this.stands) this.app.follow(robots.profile.join("."));
  }
}

class CommandsPanel {
  constructor(app, container) {
    this.app = app;
    this.container = container;
    this.update(app.state);
  }

  update(state) {
    const scene = sceneOf(state);
    const key = JSON.stringify(state);
    if (key === this.key) return;
    this.key = key;
    const { horizon } = gameOf(state, scene);
    const stood = state.at > 0 && state.at < horizon ? `after ${count(state.at)} of ` : "";
    const commands = commandsOf(state, 1);
    const code = el("code", { id: "commands" }, commands);
    const copied = el("span", { role: "status" });
    const copy = el("button", { type: "button", class: "primary", onclick: async () => {
      write(copied, (await copyText(commands, code)) ? "Copied." : "Selected: press Ctrl+C.");
    } }, "Copy the commands");
    const file = el("button", { type: "button", onclick: () => save("market.toml", marketFile(marketOf(state, scene)), "application/toml") }, "Save market.toml");
    this.table = el("div", { class: "wide" });
    this.container.replaceChildren(
      el("h3", {}, `${settingOf(state, scene)}, ${stood}${count(horizon)} rounds, seed\u00a0${state.seed}`),
      el("pre", { tabindex: "0", "aria-label": "Commands" }, code),
      el("div", { class: "row" }, copy, file, copied),
      el("h3", {}, "What the first command will say"), this.table,
      el("p", { class: "quiet" }, scene === 3
        ? "The last command measures what names are worth with honest limits, on as many games as that takes."
        : scene === 4
          ? "The last command follows best responses with honest limits, on as many games as that takes."
          : "The last command tries copies and mixtures for you, and says with honest limits what they gain."),
    );
    this.isShown = false;
  }

  // The numbers of the finished game, once it is.
  advance() {
    const { run } = this.app;
    const { at } = this.app.state;
    if (this.isShown || !run || (run.t !== at && !run.isOver)) return false;
    this.isShown = true;
    const { source, game } = run;
    this.table.replaceChildren(el("table", { class: "plain", id: "expected" },
      el("thead", {}, el("tr", {}, ...["agent", "plays", "revenue"].map((title) => el("th", { scope: "col" }, title)))),
      el("tbody", {}, ...game.agents.map(({ name }, i) => el("tr", {},
        el("th", { scope: "row" }, name), el("td", { class: "number" }, String(source.plays[i])),
        el("td", { class: "number" }, String(source.revenue[i]))))),
      el("tfoot", {}, el("tr", {}, el("th", { scope: "row" }, "regret"),
        el("td", { class: "number", colspan: 2, id: "expected-regret" }, String(source.regret))))));
    return false;
  }
}

export const PANELS = { 3: NamesPanel, 4: RobotsPanel, 5: CommandsPanel };
