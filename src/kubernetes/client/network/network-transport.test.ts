import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer, type IncomingMessage } from 'node:http';
import {
  createSecureServer,
  type Http2SecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type SecureServerOptions,
  type ServerHttp2Session,
} from 'node:http2';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, connect, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import { FairleadError, virtualClock } from '#base/std';
import type { ClusterAccess } from '../access/cluster-access.ts';
import { readLines, readText } from '../body.ts';
import type { KubeResponse, Transport } from '../transport.ts';
import { type NetworkOptions, networkTransport } from './network-transport.ts';

const pem = (name: string): string =>
  readFileSync(new URL(`../testdata/tls/${name}`, import.meta.url), 'utf8');
const ca = { pem: pem('ca.crt') };
const serverKeys = { key: pem('server.key'), cert: pem('server.crt') };

type Handler = (request: Http2ServerRequest | IncomingMessage, response: Http2ServerResponse) => void;

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function listening<S extends Server>(server: S): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}

async function h2Server(
  handler: Handler,
  more: SecureServerOptions = {},
): Promise<{ url: string; server: Http2SecureServer }> {
  const server = createSecureServer({ ...serverKeys, ca: ca.pem, ...more }, handler as never);
  server.on('sessionError', () => {});
  return { url: `https://127.0.0.1:${await listening(server)}`, server };
}

async function h1Server(handler: Handler): Promise<string> {
  const server = createHttpsServer(serverKeys, handler as never);
  return `https://127.0.0.1:${await listening(server)}`;
}

const servers: [string, (handler: Handler) => Promise<string>][] = [
  ['HTTP/2', async (handler) => (await h2Server(handler)).url],
  ['HTTP/1.1', h1Server],
];

const access = (server: string, more: Partial<ClusterAccess> = {}): ClusterAccess => ({
  server,
  namespace: 'default',
  tls: { ca },
  user: {},
  ...more,
});

function transportTo(to: ClusterAccess, options?: NetworkOptions): Transport {
  const transport = networkTransport(to, options);
  cleanups.push(() => transport.close());
  return transport;
}

const never = new AbortController().signal;
const ask = (transport: Transport, path: string, signal = never): Promise<KubeResponse> =>
  transport({ method: 'GET', path, headers: {}, signal });
const text = async (response: Promise<KubeResponse>): Promise<string> => readText((await response).body);

const echo: Handler = (request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const { method, url, httpVersion, headers } = request;
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({ method, url, httpVersion, headers, body: Buffer.concat(chunks).toString() }),
    );
  });
};

test.each([
  ['HTTP/2', async () => (await h2Server(echo)).url, '2.0'],
  ['HTTP/1.1', () => h1Server(echo), '1.1'],
])(
  'speaks %s where that is what the server speaks, with method, path, headers and body',
  async (_name, start, version) => {
    const transport = transportTo(access(await start()));
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const body = method === 'GET' ? {} : { body: Buffer.from(`{"a":"${method} ü"}`) };
      const seen = JSON.parse(
        await text(
          transport({
            method,
            path: '/api/v1/x?limit=5&y=a%20b',
            headers: { accept: 'application/json' },
            signal: never,
            ...body,
          }),
        ),
      );
      expect(seen).toMatchObject({
        method,
        url: '/api/v1/x?limit=5&y=a%20b',
        httpVersion: version,
        headers: { accept: 'application/json' },
      });
      expect(seen.body).toBe(method === 'GET' ? '' : `{"a":"${method} ü"}`);
    }
  },
);

test('a server URL with a path keeps it before every request', async () => {
  const { url } = await h2Server(echo);
  const seen = JSON.parse(await text(ask(transportTo(access(`${url}/k8s/clusters/c-1/`)), '/version')));
  expect(seen.url).toBe('/k8s/clusters/c-1/version');
});

test('an answer that came compressed is unpacked', async () => {
  const long = JSON.stringify({ items: Array.from({ length: 5000 }, (_, i) => `item ${i}`) });
  const { url } = await h2Server((request, response) => {
    expect(request.headers['accept-encoding']).toBe('gzip');
    response.setHeader('content-encoding', 'gzip');
    response.end(gzipSync(long));
  });
  expect(await text(ask(transportTo(access(url)), '/'))).toBe(long);
});

test.each(servers)(
  'over %s a stream is read as it comes, and stopping to read ends the request',
  async (_name, start) => {
    let open = 0;
    let tellEnd = (): void => {};
    const ended = new Promise<void>((resolve) => {
      tellEnd = resolve;
    });
    const url = await start((_request, response) => {
      open += 1;
      response.write('{"n":1}\n{"n":');
      response.write('2}\n');
      response.on('close', () => {
        open -= 1;
        tellEnd();
      });
    });
    const { body } = await ask(transportTo(access(url)), '/watch');
    const lines: string[] = [];
    for await (const line of readLines(body)) {
      lines.push(line);
      if (lines.length === 2) break;
    }
    await ended;
    expect({ lines, open }).toEqual({ lines: ['{"n":1}', '{"n":2}'], open: 0 });
  },
);

