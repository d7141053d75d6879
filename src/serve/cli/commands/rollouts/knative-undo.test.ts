import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { KubeObject } from '#base/model';
import { type EmbeddedListener, listen } from '#embedded';
import type { KnativeServiceView } from '#engine/rollouts';
import { type DeliveryGround, deliveryGround, namespace } from '../../../../../test/delivery-ground.ts';
import { runCli } from '../../run.ts';
// loaded before the tests, as their limit is for what they do
import './rollouts.ts';

// compat rollouts RK-14: undo of a Rollout over a Knative Service, beside the controllers in virtual time. The commit is in
// test/e2e/knative-undo.test.ts, with the API server.

let ground: DeliveryGround;
let listener: EmbeddedListener;
let folder: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'fairlead-undo-'));
  ground = await deliveryGround();
  listener = await listen(ground.ctx, ground.cluster, { port: 0, dir: folder });
  ground.start();
});
afterEach(async () => {
  await listener.close();
  await ground.stop();
  rmSync(folder, { recursive: true });
});

async function rollouts(...args: string[]) {
  let [out, err] = ['', ''];
  const io = {
    out: (text: string) => {
      out += text;
    },
    err: (text: string) => {
      err += text;
    },
    env: { KUBECONFIG: listener.kubeconfigPath, HOME: folder },
    isTerminal: false,
    prompt: async () => '',
  };
  const { signal } = new AbortController();
  const openManifests = () => Promise.reject(new Error('nothing is rendered here'));
  const code = await runCli(['rollouts', ...args], { io, signal, version: '0', roles: [], openManifests });
  await ground.pass();
  return { code, out, err };
}

const serviceRef = { apiVersion: 'serving.knative.dev/v1', kind: 'Service', namespace, name: 'cart' };
const template = (image: string) => ({ spec: { containers: [{ image }] } });
const tracked = { 'argocd.argoproj.io/tracking-id': `shop:serving.knative.dev/Service:${namespace}/cart` };
const traffic = async (): Promise<string[]> => {
  const { spec } = (await ground.kube.get(ground.ctx, serviceRef)) as KnativeServiceView;
  return (spec?.traffic ?? []).map(({ revisionName, percent }) => `${revisionName} ${percent}`);
};
const change = async (body: object): Promise<void> => {
  await ground.kube.patch(ground.ctx, serviceRef, { type: 'merge', body });
  await ground.pass();
};

/** Two versions of a Service; without steps the second one has the traffic at once. */
async function atRest(marks: object = {}): Promise<void> {
  const { apiVersion, kind, name } = serviceRef;
  const metadata = { name, namespace, ...marks };
  await ground.kube.create(ground.ctx, {
    apiVersion,
    kind,
    metadata,
    spec: { template: template('cart:1') },
  } as KubeObject);
  await ground.pass();
  const plugins = { 'fairlead.io/knative': { service: 'cart' } };
  await ground.create('Rollout', 'cart', { strategy: { canary: { trafficRouting: { plugins } } } });
  await ground.pass();
  await change({ spec: { template: template('cart:2') } });
  expect(await traffic()).toEqual(['cart-00002 100']);
}

