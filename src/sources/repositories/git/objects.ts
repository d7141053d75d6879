import { type Ctx, FairleadError, realClock } from '#base/std';
import { type Child, open } from '#platform/exec';
import { type GitProgram, gitCommand, isOutOfMemory, tooMuchMemory } from './command.ts';
import type { ReaderPool } from './reader-pool.ts';

export type GitObject = { readonly type: string; readonly size: number; readonly bytes: Uint8Array };

type Request = {
  resolve(object: GitObject | undefined): void;
  reject(error: unknown): void;
};

const newline = 0x0a;
const longestHeader = 1024;
const ascii = new TextDecoder('latin1');

type Reading = {
  readonly gitDir: string;
  readonly read: 'contents' | 'sizes';
  readonly most: number;
  /** How long the program may send nothing while a read is pending. */
  readonly silentMs: number;
  /** Limits the programs of all readers. */
  readonly pool: ReaderPool;
};

/**
 * A `git cat-file` that is kept while there is room for it in the pool, queried by hash. Requests are sent at once and
 * answered in order, so reading a thousand objects costs one round trip. When the program dies the pending reads fail
 * with Unavailable and the next one starts it again.
 */
export class ObjectReader {
  readonly #open: (onEnd: () => void) => Promise<Session>;
  readonly #now: () => number;
  readonly #pool: ReaderPool;
  #session: Promise<Session> | undefined;
  /** When an object was last requested. */
  lastRequested = 0;

  constructor(ctx: Ctx, program: GitProgram, reading: Reading) {
    const flag = reading.read === 'sizes' ? '--batch-check' : '--batch';
    const command = gitCommand(program, { gitDir: reading.gitDir, args: ['cat-file', flag] });
    this.#now = () => ctx.clock.now().getTime();
    this.#pool = reading.pool;
    this.#open = async (onEnd) =>
      new Session(await open(ctx, command), { ...reading, memory: tooMuchMemory(program) }, onEnd);
  }

  /** Undefined: there is no such object. Throws LimitExceeded for one that is too big; it is not kept in memory. */
  async read(id: string): Promise<GitObject | undefined> {
    this.lastRequested = this.#now();
    return this.#pool.use(this, async () => (await this.#current()).read(id));
  }

  /** Answers the pending reads, then ends the program. A later read starts it again. */
  async close(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    await (await session?.catch(() => undefined))?.close();
  }

  #current(): Promise<Session> {
    if (this.#session) return this.#session;
    const forget = (): void => {
      if (this.#session === starting) this.#session = undefined;
    };
    const starting = this.#open(forget);
    starting.catch(forget);
    this.#session = starting;
    return starting;
  }
}

type SessionReading = Reading & { readonly memory: FairleadError };

/** One run of the program. */
class Session {
  readonly #child: Child;
  readonly #reading: SessionReading;
  readonly #over = new AbortController();
  #heard = 0;
  #watching: Promise<void> | undefined;
  #failure: FairleadError | undefined;
  readonly #waiting: Request[] = [];
  readonly #unsent: string[] = [];
  #sending: Promise<void> = Promise.resolve();
  readonly #answering: Promise<void>;
  #ended = false;

  constructor(child: Child, reading: SessionReading, onEnd: () => void) {
    this.#child = child;
    this.#reading = reading;
    this.#answering = this.#answerAll(onEnd);
  }

  read(id: string): Promise<GitObject | undefined> {
    return new Promise((resolve, reject) => {
      if (this.#ended) {
        reject(gone());
        return;
      }
      this.#waiting.push({ resolve, reject });
      this.#watching ??= this.#watch();
      this.#unsent.push(id);
      if (this.#unsent.length === 1) this.#sending = this.#sending.then(() => this.#send());
    });
  }

  /** Sends all requests that were collected meanwhile in one write. */
  async #send(): Promise<void> {
    const ids = this.#unsent.splice(0);
    // when the write fails the program is gone, which its readers learn when its output ends
    if (ids.length > 0) await this.#child.write(`${ids.join('\n')}\n`).catch(() => {});
  }

