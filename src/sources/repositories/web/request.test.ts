import { createServer as createHttp, type RequestListener, type Server } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { type AddressInfo, createServer as createTcp, type Server as TcpServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Ctx, realClock, silent } from '#base/std';
import { type IssuedCertificates, issueCertificates } from '../../../../test/certificates.ts';
import { type ProxyServer, proxyServer } from '../../../../test/proxy-server.ts';
import { fetchWeb, type Outside, type WebRequest } from './request.ts';
import { noTrust } from './trust.ts';

const ctx: Ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
let issued: IssuedCertificates;
let plain: Server;
let secure: Server;
let strict: Server;
let proxy: ProxyServer;

const answer: RequestListener = (request, response) => {
  if (request.url === '/mute') return;
  if (request.url === '/away') response.writeHead(302, { location: 'http://169.254.169.254/' });
  response.end(`${request.method} ${request.headers.host?.split(':')[0]} ${request.url}`);
};
const listening = async <S extends TcpServer>(server: S): Promise<S> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
};
const portOf = (server: TcpServer): number => (server.address() as AddressInfo).port;

beforeAll(async () => {
  issued = await issueCertificates(['127.0.0.1', 'web.hidden.test']);
  const { certificate: cert, key } = issued.server;
  plain = await listening(createHttp(answer));
  secure = await listening(createHttps({ cert, key }, answer));
  strict = await listening(
    createHttps({ cert, key, ca: issued.authority, requestCert: true, rejectUnauthorized: true }, answer),
  );
  proxy = await proxyServer();
});
afterAll(async () => {
  for (const server of [plain, secure, strict]) {
    server.closeAllConnections();
    server.close();
  }
  await proxy.close();
});

const outside = (certificates: Record<string, string> = {}): Outside => ({
  egress: { loopback: true },
  trust: { ...noTrust, certificates },
  proxy: {},
});
const ours = (): Outside => outside({ '127.0.0.1': issued.authority, 'web.hidden.test': issued.authority });

async function ask(from: Outside, url: string, more: Partial<WebRequest> = {}): Promise<string> {
  const { body } = await fetchWeb(ctx, from, { url: new URL(url), most: 1000, ms: 10_000, ...more });
  return Buffer.from(body).toString();
}

describe('a request', () => {
  test('is answered, and a redirect is handed back unfollowed', async () => {
    const url = `http://127.0.0.1:${portOf(plain)}`;
    expect(await ask(outside(), `${url}/x`, { method: 'POST', body: 'y' })).toBe('POST 127.0.0.1 /x');
    const away = await fetchWeb(ctx, outside(), { url: new URL(`${url}/away`), most: 100, ms: 5_000 });
    expect(away.status).toBe(302);
  });

  test('is not sent where we may not go', async () => {
    const shut = { ...outside(), egress: { loopback: false } };
    for (const host of [`127.0.0.1:${portOf(plain)}`, 'localhost', '169.254.169.254']) {
      await expect(ask(shut, `http://${host}/`)).rejects.toMatchObject({ code: 'PermissionDenied' });
    }
  });

  test('that is never answered, too long, or given up, ends', async () => {
    const url = `http://127.0.0.1:${portOf(plain)}/mute`;
    await expect(ask(outside(), url, { ms: 100 })).rejects.toMatchObject({
      code: 'Unavailable',
      message: `http://127.0.0.1:${portOf(plain)} is unreachable: it took too long`,
    });
    await expect(ask(outside(), url.replace('mute', 'x'), { most: 3 })).rejects.toMatchObject({
      code: 'LimitExceeded',
    });
    const stop = new AbortController();
    const given = fetchWeb({ ...ctx, signal: stop.signal }, outside(), {
      url: new URL(url),
      most: 1,
      ms: 9_000,
    });
    stop.abort(new Error('enough'));
    await expect(given).rejects.toThrow('enough');
  });

  test('nobody is there', async () => {
    const gone = await listening(createTcp());
    const port = portOf(gone);
    await new Promise((resolve) => gone.close(resolve));
    await expect(ask(outside(), `http://127.0.0.1:${port}/`)).rejects.toMatchObject({
      code: 'Unavailable',
      message: expect.stringContaining('ECONNREFUSED'),
    });
  });
});

