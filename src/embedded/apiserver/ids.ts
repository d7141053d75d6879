import { randomUUID } from 'node:crypto';

/** The source of all randomness in a cluster, so that a seeded one is reproducible. */
export type Ids = {
  uuid(): string;
  /** Letters and digits that spell no words and cannot be misread, as in generated names. */
  suffix(length: number): string;
  /** 0 ≤ n < below */
  number(below: number): number;
};

const alphabet = 'bcdfghjklmnpqrstvwxz2456789';

export function createIds(seed?: number): Ids {
  const random = seed === undefined ? Math.random : seeded(seed);
  const number = (below: number) => Math.floor(random() * below);
  const hex = (digits: number) => Array.from({ length: digits }, () => number(16).toString(16)).join('');
  return {
    uuid: () =>
      seed === undefined
        ? randomUUID()
        : `${hex(8)}-${hex(4)}-4${hex(3)}-${(8 + number(4)).toString(16)}${hex(3)}-${hex(12)}`,
    suffix: (length) => Array.from({ length }, () => alphabet[number(alphabet.length)]).join(''),
    number,
  };
}

/** A number from 0 up to 1 that depends only on the seed and the text. */
export function fraction(seed: number, text: string): number {
  let hash = 0x811c9dc5 ^ seed;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return seeded(hash)();
}

/** A small generator (32 bits of state, good enough for names). */
function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
