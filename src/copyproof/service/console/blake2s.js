// BLAKE2s-256 (RFC 7693), which browsers do not have: the hash of the journal's chain.

const IV = new Uint32Array([
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
]);
const SIGMA = [
  [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
  [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
  [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
  [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
  [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
  [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
  [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
  [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
  [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
  [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
];
const ROUNDS = [
  [0, 4, 8, 12],
  [1, 5, 9, 13],
  [2, 6, 10, 14],
  [3, 7, 11, 15],
  [0, 5, 10, 15],
  [1, 6, 11, 12],
  [2, 7, 8, 13],
  [3, 4, 9, 14],
];

const rotate = (x, n) => (x >>> n) | (x << (32 - n));

function compress(state, block, bytes, isLast) {
  const v = new Uint32Array(16),
    m = new Uint32Array(16);
  v.set(state);
  v.set(IV, 8);
  v[12] ^= bytes; // lengths stay far below 2^32
  if (isLast) v[14] = ~v[14];
  for (let n = 0; n < 16; n++) {
    m[n] =
      block[4 * n] | (block[4 * n + 1] << 8) | (block[4 * n + 2] << 16) | (block[4 * n + 3] << 24);
  }
  for (const order of SIGMA) {
    ROUNDS.forEach(([a, b, c, d], n) => {
      v[a] += v[b] + m[order[2 * n]];
      v[d] = rotate(v[d] ^ v[a], 16);
      v[c] += v[d];
      v[b] = rotate(v[b] ^ v[c], 12);
      v[a] += v[b] + m[order[2 * n + 1]];
      v[d] = rotate(v[d] ^ v[a], 8);
      v[c] += v[d];
      v[b] = rotate(v[b] ^ v[c], 7);
    });
  }
  for (let n = 0; n < 8; n++) state[n] ^= v[n] ^ v[n + 8];
}

/** The hash of bytes, as bytes. */
export function blake2s(data) {
  const state = Uint32Array.from(IV);
  state[0] ^= 0x01010020; // no key, 32 bytes
  let at = 0;
  while (data.length - at > 64) {
    compress(state, data.subarray(at, at + 64), at + 64, false);
    at += 64;
  }
  const rest = new Uint8Array(64);
  rest.set(data.subarray(at));
  compress(state, rest, data.length, true);
  return new Uint8Array(state.buffer); // little-endian, as every browser's machine is
}