describe('over https', () => {
  const url = (): string => `https://127.0.0.1:${portOf(secure)}/x`;

  test('the authority of the host decides (TLS-1), unless nothing is to be checked (TLS-3)', async () => {
    expect(await ask(ours(), url())).toBe('GET 127.0.0.1 /x');
    await expect(ask(outside(), url())).rejects.toMatchObject({ code: 'Unavailable' });
    expect(await ask(outside(), url(), { terms: { insecure: true } })).toBe('GET 127.0.0.1 /x');
  });

  test('authorities of the request are trusted beside those of the machine', async () => {
    expect(await ask(outside(), url(), { terms: { authorities: issued.authority } })).toBe(
      'GET 127.0.0.1 /x',
    );
    await expect(ask(outside(), url(), { terms: { authorities: '' } })).rejects.toMatchObject({
      code: 'Unavailable',
    });
  });

  test('a client certificate is shown (TLS-2)', async () => {
    const { certificate: cert, key } = issued.client;
    const at = `https://127.0.0.1:${portOf(strict)}/x`;
    expect(await ask(ours(), at, { terms: { certificate: { cert, key } } })).toBe('GET 127.0.0.1 /x');
    await expect(ask(ours(), at)).rejects.toMatchObject({ code: 'Unavailable' });
  });
});

describe('through a proxy (PRX-1)', () => {
  const through = (kind: string) => ({ terms: { proxy: `${kind}://joe:pw@127.0.0.1:${proxy.port}` } });

  test.each(['http', 'socks5'])(
    '%s, plain and secure, to a host that only the proxy can find',
    async (kind) => {
      proxy.asked.length = 0;
      expect(await ask(ours(), `http://web.hidden.test:${portOf(plain)}/x`, through(kind))).toContain('/x');
      expect(await ask(ours(), `https://web.hidden.test:${portOf(secure)}/x`, through(kind))).toContain('/x');
      expect(proxy.asked).toEqual(Array(2).fill(`${kind} web.hidden.test joe:pw`));
      await expect(
        ask(outside(), `https://web.hidden.test:${portOf(secure)}/x`, through(kind)),
      ).rejects.toMatchObject({ code: 'Unavailable' });
    },
  );

  test.each([
    ['http', 'HTTP/1.1 407 who are you\r\n\r\n', 'Auth', 'refused our login'],
    ['http', 'HTTP/1.1 502 no\r\n\r\n', 'Unavailable', 'did not connect us to web.hidden.test:80: 502'],
    ['http', 'garbage\r\n\r\n', 'Unavailable', 'no answer'],
    ['http', 'x'.repeat(20_000), 'Unavailable', 'ended the connection'],
    ['http', '', 'Unavailable', 'ended the connection'],
    ['socks5', '\x05\xff', 'Auth', 'refused our login'],
    ['socks5', '\x05\x02\x01\x01', 'Auth', 'refused our login'],
    ['socks5', '\x05\x00\x05\x05\x00\x01', 'Unavailable', 'reply 5'],
  ])('%s that answers %j', async (kind, words, code, message) => {
    const odd = await listening(
      createTcp((socket) => {
        socket.on('error', () => {});
        socket.once('data', () => socket.end(Buffer.from(words, 'latin1')));
      }),
    );
    const terms = { proxy: `${kind}://joe:pw@127.0.0.1:${portOf(odd)}` };
    await expect(ask(ours(), 'http://web.hidden.test/', { terms })).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message),
    });
    odd.close();
  });

  test('an https proxy is spoken to over TLS', async () => {
    const { certificate: cert, key } = issued.server;
    const box = createHttps({ cert, key });
    const secureProxy = await listening(box);
    const terms = { proxy: `https://127.0.0.1:${portOf(secureProxy)}` };
    // its authority is not one of the machine's, so it is not believed
    await expect(ask(ours(), 'http://web.hidden.test/', { terms })).rejects.toMatchObject({
      code: 'Unavailable',
    });
    secureProxy.close();
  });
});
