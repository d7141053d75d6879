import { decodeText } from '#base/model';

/** The pointer that is committed for a large file: the hash and the size of its content. */
export type LfsPointer = { readonly oid: string; readonly size: number };

/** Git LFS writes no longer ones, and no shorter. */
const longest = 1023;
const shortest = 100;

/** Whether a file may be a pointer, judged by its size alone. */
export const mayBePointer = (size: number): boolean => size >= shortest && size <= longest;

/** Undefined: an ordinary file. */
export function parsePointer(bytes: Uint8Array): LfsPointer | undefined {
  if (!mayBePointer(bytes.length)) return undefined;
  const text = decodeText(bytes);
  if (!/^version https:\/\/(git-lfs\.github\.com\/spec|hawser\.github\.com\/spec)\/v1\n/.test(text))
    return undefined;
  const oid = /^oid sha256:([0-9a-f]{64})$/m.exec(text)?.[1];
  const size = Number(/^size (\d{1,15})$/m.exec(text)?.[1] ?? Number.NaN);
  return oid === undefined || Number.isNaN(size) ? undefined : { oid, size };
}
