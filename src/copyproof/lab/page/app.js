// The page at work: the state in its address, the game in its frames.

import { byId, copyText, count, decimal, el, percent, write } from "./elements.js";
import { PANELS } from "./extras.js";
import { isPlayable } from "./game.js";
import { Laboratory } from "./laboratory.js";
import { LEVERS, settingOf } from "./levers.js";
import { gameOf, honestState, marketOf } from "./market.js";
import { Agreement, Run } from "./run.js";
import { Stage } from "./stage.js";
import { CHAPTERS, readState, sceneOf, writeState } from "./state.js";
import { STORIES, whyOf } from "./words.js";

const FRAME = 9; // milliseconds of work in a frame at most: a sixtieth of a second is 16.7
const TEXTS = 90; // milliseconds from one change of the numbers to the next

class App {
  constructor() {
    this.state = readState(location.hash);
    this.laboratory = Laboratory.found();
    this.catalogue = this.laboratory?.policies ?? [];
    this.calm = matchMedia("(prefers-reduced-motion: reduce)");
    this.stage = new Stage(byId("stage"));
    this.isPaused = false;
    this.last = 0;
    this.lastTexts = 0;
    this.carry = 0;
    addEventListener("hashchange", () => this.go(readState(location.hash)));
    byId("pause").addEventListener("click", () => this.pause());
    byId("again").addEventListener("click", () => this.restart());
    byId("new-seed").addEventListener("click", () => this.set({ seed: Math.floor(Math.random() * 1e6) }));
    byId("copy-link").addEventListener("click", async () => {
      write(byId("copied"), location.href);
      if (await copyText(location.href, byId("copied"))) write(byId("copied"), "The link is copied.");
    });
    this.enter();
    this.laboratory?.show(this);
    requestAnimationFrame((now) => this.frame(now));
  }

  // A change by a lever: the address follows without a step in the history.
  set(changes) {
    const state = { ...this.state, at: 0, ...changes };
    // Under another rule, or with other luck, the robots begin anew.
    const isOther = ["policy", "seed"].some((name) => Object.hasOwn(changes, name));
    if (isOther && state.chapter < CHAPTERS.length) state.profile = "1.1.1.1";
    history.replaceState(null, "", writeState(state));
    this.go(state);
  }

  // A change that comes from the game itself: a robot has moved.
  follow(profile) {
    if (profile !== this.state.profile) this.set({ profile });
  }

  go(state) {
    const isNew = state.chapter !== this.state.chapter;
    this.state = state;
    if (isNew) {
      this.enter();
      byId("title").focus({ preventScroll: true });
      scrollTo({ top: 0 });
    } else {
      this.levers?.follow(state);
      this.begin();
      this.panel?.update(state);
    }
  }

  // A chapter: its words, its levers, its panel.
  enter() {
    this.state = { ...this.state, ...this.playable(this.state.chapter) };
    const { state } = this;
    const story = STORIES[state.chapter - 1];
    document.title = `${story.title}: you are the worst of five. Get rich.`;
    write(byId("title"), story.title);
    write(byId("lead"), (this.laboratory && story.leadWithEngine) ?? story.lead);
    write(byId("todo"), story.todo);
    this.chapters();
    this.levers = LEVERS[state.chapter]?.(this) ?? null;
    byId("levers").replaceChildren(...(this.levers?.elements ?? []));
    this.begin();
    const extra = byId("extra");
    extra.replaceChildren();
    extra.hidden = !Object.hasOwn(PANELS, state.chapter);
    this.panel = extra.hidden ? null : new PANELS[state.chapter](this, extra);
  }

  chapters() {
    const { state } = this;
    const list = byId("chapters");
    if (list.children.length === 0) { // made once, so that whoever stands on a link stays there
      list.append(...CHAPTERS.map((name, k) =>
        el("li", {}, el("a", {}, el("b", {}, String(k + 1)), el("span", {}, name)))));
    }
    list.querySelectorAll("a").forEach((link, k) => {
      const chapter = k + 1;
      // A game that stands still is reproduced as it stands; other chapters begin theirs anew.
      const scene = chapter === CHAPTERS.length ? { scene: sceneOf(state) } : { at: 0 };
      link.href = writeState({ ...state, ...scene, ...this.playable(chapter), chapter });
      if (chapter === state.chapter) link.setAttribute("aria-current", "step");
      else link.removeAttribute("aria-current");
    });
    const next = byId("next");
    next.hidden = state.chapter === CHAPTERS.length;
    if (!next.hidden) {
      const chapter = state.chapter + 1;
      const begin = [{}, { policy: "ucb1" }, { policy: "h-ucb", names: 2 }, { policy: "ucb1", profile: "1.1.1.1" }, { scene: sceneOf(state) }][chapter - 1];
      const at = chapter === CHAPTERS.length ? state.at : 0;
      next.href = writeState({ ...state, ...begin, at, chapter });
      write(next, `Next: ${STORIES[chapter - 1].title.toLowerCase()}`);
    }
  }

