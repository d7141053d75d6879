import type { Glue } from 'lua-wasm-bindings/dist/glue/glue-lua-5.2.4.js';
import { FairleadError } from '#base/std';

type Memory = { readonly buffer: ArrayBufferLike; grow(pages: number): number };

export type Answer = readonly [word: string, text: string];

const page = 65_536;
const ok = 0;
const stop = 'stopped: ';
/** Several times what a cluster stores of one object. The buffer for it stays, so this bounds that too. */
const mostInput = 8 * 2 ** 20;

/**
 * One instance of the Lua runtime and one state in it, with a program that takes a job and returns text. Text
 * goes in and out through one buffer of the runtime's memory, because its wrappers copy text onto a small
 * stack.
 */
export class LuaMachine {
  readonly #glue: Glue;
  readonly #memory: Memory;
  readonly #program: string;
  #state = 0;
  /** Where the runtime writes the length of a text it returns. */
  readonly #lengthAt: number;
  #buffer = { at: 0, size: 0 };

  /** `program` is Lua that returns the function to call. */
  constructor(glue: Glue, program: string) {
    this.#glue = glue;
    this.#program = program;
    this.#memory = memoryOf(glue);
    widenNumbers(new Uint8Array(this.#memory.buffer));
    this.#lengthAt = glue._malloc(4);
    this.#open();
  }

  /**
   * The program's two results for a job, which is Lua that returns it. Memory for it grows up to `maxBytes`
   * in all.
   */
  run(job: string, maxBytes: number): Answer {
    bound(this.#memory, maxBytes);
    this.#glue._lua_settop(this.#state, 1);
    this.#glue._lua_pushvalue(this.#state, 1);
    this.#load(job);
    if (this.#call(1, 2) === ok) return [this.#text(-2), this.#text(-1)];
    // the error left the program's own guard: a stop came at the last moment, or memory for going on was lacking
    const error = this.#text(-1);
    return ['limit', error.startsWith(stop) ? error.slice(stop.length) : 'memory'];
  }

  /** Discards the state: one that was stopped may have been in the middle of anything. */
  restart(): void {
    this.#glue._lua_close(this.#state);
    this.#open();
  }

  #open(): void {
    this.#state = this.#glue._luaL_newstate();
    this.#glue._luaL_openlibs(this.#state);
    this.#load(this.#program);
    if (this.#call(0, 1) !== ok) throw new FairleadError('Internal', `the Lua sandbox: ${this.#text(-1)}`);
  }

  #call(args: number, results: number): number {
    return this.#glue._lua_pcallk(this.#state, args, results, 0, 0, 0);
  }

  #load(source: string): void {
    if (this.#glue._luaL_loadstring(this.#state, this.#write(source)) !== ok) {
      throw new FairleadError('Internal', `the Lua sandbox: ${this.#text(-1)}`);
    }
  }

  #write(text: string): number {
    const bytes = encoder.encode(text);
    if (bytes.length > mostInput) {
      throw new FairleadError('LimitExceeded', `what a script is given may have ${mostInput} bytes at most`);
    }
    if (this.#buffer.size <= bytes.length) {
      // the runtime exports no way to free it; doubling keeps what is lost below what is used
      const size = 2 * (bytes.length + 1);
      this.#buffer = { at: this.#glue._malloc(size), size };
    }
    const heap = new Uint8Array(this.#memory.buffer);
    heap.set(bytes, this.#buffer.at);
    heap[this.#buffer.at + bytes.length] = 0;
    return this.#buffer.at;
  }

  #text(index: number): string {
    const at = this.#glue._lua_tolstring(this.#state, index, this.#lengthAt);
    if (at === 0) return '';
    const length = new DataView(this.#memory.buffer).getUint32(this.#lengthAt, true);
    return decoder.decode(new Uint8Array(this.#memory.buffer, at, length));
  }
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

function memoryOf(glue: Glue): Memory {
  const isMemory = (part: unknown): part is Memory =>
    typeof part === 'object' && part !== null && 'buffer' in part && 'grow' in part;
  const memory = Object.values(glue.asm).find(isMemory);
  if (!memory) throw new FairleadError('Internal', 'the Lua runtime exports no memory');
  return memory;
}

/**
 * The runtime grows its memory through this very object; when refused, it reports that memory ran out, as a
 * script sees it.
 */
function bound(memory: Memory, maxBytes: number): void {
  memory.grow = (pages) => {
    if (memory.buffer.byteLength + pages * page > maxBytes) throw new RangeError('no more memory for Lua');
    return Object.getPrototypeOf(memory).grow.call(memory, pages);
  };
}

/**
 * compat engine H-28: joined to text, a whole number shows all its digits. The runtime prints fourteen, by a format it keeps in
 * its memory; sixteen are enough for every whole number a double can hold, and hide the noise of sums like 0.1 + 0.2.
 */
function widenNumbers(heap: Uint8Array): void {
  const format = encoder.encode('\0%.14g\0');
  for (let at = heap.indexOf(0); at >= 0 && at < dataEnd; at = heap.indexOf(0, at + 1)) {
    if (format.every((byte, i) => heap[at + i] === byte)) heap[at + 4] = 0x36;
  }
}

/** The constants of the program lie in the first part of its memory. */
const dataEnd = 65_536;
