// Tables of the engine's logarithm, exponential and claims, made of whole numbers alone.
//
// Everything is computed with BigInt in fixed point with 160 binary digits and then rounded, so that
// the tables are those of the Python engine (engine/numerics_tables.py, engine/trial.py), bit by bit.

const DIGITS = 160n;
const ONE = 1n << DIGITS;
const UNIT = 2 ** -160;

export const LAST_TILT = 896;
export const LEAST_TILT = -24;
export const TILTS_PER_OCTAVE = 32;
export const STARTS = 24;
export const CLAIM_STEPS = 64;
export const LAST_CLAIM = 6 * CLAIM_STEPS;

// ln(numerator/denominator) = 2 artanh z, z = (p − q)/(p + q).
function fixedLogarithm(numerator, denominator) {
  const apart = numerator > denominator ? numerator - denominator : denominator - numerator;
  const z = (apart << DIGITS) / (numerator + denominator);
  let total = 0n;
  let power = z;
  for (let k = 1n; power > 0n; k += 2n) {
    total += power / k;
    power = (((power * z) >> DIGITS) * z) >> DIGITS;
  }
  return numerator > denominator ? 2n * total : -2n * total;
}

function squareRoot(value) {
  let root = 1n << BigInt((value.toString(2).length + 1) >> 1);
  for (;;) {
    const next = (root + value / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}

// The nearest float; Number rounds a BigInt to the nearest, ties to even.
const rounded = (value) => Number(value) * UNIT;

// A number without its binary digits beyond 2^−digit.
const leading = (value, digit) => Number(value >> (DIGITS - BigInt(digit))) * 2 ** -digit;

const fixed = (float) => BigInt(Math.trunc(float * 2 ** 160));

// What is left of a number when floats are taken from it.
function rest(value, ...taken) {
  for (const one of taken) value -= fixed(one);
  return rounded(value);
}

// e^x for 0 ≤ x < 1, in fixed point.
function fixedExponential(x) {
  let term = ONE;
  let total = ONE;
  for (let k = 1n; term > 0n; k += 1n) {
    term = ((term * x) >> DIGITS) / k;
    total += term;
  }
  return total;
}

const LN_2 = fixedLogarithm(2n, 1n);
const STEP = LN_2 / 512n;
export const LN_2_HIGH = leading(LN_2, 40);
export const LN_2_LOW = rest(LN_2, LN_2_HIGH);
export const STEP_HIGH = leading(STEP, 42);
export const STEP_MIDDLE = leading(STEP - fixed(STEP_HIGH), 74);
export const STEP_LOW = rest(STEP, STEP_HIGH, STEP_MIDDLE);
export const STEPS_PER_UNIT = rounded((512n << (2n * DIGITS)) / LN_2); // 512/ln 2

// 2^(j/512), j = 0 … 511, as sums of two floats.
export const EXPONENTIAL = new Float64Array(1024);
{
  let root = 2n << DIGITS;
  for (let k = 0; k < 9; k++) root = squareRoot(root << DIGITS);
  let value = ONE;
  for (let j = 0; j < 512; j++) {
    const high = rounded(value);
    EXPONENTIAL[2 * j] = high;
    EXPONENTIAL[2 * j + 1] = rest(value, high);
    value = (value * root) >> DIGITS;
  }
}

// For 256 parts of 11/16 … 11/8: c ≈ 1/m, and −ln c as a sum of two floats.
export const LOGARITHM = new Float64Array(768);
for (let j = 0; j < 256; j++) {
  const middle = BigInt(j < 160 ? 705 + 2 * j : 1026 + 4 * (j - 160));
  const c = j === 159 || j === 160 ? 4096n : (2n * 4096n * 1024n + middle) / (2n * middle);
  const value = -fixedLogarithm(c, 4096n);
  const high = leading(value, 42);
  LOGARITHM[3 * j] = Number(c) / 4096;
  LOGARITHM[3 * j + 1] = high;
  LOGARITHM[3 * j + 2] = rest(value, high);
}

// 1 − e^−s, by the series of e^−t for t = s/2^k ≤ 1/32, squared k times.
function oneMinusExponential(s, exponent) {
  const halvings = Math.max(0, exponent + 5);
  const t = BigInt(Math.trunc(s * 2 ** (160 - halvings)));
  let power = ONE;
  let term = ONE;
  for (let k = 1n; term > 0n; k += 1n) {
    term = ((term * t) >> DIGITS) / k;
    power += k % 2n === 0n ? term : -term;
  }
  for (let k = 0; k < halvings; k++) power = (power * power) >> DIGITS;
  return rounded(ONE - power);
}

// s = 2^(j/32 − 24), j = 0 … 896, and 1 − e^−s, for the KL index.
export const TILTS = new Float64Array(2 * (LAST_TILT + 1));
for (let j = 0; j <= LAST_TILT; j++) {
  const octave = Math.floor(j / TILTS_PER_OCTAVE);
  const s = EXPONENTIAL[2 * (j % TILTS_PER_OCTAVE) * 16] * 2 ** (octave + LEAST_TILT);
  TILTS[2 * j] = s;
  TILTS[2 * j + 1] = oneMinusExponential(s, octave + LEAST_TILT + 1);
}

// 2^(k·numerator/denominator) for k from 0 on.
function powersOfTwo(numerator, denominator, count) {
  return Float64Array.from({ length: count }, (_, k) => {
    const whole = Math.floor((k * numerator) / denominator);
    const part = BigInt(k * numerator - whole * denominator);
    return rounded(fixedExponential((LN_2 * part) / BigInt(denominator))) * 2 ** whole;
  });
}

export const START_PLAYS = powersOfTwo(3, 10, STARTS); // of starts, with q as the unit
export const CLAIM = powersOfTwo(-1, CLAIM_STEPS, LAST_CLAIM + 1);
export const CLAIM_POWER = powersOfTwo(-6, 5 * CLAIM_STEPS, LAST_CLAIM + 1); // to the power 1.2
