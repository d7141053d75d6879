import { type FileHandle, open } from 'node:fs/promises';
import { FairleadError } from '#base/std';
import { treeAt, Walk, WrongPage } from './walk.ts';

/** The fields that we read at the head of each of LMDB's first two pages. */
const head = {
  magic: 24,
  version: 28,
  pageSize: 48,
  free: 48,
  main: 96,
  lastPage: 144,
  transaction: 152,
  size: 160,
};
const magic = 0xbeefc0de;

/**
 * Checks the data file before LMDB maps it into memory: LMDB trusts it, and a page that is missing or wrong would end the
 * process or hide data. Throws when anything reachable is wrong.
 */
export async function inspect(path: string): Promise<void> {
  const file = await open(path, 'r+').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (!file) return;
  try {
    const { size } = await file.stat();
    const first = await headAt(file, 0);
    const second = first && (await headAt(file, first.pageSize));
    const newest = [first, second].sort((a, b) => Number((b?.transaction ?? 0n) - (a?.transaction ?? 0n)))[0];
    if (!newest || !second) throw damage(undefined, `its data file of ${size} bytes has no readable head`);
    await walk(file, newest);
    // unreferenced pages at the end may be missing; reading past the end of a map kills the process
    const expected = (newest.lastPage + 1) * newest.pageSize;
    if (size < expected) await file.truncate(expected);
  } finally {
    await file.close();
  }
}

type Head = NonNullable<Awaited<ReturnType<typeof headAt>>>;

async function walk(file: FileHandle, { pageSize, lastPage, trees }: Head): Promise<void> {
  try {
    const steps = new Walk(file, pageSize, lastPage);
    for (const tree of trees) await steps.check(tree);
  } catch (error) {
    throw error instanceof WrongPage ? damage(error) : error;
  }
}

async function headAt(file: FileHandle, start: number) {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(head.size), 0, head.size, start);
  if (bytesRead < head.size || buffer.readUInt32LE(head.magic) !== magic) return undefined;
  return {
    pageSize: buffer.readUInt32LE(head.pageSize),
    lastPage: Number(buffer.readBigUInt64LE(head.lastPage)),
    transaction: buffer.readBigUInt64LE(head.transaction),
    trees: [treeAt(buffer, head.free), treeAt(buffer, head.main)],
  };
}

/** The one message for a damaged store: what is wrong, and the two remedies. */
export function damage(cause: unknown, what?: string): FairleadError {
  const detail = what ?? (cause instanceof Error ? cause.message : String(cause));
  return new FairleadError(
    'Internal',
    `the store is damaged: ${detail}; put a backup of the store folder back, or move the folder away to start empty`,
    cause,
  );
}
