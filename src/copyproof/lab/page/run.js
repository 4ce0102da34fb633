// A game while it is played, and what the stage shows of it: rounds by bin and agent, and how it
// compares with the honest game of the same luck.

import { Game } from "./game.js";

export const BINS = 120;

// One game with its record; `source` has `step` and the sums of `Game`.
export class Run {
  constructor(game, source = new Game(game)) {
    this.game = game;
    this.source = source;
    this.agents = game.agents.length;
    this.owners = source.owners;
    this.bins = new Uint32Array(BINS * this.agents);
    this.choices = new Uint8Array(game.horizon); // the agent of each round
    this.earned = new Uint32Array(game.horizon + 1); // yours after each round
    this.own = [0];
  }

  get t() {
    return this.source.t;
  }

  get isOver() {
    return this.t >= this.game.horizon;
  }

  // Play up to so many rounds, or until the clock says so.
  play(rounds, until = Infinity) {
    const { horizon } = this.game;
    const last = Math.min(horizon, this.t + rounds);
    while (this.t < last) {
      const t = this.t;
      const agent = this.owners[this.source.step()];
      this.choices[t] = agent;
      this.bins[Math.floor((t * BINS) / horizon) * this.agents + agent] += 1;
      let sum = 0;
      for (const i of this.own) sum += this.source.revenue[i];
      this.earned[t + 1] = sum;
      if ((t & 63) === 0 && performance.now() > until) break;
    }
  }

  // The share of an agent in the last rounds: the bin that is filled now and the three before.
  recentShare(agent) {
    const bin = Math.floor((Math.max(this.t - 1, 0) * BINS) / this.game.horizon);
    let mine = 0;
    let all = 0;
    for (let b = Math.max(0, bin - 3); b <= bin; b++) {
      for (let i = 0; i < this.agents; i++) all += this.bins[b * this.agents + i];
      mine += this.bins[b * this.agents + agent];
    }
    return all === 0 ? 0 : mine / all;
  }
}

// How many of the rounds so far chose the same provider in both games.
export class Agreement {
  constructor() {
    this.rounds = 0;
    this.equal = 0;
  }

  compare(run, other) {
    const last = Math.min(run.t, other.t);
    for (; this.rounds < last; this.rounds++) {
      if (run.choices[this.rounds] === other.choices[this.rounds]) this.equal += 1;
    }
  }

  get isWhole() {
    return this.rounds > 0 && this.equal === this.rounds;
  }
}
