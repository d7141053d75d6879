import { type FileHandle, open } from 'node:fs/promises';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { crc32, createInflateRaw } from 'node:zlib';
import { FairleadError } from '#base/std';

/** One file of an archive, as its central directory describes it. */
export type ZipEntry = {
  readonly name: string;
  readonly size: number;
  readonly packedSize: number;
  readonly crc: number;
  readonly method: number;
  readonly flags: number;
  readonly offset: number;
};

const endSignature = 0x06054b50;
const entrySignature = 0x02014b50;
const fileSignature = 0x04034b50;
const stored = 0;
const deflated = 8;
const maxDirectoryBytes = 16 * 1024 * 1024;

/** Lists an archive without unpacking it. Throws InvalidSpec for anything but a plain zip (also zip64). */
export async function readZip(path: string): Promise<ReadonlyMap<string, ZipEntry>> {
  const file = await open(path);
  try {
    const directory = await readDirectory(file);
    return new Map(entriesOf(directory).map((entry) => [entry.name, entry]));
  } finally {
    await file.close();
  }
}

/** Unpacks one entry to a new file, in constant memory; its length and checksum must be what the archive says. */
export async function unpackEntry(path: string, entry: ZipEntry, target: string): Promise<void> {
  if (entry.flags & 1) throw broken(`${entry.name} is encrypted`);
  if (entry.method !== stored && entry.method !== deflated)
    throw broken(`${entry.name} is packed by an unknown method`);
  const file = await open(path);
  try {
    const start = await dataStart(file, entry);
    const packed =
      entry.packedSize === 0
        ? []
        : file.createReadStream({
            start,
            end: start + entry.packedSize - 1,
            autoClose: false,
            highWaterMark: 1 << 18,
          });
    const out = await open(target, 'wx', 0o755);
    const sink = out.createWriteStream({ flush: true });
    if (entry.method === deflated) {
      await pipeline(packed, createInflateRaw({ chunkSize: 1 << 18 }), checked(entry), sink);
    } else {
      await pipeline(packed, checked(entry), sink);
    }
  } catch (error) {
    // only the inflater's own errors concern the archive; a full disk does not
    throw String((error as { code?: string }).code).startsWith('Z_')
      ? broken(`${entry.name} is damaged`, error)
      : error;
  } finally {
    await file.close();
  }
}

/** Stops as soon as more data comes out than announced, so that a small archive cannot fill the disk. */
function checked(entry: ZipEntry): Transform {
  let size = 0;
  let sum = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      sum = crc32(chunk, sum);
      if (size > entry.size) done(broken(`${entry.name} is larger than it says`));
      else done(null, chunk);
    },
    flush(done) {
      if (size !== entry.size) done(broken(`${entry.name} is shorter than it says`));
      else if (sum !== entry.crc) done(broken(`${entry.name} has a wrong checksum`));
      else done();
    },
  });
}

async function readDirectory(file: FileHandle): Promise<Buffer> {
  const { size } = await file.stat();
  const tail = await slice(file, Math.max(0, size - 65_557), Math.min(size, 65_557));
  const end = tail.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]));
  if (end < 0 || end + 22 > tail.length || tail.readUInt32LE(end) !== endSignature)
    throw broken('no central directory');
  const length = tail.readUInt32LE(end + 12);
  const offset = tail.readUInt32LE(end + 16);
  if (offset === 0xffffffff || tail.readUInt16LE(end + 10) === 0xffff) throw broken('zip64 is not supported');
  if (length > maxDirectoryBytes) throw broken('its directory is too large');
  if (offset + length > size) throw broken('its directory lies outside the file');
  return slice(file, offset, length);
}

function entriesOf(directory: Buffer): ZipEntry[] {
  const entries: ZipEntry[] = [];
  for (let at = 0; at + 46 <= directory.length; ) {
    if (directory.readUInt32LE(at) !== entrySignature) throw broken('its directory is damaged');
    const nameLength = directory.readUInt16LE(at + 28);
    entries.push({
      name: directory.toString('utf8', at + 46, at + 46 + nameLength),
      flags: directory.readUInt16LE(at + 8),
      method: directory.readUInt16LE(at + 10),
      crc: directory.readUInt32LE(at + 16),
      packedSize: directory.readUInt32LE(at + 20),
      size: directory.readUInt32LE(at + 24),
      offset: directory.readUInt32LE(at + 42),
    });
    at += 46 + nameLength + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
  }
  return entries;
}

/** The local header repeats the name and may have other extra fields than the directory: its own lengths count. */
async function dataStart(file: FileHandle, entry: ZipEntry): Promise<number> {
  const header = await slice(file, entry.offset, 30);
  if (header.readUInt32LE(0) !== fileSignature) throw broken(`${entry.name} has no header`);
  return entry.offset + 30 + header.readUInt16LE(26) + header.readUInt16LE(28);
}

async function slice(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await file.read(buffer, 0, length, position);
  if (bytesRead !== length) throw broken('it is cut short');
  return buffer;
}

function broken(what: string, cause?: unknown): FairleadError {
  return new FairleadError('InvalidSpec', `broken zip archive: ${what}`, cause);
}
