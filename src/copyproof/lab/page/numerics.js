// Logarithm and exponential of our own, as in engine/numerics.py: additions, multiplications,
// divisions and square roots of 64-bit floats in a fixed order, so that every browser has the bits
// that the engine has. Math.log and Math.exp may differ in the last one, and a decision with them.

import {
  EXPONENTIAL, LN_2_HIGH, LN_2_LOW, LOGARITHM, STEP_HIGH, STEP_LOW, STEP_MIDDLE, STEPS_PER_UNIT,
} from "./tables.js";

const ROUND = 1.5 * 2 ** 52; // added and subtracted, it leaves the nearest whole number
const SPLIT = 2 ** 27 + 1;

const float = new Float64Array(1);
const words = new Int32Array(float.buffer); // the low word first, as on every machine with a browser

let logHigh = 0;
let logLow = 0;

// ln x as the sum of logHigh and logLow, for normal x, 0 < x < ∞.
function splitLog(x) {
  float[0] = x;
  const above = words[1] - 0x3fe60000;
  const k = above >> 20;
  words[1] -= k << 20;
  const m = float[0];
  const row = 3 * ((above >> 12) & 255);
  words[0] &= 0xf8000000;
  const mHigh = float[0];
  const c = LOGARITHM[row];
  const p = m * c;
  const rest = mHigh * c - p + (m - mHigh) * c;
  const r = p - 1;
  const high = k * LN_2_HIGH + LOGARITHM[row + 1];
  const low = k * LN_2_LOW + LOGARITHM[row + 2];
  const q = r * r;
  const series =
    q * (r * (1 / 3) - 0.5 + q * (r * 0.2 - 0.25 + q * (r * (1 / 7) - 1 / 6)));
  logHigh = high + r;
  logLow = high - logHigh + r + (low + (rest - rest * r) + series);
}

export function log(x) {
  if (!(x > 0 && x < Infinity)) return x === 0 ? -Infinity : x > 0 ? x : NaN;
  splitLog(x);
  return logHigh + logLow;
}

// ln(1 + x), −1 < x < ∞.
export function log1p(x) {
  const y = 1 + x;
  const lost = x < 1 ? x - (y - 1) : 1 - (y - x);
  splitLog(y);
  return logHigh + (logLow + lost / y);
}

function powerOfTwo(k) {
  words[1] = (k + 1023) << 20;
  words[0] = 0;
  return float[0];
}

let expHigh = 0;
let expLow = 0;

// e^x as (expHigh + expLow)·2^k; gives k.
function splitExp(x) {
  const whole = x * STEPS_PER_UNIT + ROUND - ROUND;
  const near = x - whole * STEP_HIGH;
  const shift = whole * STEP_MIDDLE;
  const r = near - shift;
  const rLow = near - r - shift - whole * STEP_LOW;
  const j = 2 * (whole & 511);
  const q = r * r;
  const series = rLow + q * (0.5 + r * (1 / 6) + q * (1 / 24 + r * (1 / 120)));
  expHigh = EXPONENTIAL[j];
  expLow = EXPONENTIAL[j + 1] + expHigh * (r + series);
  return whole >> 9;
}

// e^x − 1 for x < 700; it never falls where x ≤ 0 grows.
export function expm1(x) {
  if (x >= -0.03125 && x <= 0.03125) {
    const q = x * x;
    const t = SPLIT * x;
    const high = t - (t - x);
    const low = x - high;
    const rest = high * high - q + high * low + low * high + low * low;
    const first = 1 / 6 + x * (1 / 24) + q * (1 / 120 + x * (1 / 720));
    const series = x * q * (first + q * q * (1 / 5040 + x * (1 / 40320)));
    return x + (0.5 * q + (0.5 * rest + series));
  }
  if (x < -700) return -1;
  const k = splitExp(x);
  const scale = powerOfTwo(k);
  if (x >= -0.6 && x <= 0.6) return expHigh * scale - 1 + expLow * scale;
  return (expHigh + expLow) * scale - 1;
}
