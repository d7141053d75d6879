import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { TreeEntry } from '#base/model';
import { type Ctx, FairleadError } from '#base/std';
import { readTar, type TarEntry, type TarLimits } from './tar.ts';

/** A listing of an archive, and the offset of each file's bytes in the spool. */
export type Unpacked = {
  readonly entries: ReadonlyMap<string, TreeEntry>;
  readonly offsets: ReadonlyMap<string, number>;
};

/**
 * Reads a tar archive, plain or gzipped, and appends the bytes of its files to a spool. Of two entries with one path
 * the later wins. Throws InvalidSpec or LimitExceeded; the messages begin with `it`.
 */
export async function unpack(
  ctx: Ctx,
  content: AsyncIterable<Uint8Array>,
  spool: string,
  limits: TarLimits,
): Promise<Unpacked> {
  const entries = new Map<string, TreeEntry>();
  const offsets = new Map<string, number>();
  const file = await open(spool, 'wx', 0o600);
  try {
    let at = 0;
    for await (const entry of readTar(plain(content), limits)) {
      ctx.signal.throwIfAborted();
      refuseBelowFile(entries, entry.path);
      if (entry.kind === 'file') {
        offsets.set(entry.path, at);
        at += entry.size;
      }
      await note(entries, offsets, entry, file);
    }
  } catch (error) {
    throw error instanceof FairleadError || ctx.signal.aborted ? error : unreadable(error);
  } finally {
    await file.close();
  }
  return { entries, offsets };
}

async function note(
  entries: Map<string, TreeEntry>,
  offsets: Map<string, number>,
  entry: TarEntry,
  file: FileHandle,
): Promise<void> {
  const { path } = entry;
  if (entry.kind === 'file') {
    const hash = createHash('sha256');
    for await (const part of entry.content) {
      hash.update(part);
      await file.writeFile(part);
    }
    const { size, executable } = entry;
    entries.set(path, { path, kind: 'file', size, executable, hash: hash.digest('hex') });
  } else if (entry.kind === 'symlink') {
    entries.set(path, { path, kind: 'symlink', target: entry.target });
  } else if (entry.kind === 'same') {
    const first = entries.get(entry.as);
    if (first?.kind !== 'file') throw dangling(path);
    entries.set(path, { ...first, path });
    offsets.set(path, offsets.get(entry.as) ?? 0);
  } else if (entries.get(path)?.kind !== 'dir') {
    entries.set(path, { path, kind: 'dir' });
  }
}

/** A link or a file is no folder: an entry below one would be written wherever the link leads. */
function refuseBelowFile(entries: ReadonlyMap<string, TreeEntry>, path: string): void {
  for (let slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1)) {
    const above = entries.get(path.slice(0, slash));
    if (above && above.kind !== 'dir') {
      throw new FairleadError(
        'InvalidSpec',
        `it puts ${path} below ${above.path}, which is no folder: pack it again`,
      );
    }
  }
}

const dangling = (path: string): FairleadError =>
  new FairleadError('InvalidSpec', `it holds ${path}, a hard link to nothing before it: pack it again`);

const unreadable = (error: unknown): FairleadError =>
  new FairleadError('InvalidSpec', 'it cannot be decompressed: pack it again', error);

/** Decompresses content that begins like gzip, and passes on any other. */
async function* plain(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const chunks = content[Symbol.asyncIterator]();
  const first = await chunks.next();
  const head: Uint8Array = first.done ? new Uint8Array() : first.value;
  const whole = async function* (): AsyncGenerator<Uint8Array> {
    yield head;
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value;
  };
  if (head[0] !== 0x1f || head[1] !== 0x8b) {
    yield* whole();
    return;
  }
  const source = Readable.from(whole());
  const unzipped = createGunzip();
  source.on('error', (error) => unzipped.destroy(error));
  try {
    yield* source.pipe(unzipped) as AsyncIterable<Uint8Array>;
  } finally {
    source.destroy();
    unzipped.destroy();
  }
}
