import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Mutation, root } from './list.ts';

/** The mutations that a test noticed, kept between runs, so that an interrupted one goes on where it ended. */
export class NoticedMutations {
  readonly #file: string;
  readonly #noticed: Set<string>;

  constructor(file = join(root, 'node_modules/.cache/mutations.json')) {
    this.#file = file;
    this.#noticed = new Set(readNoticed(file));
  }

  /** Whether a test noticed it, and neither the entry nor its source nor its test has changed since. */
  has(mutation: Mutation): boolean {
    return this.#noticed.has(keyOf(mutation));
  }

  add(mutation: Mutation): void {
    this.#noticed.add(keyOf(mutation));
    mkdirSync(dirname(this.#file), { recursive: true });
    writeFileSync(this.#file, JSON.stringify([...this.#noticed]));
  }
}

/** A file that is missing or cannot be read says nothing, and every mutation runs again. */
function readNoticed(file: string): string[] {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as string[];
  } catch {
    return [];
  }
}

function keyOf(mutation: Mutation): string {
  const hash = createHash('sha256').update(JSON.stringify(mutation));
  for (const file of [mutation.file, mutation.test]) hash.update(readFileSync(join(root, file)));
  return hash.digest('hex');
}
