import type { FileHandle } from 'node:fs/promises';

/** A tree of pages, as LMDB describes it: its depth, its number of entries, and its root page. */
type Tree = { readonly depth: number; readonly entries: number; readonly root: bigint };

/** The offsets of the fields in the heads of pages and of trees. */
const page = { flags: 18, lower: 20, head: 24 };
const tree = { depth: 6, entries: 32, root: 40, size: 48 };
const isBranch = 1;
const isLeaf = 2;
const isOverflow = 4;
const none = 0xffffffffffffffffn;

/** What is wrong with a data file, as the end of a sentence. */
export class WrongPage extends Error {}

/** Reads a tree's head from the bytes that contain it. */
export const treeAt = (bytes: Buffer, at: number): Tree => ({
  depth: bytes.readUInt16LE(at + tree.depth),
  entries: Number(bytes.readBigUInt64LE(at + tree.entries)),
  root: bytes.readBigUInt64LE(at + tree.root),
});

/**
 * Visits every page that LMDB would visit and checks that it is of the expected kind. LMDB itself trusts pages: an unexpected
 * one ends the whole process, or hides data.
 */
export class Walk {
  readonly #file: FileHandle;
  readonly #pageSize: number;
  readonly #lastPage: number;
  readonly #seen = new Set<number>();

  constructor(file: FileHandle, pageSize: number, lastPage: number) {
    this.#file = file;
    this.#pageSize = pageSize;
    this.#lastPage = lastPage;
  }

  /** Throws WrongPage. A table is a tree inside a tree. */
  async check({ depth, entries, root }: Tree): Promise<void> {
    if (root === none) {
      if (entries !== 0) throw new WrongPage('a table has entries but no pages');
      return;
    }
    const found = await this.#page(Number(root), depth);
    if (found !== entries) throw new WrongPage(`a table has ${found} entries instead of ${entries}`);
  }

  async #page(number: number, level: number): Promise<number> {
    const bytes = await this.#read(number, this.#pageSize);
    const wanted = level > 1 ? isBranch : isLeaf;
    if ((bytes.readUInt16LE(page.flags) & (isBranch | isLeaf | isOverflow)) !== wanted) throw wrong(number);
    let entries = 0;
    for (const node of this.#nodes(bytes, number)) {
      if (level > 1) entries += await this.#page(childOf(node), level - 1);
      else {
        entries += 1;
        await this.#leaf(node, number);
      }
    }
    return entries;
  }

  /** The nodes of a page, each from its own head to the page's end. */
  *#nodes(bytes: Buffer, number: number): Generator<Buffer> {
    const count = bytes.readUInt16LE(page.lower) / 2;
    if (!Number.isInteger(count) || page.head + count * 2 > bytes.length) throw wrong(number);
    for (let i = 0; i < count; i++) {
      const at = page.head + bytes.readUInt16LE(page.head + i * 2);
      if (at + 8 > bytes.length) throw wrong(number);
      yield bytes.subarray(at);
    }
  }

  async #leaf(node: Buffer, number: number): Promise<void> {
    const flags = node.readUInt16LE(4);
    const start = 8 + node.readUInt16LE(6);
    const size = node.readUInt32LE(0);
    const isElsewhere = (flags & 1) !== 0;
    if (start + (isElsewhere ? 8 : size) > node.length) throw wrong(number);
    if (isElsewhere) await this.#overflow(Number(node.readBigUInt64LE(start)), size);
    else if ((flags & 2) !== 0) {
      if (size !== tree.size) throw wrong(number);
      await this.check(treeAt(node, start));
    }
  }

  async #overflow(number: number, size: number): Promise<void> {
    const head = await this.#read(number, page.head);
    const pages = head.readUInt32LE(page.lower);
    if ((head.readUInt16LE(page.flags) & isOverflow) === 0) throw wrong(number);
    if (pages * this.#pageSize < size + page.head || number + pages - 1 > this.#lastPage) throw wrong(number);
  }

  async #read(number: number, length: number): Promise<Buffer> {
    if (number < 2 || number > this.#lastPage || this.#seen.has(number)) throw wrong(number);
    this.#seen.add(number);
    const { buffer, bytesRead } = await this.#file.read(
      Buffer.alloc(length),
      0,
      length,
      number * this.#pageSize,
    );
    if (bytesRead < length || buffer.readBigUInt64LE(0) !== BigInt(number)) throw wrong(number);
    return buffer;
  }
}

/** A branch stores the number of the page below in the three fields that hold a leaf's size and flags. */
const childOf = (node: Buffer): number => node.readUInt32LE(0) + node.readUInt16LE(4) * 2 ** 32;

const wrong = (number: number): WrongPage =>
  new WrongPage(`page ${number} of its data file is not what it should be`);
