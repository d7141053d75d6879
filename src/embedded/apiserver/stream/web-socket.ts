import { createHash } from 'node:crypto';
import type { Duplex } from 'node:stream';

/** A client's message: its bytes, or the end of the connection. */
type Message = { readonly opcode: number; readonly data: Buffer };

const guid = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const opcodes = { continuation: 0, binary: 2, close: 8, ping: 9, pong: 10 } as const;
const longest = 16 * 1024 * 1024;

/** Accepts an upgrade. */
export function acceptSocket(socket: Duplex, key: string, protocol: string): void {
  const accept = createHash('sha1').update(`${key}${guid}`).digest('base64');
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\nSec-WebSocket-Protocol: ${protocol}\r\n\r\n`,
  );
}

/** The server side of a WebSocket: receives whole messages, sends frames. A server's frames have no mask. */
export class WebSocketEnd {
  readonly #socket: Duplex;
  #closed = false;

  constructor(socket: Duplex) {
    this.#socket = socket;
    socket.on('error', () => socket.destroy());
  }

  send(data: Uint8Array): void {
    this.#frame(opcodes.binary, data);
  }

  close(code = 1000): void {
    if (this.#closed) return;
    const reason = Buffer.alloc(2);
    reason.writeUInt16BE(code);
    this.#frame(opcodes.close, reason);
    this.#closed = true;
    this.#socket.end();
    this.#socket.resume(); // later data is discarded; unread, it would keep the connection open
  }

  /** The client's messages, assembled from their frames, until it closes or violates the protocol. */
  async *messages(head: Uint8Array): AsyncGenerator<Buffer> {
    let parts: Buffer[] = [];
    for await (const { frame, final } of this.#frames(head)) {
      if (frame.opcode === opcodes.close) return;
      if (frame.opcode === opcodes.ping) this.#frame(opcodes.pong, frame.data);
      if (frame.opcode >= opcodes.close) continue;
      parts.push(frame.data);
      if (!final) continue;
      yield Buffer.concat(parts);
      parts = [];
    }
  }

  async *#frames(head: Uint8Array): AsyncGenerator<{ frame: Message; final: boolean }> {
    let rest = Buffer.from(head);
    const chunks = this.#socket[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
    while (true) {
      const read = readFrame(rest);
      if (read === 'too long') return;
      if (read) {
        rest = rest.subarray(read.length);
        yield { frame: read.message, final: read.final };
        continue;
      }
      const { value, done } = await chunks.next();
      if (done) return;
      rest = Buffer.concat([rest, value]);
    }
  }

  #frame(opcode: number, data: Uint8Array): void {
    if (this.#closed || this.#socket.destroyed) return;
    this.#socket.write(Buffer.concat([headOf(opcode, data.length), data]));
  }
}

function headOf(opcode: number, length: number): Buffer {
  const first = 0x80 | opcode;
  if (length < 126) return Buffer.from([first, length]);
  if (length < 65_536) return Buffer.from([first, 126, length >> 8, length & 255]);
  const head = Buffer.alloc(10);
  head[0] = first;
  head[1] = 127;
  head.writeBigUInt64BE(BigInt(length), 2);
  return head;
}

type Read = { readonly message: Message; readonly final: boolean; readonly length: number };

/** The first frame in the bytes; undefined when it is incomplete. */
function readFrame(bytes: Buffer): Read | 'too long' | undefined {
  const size = sizeOf(bytes);
  if (size === undefined) return undefined;
  if (size > longest) return 'too long';
  const [first = 0, second = 0] = bytes;
  const mask = second & 128 ? 4 : 0;
  const start = 2 + extraBytes(second) + mask;
  if (bytes.length < start + size) return undefined;
  const data = Buffer.from(bytes.subarray(start, start + size));
  if (mask) unmask(data, bytes.subarray(start - 4, start));
  return { message: { opcode: first & 15, data }, final: (first & 128) !== 0, length: start + size };
}

/** How many bytes of length follow the first two. */
function extraBytes(second: number): number {
  const short = second & 127;
  return short === 126 ? 2 : short === 127 ? 8 : 0;
}

function sizeOf(bytes: Buffer): number | undefined {
  const second = bytes[1];
  if (second === undefined) return undefined;
  const extra = extraBytes(second);
  if (bytes.length < 2 + extra) return undefined;
  if (extra === 0) return second & 127;
  return extra === 2 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
}

function unmask(data: Buffer, mask: Buffer): void {
  for (let i = 0; i < data.length; i++) data[i] = (data[i] ?? 0) ^ (mask[i & 3] ?? 0);
}
