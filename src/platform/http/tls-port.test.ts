import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { realClock, silent } from '#base/std';
import { selfSigned } from '#platform/certificates';
import { listenHttp } from './listen.ts';
import type { TlsState } from './tls-port.ts';

const made = (): TlsState => {
  const { certificate, key } = selfSigned(
    { user: 'test' },
    { hosts: ['localhost', '127.0.0.1'], from: new Date(), lifeMs: 3600_000 },
  );
  return { cert: certificate, key, minVersion: 'TLSv1.2', maxVersion: 'TLSv1.3' };
};
let state: TlsState | undefined = made();
const stop = new AbortController();
const ctx = { signal: stop.signal, log: silent, clock: realClock };
let port = 0;
let running: Promise<void> = Promise.resolve();

beforeAll(async () => {
  const listening = await listenHttp(ctx, {
    host: '127.0.0.1',
    port: 0,
    requestMs: 15_000,
    flags: { host: '--host', port: '--port' },
    tls: {
      current: () => state,
      servePlain: (_request, response) => void response.writeHead(307, { location: 'https://x' }).end(),
    },
    serve: async (_ctx, request, response) => {
      let text = '';
      for await (const chunk of request) text += chunk;
      response.end(`${'encrypted' in request.socket} ${text.length}`);
    },
  });
  port = listening.port;
  running = listening.run(ctx);
});
afterAll(async () => {
  stop.abort();
  await running;
});

type Answer = { readonly status: number | undefined; readonly text: string };
async function ask(isTls: boolean, body = '', ca = state?.cert): Promise<Answer> {
  const sent = isTls
    ? httpsRequest({ port, host: '127.0.0.1', ca, method: 'POST', agent: false })
    : httpRequest({ port, host: '127.0.0.1', method: 'POST', agent: false });
  sent.end(body);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  let text = '';
  for await (const chunk of answer) text += chunk;
  return { status: answer.statusCode, text };
}

test('one port answers over TLS, and plain requests otherwise', async () => {
  const large = 'x'.repeat(200_000);
  expect(await ask(true, large)).toEqual({ status: 200, text: 'true 200000' });
  expect(await ask(false)).toEqual({ status: 307, text: '' });
});

test('a new certificate counts for the next connection; the old one is no longer shown', async () => {
  const before = state?.cert;
  state = made();
  expect((await ask(true)).status).toBe(200);
  await expect(ask(true, '', before)).rejects.toThrow(/self-signed|certificate/);
});

test('TLS that is switched off is plain HTTP at once, and a handshake is refused', async () => {
  const kept = state;
  state = undefined;
  expect(await ask(false, 'abc')).toEqual({ status: 200, text: 'false 3' });
  await expect(ask(true, '', kept?.cert)).rejects.toThrow();
  state = kept;
});

test('older TLS than the setting is refused', async () => {
  const kept = state;
  if (kept) state = { ...kept, minVersion: 'TLSv1.3' };
  const socket: TLSSocket = connectTls({ port, host: '127.0.0.1', ca: kept?.cert, maxVersion: 'TLSv1.2' });
  const [error] = (await once(socket, 'error')) as [Error];
  expect(error.message).toMatch(/protocol version/);
  state = kept;
});

test('bytes that are neither end their own connection only', async () => {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {}).resume();
  socket.write(Buffer.from([0x16, 0x03, 0x01, 0xff, 0xff, 1, 2, 3]));
  socket.end();
  await once(socket, 'close');
  expect((await ask(true)).status).toBe(200);
});
