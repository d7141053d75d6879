import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Ctx, FairleadError } from '#base/std';

/** `sha256:` or `sha512:` and the digits. */
export type Digest = string;

const digestShape = /^(?:sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$/;
export const isDigest = (text: string): boolean => digestShape.test(text);

/** A blob used this recently may have readers, and is kept whatever its size. */
const shortestIdleMs = 15 * 60_000;

/**
 * Bytes on disk under the name of their digest, and notes about them. Everything appears by a rename; a blob whose
 * bytes do not match its digest is deleted when it is opened, and counts as absent.
 */
export class Blobs {
  readonly #dir: string;
  readonly #whole = new Set<Digest>();
  #ready: Promise<void> | undefined;

  constructor(dir: string) {
    this.#dir = dir;
  }

  /** Stores the content. `wanted` is the expected digest; throws PolicyFailed when the content has another. */
  async put(ctx: Ctx, content: AsyncIterable<Uint8Array>, wanted?: Digest): Promise<Digest> {
    const draft = await this.draft();
    try {
      const algorithm = wanted?.startsWith('sha512:') ? 'sha512' : 'sha256';
      const hash = createHash(algorithm);
      const file = await open(draft, 'wx', 0o600);
      try {
        for await (const chunk of content) {
          ctx.signal.throwIfAborted();
          hash.update(chunk);
          await file.writeFile(chunk);
        }
      } finally {
        await file.close();
      }
      const digest = `${algorithm}:${hash.digest('hex')}`;
      if (wanted !== undefined && digest !== wanted) throw altered(wanted, digest);
      await rename(draft, this.#path(digest));
      this.#whole.add(digest);
      return digest;
    } finally {
      await rm(draft, { force: true });
    }
  }

  /** The bytes of a blob, or those from `from` up to `to`; undefined when it is absent or does not match its digest. */
  async open(
    digest: Digest,
    part?: { readonly from: number; readonly to: number },
  ): Promise<AsyncIterable<Uint8Array> | undefined> {
    await this.#moveIn();
    const path = this.#path(digest);
    if (!(await this.#isWhole(digest, path))) return undefined;
    const now = new Date();
    await utimes(path, now, now).catch(() => {}); // it was just removed: the reader reports it
    return createReadStream(path, part ? { start: part.from, end: part.to - 1 } : {});
  }

  /** Whether a blob is on disk and matches its digest. */
  async has(digest: Digest): Promise<boolean> {
    await this.#moveIn();
    return this.#isWhole(digest, this.#path(digest));
  }

  /** A unique path for a file being written. */
  async draft(): Promise<string> {
    await this.#moveIn();
    return join(this.#dir, `draft-${randomUUID()}`);
  }

  /** The value stored under a name, not older than `maxAgeMs`; undefined otherwise. */
  async note(ctx: Ctx, name: string, maxAgeMs = Number.POSITIVE_INFINITY): Promise<unknown> {
    await this.#moveIn();
    try {
      const { at, value } = JSON.parse(await readFile(this.#notePath(name), 'utf8')) as Note;
      const age = ctx.clock.now().getTime() - at;
      return age >= 0 && age <= maxAgeMs ? value : undefined;
    } catch {
      return undefined;
    }
  }

  /** Stores a small value that is not secret. Names are stored only as their hash. */
  async setNote(ctx: Ctx, name: string, value: unknown): Promise<void> {
    const draft = await this.draft();
    const note: Note = { at: ctx.clock.now().getTime(), value };
    await writeFile(draft, JSON.stringify(note), { mode: 0o600 });
    await rename(draft, this.#notePath(name));
  }

  /** Removes blobs that have not been used for long, then, oldest first, those above the size limit. */
  async sweep(ctx: Ctx, limits: { readonly bytes: number; readonly idleMs: number }): Promise<void> {
    const now = ctx.clock.now().getTime();
    const names = (await readdir(this.#dir).catch(() => [])).filter((name) => !name.startsWith('spool-'));
    const found = await Promise.all(names.map((name) => this.#weigh(name)));
    let weight = found.reduce((sum, { bytes }) => sum + bytes, 0);
    for (const { name, bytes, used } of found.toSorted((a, b) => a.used - b.used)) {
      const allowed = weight > limits.bytes ? Math.min(shortestIdleMs, limits.idleMs) : limits.idleMs;
      if (now - used <= allowed) continue;
      await rm(join(this.#dir, name), { force: true });
      weight -= bytes;
    }
  }

  async #weigh(name: string): Promise<{ name: string; bytes: number; used: number }> {
    const { size, mtimeMs } = await stat(join(this.#dir, name)).catch(() => ({ size: 0, mtimeMs: 0 }));
    return { name, bytes: size, used: mtimeMs };
  }

  /** Each process verifies a blob once: the disk may have changed before it started. */
  async #isWhole(digest: Digest, path: string): Promise<boolean> {
    if (!isDigest(digest)) return false;
    if (this.#whole.has(digest))
      return stat(path).then(
        () => true,
        () => false,
      );
    const hash = createHash(digest.slice(0, 6));
    try {
      for await (const chunk of createReadStream(path)) hash.update(chunk as Uint8Array);
    } catch {
      return false;
    }
    if (`${digest.slice(0, 6)}:${hash.digest('hex')}` !== digest) {
      await rm(path, { force: true });
      return false;
    }
    this.#whole.add(digest);
    return true;
  }

  #path(digest: Digest): string {
    return join(this.#dir, digest.replace(':', '-'));
  }

  #notePath(name: string): string {
    return join(this.#dir, `note-${createHash('sha256').update(name).digest('hex')}`);
  }

  /** Removes partial files that a killed process left. */
  #moveIn(): Promise<void> {
    this.#ready ??= (async () => {
      await mkdir(this.#dir, { recursive: true, mode: 0o700 });
      const left = (await readdir(this.#dir)).filter((name) => /^(draft|spool)-/.test(name));
      await Promise.all(left.map((name) => rm(join(this.#dir, name), { force: true })));
    })();
    return this.#ready;
  }
}

type Note = { readonly at: number; readonly value: unknown };

const altered = (wanted: Digest, found: Digest): FairleadError =>
  new FairleadError(
    'PolicyFailed',
    `its digest is ${found} where ${wanted} was announced: it was replaced or damaged on the way`,
  );
