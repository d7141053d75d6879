/**
 * Stateless randomness: the same seed and text always give the same value, regardless of the order of the calls
 * and of restarts.
 */
export type SeededRandom = {
  /** In [0, 1). */
  number(text: string): number;
  /** Letters and digits that spell no words, as generated names end in. */
  suffix(text: string, length: number): string;
  /** Hexadecimal digits. */
  hex(text: string, length: number): string;
};

const alphabet = 'bcdfghjklmnpqrstvwxz2456789';

export function createSeededRandom(seed: number): SeededRandom {
  return {
    number: (text) => mix(hash(seed, text)) / 2 ** 32,
    suffix: (text, length) => letters(hash(seed, text), length, alphabet),
    hex: (text, length) => letters(hash(seed, text), length, '0123456789abcdef'),
  };
}

function letters(start: number, length: number, from: string): string {
  let state = start;
  let made = '';
  for (let i = 0; i < length; i++) {
    state = mix((state + 0x9e3779b9) >>> 0);
    made += from[state % from.length];
  }
  return made;
}

/** FNV-1a over UTF-16 units, started from the seed. */
function hash(seed: number, text: string): number {
  let state = (0x811c9dc5 ^ seed) >>> 0;
  for (let i = 0; i < text.length; i++) state = Math.imul(state ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return state;
}

/** Spreads every bit over all others. */
function mix(value: number): number {
  let state = value;
  state = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
  state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35);
  return (state ^ (state >>> 16)) >>> 0;
}
