// Upper confidence bounds, as in engine/bounds.py.

import { expm1, log, log1p } from "./numerics.js";
import { LAST_TILT, LEAST_TILT, TILTS, TILTS_PER_OCTAVE } from "./tables.js";

const ALMOST = 1 - 2 ** -40;

// kl(p, q) of two Bernoulli distributions, 0 < q < 1.
export function bernoulliKl(p, q) {
  let divergence = 0;
  if (p > 0) divergence += p * log(p / q);
  if (p < 1) divergence += (1 - p) * log((1 - p) / (1 - q));
  return divergence;
}

// F(s) = (1 − e^−(level + s·mean))/(1 − e^−s) for the s at a place of the table.
const boundAt = (place, mean, level) =>
  -expm1(-(level + TILTS[2 * place] * mean)) / TILTS[2 * place + 1];

function placeOf(s) {
  const place = Math.trunc((log(s) * (1 / 0.6931471805599453) - LEAST_TILT) * TILTS_PER_OCTAVE + 0.5);
  return Math.min(Math.max(place, 0), LAST_TILT);
}

// The s and the c of a line: any index is below the bar whose level + s·mean is below c.
export const line = { s: 0, c: 0 };

// Such a line for a mean, 0 < mean < bar < 1; the last bits are not relied on.
export function lineBelow(mean, bar) {
  const place = placeOf(log((bar * (1 - mean)) / (mean * (1 - bar))));
  line.s = TILTS[2 * place];
  line.c = -log1p(-bar * ALMOST * TILTS[2 * place + 1]);
}

// The line of an index itself, with the s that gave it: whoever has less has a smaller index.
export function levelLine(mean, level) {
  const most = (level + line.s * mean) * ALMOST;
  line.c = line.s > 0 && most < 4 ? most : 0;
}

// The largest q with kl(mean, q) ≤ level: the least F(s) over the table, which falls, then rises.
// The s is left in line.s, 0 where it was not asked for.
export function klIndex(mean, level) {
  line.s = 0;
  if (mean >= 1 || level >= 64) return 1;
  if (level <= 0) return mean;
  if (mean <= 0) return -expm1(-level);
  const start = placeOf(tilt(mean, level));
  let place = start;
  let least = boundAt(place, mean, level);
  for (; place < LAST_TILT; place++) {
    const value = boundAt(place + 1, mean, level);
    if (value >= least) break;
    least = value;
  }
  if (place === start) {
    for (; place > 0; place--) {
      const value = boundAt(place - 1, mean, level);
      if (value >= least) break;
      least = value;
    }
  }
  line.s = TILTS[2 * place];
  return Math.max(mean, Math.min(least, 1));
}

// About the s at which F(s) is least; only how long the search takes depends on it.
function tilt(mean, level) {
  let s = Math.sqrt((2 * level) / (mean * (1 - mean)));
  if (s < 0.25) return s * (1 + ((2 * mean - 1) * s) / 6);
  const most = Math.min((level - log(mean)) / (1 - mean), 16);
  if (mean < 0.5) {
    const y = level / mean;
    s = log(1 + Math.sqrt(2 * y) + y) * (1 + 0.5 * mean);
  } else {
    s *= 1 + ((2 * mean - 1) * s) / 6;
  }
  s = Math.max(Math.min(s, most), 1e-9);
  const more = mean * expm1(s);
  const slope = ((1 - mean) * more) / (1 + more);
  s -= (log1p(more) - s * mean - level) / slope;
  return Math.max(Math.min(s, most), 1e-9);
}
