import { setImmediate as letIoIn } from 'node:timers/promises';
import { delimiter, flush, odd, Packets, packet } from './pkt-line.ts';
import { RefList, type Refs } from './refs.ts';

/**
 * A host's response to `info/refs`: its refs, for version 0 or 1 of Git's protocol; for version 2, the request that
 * lists them.
 */
export type Greeting =
  | { readonly refs: Refs; readonly request?: never }
  | { readonly request: string; readonly refs?: never };

type Bytes = Iterable<Uint8Array>;

/** Reads one line and returns the reader of the next. */
type Reader = (line: string | undefined) => Reader;

/** Reads the response to `info/refs`. Throws Unavailable when anything about it is not as Git writes it. */
export async function readGreeting(bytes: Bytes): Promise<Greeting> {
  const greeting = new GreetingReader();
  await readLines(bytes, greeting.begin);
  return greeting.result();
}

/** Reads the response to the ref request of version 2. Throws Unavailable like readGreeting. */
export async function readRefList(bytes: Bytes): Promise<Refs> {
  const list = new RefList();
  const row: Reader = (line) => {
    if (line === undefined) return ended;
    addRow(list, line);
    return row;
  };
  await readLines(bytes, row);
  return list.refs;
}

/** This much is parsed in a few milliseconds; then the event loop runs other work, however long the list is. */
const sliceBytes = 128 * 1024;

async function readLines(bytes: Bytes, first: Reader): Promise<void> {
  const packets = new Packets();
  let read = first;
  let size = 0;
  const take = (line: string | undefined): void => {
    read = read(line);
  };
  for (const piece of bytes) {
    packets.read(piece, take);
    size += piece.length;
    if (size < sliceBytes) continue;
    size = 0;
    await letIoIn();
  }
  if (!packets.isWhole || read !== ended) throw odd('it has no end');
}

const ended: Reader = () => {
  throw odd('it goes on after its end');
};

// biome-ignore-start lint/suspicious/noControlCharactersInRegex: they are what we look for
const rowOfTwo = /^[0-9a-f]{40} [^\s\u0000-\u001f\u007f]+(?: [^\s\u0000-\u001f\u007f]+)*$/;
const plainRow = /^[0-9a-f]{40} [^\s\u0000-\u001f\u007f]+$/;
const firstRow = /^([0-9a-f]{40} [^\u0000-\u0020\u007f]+)\u0000([^\u0000\n]*)$/;
/** A subset of the names that Git allows: for any other, git decides. */
const plainName = /^refs(?!.*\.\.)(\/(?!\.)[^\u0000-\u0020\u007f~^:?*[\\/{]+(?<!\.|\.lock))+$/;
// biome-ignore-end lint/suspicious/noControlCharactersInRegex: they are what we look for

/** The offset of the name, and the end of the hash before it. */
const nameAt = 41;

/** A row of version 2: a name with its hash and, for a tag, the hash of the tagged commit. */
function addRow(list: RefList, line: string): void {
  if (!rowOfTwo.test(line)) throw odd('a row that is none');
  const end = line.indexOf(' ', nameAt);
  const name = line.slice(nameAt, end < 0 ? line.length : end);
  list.row(name, line.slice(0, nameAt - 1));
  if (end < 0) return;
  for (const attribute of line.slice(end + 1).split(' ')) {
    const [, key, value = ''] = /^(symref-target|peeled):(.+)$/.exec(attribute) ?? [];
    if (key === 'symref-target') list.pointer(name, value);
    else if (key === 'peeled' && isHash(value)) list.row(`${name}^{}`, value);
    else throw odd('a row with more in it than is known');
  }
}

const isHash = (text: string): boolean => /^[0-9a-f]{40}$/.test(text);

class GreetingReader {
  readonly #list = new RefList();
  readonly #abilities = new Set<string>();
  #head: string | undefined;
  #version = 0;

  result(): Greeting {
    if (this.#version < 2) return { refs: this.#list.refs };
    if (!this.#abilities.has('ls-refs')) throw odd('it lists no refs');
    const format = this.#abilities.has('object-format') ? packet('object-format=sha1\n') : '';
    const wants = packet('peel\n') + packet('symrefs\n');
    return { request: packet('command=ls-refs\n') + format + delimiter + wants + flush };
  }

  /** Version 2 may begin without naming the service, the others may not. */
  readonly begin: Reader = (line) => {
    if (line === '# service=git-upload-pack') return this.#serviceEnd;
    if (line === 'version 2') return this.#versionOf(line);
    throw odd('another service');
  };

  readonly #serviceEnd: Reader = (line) => {
    if (line !== undefined) throw odd('a service without an end');
    return (next) => this.#versionOf(next);
  };

  #versionOf(line: string | undefined): Reader {
    if (line === 'version 2') {
      this.#version = 2;
      return this.#ability;
    }
    return line === 'version 1' ? this.#first : this.#first(line);
  }

  readonly #ability: Reader = (line) => {
    if (line === undefined) return ended;
    const [, name, value] = /^([\w.-]+)(?:=(.*))?$/.exec(line) ?? [];
    if (name === undefined) throw odd('an ability without a name');
    this.#learn(name, value);
    return this.#ability;
  };

  /** The first row of the older versions ends with the host's capabilities. Without commits there is often none. */
  readonly #first: Reader = (line) => {
    if (line === undefined) return ended;
    const [, row = '', abilities = ''] = firstRow.exec(line) ?? [];
    for (const ability of abilities.split(' ')) {
      const [name = '', ...value] = ability.split('=');
      this.#learn(name, value.join('='));
    }
    return /^0{40} capabilities\^\{\}$/.test(row) ? this.#rest : this.#row(row);
  };

  readonly #row: Reader = (line) => {
    if (line === undefined || !plainRow.test(line)) return this.#rest(line);
    const name = line.slice(nameAt);
    this.#list.row(name, line.slice(0, nameAt - 1));
    if (name === 'HEAD' && this.#head !== undefined) this.#list.pointer(name, this.#head);
    return this.#row;
  };

  /** A host with a shallow history announces that at the end. */
  readonly #rest: Reader = (line) => {
    if (line === undefined) return ended;
    if (!line.startsWith('shallow ') || !isHash(line.slice('shallow '.length))) {
      throw odd('a row that is none');
    }
    return this.#rest;
  };

  #learn(name: string, value: string | undefined): void {
    this.#abilities.add(name);
    if (name === 'object-format' && value !== 'sha1') throw odd('objects of another format');
    if (name !== 'symref' || !value?.startsWith('HEAD:')) return;
    const target = value.slice('HEAD:'.length);
    if (this.#head !== undefined || !plainName.test(target)) throw odd('HEAD stands for no plain name');
    this.#head = target;
  }
}
