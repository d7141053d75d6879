import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** The repository that contains a folder: its kustomizations and value files may read all of it. */
export function workTreeOf(folder: string): string {
  for (let dir = folder; ; dir = dirname(dir)) {
    if (existsSync(resolve(dir, '.git'))) return dir;
    if (dirname(dir) === dir) return folder;
  }
}
