import { FairleadError } from '#base/std';

/**
 * A path as the tree keys it: no leading slash, no '.', no '..', the root is ''.
 * Throws InvalidSpec when the path climbs above the root.
 */
export function normalizePath(path: string): string {
  if (isNormal(path)) return path;
  const kept: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') kept.push(part);
    else if (kept.pop() === undefined) {
      throw new FairleadError('InvalidSpec', `path "${path}" leaves the root of its tree`);
    }
  }
  return kept.join('/');
}

// most paths come from a listing and are clean already
const unclean = /^\/|\/$|\/\/|(?:^|\/)\.\.?(?:\/|$)/;
const isNormal = (path: string): boolean => !unclean.test(path);

/** Joins and cleans. A part that begins with '/' is taken below the others, as Go's filepath.Join does. */
export function joinPath(...parts: readonly string[]): string {
  return normalizePath(parts.join('/'));
}

/** The directory a cleaned path lies in; '' for the root and for what lies in it. */
export function parentPath(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf('/'), 0));
}

/** The last name of a cleaned path. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Whether a cleaned path is the directory itself or lies below it, by components, not by text. */
export function isWithin(path: string, dir: string): boolean {
  return dir === '' || path === dir || path.startsWith(`${dir}/`);
}

/**
 * Where a link at `from` points, cleaned; undefined when it is out of bounds: absolute, or above the root at
 * any component even if it would come back in.
 */
export function linkTarget(from: string, target: string): string | undefined {
  if (target.startsWith('/')) return undefined; // compat sources VFT-4
  const at = from.split('/').slice(0, -1);
  for (const part of target.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') at.push(part);
    else if (at.pop() === undefined) return undefined;
  }
  return at.join('/');
}

/** Orders names by their UTF-8 bytes, which is the order of Git and of Go, but not of JavaScript. */
export function compareBytes(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const left = a.charCodeAt(at);
    const right = b.charCodeAt(at);
    if (left !== right) return codeRank(left) - codeRank(right);
  }
  return a.length - b.length;
}

// surrogates stand for code points above every other UTF-16 unit, although their numbers are lower
const codeRank = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit);
