import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { type Application, defaultSettings } from '#base/model';
import { type Ctx, realClock, silent } from '#base/std';
import { applicationRoutes } from '../src/serve/server/methods/applications/routes.ts';
import type { MethodDeps } from '../src/serve/server/methods/deps.ts';
import { type RestOptions, serveRest } from '../src/serve/server/rest/serve.ts';
import { policyOf } from '../test/policy.ts';
import type { Figure } from './harness.ts';

// The list of applications as the API sends it to another process on loopback, for a user of a role among 1,000 policy lines:
// a page of ten thousand, all of them, and a hundred as a browser gets them. Applications have thirty resources and a history.
// Milliseconds are processor time of the server: what else the machine does meanwhile does not count.

const count = 10_000;
const run = promisify(execFile);

const csv = [
  ...Array.from({ length: 1_000 }, (_, i) => `p, role:${i}, applications, get, team-${i}/*, allow`),
  'g, jane, role:everything',
  'p, role:everything, applications, get, */*, allow',
].join('\n');

const hex = (seed: number, length: number): string => {
  let [text, state] = ['', seed + 1];
  while (text.length < length) {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    text += state.toString(16).padStart(8, '0');
  }
  return text.slice(0, length);
};

function applicationOf(i: number): Application {
  const namespace = `ns-${i}`;
  const source = {
    repoURL: `https://git.example/org/repo-${i}.git`,
    path: `deploy/${i}`,
    targetRevision: 'main',
  };
  const health = { status: 'Healthy' as const };
  const resources = Array.from({ length: 30 }, (_, k) => ({
    ...(k % 3 === 0 && { group: 'apps' }),
    version: 'v1',
    kind: k % 3 === 0 ? 'Deployment' : 'ConfigMap',
    namespace,
    name: `resource-${k}`,
    status: 'Synced',
    health,
  }));
  const history = Array.from({ length: 5 }, (_, id) => ({
    id,
    revision: hex(i * 7 + id, 40),
    deployedAt: '2026-01-01T00:00:00Z',
    source,
  }));
  const app = {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name: `app-${i}`, namespace: 'argocd', uid: hex(i, 32), resourceVersion: String(1000 + i) },
    spec: {
      project: `team-${i % 1_000}`,
      source,
      destination: { server: 'https://kubernetes.default.svc', namespace },
    },
    status: {
      sync: { status: 'Synced', revision: hex(i, 40) },
      health,
      resources,
      history,
      reconciledAt: '2026-01-01T00:00:00Z',
    },
  };
  return app as unknown as Application;
}

const client = `
const http = require('node:http');
const [url, encoding] = process.argv.slice(1);
const began = performance.now();
http.get(url, { headers: { authorization: 'Bearer a.b.c', 'accept-encoding': encoding } }, (response) => {
  let bytes = 0;
  response.on('data', (chunk) => (bytes += chunk.length));
  response.on('end', () => console.log(JSON.stringify({ ms: performance.now() - began, bytes, status: response.statusCode })));
});`;

export async function figures(): Promise<Figure[]> {
  const ctx: Ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
  const apps = Array.from({ length: count }, (_, i) => applicationOf(i));
  let shown = apps;
  const deps = {
    apps: { list: () => [...shown] },
    world: { namespace: 'argocd', settings: () => defaultSettings },
  } as unknown as MethodDeps;
  const options = optionsOf(deps);
  let serverMs = 0;
  const server = createServer((request, response) => {
    const began = process.cpuUsage();
    response.on('finish', () => {
      const { user, system } = process.cpuUsage(began);
      serverMs = (user + system) / 1000;
    });
    serveRest(ctx, options, { request, response }).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const fetched = async (query: string, encoding: string) => {
    const url = `http://127.0.0.1:${port}/api/v1/applications${query}`;
    const { stdout } = await run(process.execPath, ['-e', client, url, encoding]);
    return { ...(JSON.parse(stdout) as { ms: number; bytes: number }), serverMs };
  };
  const pages: number[] = [];
  for (let i = 0; i < 9; i++) pages.push((await fetched('?fairlead.limit=100', 'gzip')).serverMs);
  const page = pages.toSorted((a, b) => a - b)[4] ?? 0;
  const all = await fetched('', 'identity');
  const again = await fetched('', 'identity');
  const packed = await fetched('', 'gzip');
  shown = apps.slice(0, 100);
  await fetched('', 'gzip');
  const hundred = await fetched('', 'gzip');
  const plain = await fetched('', 'identity');
  shown = apps.slice(0, 500);
  await fetched('', 'gzip');
  const five = await fetched('', 'gzip');
  server.close();
  return [
    { name: 'first page of 10,000, 100 of them: the server', value: page, unit: 'ms', target: 50 },
    {
      name: `all of them, ${megabytes(all.bytes)} MB, for the first time`,
      value: all.serverMs,
      unit: 'ms',
      target: 1_000,
    },
    { name: '  again', value: again.serverMs, unit: 'ms', target: 1_000 },
    { name: `  as gzip, ${megabytes(packed.bytes)} MB`, value: packed.serverMs, unit: 'ms', target: 2_000 },
    {
      name: '100 applications as gzip, listed before: the server',
      value: hundred.serverMs,
      unit: 'ms',
      target: 9,
    },
    {
      name: `  of ${(plain.bytes / 1000).toFixed(0)} KB are sent`,
      value: hundred.bytes / 1000,
      unit: 'KB',
      target: 60,
    },
    {
      name: '500 applications as gzip, listed before: the server',
      value: five.serverMs,
      unit: 'ms',
      target: 30,
    },
  ];
}

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1);

function optionsOf(deps: MethodDeps): RestOptions {
  const subject = { user: 'jane', isLocal: true };
  const user = {
    username: 'jane',
    issuer: 'argocd',
    subject,
    kind: 'login' as const,
    token: { id: 'x', issued: 0 },
  };
  return {
    routes: applicationRoutes(deps),
    policy: policyOf({ 'policy.csv': csv }),
    audit: async () => {},
    reached: () => ({ trustedProxies: [], origins: [], cookiePath: '/' }),
    sessions: {
      verify: async () => user,
      renewed: async () => undefined,
      isAnonymousAllowed: false,
      untilEnd: async () => {},
    },
  };
}
