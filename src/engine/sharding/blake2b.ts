/**
 * The first eight bytes of BLAKE2b-512 (RFC 7693), of a text that fits one block. It works in halves of 32 bits: as
 * bigints the ring of a few shards would take a second. Word i of a state is in places 2i (low) and 2i + 1 (high).
 */
const start = Uint32Array.of(
  ...[0xf3bcc908, 0x6a09e667, 0x84caa73b, 0xbb67ae85, 0xfe94f82b, 0x3c6ef372, 0x5f1d36f1, 0xa54ff53a],
  ...[0xade682d1, 0x510e527f, 0x2b3e6c1f, 0x9b05688c, 0xfb41bd6b, 0x1f83d9ab, 0x137e2179, 0x5be0cd19],
);
/** Which words of the message each round mixes in; after ten rounds it begins again. */
const order = [
  ...['0123456789abcdef', 'ea489fd61c02b753', 'b8c052fdae367194', '7931dcbe265a40f8', '905724afe1bc683d'],
  ...['2c6a0b834d75fe19', 'c51fed4a0763928b', 'db7ec13950f4862a', '6fe9b308c2d714a5', 'a2847615fb9e3cd0'],
].map((digits) => [...digits].map((digit) => 2 * Number.parseInt(digit, 16)));
/** The four columns, then the four diagonals. */
const quarters = [
  ...[
    [0, 4, 8, 12],
    [1, 5, 9, 13],
    [2, 6, 10, 14],
    [3, 7, 11, 15],
  ],
  ...[
    [0, 5, 10, 15],
    [1, 6, 11, 12],
    [2, 7, 8, 13],
    [3, 4, 9, 14],
  ],
].map((words) => words.map((word) => 2 * word));

const blockBytes = 128;

/** A 64-bit number, read from the low end first. Throws RangeError for a text longer than one block. */
export function blake2b64(bytes: Uint8Array): bigint {
  if (bytes.length > blockBytes) throw new RangeError('the text is longer than one block');
  const message = wordsOf(bytes);
  // unkeyed, 64 bytes of output
  const [low = 0, high = 0] = [(start[0] ?? 0) ^ 0x01010040, start[1]];
  const state = new Uint32Array(32);
  state.set(start, 0);
  state.set(start, 16);
  state[0] = low;
  state[24] = at(state, 24) ^ bytes.length;
  state[28] = ~at(state, 28); // the last block
  state[29] = ~at(state, 29);
  for (let round = 0; round < 12; round++) mixRound(state, message, order[round % 10] ?? []);
  const first = (low ^ at(state, 0) ^ at(state, 16)) >>> 0;
  const second = (high ^ at(state, 1) ^ at(state, 17)) >>> 0;
  return (BigInt(second) << 32n) | BigInt(first);
}

const at = (words: Uint32Array, index: number): number => words[index] ?? 0;

function wordsOf(bytes: Uint8Array): Uint32Array {
  const words = new Uint32Array(blockBytes / 4);
  for (const [i, byte] of bytes.entries()) words[i >> 2] = at(words, i >> 2) | (byte << (8 * (i & 3)));
  return words;
}

function mixRound(state: Uint32Array, message: Uint32Array, words: readonly number[]): void {
  for (const [i, [a = 0, b = 0, c = 0, d = 0]] of quarters.entries()) {
    add(state, a, at(state, b), at(state, b + 1));
    add(state, a, at(message, words[2 * i] ?? 0), at(message, (words[2 * i] ?? 0) + 1));
    turn(state, d, a, 32);
    add(state, c, at(state, d), at(state, d + 1));
    turn(state, b, c, 24);
    add(state, a, at(state, b), at(state, b + 1));
    add(state, a, at(message, words[2 * i + 1] ?? 0), at(message, (words[2 * i + 1] ?? 0) + 1));
    turn(state, d, a, 16);
    add(state, c, at(state, d), at(state, d + 1));
    turn(state, b, c, 63);
  }
}

function add(state: Uint32Array, to: number, low: number, high: number): void {
  const sum = at(state, to) + low;
  state[to] = sum;
  state[to + 1] = at(state, to + 1) + high + (sum > 0xffffffff ? 1 : 0);
}

/** state[to] ^= state[by], then turned right by so many bits. */
function turn(state: Uint32Array, to: number, by: number, bits: number): void {
  const low = at(state, to) ^ at(state, by);
  const high = at(state, to + 1) ^ at(state, by + 1);
  // from 32 bits on the halves have changed places
  const [near, far] = bits < 32 ? [low, high] : [high, low];
  const rest = bits % 32;
  state[to] = rest === 0 ? near : (near >>> rest) | (far << (32 - rest));
  state[to + 1] = rest === 0 ? far : (far >>> rest) | (near << (32 - rest));
}
