// A game of agents, arms and a principal, one round after the other, as the engine plays it: the same
// decisions for the same seed. UCB1, S-UCB, H-UCB, RH-UCB and trial; Bernoulli arms; agents may submit
// an arm that was played again as new (engine/registration.py). Every choice is found by a scan.

import { log } from "./numerics.js";
import { PRIORITY, REWARD, SAMPLE, Stream } from "./streams.js";
import { BY_INDEX, FRESH, TrialArms, TrialRecord, TrialSettings } from "./trial.js";

const twoLog = (t) => 2 * log(t);
const robust = (t) => Math.sqrt(t) * log(t);

// What is known of a policy by its name, and the most of each of its parameters; a sample takes a
// factor of ln T.
const KINDS = {
  ucb1: { flat: true, sampled: false, parameters: {} },
  "s-ucb": { flat: true, sampled: true, parameters: { l: 1e6 } },
  "h-ucb": { flat: false, sampled: false, agents: twoLog, parameters: {} },
  "rh-ucb": { flat: false, sampled: true, agents: robust, parameters: { L: 1e6 } },
  trial: { flat: false, trial: true, parameters: { c: 0.99, lost: 0.99 } },
};

// A policy by its text: `ucb1`, `s-ucb(l=5)`, `rh-ucb(L=3)`, `trial(c=0.3, lost=0.05)`.
export function parsePolicy(text) {
  const found = /^([a-z0-9-]+)(?:\((.*)\))?$/.exec(text.trim());
  const name = found === null ? "" : found[1] === "default" ? "trial" : found[1];
  if (!Object.hasOwn(KINDS, name)) throw new RangeError(`policy = ${text} is not played here`);
  const given = {};
  for (const part of (found[2] ?? "").split(",").filter((one) => one.trim() !== "")) {
    const [key, value] = part.split("=").map((one) => one.trim());
    given[key] = Number(value);
    if (!(given[key] >= 1e-3 && given[key] <= KINDS[name].parameters[key])) {
      throw new RangeError(`policy = ${text}: ${part.trim()} is not taken here`);
    }
  }
  return { ...KINDS[name], name, given };
}

