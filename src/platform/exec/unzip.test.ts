import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32, deflateRawSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readZip, unpackEntry } from './unzip.ts';

type Part = { name: string; data: Buffer; method?: number; size?: number; crc?: number; flags?: number };

/** A zip as small as the format allows; `size`, `crc` and `flags` let a test tell lies. */
function zip(parts: Part[], comment = ''): Buffer {
  const local: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const { name, data, method = 8, size = data.length, crc = crc32(data), flags = 0 } of parts) {
    const packed = method === 8 ? deflateRawSync(data) : data;
    const header = Buffer.alloc(30);
    header.writeUInt32LE(0x04034b50, 0);
    header.writeUInt16LE(name.length, 26);
    header.writeUInt16LE(4, 28); // an extra field that the directory does not have
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(flags, 8);
    entry.writeUInt16LE(method, 10);
    entry.writeUInt32LE(crc, 16);
    entry.writeUInt32LE(packed.length, 20);
    entry.writeUInt32LE(size, 24);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt32LE(offset, 42);
    local.push(header, Buffer.from(name), Buffer.alloc(4), packed);
    central.push(entry, Buffer.from(name));
    offset += 34 + name.length + packed.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(parts.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  end.writeUInt16LE(comment.length, 20);
  return Buffer.concat([...local, directory, end, Buffer.from(comment)]);
}

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'fairlead-zip-'));
});
afterAll(() => rm(dir, { recursive: true }));

let count = 0;
async function unpack(archive: Buffer, name: string): Promise<string> {
  const path = join(dir, `${count++}.zip`);
  const target = join(dir, `${count++}.out`);
  await writeFile(path, archive);
  const entry = (await readZip(path)).get(name);
  if (!entry) throw new Error(`no ${name}`);
  await unpackEntry(path, entry, target);
  return readFile(target, 'utf8');
}

const hello = { name: 'a/hello', data: Buffer.from('hello '.repeat(5000)) };

test('unpacks deflated, stored and empty entries, also behind a comment', async () => {
  const archive = zip(
    [
      hello,
      { name: 'b', data: Buffer.from('as it is'), method: 0 },
      { name: 'c', data: Buffer.alloc(0), method: 0 },
    ],
    'a comment',
  );
  expect(await unpack(archive, 'a/hello')).toBe('hello '.repeat(5000));
  expect(await unpack(archive, 'b')).toBe('as it is');
  expect(await unpack(archive, 'c')).toBe('');
});

test.each([
  ['more comes out than announced', { ...hello, size: 100 }, 'a/hello is larger than it says'],
  ['less comes out than announced', { ...hello, size: 100_000 }, 'a/hello is shorter than it says'],
  ['the checksum is wrong', { ...hello, crc: 7 }, 'a/hello has a wrong checksum'],
  ['it is encrypted', { ...hello, flags: 1 }, 'a/hello is encrypted'],
  ['the method is unknown', { ...hello, method: 12 }, 'a/hello is packed by an unknown method'],
])('refuses an entry when %s', async (_why, part, message) => {
  await expect(unpack(zip([part]), 'a/hello')).rejects.toMatchObject({
    code: 'InvalidSpec',
    message: `broken zip archive: ${message}`,
  });
});

test('refuses damaged archives', async () => {
  const archive = zip([hello]);
  const scribbled = Buffer.from(archive);
  scribbled.fill(0xff, 60, 70);
  await expect(unpack(scribbled, 'a/hello')).rejects.toMatchObject({
    message: 'broken zip archive: a/hello is damaged',
  });
  await expect(unpack(Buffer.from('not a zip at all'), 'x')).rejects.toThrow('no central directory');
  await expect(unpack(archive.subarray(40), 'a/hello')).rejects.toThrow('broken zip archive');
  const far = Buffer.from(archive);
  far.writeUInt32LE(0xffffffff, archive.length - 6);
  await expect(unpack(far, 'a/hello')).rejects.toThrow('zip64 is not supported');
});