test.each(servers)(
  'over %s an abort ends the request with its own reason, before and after the answer began',
  async (_name, start) => {
    const url = await start((request, response) => {
      if (request.url === '/late') response.write('first\n');
    });
    const transport = transportTo(access(url));
    const early = new AbortController();
    const asked = ask(transport, '/never', early.signal);
    await ask(transport, '/late'); // by now the first has reached the server too
    early.abort(new Error('no longer needed'));
    await expect(asked).rejects.toThrow('no longer needed');

    const late = new AbortController();
    const { body } = await ask(transport, '/late', late.signal);
    const read = (async () => {
      for await (const line of readLines(body)) if (line === 'first') late.abort(new Error('seen enough'));
    })();
    await expect(read).rejects.toThrow('seen enough');
    await expect(ask(transport, '/x', late.signal)).rejects.toThrow('seen enough');
  },
);

test('more watches than one connection may carry open another, so that requests never wait behind them', async () => {
  const sessions = new Set<ServerHttp2Session>();
  const { url, server } = await h2Server(
    (request, response) => {
      response.writeHead(200);
      if (request.url === '/watch') response.write('open\n');
      else response.end('done');
    },
    { settings: { maxConcurrentStreams: 10 } },
  );
  server.on('session', (session) => sessions.add(session));
  const transport = transportTo(access(url));
  const watches = await Promise.all(Array.from({ length: 35 }, () => ask(transport, '/watch')));
  expect(watches.every(({ status }) => status === 200)).toBe(true);
  expect(await text(ask(transport, '/get'))).toBe('done');
  expect(sessions.size).toBe(4);
});

test('a server that goes away gracefully is met on a new connection; a read that met the end is repeated', async () => {
  const sessions: ServerHttp2Session[] = [];
  const { url, server } = await h2Server(echo);
  server.on('session', (session) => sessions.push(session));
  const transport = transportTo(access(url));
  await text(ask(transport, '/one'));
  sessions[0]?.goaway(0);
  await text(ask(transport, '/two'));
  sessions.at(-1)?.destroy();
  await text(ask(transport, '/three'));
  expect(sessions.length).toBeGreaterThanOrEqual(2);
});

test.each(servers)(
  'over %s an answer that breaks off in the middle is an error, not a short answer',
  async (_name, start) => {
    const url = await start((request, response) => {
      response.write('{"items":[');
      setImmediate(() =>
        (('stream' in request ? request.stream.session : undefined) ?? request.socket).destroy(),
      );
    });
    await expect(text(ask(transportTo(access(url)), '/'))).rejects.toMatchObject({ code: 'Unavailable' });
  },
);

test('says in words why a cluster cannot be reached', async () => {
  const gone = createHttpServer();
  const port = await listening(gone);
  await cleanups.pop()?.();
  const refused = ask(transportTo(access(`https://127.0.0.1:${port}`)), '/');
  await expect(refused).rejects.toMatchObject({
    code: 'Unavailable',
    message: `cannot reach the cluster at 127.0.0.1:${port}: the connection was refused`,
  });
  const nowhere = ask(transportTo(access('https://no-such-host.invalid')), '/');
  await expect(nowhere).rejects.toThrow(
    /cannot reach the cluster at no-such-host.invalid: (there is no such host|its name)/,
  );
});

test('trusts only the configured authority, unless told to trust anything', async () => {
  const { url } = await h2Server(echo);
  const untrusted = ask(transportTo(access(url, { tls: {} })), '/');
  await expect(untrusted).rejects.toThrow(
    /not signed by a known authority: .*certificate-authority-data in a kubeconfig.*tlsClientConfig\.caData in a cluster secret/,
  );
  expect((await ask(transportTo(access(url, { tls: { insecure: true } })), '/')).status).toBe(200);
});

test('checks the name in the certificate, or the one configured', async () => {
  const { url } = await h2Server(echo, { key: pem('elsewhere.key'), cert: pem('elsewhere.crt') });
  await expect(ask(transportTo(access(url)), '/')).rejects.toThrow(
    /its certificate is for another name: .*tls-server-name in a kubeconfig.*tlsClientConfig\.serverName/,
  );
  const named = transportTo(access(url, { tls: { ca, serverName: 'elsewhere.test' } }));
  expect((await ask(named, '/')).status).toBe(200);
});

const whoami: Handler = (request, response) => {
  const peer = (request.socket as TLSSocket).getPeerCertificate();
  response.end(JSON.stringify({ peer: peer.subject?.CN, authorization: request.headers.authorization }));
};
const asksForCertificate = { requestCert: true, rejectUnauthorized: false };

test('presents a client certificate, a token, or a name with a password', async () => {
  const { url } = await h2Server(whoami, asksForCertificate);
  const who = async (user: ClusterAccess['user']) =>
    JSON.parse(await text(ask(transportTo(access(url, { user })), '/')));
  expect(await who({ certificate: { pem: pem('client.crt') }, key: { pem: pem('client.key') } })).toEqual({
    peer: 'alice',
  });
  expect(await who({ token: 'abc' })).toEqual({ authorization: 'Bearer abc' });
  expect(await who({ username: 'eve', password: 'pw' })).toEqual({
    authorization: `Basic ${btoa('eve:pw')}`,
  });
});

