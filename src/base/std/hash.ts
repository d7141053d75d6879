/**
 * SHA-256 in plain TypeScript, so that pure rooms can name things by content. Not for secrets and not for
 * bulk: code that hashes megabytes uses the platform's own.
 */
export function sha256(text: string): string {
  const message = padded(utf8(text));
  const state = new Uint32Array(start);
  const words = new Uint32Array(64);
  const view = new DataView(message.buffer);
  for (let offset = 0; offset < message.length; offset += 64) compress(state, words, view, offset);
  return Array.from(state, (word) => word.toString(16).padStart(8, '0')).join('');
}

const primes = firstPrimes(64);
const fraction = (root: number): number => Math.floor((root - Math.floor(root)) * 2 ** 32);
const start = primes.slice(0, 8).map((p) => fraction(Math.sqrt(p)));
const rounds = new Uint32Array(primes.map((p) => fraction(Math.cbrt(p))));

function firstPrimes(count: number): number[] {
  const found: number[] = [];
  for (let n = 2; found.length < count; n++) if (found.every((p) => n % p !== 0)) found.push(n);
  return found;
}

function utf8(text: string): Uint8Array {
  const bytes: number[] = [];
  for (const char of text) {
    const point = char.codePointAt(0) ?? 0;
    const code = point >= 0xd800 && point <= 0xdfff ? 0xfffd : point; // half a pair is not a character
    if (code < 0x80) bytes.push(code);
    else if (code < 0x800) bytes.push(0xc0 | (code >> 6), tail(code));
    else if (code < 0x10000) bytes.push(0xe0 | (code >> 12), tail(code >> 6), tail(code));
    else bytes.push(0xf0 | (code >> 18), tail(code >> 12), tail(code >> 6), tail(code));
  }
  return Uint8Array.from(bytes);
}

const tail = (code: number): number => 0x80 | (code & 0x3f);

function padded(bytes: Uint8Array): Uint8Array {
  const message = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64);
  message.set(bytes);
  message[bytes.length] = 0x80;
  const view = new DataView(message.buffer);
  view.setUint32(message.length - 8, Math.floor((bytes.length * 8) / 2 ** 32));
  view.setUint32(message.length - 4, (bytes.length * 8) >>> 0);
  return message;
}

const rotate = (x: number, n: number): number => (x >>> n) | (x << (32 - n));

function compress(state: Uint32Array, words: Uint32Array, view: DataView, offset: number): void {
  for (let i = 0; i < 16; i++) words[i] = view.getUint32(offset + i * 4);
  for (let i = 16; i < 64; i++) words[i] = schedule(words, i);
  let [a, b, c, d, e, f, g, h] = state as unknown as Eight;
  for (let i = 0; i < 64; i++) {
    const big1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const choice = (e & f) ^ (~e & g);
    const t1 = (h + big1 + choice + at(rounds, i) + at(words, i)) | 0;
    const big0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) | 0, c, b, a, (t1 + big0 + majority) | 0];
  }
  const mixed = [a, b, c, d, e, f, g, h];
  for (let i = 0; i < 8; i++) state[i] = at(state, i) + (mixed[i] ?? 0);
}

type Eight = [number, number, number, number, number, number, number, number];

const at = (words: Uint32Array, i: number): number => words[i] ?? 0;

function schedule(words: Uint32Array, i: number): number {
  const w15 = at(words, i - 15);
  const w2 = at(words, i - 2);
  const small0 = rotate(w15, 7) ^ rotate(w15, 18) ^ (w15 >>> 3);
  const small1 = rotate(w2, 17) ^ rotate(w2, 19) ^ (w2 >>> 10);
  return (at(words, i - 16) + small0 + at(words, i - 7) + small1) | 0;
}
