import { once } from 'node:events';
import { constants } from 'node:http2';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Ctx, onAbort, realClock, silent } from '#base/std';
import { listenHttp } from '#platform/http';
import { applications, session } from '#serve/api';
import { grpcClient, requestBody } from '../../../../test/grpc-client.ts';
import { policyOf } from '../../../../test/policy.ts';
import { listed, open } from '../rest/routes.ts';
import { grpcRoutes } from './grpc-routes.ts';
import { serveGrpc } from './serve-grpc.ts';
import { serveHttp2With } from './serve-http2.ts';

// Any client may reset a call, with or without a session: `argocd` does at Ctrl-C.

const stop = new AbortController();
const ctx = { signal: stop.signal, log: silent, clock: realClock };
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

let client: ReturnType<typeof grpcClient>;
let running: Promise<void> = Promise.resolve();
beforeAll(async () => {
  const { port, run } = await listenHttp(ctx, {
    ...{ host: '127.0.0.1', port: 0, requestMs: 15_000, flags: { host: '--host', port: '--port' } },
    tls: { current: () => undefined, servePlain: () => {} },
    serve: async () => {},
    serveHttp2: serveHttp2With({
      rootPath: () => '',
      isOwnHost: () => true,
      serveCall: (inner, form, exchange) => {
        const call = serveGrpc(inner, options, form, exchange);
        served.push(call);
        return call;
      },
    }),
  });
  running = run(ctx);
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
