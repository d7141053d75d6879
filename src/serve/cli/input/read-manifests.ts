import { readFile } from 'node:fs/promises';
import { FairleadError, isObject } from '#base/std';
import { parseAll } from '#lang/yaml';
import { ExitError, usageExitCode } from '../io.ts';

/** Larger than any manifest that the API server accepts. */
const maxBytes = 10 * 1024 * 1024;

export const isUrl = (place: string): boolean => /^https?:\/\//.test(place);

/** The objects of one kind in a file, at a URL, or (`-`) on standard input; at least one. */
export async function manifestsOf<T>(place: string, kind: string): Promise<readonly T[]> {
  const text = await textAt(place);
  const objects = parseAll(text, { name: place }).map(({ value }) => value);
  const found = objects.filter(
    (value) => isObject(value) && (value.kind === kind || value.kind === undefined),
  );
  if (found.length === 0) throw new ExitError(usageExitCode, `${place} holds no ${kind}`);
  for (const value of found) {
    const { metadata } = value as { metadata?: { name?: string } };
    if (!metadata?.name) throw new ExitError(usageExitCode, `${place} holds an ${kind} without a name`);
  }
  return found as readonly T[];
}

async function textAt(place: string): Promise<string> {
  if (isUrl(place)) return download(place);
  try {
    return await readFile(place === '-' ? '/dev/stdin' : place, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ExitError(20, `cannot read ${place}: ${code === 'ENOENT' ? 'there is no such file' : code}`);
  }
}

/** The user at this terminal names the URL, so it may be of any host that they reach. */
async function download(url: string): Promise<string> {
  const response = await fetch(url, { signal: AbortSignal.timeout(30_000) }).catch((error: unknown) => {
    throw new FairleadError('Unavailable', `cannot fetch ${url}`, error);
  });
  if (!response.ok) throw new ExitError(20, `cannot fetch ${url}: the server answered ${response.status}`);
  const bytes = await response.arrayBuffer();
  if (bytes.byteLength > maxBytes) throw new ExitError(20, `${url} is larger than ${maxBytes} bytes`);
  return new TextDecoder().decode(bytes);
}
