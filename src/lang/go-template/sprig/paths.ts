import { fn } from '../functions.ts';
import type { GoFunction } from '../value.ts';

const base = fn('string', (_run, path) => {
  if (path === '') return '.';
  const bare = path.replace(/\/+$/, '');
  return bare === '' ? '/' : bare.slice(bare.lastIndexOf('/') + 1);
});
const cleaned = fn('string', (_run, path) => clean(path));
const dir = fn('string', (_run, path) => clean(path.slice(0, path.lastIndexOf('/') + 1)));
const ext = fn('string', (_run, path) => {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  return dot < 0 ? '' : name.slice(dot);
});
const isAbs = fn('string', (_run, path) => path.startsWith('/'));

/** Go's path and, for Linux, filepath. */
export const pathFunctions: [string, GoFunction][] = [
  ['base', base],
  ['clean', cleaned],
  ['dir', dir],
  ['ext', ext],
  ['isAbs', isAbs],
  ['osBase', base],
  ['osClean', cleaned],
  ['osDir', dir],
  ['osExt', ext],
  ['osIsAbs', isAbs],
];

/** The shortest path that means the same. */
function clean(path: string): string {
  const root = path.startsWith('/') ? '/' : '';
  const kept: string[] = [];
  for (const part of path.split('/').filter((one) => one !== '' && one !== '.')) {
    const parent = kept.at(-1);
    if (part !== '..') kept.push(part);
    else if (parent !== undefined && parent !== '..') kept.pop();
    else if (root === '') kept.push(part);
  }
  return root + kept.join('/') || '.';
}
