// Keyed random streams, as in engine/streams.py: Philox4x32-10 of (k, purpose, arm, repetition) under
// the key of (seed, owner). The k-th play of an owner meets the same luck under every policy.

export const REWARD = 0;
export const PICK = 1;
export const SAMPLE = 3;
export const PRIORITY = 4;

// The upper 32 bits of a product of two 32-bit numbers, by halves of 16 bits.
function upper(a, b) {
  const aLow = a & 0xffff;
  const aHigh = a >>> 16;
  const bLow = b & 0xffff;
  const bHigh = b >>> 16;
  const middle = aHigh * bLow + ((aLow * bLow) >>> 16);
  const other = aLow * bHigh + (middle & 0xffff);
  return aHigh * bHigh + (middle >>> 16) + (other >>> 16);
}

const out = new Uint32Array(4);

export function philox(c0, c1, c2, c3, key0, key1) {
  for (let round = 0; round < 10; round++) {
    const high0 = upper(0xd2511f53, c0);
    const low0 = Math.imul(0xd2511f53, c0);
    const high1 = upper(0xcd9e8d57, c2);
    const low1 = Math.imul(0xcd9e8d57, c2);
    c0 = (high1 ^ c1 ^ key0) >>> 0;
    c1 = low1 >>> 0;
    c2 = (high0 ^ c3 ^ key1) >>> 0;
    c3 = low0 >>> 0;
    key0 = (key0 + 0x9e3779b9) >>> 0;
    key1 = (key1 + 0xbb67ae85) >>> 0;
  }
  out[0] = c0;
  out[1] = c1;
  out[2] = c2;
  out[3] = c3;
  return out;
}

export class Stream {
  // Owner 0 is the principal, i + 1 is the agent at position i; seeds are below 2^53.
  constructor(seed, owner, repetition) {
    const key = philox(owner, 0, 0, 0, seed >>> 0, Math.floor(seed / 2 ** 32));
    this.key0 = key[0];
    this.key1 = key[1];
    this.repetition = repetition;
  }

  // The uniform in (0, 1) of one counter.
  uniform(k, purpose, arm = 0) {
    const words = philox(k, purpose << 16, arm, this.repetition, this.key0, this.key1);
    return (words[0] * 2 ** 20 + (words[1] >>> 12) + 0.5) * 2 ** -52;
  }

  // A place among m equals, with one uniform.
  pick(k, m) {
    return Math.min(Math.floor(this.uniform(k, PICK) * m), m - 1);
  }
}
