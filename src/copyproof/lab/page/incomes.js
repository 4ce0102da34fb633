// Games that are played for what they come to, not to be shown: by the page itself, a little at a time, or
// by the engine behind it.
//
// `ready(markets, games, until)` gives true when so many games of all of these markets are known: the page
// works until the clock says so, the engine is asked once for all that is missing. `of(agents)` then has,
// game by game, the revenue of every agent and the regret. An error of the engine is thrown by `ready`.

import { Game } from "./game.js";

const keyOf = (agents) => JSON.stringify(agents.map(({ means, copies }) => [means, copies]));

class Incomes {
  constructor(asked) {
    this.asked = asked; // policy, horizon, seed
    this.known = new Map();
  }

  of(agents) {
    const key = keyOf(agents);
    if (!this.known.has(key)) this.known.set(key, { revenue: [], regret: [] });
    return this.known.get(key);
  }

  missing(markets, games) {
    return markets.filter((agents) => this.of(agents).regret.length < games);
  }
}

export class OwnIncomes extends Incomes {
  ready(markets, games, until) {
    for (const agents of this.missing(markets, games)) {
      const found = this.of(agents);
      while (found.regret.length < games) {
        if (this.game?.agents !== agents || this.repetition !== found.regret.length) {
          this.repetition = found.regret.length;
          this.game = { agents, played: new Game({ ...this.asked, agents, repetition: this.repetition }) };
        }
        const { played } = this.game;
        while (played.t < played.horizon) {
          played.step();
          if ((played.t & 63) === 0 && performance.now() > until) return false;
        }
        found.revenue.push([...played.revenue]);
        found.regret.push(played.regret);
        this.game = null;
      }
    }
    return true;
  }
}

export class EngineIncomes extends Incomes {
  constructor(laboratory, asked) {
    super(asked);
    this.laboratory = laboratory;
    this.isAsked = false;
    this.error = null;
  }

  ready(markets, games) {
    if (this.error !== null) throw this.error;
    const missing = this.missing(markets, games);
    if (missing.length > 0 && !this.isAsked) this.ask(missing, games);
    return missing.length === 0;
  }

  async ask(markets, games) {
    this.isAsked = true;
    try {
      const found = await this.laboratory.ask("incomes", { ...this.asked, markets, games });
      found.markets.forEach((one, k) => Object.assign(this.of(markets[k]), one));
    } catch (error) {
      this.error = error;
    }
    this.isAsked = false;
  }
}

export const incomesOf = (laboratory, asked) =>
  laboratory === null ? new OwnIncomes(asked) : new EngineIncomes(laboratory, asked);
