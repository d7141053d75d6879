import { readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Ctx, realClock, silent, virtualClock } from '#base/std';
import { temporaryFolder } from '../../../../test/git-repository.ts';
import { Blobs } from './blobs.ts';

const ctx: Ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let blobs: Blobs;

beforeEach(async () => {
  folder = await temporaryFolder();
  blobs = new Blobs(folder.path);
});
afterEach(() => folder.remove());

async function* bytes(...parts: string[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield Buffer.from(part);
}
const textOf = async (content: AsyncIterable<Uint8Array> | undefined): Promise<string | undefined> => {
  if (!content) return undefined;
  const chunks: Uint8Array[] = [];
  for await (const chunk of content) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
};
const hello = 'sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824';

describe('bytes under the name of their digest', () => {
  test('are kept, and read whole or in part', async () => {
    expect(await blobs.put(ctx, bytes('he', 'llo'))).toBe(hello);
    expect(await textOf(await blobs.open(hello))).toBe('hello');
    expect(await textOf(await blobs.open(hello, { from: 1, to: 3 }))).toBe('el');
    expect(await blobs.has(hello.replace('2', '3'))).toBe(false);
  });

  test('that are others than were announced are not kept, and leave nothing behind', async () => {
    await expect(blobs.put(ctx, bytes('other'), hello)).rejects.toMatchObject({ code: 'PolicyFailed' });
    const broken = async function* (): AsyncGenerator<Uint8Array> {
      yield Buffer.from('he');
      throw new Error('cut');
    };
    await expect(blobs.put(ctx, broken())).rejects.toThrow('cut');
    const wide = `sha512:${'0'.repeat(128)}`;
    await expect(blobs.put(ctx, bytes('x'), wide)).rejects.toMatchObject({ code: 'PolicyFailed' });
    expect(await readdir(folder.path)).toEqual([]);
  });

  test('are not believed by a new process until it has read them', async () => {
    await blobs.put(ctx, bytes('hello'));
    expect(await new Blobs(folder.path).has(hello)).toBe(true);
    await writeFile(join(folder.path, hello.replace(':', '-')), 'hullo');
    expect(await new Blobs(folder.path).has(hello)).toBe(false);
    expect(await readdir(folder.path)).toEqual([]);
  });

  test('what a killed process left half-made is cleared', async () => {
    await writeFile(join(folder.path, 'draft-1'), 'x');
    await writeFile(join(folder.path, 'spool-1'), 'x');
    expect(await blobs.has(hello)).toBe(false);
    expect(await readdir(folder.path)).toEqual([]);
  });
});

describe('notes', () => {
  test('are read while they are young enough, and a torn one is none', async () => {
    const clock = virtualClock({ start: new Date() });
    const timed = { ...ctx, clock };
    await blobs.setNote(timed, 'a secret name', { x: 1 });
    await clock.advance(1000);
    expect(await blobs.note(timed, 'a secret name', 1000)).toEqual({ x: 1 });
    expect(await blobs.note(timed, 'a secret name', 999)).toBeUndefined();
    expect(await blobs.note(timed, 'another')).toBeUndefined();
    const [file = ''] = await readdir(folder.path);
    expect(file).not.toContain('secret');
    await writeFile(join(folder.path, file), '{"at":');
    expect(await blobs.note(timed, 'a secret name')).toBeUndefined();
  });
});

describe('a sweep', () => {
  const hour = 3_600_000;
  /** Files by their names, bytes and hours since they were used. */
  async function lay(files: Record<string, [bytes: number, hours: number]>): Promise<void> {
    await blobs.has(hello);
    for (const [name, [size, hours]] of Object.entries(files)) {
      const at = new Date(Date.now() - hours * hour);
      await writeFile(join(folder.path, name), 'x'.repeat(size));
      await utimes(join(folder.path, name), at, at);
    }
  }

  test('removes what nobody used for long, and leaves what trees are read from', async () => {
    await lay({ 'sha256-a': [1, 30], 'sha256-b': [1, 1], 'spool-c': [1, 30] });
    await blobs.sweep(ctx, { bytes: 100, idleMs: 24 * hour });
    expect((await readdir(folder.path)).sort()).toEqual(['sha256-b', 'spool-c']);
  });

  test('removes the longest unused of too much, and nothing that was used a moment ago', async () => {
    await lay({ 'sha256-a': [50, 3], 'sha256-b': [50, 2], 'sha256-c': [50, 1], 'sha256-d': [200, 0] });
    await blobs.sweep(ctx, { bytes: 300, idleMs: 24 * hour });
    expect((await readdir(folder.path)).sort()).toEqual(['sha256-b', 'sha256-c', 'sha256-d']);
    await blobs.sweep(ctx, { bytes: 10, idleMs: 24 * hour });
    expect(await readdir(folder.path)).toEqual(['sha256-d']);
  });
});
