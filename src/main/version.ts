import { readFile } from 'node:fs/promises';
import { shipped } from './config.ts';

/** The version of this program. */
export async function versionOf(): Promise<string> {
  return (JSON.parse(await readFile(shipped.manifest, 'utf8')) as { version: string }).version;
}
