import { once } from 'node:events';
import { constants } from 'node:http2';
import { connect } from 'node:tls';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Ctx, onAbort, realClock, silent } from '#base/std';
import { selfSigned } from '#platform/certificates';
import { listenHttp, type TlsState } from '#platform/http';
import { applications, session } from '#serve/api';
import { eventually } from '../../../../test/eventually.ts';
import { grpcClient, requestBody } from '../../../../test/grpc-client.ts';
import { policyOf } from '../../../../test/policy.ts';
import { listed, open } from '../rest/routes.ts';
import { grpcRoutes } from './grpc-routes.ts';
import { serveGrpc } from './serve-grpc.ts';
import { serveHttp2With } from './serve-http2.ts';

// Any client may reset a call, with or without a session: `argocd` does at Ctrl-C.

const stop = new AbortController();
const errors: unknown[] = [];
const log = { ...silent, error: (...line: unknown[]) => void errors.push(line) };
const ctx = { signal: stop.signal, log: silent, clock: realClock };
let tls: TlsState | undefined;
/** The calls, so that a test sees how the last one ended. */
const served: Promise<void>[] = [];
let begun = new AbortController();

/** More than a client takes without reading. */
const items = Array.from({ length: 300 }, (_, i) => ({
  metadata: { name: `app-${i}`, annotations: { text: 'x'.repeat(5_000) } },
}));
const routes = [
  open(session.create, async (inner: Ctx) => {
    begun.abort();
    await new Promise<void>((resolve) => onAbort(inner.signal, resolve));
    throw inner.signal.reason;
  }),
  listed(applications.list, async (_ctx, { permissions }) => {
    permissions.waive();
    return { items: items as never[] };
  }),
];
const options = {
  routes: grpcRoutes(routes),
  isServing: () => true,
  policy: policyOf(),
  audit: async () => {},
  reached: () => ({ trustedProxies: [], origins: [], cookiePath: '/' }),
  sessions: {
    verify: async () => {
      const user = { username: 'admin', issuer: 'argocd', subject: { user: 'admin', isLocal: true } };
      return { ...user, kind: 'login' as const, token: { id: 'x', issued: 0 } };
    },
    renewed: async () => undefined,
    isAnonymousAllowed: false,
    untilEnd: async () => {},
  },
};

let port = 0;
let client: ReturnType<typeof grpcClient>;
let running: Promise<void> = Promise.resolve();
beforeAll(async () => {
  const listening = await listenHttp(ctx, {
    ...{ host: '127.0.0.1', port: 0, requestMs: 15_000, flags: { host: '--host', port: '--port' } },
    tls: { current: () => tls, servePlain: () => {} },
    serve: async () => {},
    serveHttp2: serveHttp2With({
      rootPath: () => '',
      isOwnHost: () => true,
      serveCall: (inner, form, exchange) => {
        const call = serveGrpc({ ...inner, log }, options, form, exchange);
        served.push(call);
        return call;
      },
    }),
  });
  port = listening.port;
  running = listening.run(ctx);
  client = grpcClient(`http://127.0.0.1:${port}`);
});
beforeEach(() => {
  begun = new AbortController();
});
afterAll(async () => {
  client.close();
  stop.abort();
  await running;
});

function start(name: string) {
  const fixed = { ':method': 'POST', 'content-type': 'application/grpc', token: 'a.b.c' };
  const stream = client.session.request({ ...fixed, ':path': `/${name}` });
  stream.on('error', () => {}).end(requestBody(name, {}));
  return stream;
}

test('a client that resets its call before the response ends that call only', async () => {
  const stream = start('session.SessionService/Create');
  await once(begun.signal, 'abort');
  stream.close(constants.NGHTTP2_CANCEL);
  await expect(served.at(-1)).resolves.toBeUndefined();
});

test('a call ends when its client resets it in the middle of a long response', async () => {
  const stream = start('application.ApplicationService/List');
  await once(stream, 'response'); // and is not read: the server waits until the client takes more
  stream.close(constants.NGHTTP2_CANCEL);
  await expect(served.at(-1)).resolves.toBeUndefined();
});

/** One frame of HTTP/2. */
const frame = (type: number, flags: number, stream: number, payload: Uint8Array): Buffer => {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
};
/** A header that is not compressed, of up to 126 bytes. */
const header = (...parts: string[]): Buffer =>
  Buffer.concat([Buffer.of(0), ...parts.map((text) => Buffer.from([text.length, ...Buffer.from(text)]))]);

test('a client that leaves while the server reads its messages is no error of the server', async () => {
  const { certificate, key } = selfSigned(
    { user: 'test' },
    { hosts: ['127.0.0.1'], from: new Date(), lifeMs: 3_600_000 },
  );
  tls = { cert: certificate, key, minVersion: 'TLSv1.2', maxVersion: 'TLSv1.3' };
  const socket = connect({ host: '127.0.0.1', port, ALPNProtocols: ['h2'], rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const headers = [
    [':method', 'POST'],
    [':scheme', 'https'],
    [':path', '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo'],
    [':authority', '127.0.0.1'],
    ['content-type', 'application/grpc'],
    ['token', 'a.b.c'],
  ].map((one) => header(...one));
  const before = served.length;
  socket.write(
    Buffer.concat([
      Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
      frame(4, 0, 0, Buffer.of()),
      frame(1, 4, 1, Buffer.concat(headers)),
      frame(0, 0, 1, Buffer.of(0, 0, 0, 0, 2, 0x3a, 0)),
      frame(3, 0, 1, Buffer.of(0, 0, 0, constants.NGHTTP2_NO_ERROR)),
    ]),
  );
  await eventually(() => expect(served.length).toBe(before + 1));
  await served.at(-1);
  socket.destroy();
  expect(errors).toEqual([]);
});
