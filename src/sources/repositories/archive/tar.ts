import { normalizePath } from '#base/model';
import { FairleadError } from '#base/std';
import { ByteReader } from './byte-reader.ts';
import { blockSize, damaged, type Header, readHeader, readPax, textAt } from './tar-header.ts';

export type TarLimits = {
  /** Bytes of all files together, of one file, and how many entries there may be. */
  readonly bytes: number;
  readonly fileBytes: number;
  readonly entries: number;
};

/**
 * The entry of an archive at a path. The content of a file arrives in parts, and must be read before the next entry.
 */
export type TarEntry = { readonly path: string } & (
  | {
      readonly kind: 'file';
      readonly size: number;
      readonly executable: boolean;
      readonly content: AsyncIterable<Uint8Array>;
    }
  | { readonly kind: 'dir' }
  | { readonly kind: 'symlink'; readonly target: string }
  /** The same file as an earlier one. */
  | { readonly kind: 'same'; readonly as: string }
);

const files = new Set(['0', '\0', '7']);
/** Longer names and pax records are refused. */
const mostWords = 1024 * 1024;

/**
 * The entries of a tar archive, as they arrive. Entries that could leave the archive are refused by name: paths that
 * climb, absolute ones, devices. Limits apply to the sizes in a header, before its content is read.
 */
export async function* readTar(
  chunks: AsyncIterable<Uint8Array>,
  limits: TarLimits,
): AsyncGenerator<TarEntry> {
  const reader = new ByteReader(chunks);
  const count = counter(limits);
  try {
    for (let header = await next(reader); header; header = await next(reader)) {
      count(header);
      const entry = entryOf(header, reader);
      if (entry) yield entry;
      await skip(reader, entry?.kind === 'file' ? padding(header.size) : padded(header.size));
    }
  } finally {
    await reader.close();
  }
}

function counter(limits: TarLimits): (header: Header) => void {
  let bytes = 0;
  let entries = 0;
  return ({ name, size }) => {
    bytes += size;
    entries += 1;
    const over =
      (entries > limits.entries && `more than ${limits.entries} entries`) ||
      (size > limits.fileBytes && `more than ${limits.fileBytes} bytes in ${name}`) ||
      (bytes > limits.bytes && `more than ${limits.bytes} bytes`);
    if (over) throw new FairleadError('LimitExceeded', `it holds ${over} when unpacked`);
  };
}

const padding = (size: number): number => (blockSize - (size % blockSize)) % blockSize;
const padded = (size: number): number => size + padding(size);

async function skip(reader: ByteReader, bytes: number): Promise<void> {
  let left = bytes;
  for await (const part of reader.parts(bytes)) left -= part.length;
  if (left > 0) throw damaged();
}

/** The next entry's header, with the name, link and size that earlier entries give it; undefined: the end. */
async function next(reader: ByteReader): Promise<Header | undefined> {
  let more: Partial<Header> = {};
  for (;;) {
    const block = await reader.upTo(blockSize);
    const isPart = block.length < blockSize;
    if (isPart && block.some((byte) => byte !== 0)) throw damaged();
    const header = isPart ? undefined : readHeader(block);
    if (!header) return undefined; // one block of zeros, or none, ends it like two
    const said = sayings[header.type];
    if (!said) return { ...header, ...more };
    more = { ...more, ...said(await words(reader, header)) };
  }
}

/** Entries that describe the next one, by their type: pax's and GNU's. A global pax header contains nothing we need. */
const sayings: Readonly<Record<string, (bytes: Uint8Array) => Partial<Header>>> = {
  x: paxed,
  g: () => ({}),
  L: (bytes) => ({ name: textOf(bytes) }),
  K: (bytes) => ({ link: textOf(bytes) }),
};

const textOf = (bytes: Uint8Array): string => textAt(bytes, 0, bytes.length);

async function words(reader: ByteReader, { size }: Header): Promise<Uint8Array> {
  if (size > mostWords)
    throw new FairleadError('LimitExceeded', `it holds a name of more than ${mostWords} bytes`);
  const whole = await reader.take(padded(size));
  if (!whole) throw damaged();
  return whole.subarray(0, size);
}

function paxed(bytes: Uint8Array): Partial<Header> {
  const records = readPax(bytes);
  const [name, link, size] = [records.get('path'), records.get('linkpath'), records.get('size')];
  if (size !== undefined && !/^\d{1,15}$/.test(size)) throw damaged();
  return {
    ...(name === undefined ? {} : { name }),
    ...(link === undefined ? {} : { link }),
    ...(size === undefined ? {} : { size: Number(size) }),
  };
}

/** Undefined: an entry for the root itself, which is ignored. */
function entryOf(header: Header, reader: ByteReader): TarEntry | undefined {
  const { type, size, executable } = header;
  const path = inside(header.name);
  const isFolder = type === '5' || (files.has(type) && header.name.endsWith('/'));
  if (isFolder) return path === '' ? undefined : { path, kind: 'dir' };
  if (path === '') throw refused(header.name, 'a name that names nothing');
  if (files.has(type)) return { path, kind: 'file', size, executable, content: whole(reader, size) };
  if (type === '2') return { path, kind: 'symlink', target: header.link };
  if (type === '1') return { path, kind: 'same', as: inside(header.link) };
  throw refused(header.name, 'neither a file, a folder nor a link');
}

async function* whole(reader: ByteReader, size: number): AsyncGenerator<Uint8Array> {
  let left = size;
  for await (const part of reader.parts(size)) {
    left -= part.length;
    yield part;
  }
  if (left > 0) throw damaged();
}

function inside(name: string): string {
  if (name.includes('\0') || name.startsWith('/') || name.split('/').includes('..')) {
    throw refused(name, 'a path that leads out of it');
  }
  return normalizePath(name);
}

const refused = (name: string, what: string): FairleadError =>
  new FairleadError(
    'InvalidSpec',
    `it holds ${JSON.stringify(name.slice(0, 200))}, ${what}: pack it without`,
  );