test('--now pins the previous Revision with its author and reason, until --clear', async () => {
  await atRest();
  expect(await rollouts('undo', 'cart', '--now', '--reason', 'errors\nall is well\u001b[2J')).toEqual({
    code: 0,
    out: `rollout 'cart' sends all traffic to cart-00001 (generation 1) until fairlead rollouts undo cart -n ${namespace} --clear\n`,
    err: '',
  });
  expect(await traffic()).toEqual(['cart-00001 100', 'cart-00002 0']);
  const { metadata, status } = await ground.rollout('cart');
  const record = JSON.parse(metadata.annotations?.['fairlead.io/manual-traffic'] ?? '{}');
  expect(record).toEqual({
    ...{ revision: 'cart-00001', by: expect.any(String), at: expect.any(String) },
    reason: 'errors all is well [2J',
  });
  expect(status).toMatchObject({ phase: 'Paused', message: `manual traffic override by ${record.by}` });
  expect(await rollouts('promote', 'cart', '--full')).toMatchObject({
    code: 1,
    err: expect.stringContaining(`end it first with fairlead rollouts undo cart -n ${namespace} --clear`),
  });
  expect((await rollouts('explain', 'cart')).out).toMatch(
    /^You can: +fairlead rollouts undo --clear cart -n/m,
  );
  expect(await rollouts('undo', 'cart', '--clear')).toMatchObject({
    code: 0,
    out: expect.stringContaining('has ended; all traffic goes to cart-00002 again'),
  });
  expect(await traffic()).toEqual(['cart-00002 100']);
  expect(await rollouts('undo', 'cart', '--clear')).toMatchObject({
    err: expect.stringContaining('has no manual traffic override'),
  });
  const verbs = (await ground.events()).filter(({ reason }) => reason === 'RolloutVerb');
  expect(verbs.map(({ message }) => message.replace(/^.* ran/, 'ran')).toSorted()).toEqual([
    'ran undo --clear by the command line',
    'ran undo --now by the command line',
  ]);
});

const refused: readonly (readonly [what: string, args: readonly string[], err: string])[] = [
  ['without a reason', ['--now'], '--now needs --reason'],
  [
    'to a Revision that is not there',
    ['--now', '--reason', 'x', '--to-revision', '9'],
    'has no Revision of generation 9',
  ],
  ['to no number', ['--now', '--reason', 'x', '--to-revision', 'cart-00001'], '--to-revision'],
  ['of a Service of no application', [], 'no application of Fairlead manages the Knative Service "cart"'],
];
test.each(refused)('an undo %s is refused', async (_what, args, err) => {
  await atRest();
  expect(await rollouts('undo', 'cart', ...args)).toMatchObject({
    code: expect.any(Number),
    err: expect.stringContaining(err),
  });
  expect((await ground.rollout('cart')).metadata.annotations).not.toHaveProperty([
    'fairlead.io/manual-traffic',
  ]);
});

test('a Revision that is not ready takes no traffic', async () => {
  await atRest();
  const metadata = { annotations: { 'simulate.fairlead.io/outcome': 'never-ready' } };
  await change({ spec: { template: { metadata, ...template('cart:3') } } });
  expect(await rollouts('undo', 'cart', '--now', '--reason', 'x', '--to-revision', '3')).toMatchObject({
    code: 1,
    err: expect.stringContaining('Revision cart-00003 is not ready and cannot take the traffic'),
  });
  expect(await traffic()).toEqual(['cart-00002 100']);
});

test('where Git declares the traffic an override would have no effect, and is refused', async () => {
  await atRest();
  const declared = [{ latestRevision: true, percent: 100 }];
  await ground.kube.apply(ground.ctx, { ...serviceOf(declared) } as KubeObject, {
    fieldManager: 'argocd-controller',
    force: true,
  });
  await ground.pass();
  expect(await rollouts('undo', 'cart', '--now', '--reason', 'x')).toMatchObject({
    code: 1,
    err: expect.stringMatching(/moves no traffic: InvalidSpec: .* declares spec.traffic/),
  });
});
const serviceOf = (declared: readonly object[]) => {
  const { apiVersion, kind, name } = serviceRef;
  return { apiVersion, kind, metadata: { name, namespace }, spec: { traffic: declared } };
};

test.each([
  ['by its annotation', { annotations: tracked }, []],
  ['by its label', { labels: { 'app.kubernetes.io/instance': 'shop' } }, []],
  ['by the user', {}, ['--app', 'argocd/shop']],
] as const)(
  'a commit for the application named %s needs the API server, and says how to do without',
  async (...row) => {
    const [, metadata, args] = row;
    await atRest(metadata);
    const { code, err } = await rollouts('undo', 'cart', ...args);
    expect(code).toBe(20);
    expect(err).toContain('undo commits through the API server: no server to talk to: run fairlead login');
    expect(err).toContain(`fairlead rollouts undo cart -n ${namespace} --now`);
  },
);