  // Without an engine the robots think in the page: only its own policies.
  playable(chapter) {
    return this.laboratory === null && chapter === 4 && !isPlayable(this.state.policy) ? { policy: "h-ucb" } : {};
  }

  // The game of the state, and the honest one with the same luck, unless they are being played.
  begin() {
    const { state } = this;
    const scene = sceneOf(state);
    write(byId("seed"), String(state.seed));
    this.chapters();
    const game = gameOf(state, scene);
    const key = JSON.stringify([game, scene]);
    if (key === this.key && (state.at === 0 || state.at === this.run?.t)) {
      this.isPaused = state.at > 0;
      return this.texts();
    }
    this.key = key;
    this.runs(game, scene);
    return undefined;
  }

  async runs(game, scene) {
    const { own } = marketOf(this.state, scene);
    const honest = gameOf(honestState(this.state), scene);
    const honestKey = JSON.stringify([honest, scene]);
    const { key } = this;
    let sources = [];
    if (this.laboratory && !this.run) write(byId("why"), "The engine is loaded …");
    try {
      if (this.laboratory) sources = await this.laboratory.games([game, honest]);
      else if (!isPlayable(game.policy)) throw new Error(`${game.policy} is played by copyproof lab only`);
    } catch (error) {
      if (key === this.key) write(byId("why"), error.message);
      return;
    }
    if (key !== this.key) return; // another game was asked for meanwhile
    this.run = new Run(game, ...sources.slice(0, 1));
    this.run.own = own;
    if (honestKey !== this.honestKey) {
      this.honestKey = honestKey;
      this.honest = new Run(honest, ...sources.slice(1, 2));
    }
    this.agreement = new Agreement();
    this.carry = 0;
    this.isPaused = this.goal() > 0;
    this.isTold = false;
    this.lastTexts = 0;
    write(byId("rounds"), count(game.horizon));
    this.stage.show(this.run, scene, own);
    const arms = game.agents.reduce((sum, { copies }) => sum + copies.reduce((a, b) => a + b, 0), 0);
    const originals = game.agents.reduce((sum, { means }) => sum + means.length, 0);
    write(byId("why"), whyOf(this.state, scene, arms, originals));
    this.texts();
  }

  // The round at which the game is to stand still, or 0.
  goal() {
    return Math.min(this.state.at, this.run.game.horizon);
  }

  // Standing still is part of the state, too.
  stand(at) {
    this.state = { ...this.state, at };
    history.replaceState(null, "", writeState(this.state));
    this.chapters();
    this.panel?.update(this.state);
  }

  pause() {
    if (!this.run || this.run.isOver) return this.restart();
    this.isPaused = !this.isPaused;
    this.stand(this.isPaused ? this.run.t : 0);
    if (this.isPaused) this.stage.describe();
    return undefined;
  }

  restart() {
    this.stand(0);
    this.key = null;
    this.begin();
  }

  frame(now) {
    requestAnimationFrame((next) => this.frame(next));
    const passed = Math.min(now - this.last, 100);
    this.last = now;
    const { run, honest } = this;
    if (!run) return;
    const until = performance.now() + FRAME;
    const wasOver = run.isOver;
    const atOnce = this.calm.matches || this.state.chapter === CHAPTERS.length;
    if (run.t < this.goal()) {
      run.play(this.goal() - run.t, until);
      this.lastTexts = 0;
    } else if (!this.isPaused && !wasOver) {
      this.carry += atOnce ? run.game.horizon : (Number(byId("speed").value) * passed) / 1000;
      const before = run.t;
      run.play(Math.floor(this.carry), until);
      this.carry = Math.min(this.carry - (run.t - before), run.game.horizon);
    }
    if (honest !== null && honest.t < run.t) honest.play(run.t - honest.t, until + FRAME);
    this.agreement.compare(run, honest);
    const ended = run.isOver && honest.t >= run.t && !this.isTold;
    const withText = ended || now - this.lastTexts > TEXTS;
    if (!wasOver || withText) {
      if (!(atOnce && !run.isOver)) this.stage.update(withText);
      if (withText) {
        this.lastTexts = now;
        this.texts();
      }
    }
    if (ended) this.tell();
    const left = until - performance.now();
    if (this.panel && left > 1) this.panel.advance(until);
  }