  /** Ends a program that sends nothing while a read is pending. A disk runs in real time. */
  async #watch(): Promise<void> {
    while (this.#waiting.length > 0 && !this.#ended) {
      const before = this.#heard;
      await realClock.sleep(this.#reading.silentMs, this.#over.signal).catch(() => {});
      if (this.#ended || this.#waiting.length === 0 || this.#heard !== before) continue;
      this.#failure = silent(this.#reading.silentMs);
      await this.#child.kill();
    }
    this.#watching = undefined;
  }

  async close(): Promise<void> {
    await this.#sending;
    await this.#child.close();
    await this.#answering;
    await this.#watching;
  }

  async #answerAll(onEnd: () => void): Promise<void> {
    let failure: unknown;
    try {
      const input = new Input(this.#child.stdout, () => {
        this.#heard += 1;
      });
      while (await this.#answerNext(input)) {}
    } catch (error) {
      failure = error;
    }
    this.#ended = true;
    this.#over.abort();
    onEnd();
    await this.#child.kill();
    if (isOutOfMemory(this.#child.stderr())) failure = this.#reading.memory;
    failure = this.#failure ?? failure ?? gone();
    for (const request of this.#waiting.splice(0)) request.reject(failure);
  }

  async #answerNext(input: Input): Promise<boolean> {
    const header = await input.line();
    if (header === undefined) return false;
    const [, type, digits] = header.split(' ');
    if (type === undefined) throw new FairleadError('Internal', 'git cat-file gave an answer without a type');
    if (digits === undefined) {
      this.#waiting.shift()?.resolve(undefined); // "<id> missing"
      return true;
    }
    const size = Number(digits);
    const { read, most } = this.#reading;
    if (read === 'sizes') {
      this.#waiting.shift()?.resolve({ type, size, bytes: new Uint8Array() });
    } else if (size > most) {
      await input.skip(size + 1);
      this.#waiting.shift()?.reject(tooBig(size, most));
    } else {
      const bytes = await input.take(size);
      await input.skip(1);
      this.#waiting.shift()?.resolve({ type, size, bytes });
    }
    return true;
  }
}

function gone(): FairleadError {
  return new FairleadError('Unavailable', 'git cat-file ended during a request');
}

function silent(ms: number): FairleadError {
  return new FairleadError('Unavailable', `git cat-file said nothing for ${ms} ms and was stopped`);
}

function tooBig(size: number, most: number): FairleadError {
  return new FairleadError(
    'LimitExceeded',
    `a file of ${size} bytes is more than the ${most} that one file may have`,
  );
}

/** A stream of chunks read by line and by count, without copying data within one chunk. */
class Input {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #chunk: Uint8Array = new Uint8Array();
  #at = 0;

  readonly #heard: () => void;

  constructor(chunks: AsyncIterable<Uint8Array>, heard: () => void) {
    this.#chunks = chunks[Symbol.asyncIterator]();
    this.#heard = heard;
  }

  /** Undefined at the end of the stream. */
  async line(): Promise<string | undefined> {
    let text = '';
    for (;;) {
      const end = this.#chunk.indexOf(newline, this.#at);
      text += ascii.decode(this.#chunk.subarray(this.#at, end < 0 ? undefined : end));
      if (end >= 0) {
        this.#at = end + 1;
        return text;
      }
      if (text.length > longestHeader) throw new FairleadError('Internal', 'git cat-file gave no header');
      if (!(await this.#next())) return undefined;
    }
  }

  async take(count: number): Promise<Uint8Array> {
    if (this.#at + count <= this.#chunk.length) {
      this.#at += count;
      return this.#chunk.slice(this.#at - count, this.#at);
    }
    const bytes = new Uint8Array(count);
    let filled = 0;
    while (filled < count) {
      if (this.#at >= this.#chunk.length && !(await this.#next())) throw this.#ended();
      const part = this.#chunk.subarray(this.#at, this.#at + count - filled);
      bytes.set(part, filled);
      filled += part.length;
      this.#at += part.length;
    }
    return bytes;
  }

  async skip(count: number): Promise<void> {
    let left = count;
    while (left > 0) {
      if (this.#at >= this.#chunk.length && !(await this.#next())) throw this.#ended();
      const step = Math.min(left, this.#chunk.length - this.#at);
      this.#at += step;
      left -= step;
    }
  }

  async #next(): Promise<boolean> {
    const { done, value } = await this.#chunks.next();
    if (done) return false;
    this.#heard();
    this.#chunk = value;
    this.#at = 0;
    return true;
  }

  #ended(): FairleadError {
    return new FairleadError('Unavailable', 'git cat-file ended in the middle of an answer');
  }
}
