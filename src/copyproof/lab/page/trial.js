// The default policy, `trial`, as in engine/trial.py and engine/champion.py: an agent is forgiven what
// its search for a good arm has cost, up to a budget. Rewards come at once, and nothing is forgotten.

import { bernoulliKl, klIndex, levelLine, line, lineBelow } from "./bounds.js";
import { log } from "./numerics.js";
import { CLAIM, CLAIM_POWER, CLAIM_STEPS, LAST_CLAIM, START_PLAYS, STARTS } from "./tables.js";

const SHARE = 0.3; // of T/n: no start comes later
const GATE = 0.5;
const TURNS = 1.02; // plays in turn, of those that theorem A′ asks for
const SPARE = 1.25; // arms that may be tried, of the same
const CREDIT = 0.4; // of an agent's rewards: what they add to what its trial may cost
const MOST_CREDIT = 0.3; // of q: the most that they add
const TURN_SHARE = 0.2; // of T/n: the most plays in turn
const IN_A_ROW = 8; // fresh arms after a failure of a champion's that seldom fails
const SELDOM = 3; // a champion fails seldom if so many times less than the tried arms on average
const NEAR = 1.3; // a claim of no more than so many times m ends the trial of a champion of mean m
const WIDER = 15; // of T/n, in the level of the index
const STEPS_BY_LN = (-5 * CLAIM_STEPS) / (6 * Math.LN2);

// What is to be done with an agent's arms.
const TRY_FRESH = -1;
const PLAY_CHAMPION = -2;
const LET_CHALLENGE = -3;
const PLAY_LAST = -4;
const TEST_TRIED = -5;

const roundedUp = (x) => Math.ceil(Math.round(x * 1e9) / 1e9);
const allowance = (unit, w) => (w < unit ? log(unit / w) : 0);

// The numbers of a policy `trial(c, lost)` in a game of T rounds and n agents.
export class TrialSettings {
  constructor(horizon, agents, c = 1 / 21, lost = 0.01) {
    const needed = roundedUp(Math.log(lost) / Math.log1p(-c));
    const unit = horizon / agents;
    const most = Math.max(1, Math.floor(SHARE * unit + 1e-9));
    const turns = Math.max(1, Math.floor(TURN_SHARE * unit + 1e-9));
    this.tries = roundedUp(SPARE * needed);
    this.first = Math.min(roundedUp(TURNS * needed), most, turns);
    this.last = Math.min(most, Math.floor(this.first * START_PLAYS[STARTS - 1]));
    this.starts = Int32Array.from(START_PLAYS, (times) => Math.min(this.first * times, this.last));
    this.unit = unit;
    this.log = log(horizon);
  }
}

// What an agent may claim after so many plays, rounded down to the grid 2^(−g/64).
function claim(q, plays, earned) {
  const v = (q + Math.min(CREDIT * earned, MOST_CREDIT * q)) / plays;
  if (v >= 1) return 1;
  let g = Math.min(Math.max(Math.trunc(log(v) * STEPS_BY_LN), 1), LAST_CLAIM);
  while (g < LAST_CLAIM && CLAIM_POWER[g] > v) g += 1;
  while (g > 1 && CLAIM_POWER[g - 1] <= v) g -= 1;
  return CLAIM[g];
}

// One agent's claims, and the sums of its rewards since each start.
export class TrialRecord {
  constructor(settings) {
    this.settings = settings;
    this.claims = new Float64Array(STARTS);
    this.sums = new Float64Array(STARTS);
    this.plays = 0;
    this.total = 0;
  }

  add(reward) {
    const { starts, first, last } = this.settings;
    this.plays += 1;
    for (let j = 0; j < STARTS && starts[j] <= this.plays; j++) {
      if (starts[j] === this.plays) {
        this.claims[j] = claim(first, this.plays, this.total + reward);
      } else if (this.claims[j] > 0) {
        this.sums[j] += reward;
      }
      if (starts[j] >= last) break;
    }
    this.total += reward;
  }

  index() {
    const { starts, first, last, unit } = this.settings;
    const N = this.plays;
    if (N === 0) return Infinity;
    if (N < starts[0]) return 3 - N / starts[0]; // above all others
    let best = N < last ? claim(first, N, this.total) : 0;
    // A start that is likely to give most comes first. Of the others, from the last one upwards, few
    // are more than the best so far, which a line can show; what is said of one start holds for all
    // before it with the same mean, whose level is smaller.
    const likely = this.likely(best);
    let mostLevel = Infinity;
    line.s = line.c = 0;
    for (let k = 0; k <= STARTS; k++) {
      const j = k > 0 ? STARTS - k : likely;
      if (j < 0 || this.claims[j] <= best || (k > 0 && j === likely)) continue;
      let value = this.claims[j];
      const w = N - starts[j];
      if (w > 0) {
        const mean = Math.min(this.sums[j] / w, 1);
        if (mostLevel + line.s * mean < line.c) continue;
        const level = allowance(WIDER * unit, w) / w;
        if (k > 0) mostLevel = level;
        if (0 < mean && mean < best && level + line.s * mean >= line.c) lineBelow(mean, best);
        if (level + line.s * mean < line.c) continue;
        const bound = klIndex(mean, level);
        if (bound <= value) levelLine(mean, level);
        else line.c = 0;
        value = Math.min(value, bound);
      }
      best = Math.max(best, value);
    }
    return best;
  }

