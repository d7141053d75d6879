import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFileTree, escapingLink, type FileTree } from '#base/model';
import { type Ctx, FairleadError } from '#base/std';
import { readAt } from './archives.ts';
import { unpack } from './unpack.ts';

/** An archive that a user sends. */
export type Upload = {
  /** A tar archive, gzipped or not, in parts. */
  readonly content: AsyncIterable<Uint8Array>;
  /** SHA-256 of the archive in hex; left out: it is not checked. */
  readonly checksum?: string | undefined;
};

export type UploadLimits = {
  /** Bytes of the archive as it is sent, and of all its files together. */
  readonly archiveBytes: number;
  readonly bytes: number;
};

const MiB = 1024 * 1024;

/** compat sources 1.15 */
const defaultUploadLimits: UploadLimits = { archiveBytes: 100 * MiB, bytes: 1024 * MiB };
const mostEntries = 100_000;

/**
 * The files of an archive that a user sends, in a folder of this machine that only this process can enter; `close` removes it.
 * Nothing of the archive is unpacked before its checksum is verified. Throws InvalidSpec for an archive that leads out of itself
 * or is damaged, and LimitExceeded.
 */
export async function openUpload(
  ctx: Ctx,
  { content, checksum }: Upload,
  limits: UploadLimits = defaultUploadLimits,
): Promise<{ readonly files: FileTree; close(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-upload-'));
  const close = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    const archive = join(folder, 'archive');
    const sum = await store(ctx, content, archive, limits.archiveBytes);
    if (checksum && checksum.toLowerCase() !== sum)
      throw new FairleadError('InvalidSpec', 'the files did not arrive as they were sent: send them again');
    return { files: await treeOf(ctx, folder, archive, limits.bytes), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Writes the parts to a file and returns their SHA-256. */
async function store(
  ctx: Ctx,
  content: AsyncIterable<Uint8Array>,
  path: string,
  most: number,
): Promise<string> {
  const hash = createHash('sha256');
  const file = await open(path, 'wx', 0o600);
  let bytes = 0;
  try {
    for await (const part of content) {
      ctx.signal.throwIfAborted();
      bytes += part.length;
      if (bytes > most)
        throw new FairleadError('LimitExceeded', `the files are more than ${most} bytes, packed: send fewer`);
      hash.update(part);
      await file.writeFile(part);
    }
  } finally {
    await file.close();
  }
  return hash.digest('hex');
}

async function treeOf(ctx: Ctx, folder: string, archive: string, bytes: number): Promise<FileTree> {
  const spool = join(folder, 'files');
  const limits = { bytes, fileBytes: bytes, entries: mostEntries };
  const { entries, offsets } = await unpack(ctx, createReadStream(archive), spool, limits).catch(named);
  const files = createFileTree(entries.values(), ({ path, size = 0 }) =>
    readAt(spool, offsets.get(path) ?? 0, size, 'the archive'),
  );
  const escaping = escapingLink(files);
  if (escaping !== undefined)
    throw new FairleadError('InvalidSpec', `the files have a link that leads out of them: ${escaping}`);
  return files;
}

/** Error messages about an archive begin with `it`. */
function named(error: unknown): never {
  if (!(error instanceof FairleadError)) throw error;
  throw new FairleadError(error.code, `the archive cannot be used: ${error.message}`, error);
}
