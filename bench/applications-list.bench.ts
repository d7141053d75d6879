import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import { createServer as createHttp2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import type { Application } from '#base/model';
import { type Ctx, realClock, silent } from '#base/std';
import { grpcRoutes } from '../src/serve/server/grpc/grpc-routes.ts';
import { grpcFormOf, serveGrpc } from '../src/serve/server/grpc/serve-grpc.ts';
import { serveRest } from '../src/serve/server/rest/serve.ts';
import { requestBody } from '../test/grpc-client.ts';
import type { Figure } from './harness.ts';
import { applicationOf, servedTo } from './listed-applications.ts';

// The list of applications as the API sends it to another process on loopback, for a user of a role among 1,000 policy lines:
// a page of ten thousand, all of them, and as browsers, scripts and the unmodified `argocd` get them. Applications have thirty
// resources and a history. Milliseconds are processor time of the server: what else the machine does meanwhile does not count.

const count = 10_000;
const rounds = 9;
const run = promisify(execFile);
const grpcMethod = 'application.ApplicationService/List';

/** Prints how long a request took and how many bytes came, over HTTP/1 or, with the body of a call, over HTTP/2. */
const client = `
const [url, encoding, call] = process.argv.slice(1);
const headers = { authorization: 'Bearer a.b.c', 'accept-encoding': encoding };
const began = performance.now();
let bytes = 0;
const read = (response, done) => {
  response.on('data', (chunk) => (bytes += chunk.length));
  response.on('end', () => {
    console.log(JSON.stringify({ ms: performance.now() - began, bytes }));
    done();
  });
};
if (call) {
  const session = require('node:http2').connect(url);
  const fixed = { ':method': 'POST', ':path': new URL(url).pathname, 'content-type': 'application/grpc', te: 'trailers' };
  const stream = session.request({ ...headers, ...fixed });
  read(stream, () => session.close());
  stream.end(Buffer.from(call, 'base64'));
} else require('node:http').get(url, { headers }, (response) => read(response, () => {}));
`;

type Fetched = { readonly ms: number; readonly bytes: number; readonly serverMs: number };
type Way = 'identity' | 'gzip' | 'grpc';

export async function figures(): Promise<Figure[]> {
  const served = await listen();
  try {
    return [
      ...(await tenThousand(served)),
      ...(await fewer(served, 100, 9)),
      ...(await fewer(served, 500, 30)),
    ];
  } finally {
    served.close();
  }
}

type Served = {
  show(apps: readonly Application[]): void;
  fetched(way: Way, query?: string): Promise<Fetched>;
  close(): void;
};

async function listen(): Promise<Served> {
  const ctx: Ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
  let shown: readonly Application[] = [];
  const options = servedTo(() => shown);
  const calls = { ...options, routes: grpcRoutes(options.routes), isServing: () => true };
  let serverMs = 0;
  const measured = (response: NodeJS.EventEmitter): void => {
    const began = process.cpuUsage();
    response.on('finish', () => {
      const { user, system } = process.cpuUsage(began);
      serverMs = (user + system) / 1000;
    });
  };
  const rest = createServer((request, response) => {
    measured(response);
    serveRest(ctx, options, { request, response }).catch(() => response.destroy());
  });
  const grpc = createHttp2Server((request, response) => {
    const form = grpcFormOf(request);
    if (!form) throw new Error('no call of gRPC');
    measured(response);
    void serveGrpc(ctx, calls, form, { request, response, path: request.url });
  });
  const [restPort, grpcPort] = await Promise.all(
    [rest, grpc].map(async (server) => {
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      return (server.address() as AddressInfo).port;
    }),
  );
  const fetched = async (way: Way, query = ''): Promise<Fetched> => {
    const args =
      way === 'grpc'
        ? [
            `http://127.0.0.1:${grpcPort}/${grpcMethod}`,
            'identity',
            requestBody(grpcMethod, {}).toString('base64'),
          ]
        : [`http://127.0.0.1:${restPort}/api/v1/applications${query}`, way];
    const { stdout } = await run(process.execPath, ['-e', client, ...args]);
    return { ...(JSON.parse(stdout) as { ms: number; bytes: number }), serverMs };
  };
  const close = (): void => {
    rest.close();
    grpc.close();
  };
  return { show: (apps) => (shown = apps), fetched, close };
}

async function tenThousand({ show, fetched }: Served): Promise<Figure[]> {
  show(Array.from({ length: count }, (_, i) => applicationOf(i)));
  const page = await median(async () => (await fetched('gzip', '?fairlead.limit=100')).serverMs);
  const first = await fetched('identity');
  const again = await fetched('identity');
  const packed = await fetched('gzip');
  const ms = { unit: 'ms', target: 1_000 };
  return [
    { name: 'first page of 10,000, 100 of them: the server', value: page, unit: 'ms', target: 50 },
    { name: `all of them, ${megabytes(first)} MB, for the first time`, value: first.serverMs, ...ms },
    { name: '  until the client has them', value: first.ms, ...ms },
    { name: '  again', value: again.serverMs, ...ms },
    { name: `  as gzip, ${megabytes(packed)} MB`, value: packed.serverMs, ...ms },
    { name: '  until the client has them', value: packed.ms, ...ms },
  ];
}

/** As gzip and over gRPC: a list that nobody has requested before, and the same once more. */
async function fewer({ show, fetched }: Served, few: number, target: number): Promise<Figure[]> {
  const ways = [
    ['as gzip', 'gzip'],
    ['over gRPC', 'grpc'],
  ] as const;
  const figures: Figure[] = [];
  for (const [words, way] of ways) {
    await fetched(way); // the code is compiled
    const first = await median(async () => {
      show(Array.from({ length: few }, (_, i) => applicationOf(i)));
      return (await fetched(way)).serverMs;
    });
    const again = await median(async () => (await fetched(way)).serverMs);
    const { bytes } = await fetched(way);
    figures.push(
      { name: `${few} applications ${words}, not listed before`, value: first, unit: 'ms', target },
      { name: '  listed before', value: again, unit: 'ms', target },
      { name: '  sent', value: bytes / 1000, unit: 'KB', ...(way === 'gzip' && { target: few * 0.6 }) },
    );
  }
  return figures;
}

const megabytes = ({ bytes }: Fetched): string => (bytes / 1e6).toFixed(1);

async function median(measure: () => Promise<number>): Promise<number> {
  const values: number[] = [];
  for (let round = 0; round < rounds; round++) values.push(await measure());
  return values.sort((a, b) => a - b)[Math.floor(rounds / 2)] ?? 0;
}
