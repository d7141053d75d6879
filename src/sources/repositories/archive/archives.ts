import { open, rename, rm } from 'node:fs/promises';
import { createFileTree, type FileTree, type TreeEntry } from '#base/model';
import { type Ctx, FairleadError, Lru, SingleFlight } from '#base/std';
import type { Blobs, Digest } from './blobs.ts';
import type { TarLimits } from './tar.ts';
import { type Unpacked, unpack } from './unpack.ts';

/** How an archive is to be read. */
export type Opening = {
  /** Its name in error messages. */
  readonly what: string;
  /**
   * The folder in it that becomes the root; `only`: the one that is there, whatever its name (sources OCI-4); '': all
   * of it.
   */
  readonly root: string | { readonly only: true };
  readonly limits: TarLimits;
};

/** An unpacked archive: the file with its bytes, and its listing. */
type Spooled = Unpacked & { readonly spool: string };

/** Archives as trees of files. Contents stay on disk until they are read; listings are kept in memory. */
export class Archives {
  readonly #blobs: Blobs;
  readonly #flights = new SingleFlight<Spooled>();
  readonly #open: Lru<Spooled>;

  /** Spools without new readers; the next sweep removes them, when their current readers are done. */
  readonly #clearing = new Set<string>();

  /** `capacity`: bytes that unpacked archives may use on disk, their listings included. */
  constructor(blobs: Blobs, capacity: number) {
    this.#blobs = blobs;
    this.#open = new Lru({
      capacity,
      weigh: weightOf,
      onEvict: (_digest, { spool }) => {
        this.#clearing.add(spool);
      },
    });
  }

  /** The files of a downloaded archive; undefined when it is not on disk. Throws InvalidSpec or LimitExceeded. */
  async tree(ctx: Ctx, digest: Digest, opening: Opening): Promise<FileTree | undefined> {
    const first = await this.#spooled(ctx, digest, opening);
    if (!first) return undefined;
    const prefix = rootOf(first.entries, opening);
    const below = [...first.entries.values()].filter(({ path }) => path.startsWith(prefix));
    const entries = below.map((entry): TreeEntry => ({ ...entry, path: entry.path.slice(prefix.length) }));
    return createFileTree(entries, async ({ path, size = 0 }) => {
      const now = (await this.#spooled(ctx, digest, opening)) ?? first;
      return readAt(now.spool, now.offsets.get(`${prefix}${path}`) ?? 0, size, opening.what);
    });
  }

  /** Removes unpacked archives that have not been used since. */
  async sweep(): Promise<void> {
    for (const spool of this.#clearing) await rm(spool, { force: true });
    this.#clearing.clear();
  }

  async #spooled(ctx: Ctx, digest: Digest, { what, limits }: Opening): Promise<Spooled | undefined> {
    const known = this.#open.get(digest);
    if (known) return known;
    const content = await this.#blobs.open(digest);
    if (!content) return undefined;
    return this.#flights.run(ctx, digest, async (shared) => {
      const draft = await this.#blobs.draft();
      try {
        const unpacked = await unpack(shared, content, draft, limits);
        const spooled = { ...unpacked, spool: draft.replace('draft-', 'spool-') };
        await rename(draft, spooled.spool);
        this.#open.set(digest, spooled);
        return spooled;
      } catch (error) {
        throw error instanceof FairleadError ? described(error, what) : error;
      } finally {
        await rm(draft, { force: true });
      }
    });
  }
}

/** A listing is in memory, which costs far more than disk. */
const entryWeight = 64 * 1024;

function weightOf({ entries }: Spooled): number {
  let bytes = entries.size * entryWeight;
  for (const { size = 0 } of entries.values()) bytes += size;
  return bytes;
}

/** Error messages about an archive begin with `it`; replaces that with its name. */
const described = (error: FairleadError, what: string): FairleadError =>
  new FairleadError(error.code, `${what} cannot be used: ${error.message}`, error);

function rootOf(entries: ReadonlyMap<string, TreeEntry>, { root, what }: Opening): string {
  if (root === '') return '';
  const tops = new Set([...entries.values()].map(({ path }) => path.split('/')[0] ?? ''));
  const folders = [...tops].filter((top) => (entries.get(top)?.kind ?? 'dir') === 'dir');
  if (typeof root === 'string') {
    if (folders.includes(root)) return `${root}/`;
    throw new FairleadError(
      'InvalidSpec',
      `${what} cannot be used: it holds no folder ${root}: pack it with helm package`, // compat sources HRP-4
    );
  }
  const [only] = folders;
  if (folders.length === 1 && only !== undefined) return `${only}/`;
  // compat sources OCI-4
  throw new FairleadError('InvalidSpec', `${what}: expected 1 directory, found ${folders.length}`);
}

/** The bytes of one file of a spool; `what` names the archive in error messages. */
export async function readAt(spool: string, from: number, size: number, what: string): Promise<Uint8Array> {
  const file = await open(spool, 'r').catch((error: unknown) => {
    throw new FairleadError(
      'Unavailable',
      `${what} was evicted from the cache while it was read: try again`,
      error,
    );
  });
  try {
    const bytes = new Uint8Array(size);
    for (let at = 0; at < size; ) {
      const { bytesRead } = await file.read(bytes, at, size - at, from + at);
      if (bytesRead === 0) throw new FairleadError('Unavailable', `${what} was cut short on disk: try again`);
      at += bytesRead;
    }
    return bytes;
  } finally {
    await file.close();
  }
}