export function isPlayable(text) {
  try {
    parsePolicy(text);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

// Arms among which one is chosen: of one agent, or all. An arm's number is its place in `plays`.
class Pool {
  constructor(count, stream, bound) {
    this.plays = new Float64Array(count);
    this.totals = new Float64Array(count);
    this.heights = new Float64Array(count).fill(Infinity);
    this.slopes = new Float64Array(count);
    this.stream = stream;
    this.bound = bound; // of a sample; Infinity for all arms, 0 for none at first
    this.inPlay = [];
    this.isInPlay = new Uint8Array(count);
    this.seats = Math.floor(Math.min(count, bound));
    this.outside = count - this.seats;
    this.drawSample(count);
  }

  // Arm by arm, each with the chance that makes all samples alike.
  drawSample(count) {
    for (let arm = 0, left = count; this.inPlay.length < this.seats; arm++, left--) {
      const missing = this.seats - this.inPlay.length;
      if (missing === left || this.stream.uniform(0, SAMPLE, arm) * left < missing) {
        this.inPlay.push(arm);
        this.isInPlay[arm] = 1;
      }
    }
  }

  join(arm) {
    let place = this.inPlay.length;
    while (place > 0 && this.inPlay[place - 1] > arm) place -= 1;
    this.inPlay.splice(place, 0, arm);
    this.isInPlay[arm] = 1;
  }

  // The arm of largest r + √f/√n, x = √f; one of equals by one uniform.
  best(x, k) {
    const { inPlay, heights, slopes } = this;
    let best = -Infinity;
    let equals = 0;
    let found = -1;
    for (let place = 0; place < inPlay.length; place++) {
      const value = heights[inPlay[place]] + slopes[inPlay[place]] * x;
      if (value > best) {
        best = value;
        equals = 1;
        found = inPlay[place];
      } else if (value === best) {
        equals += 1;
      }
    }
    if (equals === 1) return found;
    let nth = this.stream.pick(k, equals);
    for (const arm of inPlay) {
      if (heights[arm] + slopes[arm] * x === best && nth-- === 0) return arm;
    }
    return found;
  }

  // One of the arms that wait, which comes into play.
  drawOutside(k, isNew) {
    let nth = this.stream.pick(k, this.outside);
    let arm = 0;
    while (this.isInPlay[arm] || nth-- > 0) arm += 1;
    this.seats += isNew ? 1 : 0;
    this.outside -= 1;
    this.join(arm);
    return arm;
  }

  count(arm, reward) {
    this.plays[arm] += 1;
    this.totals[arm] += reward;
    this.heights[arm] = this.totals[arm] / this.plays[arm];
    this.slopes[arm] = 1 / Math.sqrt(this.plays[arm]);
  }

  // Withdraw an arm, and submit it again as new: a sample's seat is not free for it.
  renew(arm) {
    this.plays[arm] = 0;
    this.totals[arm] = 0;
    this.heights[arm] = Infinity;
    this.slopes[arm] = 0;
    if (this.bound === Infinity) return;
    if (this.bound > 0 && this.seats + 1 <= this.bound) {
      this.seats += 1;
      return;
    }
    this.inPlay.splice(this.inPlay.indexOf(arm), 1);
    this.isInPlay[arm] = 0;
    this.outside += 1;
  }
}

export class Game {
  // agents: [{ means, copies }]; renewals: { [agent]: { after, below } }.
  constructor({ agents, policy, horizon, seed, repetition = 0, renewals = {} }) {
    this.policy = parsePolicy(policy);
    this.horizon = horizon;
    this.renewals = agents.map((_, i) => renewals[i] ?? null);
    this.t = 0;
    this.regret = 0;
    this.plays = new Float64Array(agents.length);
    this.revenue = new Float64Array(agents.length);
    this.principal = new Stream(seed, 0, repetition);
    this.streams = agents.map((_, i) => new Stream(seed, i + 1, repetition));
    this.layArms(agents);
    this.layPools(agents);
  }

  // Arms in registration order: the owner and the mean of each.
  layArms(agents) {
    this.owners = [];
    this.means = [];
    this.firsts = [];
    agents.forEach(({ means, copies }, i) => {
      this.firsts.push(this.owners.length);
      means.forEach((mean, original) => {
        for (let copy = 0; copy < copies[original]; copy++) {
          this.owners.push(i);
          this.means.push(mean);
        }
      });
    });
    const best = Math.max(...agents.flatMap(({ means }) => means));
    this.gaps = this.means.map((mean) => best - mean);
    this.failures = this.means.map((mean) => 1 - mean);
  }

  layPools(agents) {
    const { policy } = this;
    const counts = agents.map(({ copies }) => copies.reduce((sum, one) => sum + one, 0));
    const originals = agents.map(({ means }) => means.length);
    const factor = policy.flat
      ? policy.given.l ?? originals.reduce((sum, one) => sum + one, 0)
      : policy.given.L ?? Math.max(...originals);
    const bound = policy.trial ? 0 : policy.sampled ? Math.max(1, factor * log(this.horizon)) : Infinity;
    if (policy.flat) {
      this.pool = new Pool(this.owners.length, this.principal, bound);
      return;
    }
    this.pools = counts.map((count, i) => new Pool(count, this.streams[i], bound));
    this.heights = new Float64Array(agents.length).fill(Infinity);
    this.slopes = new Float64Array(agents.length);
    this.order = agents.map((_, i) => i);
    if (policy.trial) {
      const { c, lost } = policy.given;
      const taking = counts.filter((count) => count > 0).length;
      const settings = new TrialSettings(this.horizon, Math.max(1, taking), c, lost);
      this.records = agents.map(() => new TrialRecord(settings));
      this.searches = this.records.map((record) => new TrialArms(record));
      this.order.forEach((i) => {
        const j = Math.floor(this.principal.uniform(0, PRIORITY, i) * (i + 1));
        this.order[i] = this.order[j];
        this.order[j] = i;
      });
    }
    this.order = this.order.filter((i) => counts[i] > 0);
  }

  // Phase 1: the agent of largest index; among equals the first by priority, or any.
  chooseAgent() {
    const { order, heights, slopes, policy, t } = this;
    const x = policy.trial ? 0 : Math.sqrt(policy.agents(t));
    let best = -Infinity;
    let equals = 0;
    let found = -1;
    for (const i of order) {
      const value = heights[i] + slopes[i] * x;
      if (value > best) {
        best = value;
        equals = 1;
        found = i;
      } else if (value === best) {
        equals += 1;
      }
    }
    if (policy.trial || equals === 1) return found;
    let nth = this.principal.pick(t, equals);
    for (const i of order) {
      if (heights[i] + slopes[i] * x === best && nth-- === 0) return i;
    }
    return found;
  }

  // Phase 2: the arm within a pool.
  chooseArm(pool, clock, k, search) {
    let arm = search === null ? BY_INDEX : search.choose(pool);
    if (pool.outside > 0 && (arm === FRESH || pool.inPlay.length === 0)) {
      return pool.drawOutside(k, arm === FRESH);
    }
    if (arm < 0) arm = pool.best(Math.sqrt(twoLog(clock)), k);
    return arm;
  }

  // One round; gives the arm that was chosen, by its number in registration order.
  step() {
    this.t += 1;
    const { policy, t } = this;
    let agent, arm, pool, search = null;
    if (policy.flat) {
      pool = this.pool;
      arm = this.chooseArm(pool, t, t, null);
      agent = this.owners[arm];
    } else {
      agent = this.chooseAgent();
      const N = this.plays[agent];
      pool = this.pools[agent];
      search = policy.trial ? this.searches[agent] : null;
      arm = this.chooseArm(pool, Math.max(N, 1), N, search);
    }
    const number = policy.flat ? arm : this.firsts[agent] + arm;
    const u = this.streams[agent].uniform(this.plays[agent], REWARD);
    const reward = u >= this.failures[number] ? 1 : 0;
    if (search !== null) {
      search.note(arm, reward, pool.plays[arm], pool.totals[arm]);
      this.records[agent].add(reward);
    }
    pool.count(arm, reward);
    this.plays[agent] += 1;
    this.revenue[agent] += reward;
    this.regret += this.gaps[number];
    if (!policy.flat) this.judge(agent);
    const renewal = this.renewals[agent];
    if (renewal !== null && t < this.horizon && isDue(renewal, pool, arm)) pool.renew(arm);
    return number;
  }

  judge(agent) {
    if (this.policy.trial) {
      this.heights[agent] = this.records[agent].index();
    } else {
      this.heights[agent] = this.revenue[agent] / this.plays[agent];
      this.slopes[agent] = 1 / Math.sqrt(this.plays[agent]);
    }
  }

  // All rounds that are left.
  finish() {
    while (this.t < this.horizon) this.step();
    return this;
  }
}

function isDue({ after = 0, below = -Infinity }, pool, arm) {
  const n = pool.plays[arm];
  return (after > 0 && after <= n) || pool.totals[arm] / n < below;
}
