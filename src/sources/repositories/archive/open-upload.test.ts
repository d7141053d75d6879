import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { realClock, silent } from '#base/std';
import { tarOf } from '../../../../test/tar.ts';
import { openUpload } from './open-upload.ts';

// Attack 17: files that a user sends instead of those of the repository.

const ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
const limits = { archiveBytes: 20_000, bytes: 40_000 };
const sumOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

async function* pieces(bytes: Uint8Array, size = 700): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
const opened = (archive: Buffer, checksum?: string) =>
  openUpload(ctx, { content: pieces(archive), checksum }, limits);
const folders = (): string[] => readdirSync(tmpdir()).filter((name) => name.startsWith('fairlead-upload-'));

const config = { name: 'app/a.yaml', content: 'kind: ConfigMap' };
const link = (linkname: string) => ({ name: 'app/link.yaml', type: '2', link: linkname });

test.each([
  ['plain', tarOf([config, link('a.yaml')])],
  ['gzipped', gzipSync(tarOf([config, link('a.yaml')]))],
])('a %s archive is a tree of files until it is closed', async (_what, archive) => {
  const before = folders().length;
  const { files, close } = await opened(archive, sumOf(archive).toUpperCase());
  expect(await files.text('app/a.yaml')).toBe('kind: ConfigMap');
  expect(await files.text('app/link.yaml')).toBe('kind: ConfigMap');
  await close();
  expect(folders().length).toBeLessThanOrEqual(before);
});

const bomb = gzipSync(tarOf([{ name: 'big', content: 'x'.repeat(60_000) }]));
test.each([
  ['a path that climbs', tarOf([{ name: '../out', content: 'x' }]), 'a path that leads out of it'],
  ['an absolute path', tarOf([{ name: '/etc/out', content: 'x' }]), 'a path that leads out of it'],
  [
    'a link that leads out',
    tarOf([config, link('../../../etc/passwd')]),
    'a link that leads out of them: app/link.yaml',
  ],
  ['an absolute link, which leads out', tarOf([link('/etc/passwd')]), 'a link that leads out of them'],
  [
    'a file below a link',
    tarOf([link('..'), { name: 'app/link.yaml/x', content: 'x' }]),
    'which is no folder',
  ],
  ['a device', tarOf([{ name: 'null', type: '3' }]), 'neither a file, a folder nor a link'],
  ['more bytes than allowed', Buffer.alloc(30_000, 1), 'more than 20000 bytes, packed'],
  ['more bytes than allowed when unpacked', bomb, 'more than 40000 bytes'],
  ['damage', gzipSync(tarOf([config])).subarray(0, 40), 'cannot be'],
])('%s is refused, and nothing stays on disk', async (_what, archive, message) => {
  const before = folders();
  await expect(opened(archive)).rejects.toThrow(message);
  expect(folders().filter((name) => !before.includes(name))).toEqual([]);
});

test('an archive with another checksum is not unpacked', async () => {
  await expect(opened(tarOf([config]), sumOf(Buffer.from('other')))).rejects.toThrow(
    'did not arrive as they were sent',
  );
});
