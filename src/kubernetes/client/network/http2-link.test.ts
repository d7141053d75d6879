import { createServer, type ServerHttp2Stream } from 'node:http2';
import {
  type AddressInfo,
  connect,
  createServer as createTcpServer,
  type Server,
  type Socket,
} from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { readText } from '../body.ts';
import type { WireRequest } from './exchange.ts';
import { Http2Link } from './http2-link.ts';

const never = new AbortController().signal;
const request: WireRequest = { method: 'GET', path: '/', headers: {}, body: undefined, signal: never };
const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

async function portOf(server: Server): Promise<number> {
  cleanups.push(() => server.close());
  server.on('connection', (socket: Socket) => cleanups.push(() => socket.destroy()));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** A link whose wire can be cut so that neither end notices, as when a machine vanishes. */
async function cuttableLink(onStream: (stream: ServerHttp2Stream) => void) {
  const server = createServer();
  server.on('stream', (stream) => {
    stream.on('error', () => {});
    onStream(stream);
  });
  server.on('sessionError', () => {});
  const target = await portOf(server);
  let cut = false;
  const wire = createTcpServer((near) => {
    const far = connect(target, '127.0.0.1');
    near.on('data', (chunk) => cut || far.write(chunk));
    far.on('data', (chunk) => cut || near.write(chunk));
    for (const end of [near, far]) end.on('error', () => {});
    cleanups.push(() => far.destroy());
  });
  const port = await portOf(wire);
  const patience = { idleMs: 60, pingMs: 60 };
  const link = await Http2Link.open(
    new URL(`http://127.0.0.1:${port}`),
    connect(port, '127.0.0.1'),
    never,
    patience,
  );
  cleanups.push(() => link.destroy());
  return {
    link,
    cut: () => {
      cut = true;
    },
  };
}

test('a connection whose other end has vanished is given up, and its watches are told', async () => {
  const { link, cut } = await cuttableLink((stream) => {
    stream.respond({ ':status': 200 });
    stream.write('open\n');
  });
  expect(link.take()).toBe(true);
  const answer = await link.exchange(request);
  if (!answer) throw new Error('not answered');
  const reading = readText(answer.body);
  cut();
  await expect(reading).rejects.toMatchObject({ code: 'Unavailable' });
  expect(link.take()).toBe(false);
  expect(link.isDead).toBe(true);
});

test('a connection on which only we speak is found out when an answer is given up', async () => {
  const { link, cut } = await cuttableLink((stream) =>
    stream.respond({ ':status': 200 }, { endStream: true }),
  );
  link.take();
  expect(await link.exchange(request)).toMatchObject({ status: 200 });
  cut();
  const ended = new Promise<void>((resolve) => {
    const [patient, impatient] = [new AbortController(), new AbortController()];
    link.take();
    const stuck = link.exchange({ ...request, signal: patient.signal });
    stuck.then(
      () => resolve(),
      () => resolve(),
    );
    link.take();
    link.exchange({ ...request, signal: impatient.signal }).catch(() => {});
    impatient.abort();
  });
  await ended;
  expect(link.take()).toBe(false);
});

test('a connection that is only silent is kept', async () => {
  const { link } = await cuttableLink((stream) => {
    stream.respond({ ':status': 200 });
    // longer than idle and ping together: only answered pings keep the connection
    const pings = stream.session?.on('ping', () => {
      seen += 1;
      if (seen === 4) stream.end('done');
    });
    let seen = 0;
    expect(pings).toBeDefined();
  });
  expect(link.take()).toBe(true);
  const answer = await link.exchange(request);
  expect(await readText(answer?.body ?? '')).toBe('done');
  expect(link.take()).toBe(true);
});
