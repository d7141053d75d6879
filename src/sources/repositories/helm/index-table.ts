import { decodeText } from '#base/model';

/** The byte range of each chart's entries in an index. */
export type IndexTable = ReadonlyMap<string, { readonly from: number; readonly to: number }>;

const newline = 0x0a;
const key = /^(?:"([^"\\]+)"|'([^']+)'|([A-Za-z0-9_][^\s:#'"]*)):\s*$/;

/**
 * Reads the table of an index line by line, without parsing YAML: in the form in which helm and other tools write an
 * index, each chart begins with its name at the least indentation below `entries:`. For an index of any other form
 * `table` returns undefined.
 */
export class IndexTableReader {
  readonly #charts = new Map<string, { from: number; to: number }>();
  #state: 'before' | 'within' | 'after' | 'odd' = 'before';
  #indent = 0;
  #open: { from: number; to: number } | undefined;
  #at = 0;
  #rest: Buffer = Buffer.alloc(0);

  add(chunk: Uint8Array): void {
    let bytes = this.#rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([this.#rest, chunk]);
    for (let end = bytes.indexOf(newline); end >= 0; end = bytes.indexOf(newline)) {
      this.#line(bytes.subarray(0, end), end + 1);
      bytes = bytes.subarray(end + 1);
    }
    this.#rest = bytes;
    if (bytes.length > longestLine) this.#state = 'odd';
  }

  /** Call it once, after the last byte. */
  table(): IndexTable | undefined {
    this.#line(this.#rest, this.#rest.length);
    this.#close();
    return this.#state === 'odd' || this.#state === 'before' ? undefined : this.#charts;
  }

  #line(line: Buffer, length: number): void {
    const from = this.#at;
    this.#at += length;
    if (this.#state === 'odd' || this.#state === 'after') return;
    const indent = indentOf(line);
    if (indent === line.length || line[indent] === hash) return; // blank, or a comment
    if (indent === 0) this.#top(line);
    else if (this.#state === 'within') this.#below(line, indent, from);
    if (this.#open) this.#open.to = this.#at;
  }

  #top(line: Buffer): void {
    if (this.#state === 'within') {
      this.#close();
      this.#state = line[0] === dash || line[0] === tab ? 'odd' : 'after';
    } else if (/^entries:\s*$/.test(decodeText(line))) this.#state = 'within';
    else if (/^(entries|["'{[?&!])/.test(decodeText(line.subarray(0, 16)))) this.#state = 'odd';
  }

  #below(line: Buffer, indent: number, from: number): void {
    if (this.#indent === 0) this.#indent = indent;
    if (indent > this.#indent || (indent === this.#indent && line[indent] === dash)) return;
    const [, double, single, bare] = key.exec(decodeText(line.subarray(indent))) ?? [];
    const name = double ?? single ?? bare;
    if (indent < this.#indent || name === undefined || this.#charts.has(name)) {
      this.#state = 'odd';
      return;
    }
    this.#close();
    this.#open = { from, to: this.#at };
    this.#charts.set(name, this.#open);
  }

  #close(): void {
    this.#open = undefined;
  }
}

const hash = 0x23;
const dash = 0x2d;
const tab = 0x09;
const longestLine = 16 * 1024 * 1024;

function indentOf(line: Buffer): number {
  let at = 0;
  while (at < line.length && line[at] === 0x20) at += 1;
  return at < line.length && line[at] === 0x0d ? line.length : at;
}