  // The start of largest min(claim, mean), which the index is not below; −1 if none is above best.
  likely(best) {
    const { starts } = this.settings;
    let found = -1;
    for (let j = 0; j < STARTS; j++) {
      if (this.claims[j] <= best) continue;
      const w = this.plays - starts[j];
      const least = Math.min(this.claims[j], w > 0 ? this.sums[j] / w : 0.5);
      if (least > best) {
        best = least;
        found = j;
      }
    }
    return found;
  }

  // The first start whose claim is no more than 1.3 m, else the last; −1 if it is to come.
  judging(m) {
    const { starts, last } = this.settings;
    const bar = Math.min(1, NEAR * m);
    for (let j = 0; j < STARTS; j++) {
      if (this.claims[j] === 0) return -1;
      if (this.claims[j] <= bar || starts[j] >= last) return j;
    }
    return -1;
  }

  // Whether search since the trial has brought the agent's mean far below m.
  isGated(m, j) {
    const w = this.plays - this.settings.starts[j];
    if (w <= 0) return false;
    const r = Math.min(this.sums[j] / w, 1);
    return r < m && w * bernoulliKl(r, m) > GATE * allowance(this.settings.unit, w);
  }
}

// The arms of one agent: `inPlay` are those tried, in registration order; FRESH asks for a new one.
export const FRESH = -1;
export const BY_INDEX = -2;

export class TrialArms {
  constructor(record) {
    this.record = record;
    this.last = -1;
    this.failed = false;
    this.pointer = -1;
  }

  // A play fails if it takes its arm's shortfall n − S, rounded, over a whole number. It is not
  // counted yet.
  note(arm, reward, plays, total) {
    this.last = arm;
    this.failed = Math.floor(plays + 1 - (total + reward) + 0.5) > Math.floor(plays - total + 0.5);
  }

  // The arm to play, FRESH, or BY_INDEX where none of the tried is left.
  choose(pool) {
    const { inPlay, plays, totals } = pool;
    if (inPlay.length === 0) return pool.seats === 0 ? FRESH : BY_INDEX;
    let top = -1;
    let m = -1;
    for (const arm of inPlay) {
      const estimate = (totals[arm] + 0.5) / (plays[arm] + 1);
      if (estimate > m) {
        m = estimate;
        top = arm;
      }
    }
    const what = this.verdict(pool, m, top);
    if (what === TRY_FRESH) return FRESH;
    if (what === PLAY_CHAMPION) return top;
    if (what === PLAY_LAST) return this.last;
    if (what === TEST_TRIED) return mostPromising(pool);
    const place = inPlay.indexOf(this.pointer) + 1;
    this.pointer = inPlay[place === inPlay.length ? 0 : place];
    const least = this.record.settings.log / inPlay.length;
    return this.pointer !== top && this.mayChallenge(pool, m, least) ? this.pointer : top;
  }

  verdict(pool, m, top) {
    const j = this.record.judging(m);
    const inTrial = j < 0;
    if (!inTrial && this.record.isGated(m, j)) return PLAY_CHAMPION;
    const isKnown = this.last >= 0;
    const failed = isKnown && this.failed;
    const succeeded = isKnown && !this.failed;
    if (succeeded && this.last !== top && pool.inPlay.includes(this.last)) return PLAY_LAST;
    if (pool.outside === 0 || pool.seats >= this.record.settings.tries) {
      return inTrial ? TEST_TRIED : LET_CHALLENGE;
    }
    if (!inTrial) return m <= 0.5 || (failed && this.last === top) ? TRY_FRESH : LET_CHALLENGE;
    if (failed) {
      const mayReturn = this.last !== top && pool.seats % IN_A_ROW === 0;
      return mayReturn && failsSeldom(pool, top) ? PLAY_CHAMPION : TRY_FRESH;
    }
    return succeeded || m > 0.5 ? PLAY_CHAMPION : TRY_FRESH;
  }

  // Whether n·kl(r, m) ≤ max(ln(N/(K n)), least).
  mayChallenge(pool, m, least) {
    const n = pool.plays[this.pointer];
    const mean = pool.totals[this.pointer] / n;
    const level = Math.max(log(this.record.plays / (pool.inPlay.length * n)), least);
    return mean >= m || n * bernoulliKl(mean, m) <= level;
  }
}

// Whether an arm falls short of 1 at most a third as much as the tried ones do on average.
function failsSeldom({ inPlay, plays, totals }, arm) {
  let estimates = 0;
  for (const other of inPlay) estimates += (totals[other] + 0.5) / (plays[other] + 1);
  return SELDOM * (plays[arm] - totals[arm]) <= (1 - estimates / inPlay.length) * plays[arm];
}

// The arm of largest upper bound by Wilson's interval, the first of equals.
function mostPromising(pool) {
  let best = -1;
  let found = 0;
  for (const arm of pool.inPlay) {
    const n = pool.plays[arm];
    const r = Math.min(pool.totals[arm] / n, 1);
    const total = n * r;
    const bound = (total + 2 + 2 * Math.sqrt(total * (1 - r) + 1)) / (n + 4);
    if (bound > best) {
      best = bound;
      found = arm;
    }
  }
  return found;
}
