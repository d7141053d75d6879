/** SHA-1, SHA-256 and SHA-512 of bytes, as hexadecimal digits. The constants are computed, exactly, with bigints. */

/** The whole part of a root, of any size. */
function root(value: bigint, degree: bigint): bigint {
  let low = 0n;
  let high = value;
  while (low < high) {
    const middle = (low + high + 1n) / 2n;
    if (middle ** degree <= value) low = middle;
    else high = middle - 1n;
  }
  return low;
}

function firstPrimes(count: number): bigint[] {
  const found: bigint[] = [];
  for (let n = 2n; found.length < count; n++) if (found.every((p) => n % p !== 0n)) found.push(n);
  return found;
}

/** The first bits behind the point of a prime's root. */
const fraction = (prime: bigint, degree: bigint, bits: bigint): bigint =>
  root(prime << (bits * degree), degree) & ((1n << bits) - 1n);

const primes = firstPrimes(80);

type Wide = {
  readonly bits: bigint;
  readonly block: number;
  readonly rounds: number;
  readonly big0: readonly bigint[];
  readonly big1: readonly bigint[];
  readonly small0: readonly [bigint, bigint, bigint];
  readonly small1: readonly [bigint, bigint, bigint];
};

const of256: Wide = {
  bits: 32n,
  block: 64,
  rounds: 64,
  big0: [2n, 13n, 22n],
  big1: [6n, 11n, 25n],
  small0: [7n, 18n, 3n],
  small1: [17n, 19n, 10n],
};
const of512: Wide = {
  bits: 64n,
  block: 128,
  rounds: 80,
  big0: [28n, 34n, 39n],
  big1: [14n, 18n, 41n],
  small0: [1n, 8n, 7n],
  small1: [19n, 61n, 6n],
};

export const sha256 = (bytes: Uint8Array): string => hash(bytes, of256);
export const sha512 = (bytes: Uint8Array): string => hash(bytes, of512);

function hash(bytes: Uint8Array, wide: Wide): string {
  const { bits, block } = wide;
  const constants = constantsOf(wide);
  const state = primes.slice(0, 8).map((prime) => fraction(prime, 2n, bits));
  const message = padded(bytes, block);
  for (let at = 0; at < message.length; at += block)
    compress(state, message.subarray(at, at + block), wide, constants);
  return state.map((word) => word.toString(16).padStart(Number(bits) / 4, '0')).join('');
}

const known = new Map<Wide, bigint[]>();

/** Computed at the first use. */
function constantsOf(wide: Wide): bigint[] {
  const before = known.get(wide);
  if (before) return before;
  const made = primes.slice(0, wide.rounds).map((prime) => fraction(prime, 3n, wide.bits));
  known.set(wide, made);
  return made;
}

function padded(bytes: Uint8Array, block: number): Uint8Array {
  const tail = block / 8;
  const message = new Uint8Array(Math.ceil((bytes.length + 1 + tail) / block) * block);
  message.set(bytes);
  message[bytes.length] = 0x80;
  new DataView(message.buffer).setBigUint64(message.length - 8, BigInt(bytes.length) * 8n);
  return message;
}

function compress(state: bigint[], block: Uint8Array, wide: Wide, constants: readonly bigint[]): void {
  const mask = (1n << wide.bits) - 1n;
  const rotate = (x: bigint, n: bigint): bigint => ((x >> n) | (x << (wide.bits - n))) & mask;
  const words = wordsOf(block, wide, rotate);
  const mixed = state.slice() as Eight;
  for (let i = 0; i < wide.rounds; i++) {
    const [a, b, c, d, e, f, g, h] = mixed;
    const big1 = xor(wide.big1.map((n) => rotate(e, n)));
    const big0 = xor(wide.big0.map((n) => rotate(a, n)));
    const first = h + big1 + ((e & f) ^ (~e & mask & g)) + (constants[i] ?? 0n) + (words[i] ?? 0n);
    const second = big0 + ((a & b) ^ (a & c) ^ (b & c));
    mixed.splice(0, 8, (first + second) & mask, a, b, c, (d + first) & mask, e, f, g);
  }
  mixed.forEach((word, i) => {
    state[i] = ((state[i] ?? 0n) + word) & mask;
  });
}

type Eight = [bigint, bigint, bigint, bigint, bigint, bigint, bigint, bigint];
const xor = (values: readonly bigint[]): bigint => values.reduce((all, value) => all ^ value, 0n);

function wordsOf(block: Uint8Array, wide: Wide, rotate: (x: bigint, n: bigint) => bigint): bigint[] {
  const view = new DataView(block.buffer, block.byteOffset, block.byteLength);
  const mask = (1n << wide.bits) - 1n;
  const size = Number(wide.bits) / 8;
  const words: bigint[] = [];
  for (let i = 0; i < 16; i++)
    words.push(size === 4 ? BigInt(view.getUint32(i * 4)) : view.getBigUint64(i * 8));
  const small = (x: bigint, [a, b, shift]: readonly [bigint, bigint, bigint]): bigint =>
    rotate(x, a) ^ rotate(x, b) ^ (x >> shift);
  for (let i = 16; i < wide.rounds; i++) {
    const [w16 = 0n, w15 = 0n, w7 = 0n, w2 = 0n] = [words[i - 16], words[i - 15], words[i - 7], words[i - 2]];
    words.push((w16 + small(w15, wide.small0) + w7 + small(w2, wide.small1)) & mask);
  }
  return words;
}

const turn = (x: number, n: number): number => (x << n) | (x >>> (32 - n));
const start1 = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0];

export function sha1(bytes: Uint8Array): string {
  const message = padded(bytes, 64);
  const view = new DataView(message.buffer);
  let state = start1;
  for (let at = 0; at < message.length; at += 64) state = compress1(state, view, at);
  return state.map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
}

function compress1(state: readonly number[], view: DataView, at: number): number[] {
  const words: number[] = [];
  for (let i = 0; i < 16; i++) words.push(view.getUint32(at + i * 4));
  for (let i = 16; i < 80; i++)
    words.push(
      turn((words[i - 3] ?? 0) ^ (words[i - 8] ?? 0) ^ (words[i - 14] ?? 0) ^ (words[i - 16] ?? 0), 1),
    );
  let [a = 0, b = 0, c = 0, d = 0, e = 0] = state;
  for (let i = 0; i < 80; i++) {
    const next = (turn(a, 5) + mix(i, b, c, d) + e + (words[i] ?? 0)) | 0;
    [e, d, c, b, a] = [d, c, turn(b, 30), a, next];
  }
  return [a, b, c, d, e].map((word, i) => (word + (state[i] ?? 0)) | 0);
}

function mix(round: number, b: number, c: number, d: number): number {
  if (round < 20) return ((b & c) | (~b & d)) + 0x5a827999;
  if (round < 40) return (b ^ c ^ d) + 0x6ed9eba1;
  if (round < 60) return ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc;
  return (b ^ c ^ d) + 0xca62c1d6;
}
