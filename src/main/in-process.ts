import { createServer, type IncomingHttpHeaders } from 'node:http';
import { type Duplex, duplexPair } from 'node:stream';
import type { KubeRequest, KubeResponse, OpenStream, Transport } from '#kubernetes/client';
import { connectSocket } from '#platform/web-socket';
import { nextSlice } from '#platform/workers';

/** The server's own functions: for requests, and for connections that are upgraded to a stream. */
type LocalServer = {
  readonly handle: (request: KubeRequest) => Promise<KubeResponse>;
  readonly stream: (upgrade: {
    readonly request: KubeRequest;
    readonly socket: Duplex;
    readonly head: Uint8Array;
  }) => Promise<void>;
};

/** Reading and checking this many bytes takes milliseconds. */
const large = 32 * 1024;

/**
 * The transport to a server in this very process. Without a network in between, a client with many requests would block
 * everything else: a large request waits for an iteration of the event loop of its own, a small one does not.
 */
export function inProcess({ handle, stream }: LocalServer): Transport {
  const send = async (request: KubeRequest): Promise<KubeResponse> => {
    if ((request.body?.length ?? 0) > large) await nextSlice();
    const answer = await handle(request);
    if (lengthOf(answer.body) > large) await nextSlice();
    return answer;
  };
  return Object.assign(send, { openStream: streamOpener(stream) });
}

/** A WebSocket over a pair of streams in memory, with the handshake that one over the network has. */
function streamOpener(stream: LocalServer['stream']): OpenStream {
  return async (request, protocols) => {
    const [ours, theirs] = duplexPair();
    const server = createServer();
    server.on('upgrade', ({ headers }, socket, head) => {
      stream({ request: { ...request, headers: flat(headers) }, socket, head }).catch(() => socket.destroy());
    });
    server.emit('connection', theirs);
    const { path, headers, signal } = request;
    return connectSocket({ host: 'localhost', path, headers, protocols, connection: ours, signal });
  };
}

const flat = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value ?? '')]));

const lengthOf = (body: Awaited<ReturnType<Transport>>['body']): number =>
  typeof body === 'string' || body instanceof Uint8Array ? body.length : 0;