test('impersonates with every group as a header of its own', async () => {
  const groups: unknown[] = [];
  const server = createHttpsServer(serverKeys, (request, response) => {
    groups.push(
      request.headersDistinct['impersonate-group'],
      request.headers['impersonate-user'],
      request.headers['impersonate-extra-scopes'],
    );
    response.end();
  });
  const url = `https://127.0.0.1:${await listening(server)}`;
  const impersonate = { user: 'jane', groups: ['a', 'b'], extra: { Scopes: ['view'] } };
  await text(ask(transportTo(access(url, { user: { impersonate } })), '/'));
  expect(groups).toEqual([['a', 'b'], 'jane', 'view']);
});

test('speaks plain http where the URL says so', async () => {
  const port = await listening(createHttpServer(echo as never));
  const user = { token: 'abc' };
  const seen = JSON.parse(
    await text(ask(transportTo(access(`http://127.0.0.1:${port}`, { user, tls: {} })), '/version')),
  );
  expect(seen.url).toBe('/version');
  expect(seen.headers).not.toHaveProperty('authorization');
});

test('reads a token file and certificate files again, and moves to new connections when keys change', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'fairlead-kube-'));
  cleanups.push(() => rm(dir, { recursive: true }));
  const file = (name: string) => join(dir, name);
  const put = async (token: string, keys: string) => {
    await writeFile(file('token'), `${token}\n`);
    await writeFile(file('crt'), pem(`${keys}.crt`));
    await writeFile(file('key'), pem(`${keys}.key`));
  };
  const { url } = await h2Server(whoami, asksForCertificate);
  const clock = virtualClock();
  const user = { tokenFile: file('token'), certificate: { file: file('crt') }, key: { file: file('key') } };
  const transport = transportTo(access(url, { user }), { clock });

  await put('first', 'client');
  expect(await text(ask(transport, '/'))).toBe('{"peer":"alice","authorization":"Bearer first"}');
  await put('second', 'client2');
  expect(await text(ask(transport, '/'))).toContain('first');
  await clock.advance(61_000);
  expect(await text(ask(transport, '/'))).toBe('{"peer":"bob","authorization":"Bearer second"}');
});

test('a refused token is read again at once, and the request repeated once', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'fairlead-kube-'));
  cleanups.push(() => rm(dir, { recursive: true }));
  const tokenFile = join(dir, 'token');
  let asked = 0;
  const { url } = await h2Server((request, response) => {
    asked += 1;
    response.writeHead(request.headers.authorization === 'Bearer good' ? 200 : 401).end('body');
  });
  const transport = transportTo(access(url, { user: { tokenFile } }));
  await writeFile(tokenFile, 'bad');
  expect((await ask(transport, '/')).status).toBe(401);
  await writeFile(tokenFile, 'good');
  expect((await ask(transport, '/')).status).toBe(200);
  expect(asked).toBe(4);
});

test('tunnels through a proxy, with its own credentials, which no error repeats', async () => {
  const { url } = await h2Server(echo);
  const proxy = createHttpServer();
  const seen: unknown[] = [];
  proxy.on('connect', (request: IncomingMessage, socket: Socket) => {
    seen.push(request.url, request.headers['proxy-authorization']);
    if (request.headers['proxy-authorization'] !== `Basic ${btoa('me:s3cret')}`) {
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
      return;
    }
    const { hostname, port } = new URL(`http://${request.url}`);
    const upstream = connect(Number(port), hostname, () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      upstream.pipe(socket).pipe(upstream);
    });
    for (const end of [upstream, socket]) end.on('error', () => {});
  });
  const port = await listening(proxy);
  const through = (login: string) =>
    transportTo(access(url, { proxyUrl: `http://${login}@127.0.0.1:${port}` }));
  expect(JSON.parse(await text(ask(through('me:s3cret'), '/x'))).httpVersion).toBe('2.0');
  expect(seen).toEqual([new URL(url).host, `Basic ${btoa('me:s3cret')}`]);

  const failure = await ask(through('me:wr0ng'), '/x').catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(FairleadError);
  expect((failure as Error).message).toBe(
    `no tunnel through the proxy 127.0.0.1:${port}: proxy 127.0.0.1 refused our login: correct it in proxy-url`,
  );
});

test('a key that is no PEM is reported without quoting it', async () => {
  const { url } = await h2Server(echo);
  const user = { certificate: { pem: 'hunter2' }, key: { pem: 'hunter2' } };
  const failure: FairleadError = await ask(transportTo(access(url, { user })), '/').catch((error) => error);
  expect(failure).toMatchObject({ code: 'InvalidSpec' });
  expect(`${failure.message}${failure.stack}${String(failure.cause)}`).not.toContain('hunter2');
});
