// Four greedy robots that answer each other's copies: best-response dynamics, a little at a time.
//
// In turn each robot plays the same games with 1, 2, 5, 10, 30 and 100 copies, the others standing still,
// and moves to what earns it most, if that is more than it earns now by a thousandth. They rest when all
// four have had a turn without a move: an equilibrium among these strategies, on these games. They begin where
// the address says.

import { incomesOf } from "./incomes.js";
import { MEANS, ROBOT_GAMES, ROBOT_ROUNDS, marketOf } from "./market.js";
import { COPIES } from "./state.js";

const MOST_TURNS = 40;
const HONEST = [1, 1, 1, 1];

export class Robots {
  constructor({ policy, seed, profile }, laboratory = null) {
    this.incomes = incomesOf(laboratory, { policy, horizon: ROBOT_ROUNDS, seed });
    this.markets = new Map();
    this.profile = profile.split(".").map(Number);
    this.turn = 0;
    this.quiet = 0; // turns in a row without a move
    this.moves = [];
    this.history = []; // the regret of the platform after each turn, and at first
    this.honest = null; // and if nobody copied
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

  // The agents of a profile, the same object every time.
  agents(profile) {
    const key = profile.join(".");
    if (!this.markets.has(key)) this.markets.set(key, marketOf({ profile: key }, 4).agents);
    return this.markets.get(key);
  }

  // The sums over the games of a profile.
  values(profile) {
    const found = this.incomes.of(this.agents(profile));
    const revenue = [0, 0, 0, 0];
    for (const game of found.revenue) game.forEach((one, i) => (revenue[i] += one));
    return { revenue, regret: found.regret.reduce((sum, one) => sum + one, 0) };
  }

  // Gives true when something has changed that is shown.
  advance(until) {
    if (this.isOver) return false;
    const { robot } = this;
    const answers = COPIES.map((copies) => this.profile.with(robot, copies));
    const asked = [this.profile, HONEST, ...answers].map((profile) => this.agents(profile));
    if (!this.incomes.ready([...new Set(asked)], ROBOT_GAMES, until)) return false;
    const now = this.values(this.profile);
    if (this.history.length === 0) {
      this.history.push(now.regret / ROBOT_GAMES);
      this.honest = this.values(HONEST).regret / ROBOT_GAMES;
    }
    let best = { copies: this.profile[robot], value: now.revenue[robot] };
    answers.forEach((profile, k) => {
      const value = this.values(profile).revenue[robot];
      if (value > best.value) best = { copies: COPIES[k], value };
    });
    const moves = best.value > now.revenue[robot] * 1.001;
    if (moves) {
      const gain = (best.value - now.revenue[robot]) / ROBOT_GAMES;
      this.moves.push({ mean: MEANS[robot + 1], from: this.profile[robot], to: best.copies, gain });
      this.profile = this.profile.with(robot, best.copies);
    }
    this.quiet = moves ? 0 : this.quiet + 1;
    this.turn += 1;
    this.history.push(this.values(this.profile).regret / ROBOT_GAMES);
    return true;
  }
}