  // Numbers and sentences, as the game stands.
  texts() {
    const { run, honest, state } = this;
    if (!run) return;
    const scene = sceneOf(state);
    write(byId("round"), count(run.t));
    write(byId("pause"), run.isOver ? "Play again" : this.isPaused ? "Go on" : "Pause");
    byId("again").hidden = run.isOver;
    const t = Math.min(run.t, honest.t);
    const figures = scene === 4 ? this.platformFigures() : this.ownFigures(t, scene);
    const list = byId("figures");
    if (list.children.length !== figures.length) {
      list.replaceChildren(...figures.map(({ yours }) => el("div", { class: yours ? "yours" : null }, el("dt"), el("dd"))));
    }
    figures.forEach(({ name, value, yours }, k) => {
      list.children[k].className = yours ? "yours" : "";
      write(list.children[k].children[0], name);
      write(list.children[k].children[1], value);
    });
    byId("evidence").classList.toggle("failed", Boolean(this.mismatch));
    write(byId("evidence"), this.evidence(scene));
    write(byId("ticker"), figures.slice(0, 2).map(({ name, value }) => `${name.toLowerCase().replace("your ", "")} ${value}`).join(" · "));
    byId("ticker").previousElementSibling.hidden = run.own.length === 0;
    byId("ticker-fill").style.transform = `scaleX(${this.share().toFixed(4)})`;
  }

  // Of all rounds so far, those that were yours.
  share() {
    const { run } = this;
    return run.t === 0 ? 0 : run.own.reduce((sum, i) => sum + run.source.plays[i], 0) / run.t;
  }

  ownFigures(t, scene) {
    const { run, honest, state } = this;
    const spent = scene === 3 ? state.cost * (state.names - 1) : 0;
    const income = run.earned[t] - spent;
    const other = honest.earned[t];
    return [
      { name: "Your traffic", value: percent(this.share()), yours: true },
      { name: spent > 0 ? "Your net income" : "Your income", value: count(income), yours: true },
      { name: "Honest income", value: count(other) },
      { name: "Times as much", value: income < 0 ? "a loss" : other > 0 ? `× ${decimal(income / other)}` : "…" },
    ];
  }

  platformFigures() {
    const { run, honest } = this;
    const total = run.source.revenue.reduce((sum, one) => sum + one, 0);
    return [
      { name: "Your regret", value: count(run.source.regret), yours: true },
      { name: "with honest robots", value: count(honest.source.regret) },
      { name: "Visitors pleased", value: run.t === 0 ? "…" : percent(total / run.t) },
    ];
  }

  // What the engine says and the page does not find, where the engine plays.
  get mismatch() {
    return this.run.source.mismatch ?? this.honest.source.mismatch;
  }

  // What was counted, not claimed.
  evidence(scene) {
    const { agreement, run, state } = this;
    if (this.mismatch) return this.mismatch;
    const same = JSON.stringify(gameOf(state, scene)) === JSON.stringify(gameOf(honestState(state), scene));
    if (same || agreement.rounds === 0 || scene === 3) return "";
    const who = scene === 4 ? "with honest robots" : "with your best arm alone";
    if (agreement.isWhole) {
      return `The lever is dead: all ${count(agreement.rounds)} rounds so far went to the provider who has them ${who}.`;
    }
    const gained = scene !== 4 && run.earned[agreement.rounds] < this.honest.earned[agreement.rounds] ? " It costs you." : "";
    return `${count(agreement.rounds - agreement.equal)} of ${count(agreement.rounds)} rounds went to another provider than ${who}.${gained}`;
  }

  // The end of a game, for those who hear it.
  tell() {
    this.isTold = true;
    this.stage.describe();
    const scene = sceneOf(this.state);
    const figures = scene === 4 ? this.platformFigures() : this.ownFigures(this.run.t, scene);
    const said = figures.map(({ name, value }) => `${name} ${value}`).join(", ");
    write(byId("announcement"), `${settingOf(this.state, scene)}: ${said}. ${byId("why").textContent} ${this.evidence(scene)}`);
  }
}

globalThis.copyproof = new App();
