/**
 * MD5, SHA-1, SHA-512 and SHA3-512 in the language itself; the library of Jsonnet has them. They name things by
 * content and are slow: callers count their bytes.
 */
const hex = (words: Iterable<number | bigint>, width: number): string =>
  Array.from(words, (word) => word.toString(16).padStart(width, '0')).join('');

/** The message, a one bit, zeros, and its length in bits in the last bytes of a block. */
function padded(bytes: Uint8Array, block: 64 | 128, littleEndian: boolean): DataView {
  const lengthBytes = block / 8;
  const whole = new Uint8Array(Math.ceil((bytes.length + 1 + lengthBytes) / block) * block);
  whole.set(bytes);
  whole[bytes.length] = 0x80;
  const view = new DataView(whole.buffer);
  view.setBigUint64(whole.length - 8, BigInt(bytes.length) * 8n, littleEndian);
  return view;
}

const rotate = (x: number, by: number): number => (x << by) | (x >>> (32 - by));

const md5Shifts = [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21];
const md5Words = Array.from({ length: 64 }, (_, i) => Math.floor(Math.abs(Math.sin(i + 1)) * 2 ** 32));

type Four = [number, number, number, number];

/** The mixing function of an MD5 round, and the index of its word in the block. */
function md5Mix(i: number, [, b, c, d]: Four): [mixed: number, word: number] {
  if (i < 16) return [(b & c) | (~b & d), i];
  if (i < 32) return [(d & b) | (~d & c), (5 * i + 1) % 16];
  if (i < 48) return [b ^ c ^ d, (3 * i + 5) % 16];
  return [c ^ (b | ~d), (7 * i) % 16];
}

export function md5(bytes: Uint8Array): string {
  const view = padded(bytes, 64, true);
  let state: Four = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476];
  for (let block = 0; block < view.byteLength; block += 64) {
    let now: Four = state;
    for (let i = 0; i < 64; i++) {
      const [a, b, c, d] = now;
      const [mixed, word] = md5Mix(i, now);
      const sum = (a + mixed + (md5Words[i] ?? 0) + view.getUint32(block + word * 4, true)) | 0;
      now = [d, (b + rotate(sum, md5Shifts[(i >> 4) * 4 + (i % 4)] ?? 0)) | 0, b, c];
    }
    state = state.map((word, i) => (word + (now[i] ?? 0)) | 0) as Four;
  }
  const out = new DataView(new ArrayBuffer(16));
  state.forEach((word, i) => {
    out.setInt32(i * 4, word, true);
  });
  return hex(new Uint8Array(out.buffer), 2);
}

type Five = [number, number, number, number, number];

function sha1Mix(i: number, [, b, c, d]: Five): [mixed: number, constant: number] {
  if (i < 20) return [(b & c) | (~b & d), 0x5a827999];
  if (i < 40) return [b ^ c ^ d, 0x6ed9eba1];
  if (i < 60) return [(b & c) | (b & d) | (c & d), 0x8f1bbcdc];
  return [b ^ c ^ d, 0xca62c1d6];
}

export function sha1(bytes: Uint8Array): string {
  const view = padded(bytes, 64, false);
  let state: Five = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0];
  const words = new Int32Array(80);
  const word = (i: number): number => words[i] ?? 0;
  for (let block = 0; block < view.byteLength; block += 64) {
    for (let i = 0; i < 16; i++) words[i] = view.getInt32(block + i * 4);
    for (let i = 16; i < 80; i++)
      words[i] = rotate(word(i - 3) ^ word(i - 8) ^ word(i - 14) ^ word(i - 16), 1);
    let now: Five = state;
    for (let i = 0; i < 80; i++) {
      const [a, b, c, d, e] = now;
      const [mixed, constant] = sha1Mix(i, now);
      now = [(rotate(a, 5) + mixed + e + constant + word(i)) | 0, a, rotate(b, 30), c, d];
    }
    state = state.map((old, i) => (old + (now[i] ?? 0)) | 0) as Five;
  }
  return hex(
    state.map((old) => old >>> 0),
    8,
  );
}

const mask = (1n << 64n) - 1n;
const turnRight = (x: bigint, by: bigint): bigint => ((x >> by) | (x << (64n - by))) & mask;

function primes(count: number): bigint[] {
  const found: bigint[] = [];
  for (let n = 2n; found.length < count; n++) if (found.every((p) => n % p !== 0n)) found.push(n);
  return found;
}

/** The first 64 bits behind the point of a root of a prime: SHA-512 takes its constants from there. */
function rootBits(prime: bigint, degree: bigint): bigint {
  const scaled = prime << (64n * degree);
  let low = 0n;
  let high = 1n << 70n;
  while (high - low > 1n) {
    const middle = (low + high) >> 1n;
    if (middle ** degree <= scaled) low = middle;
    else high = middle;
  }
  return low & mask;
}

let sha512Constants: { start: bigint[]; rounds: bigint[] } | undefined;

function constants(): { start: bigint[]; rounds: bigint[] } {
  sha512Constants ??= {
    start: primes(8).map((p) => rootBits(p, 2n)),
    rounds: primes(80).map((p) => rootBits(p, 3n)),
  };
  return sha512Constants;
}

function schedule(view: DataView, block: number): bigint[] {
  const words: bigint[] = [];
  for (let i = 0; i < 16; i++) words.push(view.getBigUint64(block + i * 8));
  for (let i = 16; i < 80; i++) {
    const [a = 0n, b = 0n, c = 0n, d = 0n] = [words[i - 15], words[i - 2], words[i - 16], words[i - 7]];
    const small0 = turnRight(a, 1n) ^ turnRight(a, 8n) ^ (a >> 7n);
    const small1 = turnRight(b, 19n) ^ turnRight(b, 61n) ^ (b >> 6n);
    words.push((c + small0 + d + small1) & mask);
  }
  return words;
}

export function sha512(bytes: Uint8Array): string {
  const view = padded(bytes, 128, false);
  const { start, rounds } = constants();
  let state = start;
  for (let block = 0; block < view.byteLength; block += 128) {
    let now = state;
    schedule(view, block).forEach((word, i) => {
      const [a = 0n, b = 0n, c = 0n, d = 0n, e = 0n, f = 0n, g = 0n, h = 0n] = now;
      const big1 = turnRight(e, 14n) ^ turnRight(e, 18n) ^ turnRight(e, 41n);
      const t1 = h + big1 + ((e & f) ^ (~e & mask & g)) + (rounds[i] ?? 0n) + word;
      const big0 = turnRight(a, 28n) ^ turnRight(a, 34n) ^ turnRight(a, 39n);
      now = [(t1 + big0 + ((a & b) ^ (a & c) ^ (b & c))) & mask, a, b, c, (d + t1) & mask, e, f, g];
    });
    state = state.map((old, i) => (old + (now[i] ?? 0n)) & mask);
  }
  return hex(state, 16);
}
