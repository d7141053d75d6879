import { FairleadError } from '#base/std';

/** Before each message: a byte of flags and the length in four bytes. */
const prefixLength = 5;
const compressedFlag = 1;
const trailerFlag = 0x80;

/** A message with its prefix; its parts stay as they are. */
export function frameOf(parts: readonly Uint8Array[]): Uint8Array[] {
  return [
    prefixOf(
      0,
      parts.reduce((sum, { length }) => sum + length, 0),
    ),
    ...parts,
  ];
}

/** gRPC-web: what HTTP/2 has as trailers is the last frame of the body. */
export function trailerFrame(trailers: Readonly<Record<string, string>>): Uint8Array {
  const text = Object.entries(trailers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
  const bytes = Buffer.from(text);
  return Buffer.concat([prefixOf(trailerFlag, bytes.length), bytes]);
}

function prefixOf(flags: number, length: number): Uint8Array {
  const prefix = Buffer.alloc(prefixLength);
  prefix[0] = flags;
  prefix.writeUInt32BE(length, 1);
  return prefix;
}

/** gRPC: a method, an encoding or a form that is not supported. */
export class UnsupportedCall extends FairleadError {
  constructor(message: string) {
    super('InvalidSpec', message);
  }
}

/**
 * Takes the messages of a request body as its bytes arrive. A message larger than `most` is refused by its prefix, before its bytes;
 * a compressed one as well, so no small body becomes a large message.
 */
export class MessageFrames {
  readonly #most: number;
  #chunks: Uint8Array[] = [];
  #size = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** The messages that are complete with these bytes. Throws LimitExceeded, or UnsupportedCall for a compressed one. */
  *take(chunk: Uint8Array): Generator<Buffer> {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    while (this.#size >= prefixLength) {
      const whole = this.#joined(prefixLength);
      const flags = whole[0] ?? 0;
      const length = whole.readUInt32BE(1);
      if (flags & compressedFlag)
        throw new UnsupportedCall(
          'a compressed message is not supported: send it with grpc-encoding identity',
        );
      if (flags !== 0) throw new FairleadError('InvalidSpec', `a message has the unknown flags ${flags}`);
      if (length > this.#most)
        throw new FairleadError('LimitExceeded', `a message of ${length} bytes is larger than ${this.#most}`);
      if (this.#size < prefixLength + length) return;
      const all = this.#joined(prefixLength + length);
      this.#chunks = [all.subarray(prefixLength + length)];
      this.#size -= prefixLength + length;
      yield all.subarray(prefixLength, prefixLength + length);
    }
  }

  /** Throws InvalidSpec when the body ended inside a message. */
  end(): void {
    if (this.#size > 0) throw new FairleadError('InvalidSpec', 'the request ended inside a message');
  }

  /** The chunks as one, where the first is shorter than wanted: a body in many small chunks is copied once, not each time. */
  #joined(length: number): Buffer {
    const [first] = this.#chunks;
    if (first && first.length >= length) return Buffer.from(first.buffer, first.byteOffset, first.length);
    const all = Buffer.concat(this.#chunks);
    this.#chunks = [all];
    return all;
  }
}
