// What further names are worth: games of the same luck with 1, 2, … names, played a little at a time.
//
// With u(m) the mean income under m names, the gain for each further name is (u(m) − u(1))/(m − 1), and
// c* is the largest of these: if a name costs more than c*, no number of names pays.

import { Game } from "./game.js";
import { NAME_GAMES, namesMarket } from "./market.js";

export const NAME_COUNTS = [1, 2, 3, 4, 6, 8];

export class NamesStudy {
  constructor({ policy, rounds, seed }) {
    this.asked = { policy, horizon: rounds, seed };
    this.incomes = NAME_COUNTS.map(() => []);
    this.next = 0;
    this.game = null;
  }

  get games() {
    return Math.floor(this.next / NAME_COUNTS.length);
  }

  get isOver() {
    return this.games >= NAME_GAMES;
  }

  advance(until) {
    while (!this.isOver && performance.now() < until) {
      const place = this.next % NAME_COUNTS.length;
      const { agents, own } = namesMarket(NAME_COUNTS[place]);
      this.game ??= new Game({ ...this.asked, agents, repetition: this.games });
      const { game } = this;
      while (game.t < game.horizon) {
        game.step();
        if ((game.t & 63) === 0 && performance.now() > until) return;
      }
      this.incomes[place].push(own.reduce((sum, i) => sum + game.revenue[i], 0));
      this.game = null;
      this.next += 1;
    }
  }

  // The mean income under each number of names, and c* with its standard error.
  result() {
    const { games } = this;
    if (games === 0) return null;
    const means = this.incomes.map((all) => sum(all.slice(0, games)) / games);
    let best = { each: -Infinity };
    NAME_COUNTS.forEach((names, place) => {
      if (names === 1) return;
      const each = (means[place] - means[0]) / (names - 1);
      if (each > best.each) best = { each, names, place };
    });
    const gains = this.incomes[best.place].slice(0, games)
      .map((income, game) => (income - this.incomes[0][game]) / (best.names - 1));
    const spread = sum(gains.map((gain) => (gain - best.each) ** 2));
    const error = games > 1 ? Math.sqrt(spread / (games - 1) / games) : NaN;
    return { games, means, cStar: best.each, names: best.names, error };
  }
}

const sum = (all) => all.reduce((total, one) => total + one, 0);
