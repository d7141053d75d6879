import { X509Certificate } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Ctx, realClock, runAll, silent } from '#base/std';
import { SecretValues } from '#control/live';
import { createCluster, type EmbeddedCluster } from '#embedded';
import { createKubeClient, type KubeClient } from '#kubernetes/client';
import { selfSigned } from '#platform/certificates';
import { memoryStore } from '#platform/store';
import { ServerCertificate } from './server-certificate.ts';

const namespace = 'default';
const day = 24 * 3600_000;
let cluster: EmbeddedCluster;
let kube: KubeClient;
let stop: AbortController;
let ctx: Ctx;
let logged: string[];
let daysLater: number;
let running: Promise<void>[];

beforeEach(async () => {
  stop = new AbortController();
  [logged, running, daysLater] = [[], [], 0];
  const warn = (text: string): void => void logged.push(text);
  const clock = { ...realClock, now: () => new Date(Date.now() + daysLater * day) };
  ctx = { signal: stop.signal, log: { ...silent, warn, error: warn }, clock };
  cluster = await createCluster({ store: memoryStore(), clock: realClock });
  kube = createKubeClient({ transport: (request) => cluster.handle(request) });
  await put('argocd-secret', { 'server.secretkey': 'a key' });
});
afterEach(async () => {
  stop.abort();
  await Promise.all(running);
  await cluster.close();
});

async function put(name: string, stringData: Record<string, string>): Promise<void> {
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace }, stringData };
  await kube.apply(ctx, secret, { fieldManager: `test-${name}-${logged.length}`, force: true });
}

async function server(): Promise<ServerCertificate> {
  const secret = new SecretValues({ kube, namespace });
  const certificate = new ServerCertificate({ kube, namespace, secret });
  await certificate.want(ctx);
  running.push(runAll(ctx, [(inner) => secret.run(inner), (inner) => certificate.run(inner)]));
  return certificate;
}
const pairOf = (user: string, lifeMs = 365 * day) => {
  const from = new Date(Date.now() - 30 * day);
  const { certificate, key } = selfSigned({ user }, { hosts: ['fairlead.test'], from, lifeMs });
  return { 'tls.crt': certificate, 'tls.key': key };
};
const subjectOf = (one: ServerCertificate) => new X509Certificate(one.current?.cert ?? '').subject;

test('server §1.5: without one, the first server makes it, and the others serve the same', async () => {
  const [one, two] = [await server(), await server()];
  expect(subjectOf(one)).toBe('O=Fairlead\nCN=fairlead-server');
  expect(two.current?.cert).toBe(one.current?.cert);
  const made = new X509Certificate(one.current?.cert ?? '');
  const hosts = ['localhost', 'argocd-server', 'argocd-server.default.svc', 'fairlead-server.default'];
  expect(hosts.map((host) => made.checkHost(host))).toEqual(hosts);
});

test('what a person puts into argocd-server-tls is served at once, and no longer when it is deleted', async () => {
  const one = await server();
  const own = pairOf('theirs');
  await put('argocd-server-tls', own);
  await expect.poll(() => one.current?.cert).toBe(own['tls.crt']);
  const ref = { apiVersion: 'v1', kind: 'Secret', namespace, name: 'argocd-server-tls' };
  await kube.delete(ctx, ref);
  await expect.poll(() => subjectOf(one)).toBe('O=Fairlead\nCN=fairlead-server');
});

test('a key that is not that of the certificate is reported, and the last pair is served on', async () => {
  const one = await server();
  await put('argocd-server-tls', pairOf('first'));
  await expect.poll(() => subjectOf(one)).toBe('CN=first');
  await put('argocd-server-tls', { ...pairOf('second'), 'tls.key': pairOf('third')['tls.key'] });
  await expect
    .poll(() => logged)
    .toEqual([
      'the certificate in the Secret argocd-server-tls cannot be used: tls.key is not the key of tls.crt',
    ]);
  expect(subjectOf(one)).toBe('CN=first');
});

test('one that we signed is renewed a month before its end, and one of a person is not', async () => {
  const one = await server();
  const before = one.current?.cert;
  daysLater = 336;
  await put('argocd-secret', { touched: 'once' });
  await expect.poll(() => one.current?.cert).not.toBe(before);
  const soon = pairOf('theirs', 31 * day);
  daysLater = 0;
  await put('argocd-server-tls', soon);
  await expect.poll(() => one.current?.cert).toBe(soon['tls.crt']);
  await expect
    .poll(() => logged.at(-1))
    .toMatch(/^the certificate in the Secret argocd-server-tls expires at .*: renew it$/);
});

test('a broken certificate in argocd-secret is not overwritten', async () => {
  await put('argocd-secret', { 'server.secretkey': 'a key', 'tls.crt': 'scribble', 'tls.key': 'scribble' });
  expect(subjectOf(await server())).toBe('O=Fairlead\nCN=fairlead-server');
  const ref = { apiVersion: 'v1', kind: 'Secret', namespace, name: 'argocd-secret' };
  const { data } = (await kube.get(ctx, ref)) as { data?: Record<string, string> };
  expect(Buffer.from(data?.['tls.crt'] ?? '', 'base64').toString()).toBe('scribble');
  expect(logged).toEqual([
    'the certificate in the Secret argocd-secret cannot be used: tls.crt is not a certificate in PEM',
  ]);
});
