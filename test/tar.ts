import { gzipSync } from 'node:zlib';

/** An entry as it is written, however wrong: a name, what it holds, its type, and where it links to. */
export type TarItem = {
  readonly name: string;
  readonly content?: string | Uint8Array;
  readonly type?: string;
  readonly link?: string;
  /** What the header says instead of the true size. */
  readonly size?: number;
  readonly mode?: number;
};

/** A tar archive of exactly these entries. */
export function tarOf(items: readonly TarItem[]): Buffer {
  return Buffer.concat([...items.map(entry), Buffer.alloc(1024)]);
}

export const tgzOf = (items: readonly TarItem[]): Buffer => gzipSync(tarOf(items));

function entry({ name, content = '', type = '0', link = '', size, mode = 0o644 }: TarItem): Buffer {
  const bytes = Buffer.from(content);
  const block = Buffer.alloc(512);
  block.write(name, 0, 100);
  block.write(mode.toString(8).padStart(7, '0'), 100);
  block.write((size ?? bytes.length).toString(8).padStart(11, '0'), 124);
  block.write('00000000000', 136);
  block.write(type, 156, 1, 'latin1');
  block.write(link, 157, 100);
  block.write('ustar\u000000', 257);
  block.fill(' ', 148, 156);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  const padding = Buffer.alloc((512 - (bytes.length % 512)) % 512);
  return Buffer.concat([block, bytes, padding]);
}
