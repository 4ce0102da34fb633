// Four greedy robots that answer each other's copies: best-response dynamics, a little at a time.
//
// In turn each robot plays the same games with 1, 2, 5, 10, 30 and 100 copies, the others standing still,
// and moves to what earns it most, if that is more than it earns now by a thousandth. They rest when all
// four have had a turn without a move: an equilibrium among these strategies, on these games.

import { Game } from "./game.js";
import { MEANS, ROBOT_GAMES, ROBOT_ROUNDS, marketOf } from "./market.js";
import { COPIES } from "./state.js";

const MOST_TURNS = 40;

export class Robots {
  constructor({ policy, seed }) {
    this.asked = { policy, horizon: ROBOT_ROUNDS, seed };
    this.profile = [1, 1, 1, 1];
    this.turn = 0;
    this.quiet = 0; // turns in a row without a move
    this.known = new Map();
    this.moves = [];
    this.history = []; // the regret of the platform after each turn, and at first
    this.game = null;
  }

  get robot() {
    return this.turn % 4;
  }

  get isOver() {
    return this.quiet === 4 || this.turn >= MOST_TURNS;
  }

  get isEquilibrium() {
    return this.quiet === 4;
  }

  // The means over the games of a profile, or null while they are being played.
  values(profile, until) {
    const key = profile.join(".");
    let found = this.known.get(key);
    if (found === undefined) {
      found = { games: 0, revenue: [0, 0, 0, 0], regret: 0 };
      this.known.set(key, found);
    }
    while (found.games < ROBOT_GAMES) {
      const { agents } = marketOf({ profile: key }, 4);
      this.game ??= new Game({ ...this.asked, agents, repetition: found.games });
      const { game } = this;
      while (game.t < game.horizon) {
        game.step();
        if ((game.t & 63) === 0 && performance.now() > until) return null;
      }
      found.games += 1;
      found.regret += game.regret;
      game.revenue.forEach((revenue, i) => (found.revenue[i] += revenue));
      this.game = null;
    }
    return found;
  }

  // Gives true when something has changed that is shown.
  advance(until) {
    const now = this.isOver ? null : this.values(this.profile, until);
    if (now === null) return false;
    if (this.history.length === 0) this.history.push(now.regret / ROBOT_GAMES);
    const { robot } = this;
    let best = { copies: this.profile[robot], value: now.revenue[robot] };
    for (const copies of COPIES) {
      const found = this.values(this.profile.with(robot, copies), until);
      if (found === null) return false;
      if (found.revenue[robot] > best.value) best = { copies, value: found.revenue[robot] };
    }
    const moves = best.value > now.revenue[robot] * 1.001;
    if (moves) {
      const gain = (best.value - now.revenue[robot]) / ROBOT_GAMES;
      this.moves.push({ mean: MEANS[robot + 1], from: this.profile[robot], to: best.copies, gain });
      this.profile = this.profile.with(robot, best.copies);
    }
    this.quiet = moves ? 0 : this.quiet + 1;
    this.turn += 1;
    this.history.push(this.values(this.profile, Infinity).regret / ROBOT_GAMES);
    return true;
  }
}
