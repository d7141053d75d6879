import { open } from 'node:fs/promises';
import { FairleadError } from '#std';

/** What LMDB writes at the head of each of its first two pages, as far as we look. */
const head = { magic: 24, version: 28, pageSize: 48, lastPage: 144, transaction: 152, size: 160 };
const magic = 0xbeefc0de;

/**
 * Looks at the data file before LMDB maps it into memory: reading past the end of a map kills the process, and
 * an empty file would be taken for a new store. True when the file is shorter than it says it should be, which
 * may be harmless; it has then been padded, and everything in it must be read once before it is trusted.
 */
export async function inspect(path: string): Promise<boolean> {
  const file = await open(path, 'r+').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (!file) return false;
  try {
    const { size } = await file.stat();
    const first = await headAt(file, 0);
    const second = first && (await headAt(file, first.pageSize));
    const newest = [first, second].sort((a, b) => Number((b?.transaction ?? 0n) - (a?.transaction ?? 0n)))[0];
    if (!newest || !second) throw damage(undefined, `its data file of ${size} bytes has no readable head`);
    const expected = (newest.lastPage + 1) * newest.pageSize;
    if (size >= expected) return false;
    await file.truncate(expected);
    return true;
  } finally {
    await file.close();
  }
}

async function headAt(file: Awaited<ReturnType<typeof open>>, start: number) {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(head.size), 0, head.size, start);
  if (bytesRead < head.size || buffer.readUInt32LE(head.magic) !== magic) return undefined;
  return {
    pageSize: buffer.readUInt32LE(head.pageSize),
    lastPage: Number(buffer.readBigUInt64LE(head.lastPage)),
    transaction: buffer.readBigUInt64LE(head.transaction),
  };
}

/** The one message for a store that cannot be trusted: what is wrong, and the two ways out. */
export function damage(cause: unknown, what?: string): FairleadError {
  const detail = what ?? (cause instanceof Error ? cause.message : String(cause));
  return new FairleadError(
    'Internal',
    `the store is damaged: ${detail}; put a backup of the store folder back, or move the folder away to start empty`,
    cause,
  );
}
