import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';

/**
 * The identity of this process among replicas: its machine, and a random word kept in its data folder. The stores in that
 * folder belong to one process at a time, so an earlier process with this name has exited, and its successor need not wait
 * for its lease to end.
 */
export async function replicaName(dataDir: string): Promise<string> {
  const file = join(dataDir, 'replica');
  const kept = await readFile(file, 'utf8').catch(() => '');
  const word = kept.trim() || randomUUID();
  if (!kept.trim()) await writeFile(file, `${word}\n`, { mode: 0o600 });
  return `${hostname()}_${word}`;
}
