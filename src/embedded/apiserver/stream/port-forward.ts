import type { Duplex } from 'node:stream';
import { badRequest } from '../status.ts';

const protocol = 'portforward.k8s.io';

const headBytes = 8;
/** A frame that opens a stream is a few hundred bytes. */
const mostBytes = 64 * 1024;
const frameTypes = { synStream: 1, reset: 3, ping: 6 } as const;
const refusedStream = 3;

type Connection = { readonly socket: Duplex; readonly head: Uint8Array };

/**
 * A tunnel of `kubectl port-forward` into a pod without a process: it opens, as on a real node, and every connection through it is
 * refused. Frames of SPDY/3.1; a client offers them inside a WebSocket first, under a name that the rules for WebSockets do not
 * permit, and then alone. Throws StatusError before it has sent anything; ends when the client does.
 */
export async function refuseConnections(
  { socket, head }: Connection,
  { upgrade = '' }: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  if (upgrade.toLowerCase() !== 'spdy/3.1') throw badRequest('port-forward is served over SPDY/3.1 alone');
  const lines = ['Upgrade: SPDY/3.1', 'Connection: Upgrade', `X-Stream-Protocol-Version: ${protocol}`];
  socket.on('error', () => socket.destroy());
  socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('\r\n')}\r\n\r\n`);
  let rest: Buffer = Buffer.from(head);
  try {
    for await (const data of socket) {
      rest = Buffer.concat([rest, data as Buffer]);
      for (let size = sizeOf(rest); size <= rest.length; size = sizeOf(rest)) {
        const answer = answerTo(rest.subarray(0, size));
        if (answer) socket.write(answer);
        rest = rest.subarray(size);
      }
      if (rest.length > mostBytes) break;
    }
  } catch {
    // the client has left without a goodbye
  }
  socket.destroy();
}

/** The bytes of the frame that begins here; more than there are when it is not complete. */
const sizeOf = (bytes: Buffer): number =>
  bytes.length < headBytes ? headBytes : headBytes + bytes.readUIntBE(5, 3);

/** A new stream is reset, a ping comes back, all else needs no answer. */
function answerTo(frame: Buffer): Buffer | undefined {
  const isControl = ((frame[0] ?? 0) & 0x80) !== 0;
  const type = isControl ? frame.readUInt16BE(2) : 0;
  if (type === frameTypes.ping) return Buffer.from(frame);
  if (type !== frameTypes.synStream || frame.length < headBytes + 4) return undefined;
  const reset = Buffer.alloc(headBytes + 8);
  reset.writeUInt16BE(0x8003, 0);
  reset.writeUInt16BE(frameTypes.reset, 2);
  reset.writeUInt32BE(8, 4);
  reset.writeUInt32BE(frame.readUInt32BE(headBytes), headBytes);
  reset.writeUInt32BE(refusedStream, headBytes + 4);
  return reset;
}
