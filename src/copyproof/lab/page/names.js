// What further names are worth: games of the same luck with 1, 2, … names, played a little at a time.
//
// With u(m) the mean income under m names, the gain for each further name is (u(m) − u(1))/(m − 1), and
// c* is the largest of these: if a name costs more than c*, no number of names pays.

import { incomesOf } from "./incomes.js";
import { NAME_GAMES, namesMarket } from "./market.js";

export const NAME_COUNTS = [1, 2, 3, 4, 6, 8];

export class NamesStudy {
  constructor({ policy, rounds, seed }, laboratory = null) {
    this.incomes = incomesOf(laboratory, { policy, horizon: rounds, seed });
    this.markets = NAME_COUNTS.map(namesMarket);
    this.games = 0;
    this.step = laboratory === null ? 1 : NAME_GAMES; // games from one look to the next
  }

  get isOver() {
    return this.games >= NAME_GAMES;
  }

  advance(until) {
    const all = this.markets.map(({ agents }) => agents);
    while (!this.isOver && performance.now() < until) {
      if (!this.incomes.ready(all, this.games + this.step, until)) return;
      this.games += this.step;
    }
  }

  // Your income in each game so far, under each number of names.
  get earned() {
    return this.markets.map(({ agents, own }) => this.incomes.of(agents).revenue
      .slice(0, this.games).map((revenue) => own.reduce((total, i) => total + revenue[i], 0)));
  }

  // The mean income under each number of names, and c* with its standard error.
  result() {
    const { games, earned } = this;
    if (games === 0) return null;
    const means = earned.map((all) => sum(all) / games);
    let best = { each: -Infinity };
    NAME_COUNTS.forEach((names, place) => {
      if (names === 1) return;
      const each = (means[place] - means[0]) / (names - 1);
      if (each > best.each) best = { each, names, place };
    });
    const gains = earned[best.place].map((income, game) => (income - earned[0][game]) / (best.names - 1));
    const spread = sum(gains.map((gain) => (gain - best.each) ** 2));
    const error = games > 1 ? Math.sqrt(spread / (games - 1) / games) : NaN;
    return { games, means, cStar: best.each, names: best.names, error };
  }
}

const sum = (all) => all.reduce((total, one) => total + one, 0);
