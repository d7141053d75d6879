import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

/** System tests start the program as users do, from dist/. It is built again when a source is newer; tests are no part of it. */
export function setup(): void {
  if (newest('src') < builtAt() && newest('ui/src') < builtAt()) return;
  // the test runner's own NODE_ENV would build a page for developers
  const env = { ...process.env, NODE_ENV: 'production' };
  execFileSync(process.execPath, ['tools/build.js', '--program'], { cwd: root, env, stdio: 'inherit' });
}

function builtAt(): number {
  return statSync(join(root, 'dist/ui/index.html'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function newest(folder: string): number {
  const files = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).filter(
    (file) => !/\.test\.tsx?$|testdata/.test(file),
  );
  return Math.max(...files.map((file) => statSync(join(root, folder, file)).mtimeMs));
}
