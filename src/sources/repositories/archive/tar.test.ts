import { execFile } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/git-repository.ts';
import { tarOf } from '../../../../test/tar.ts';
import { readTar, type TarEntry, type TarLimits } from './tar.ts';

const run = promisify(execFile);
const limits: TarLimits = { bytes: 1_000_000, fileBytes: 100_000, entries: 1000 };

/** Bytes in pieces of a size. */
async function* pieces(bytes: Uint8Array, size = 700): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function listed(bytes: Uint8Array, size?: number, most = limits): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for await (const entry of readTar(pieces(bytes, size), most)) found[entry.path] = await told(entry);
  return found;
}

async function told(entry: TarEntry): Promise<string> {
  if (entry.kind === 'dir') return '/';
  if (entry.kind === 'symlink') return `-> ${entry.target}`;
  if (entry.kind === 'same') return `= ${entry.as}`;
  const parts: Uint8Array[] = [];
  for await (const part of entry.content) parts.push(part);
  return `${entry.executable ? '*' : ''}${Buffer.concat(parts)}`;
}

describe('a tar archive', () => {
  test.each(['gnu', 'pax', 'ustar', 'v7'])('in the form %s is read as tar wrote it', async (format) => {
    const folder = await temporaryFolder();
    const deep = format === 'v7' ? 'short' : `${'deep/'.repeat(20)}folder`;
    await mkdir(join(folder.path, 'in', deep), { recursive: true });
    const long = format === 'gnu' || format === 'pax' ? 'ü'.repeat(120) : 'name';
    await writeFile(join(folder.path, 'in', deep, 'a'), 'hello');
    await writeFile(join(folder.path, 'in', long), 'x'.repeat(1025), { mode: 0o755 });
    await symlink(
      format === 'ustar' || format === 'v7' ? 'a' : 'b'.repeat(150),
      join(folder.path, 'in/link'),
    );
    const file = join(folder.path, 'out.tar');
    await run('tar', ['-C', join(folder.path, 'in'), `--format=${format}`, '-cf', file, '.']);
    const { stdout } = await run('cat', [file], { encoding: 'buffer', maxBuffer: 1e8 });
    expect(await listed(stdout)).toMatchObject({
      [`${deep}/a`]: 'hello',
      [long]: `*${'x'.repeat(1025)}`,
      link: expect.stringMatching(/^-> (a|b+)$/),
    });
    await folder.remove();
  });

  test('of any files comes back, in pieces of any size', async () => {
    const name = fc.stringMatching(/^[a-z]{1,8}(\/[a-z]{1,8}){0,3}$/);
    const files = fc.dictionary(name, fc.string({ maxLength: 2000 }), { maxKeys: 10, noNullPrototype: true });
    await fc.assert(
      fc.asyncProperty(files, fc.integer({ min: 1, max: 3000 }), async (contents, size) => {
        const items = Object.entries(contents).map(([path, content]) => ({ name: path, content }));
        expect(await listed(tarOf(items), size)).toEqual(contents);
      }),
      { numRuns: 50 },
    );
  });

  test('that was changed anywhere ends in an error or in entries, never in a hang', async () => {
    const whole = tarOf([
      { name: 'a', content: 'x'.repeat(600) },
      { name: 'l', type: '2', link: 'a' },
    ]);
    const spot = fc.integer({ min: 0, max: whole.length - 1 });
    await fc.assert(
      fc.asyncProperty(spot, fc.nat(255), async (at, byte) => {
        const changed = Buffer.from(whole);
        changed[at] = byte;
        const error = await listed(changed).then(
          () => undefined,
          (thrown: { code?: string }) => thrown.code,
        );
        expect([undefined, 'InvalidSpec', 'LimitExceeded']).toContain(error);
      }),
      { numRuns: 300 },
    );
  });

  test.each([
    ['more bytes', { bytes: 5 }],
    ['a larger file', { fileBytes: 5 }],
    ['more entries', { entries: 1 }],
  ])('with %s than it may have is refused before they are read', async (_what, less) => {
    const bytes = tarOf([
      { name: 'a', content: '123' },
      { name: 'b', content: '123456' },
    ]);
    await expect(listed(bytes, 700, { ...limits, ...less })).rejects.toMatchObject({ code: 'LimitExceeded' });
  });

  test('whose names announce more than a name has is refused', async () => {
    const bytes = tarOf([{ name: 'x', type: 'L', size: 2_000_000 }]);
    await expect(listed(bytes)).rejects.toMatchObject({ code: 'LimitExceeded' });
  });

  test.each(['../a', 'a/../../b', '/a', 'a/..'])('with a path like %s is refused', async (name) => {
    await expect(listed(tarOf([{ name, content: 'x' }]))).rejects.toMatchObject({ code: 'InvalidSpec' });
  });

  test('gives the root no entry, and a folder one', async () => {
    expect(
      await listed(
        tarOf([
          { name: './', type: '5' },
          { name: './a/', type: '5' },
        ]),
      ),
    ).toEqual({ a: '/' });
  });
});
