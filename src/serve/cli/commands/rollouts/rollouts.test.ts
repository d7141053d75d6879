import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type EmbeddedListener, listen } from '#embedded';
import { type DeliveryGround, deliveryGround, namespace } from '../../../../../test/delivery-ground.ts';
import { runCli } from '../../run.ts';
// loaded before the tests, as their limit is for what they do
import './rollouts.ts';

// The commands on an embedded cluster over loopback, beside the controllers in virtual time.

let ground: DeliveryGround;
let listener: EmbeddedListener;
let folder: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'fairlead-rollouts-'));
  ground = await deliveryGround();
  listener = await listen(ground.ctx, ground.cluster, { port: 0, dir: folder });
});
afterEach(async () => {
  await listener.close();
  await ground.stop();
  rmSync(folder, { recursive: true });
});

const rollouts = (...args: string[]) => rolloutsUntil(() => false, ...args);

/** The command, ended by Ctrl-C as soon as its output is as wanted. */
async function rolloutsUntil(isEnough: (out: string) => boolean, ...args: string[]) {
  let [out, err] = ['', ''];
  const interrupt = new AbortController();
  const io = {
    out: (text: string) => {
      out += text;
      if (isEnough(out)) interrupt.abort();
    },
    err: (text: string) => {
      err += text;
    },
    env: { KUBECONFIG: listener.kubeconfigPath },
    isTerminal: false,
    prompt: async () => '',
  };
  const { signal } = interrupt;
  const openManifests = () => Promise.reject(new Error('nothing is rendered here'));
  const code = await runCli(['rollouts', ...args], { io, signal, version: '0', roles: [], openManifests });
  return { code, out, err };
}

const created = (metadata: object = {}) =>
  ground.create(
    'Rollout',
    'web',
    {
      replicas: 2,
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: { containers: [{ name: 'web', image: 'web:1' }] },
      },
      strategy: { canary: { steps: [{ setWeight: 50 }, { pause: {} }] } },
    },
    { metadata: { name: 'web', namespace, ...metadata } },
  );
async function image(): Promise<string | undefined> {
  const { containers } = (await ground.rollout()).spec?.template?.spec ?? {};
  return (containers as { image: string }[] | undefined)?.[0]?.image;
}
const verbs = async () =>
  (await ground.events()).filter(({ reason }) => reason === 'RolloutVerb').map(({ message }) => message);

test('RW-13: every verb on the status leaves an event with the user', async () => {
  await created();
  for (const words of [['pause'], ['promote'], ['promote', '--full'], ['abort'], ['retry'], ['restart']]) {
    const [verb = '', ...flags] = words;
    expect(await rollouts(verb, 'web', ...flags)).toMatchObject({ code: 0 });
  }
  expect((await verbs()).toSorted()).toEqual(
    ['abort', 'pause', 'promote --full', 'promote', 'restart', 'retry'].map(
      (verb) => `system:admin ran ${verb} by the command line`,
    ),
  );
});

test.each([
  [4, 0, 'web:2'],
  [5, 20, 'web:1'],
])('§8: an image is set again after a conflict: %i conflicts end with %i', async (times, code, expected) => {
  await created();
  const match = { verbs: ['patch'], resources: ['rollouts'], times };
  ground.cluster.faults.set([{ match, effect: { conflict: true } }], 1);
  expect(await rollouts('set', 'image', 'web', 'web=web:2')).toMatchObject({ code });
  expect(await image()).toBe(expected);
});

test.each([
  [
    'an application',
    { annotations: { 'argocd.argoproj.io/tracking-id': 'shop:argoproj.io/Rollout:default/web' } },
  ],
  ['nothing', {}],
])(
  'RW-13: a template that %s manages is changed with a warning of self-heal, if it is one',
  async (owner, metadata) => {
    await created(metadata);
    const stop = ground.start();
    await ground.pass(5);
    const set = await rollouts('set', 'image', 'web', 'web=web:2');
    await ground.pass(5);
    const undone = await rollouts('undo', 'web');
    await stop();
    const warning =
      owner === 'nothing' ? '' : expect.stringMatching(/^warning: the application shop manages Rollout web/);
    expect([set, undone]).toEqual([
      { code: 0, out: 'rollout "web" image updated\n', err: warning },
      { code: 0, out: "rollout 'web' undo\n", err: warning },
    ]);
    expect(await image()).toBe('web:1');
  },
);

test('RK-14: what is for Knative Services is refused for a Rollout with pods of its own', async () => {
  await created();
  expect(await rollouts('undo', 'web', '--dry-run')).toMatchObject({
    code: 20,
    err: expect.stringContaining(
      '--dry-run is for a Rollout over a Knative Service, and web has pods of its own',
    ),
  });
});

test('§13: explain says what a Rollout waits for and what comes next', async () => {
  await created();
  const stop = ground.start();
  await ground.pass(5);
  expect((await rollouts('explain', 'web')).out).toMatch(
    /^Waits for: +nothing\nNext: +an update by a new template begins at step 1, setWeight: 50$/m,
  );
  await rollouts('set', 'image', 'web', 'web=web:2');
  await ground.pass(5);
  const { code, out } = await rollouts('explain', 'web');
  await stop();
  expect([code, out]).toEqual([
    0,
    [
      'Name:               web',
      'Namespace:          default',
      'Status:             Paused - CanaryPauseStep',
      'Step:               2 of 2, pause',
      'Waits for:          a user',
      'Next:               the new version becomes the stable one',
      'You can:            fairlead rollouts promote web -n default',
      '                    fairlead rollouts abort web -n default',
      '',
    ].join('\n'),
  ]);
});

test('§13: a watched list prints the list, then a line for each change of it', async () => {
  await created();
  const stop = ground.start();
  await ground.pass(5);
  let change: Promise<void> | undefined;
  const watched = rolloutsUntil(
    (out) => {
      // once the list is there the Rollout changes
      if (out.includes('Healthy'))
        change ??= ground.patch({ spec: { paused: true } }).then(() => ground.pass(5));
      return out.includes('Paused');
    },
    'list',
    '--watch',
  );
  const { out } = await watched;
  await change;
  await stop();
  const lines = out.trimEnd().split('\n');
  expect(lines[0]).toMatch(/^NAMESPACE {2}NAME {2}STRATEGY {2}STATUS /);
  expect(lines[1]).toMatch(/^default {4}web {3}Canary {4}Healthy /);
  expect(lines.at(-1)).toMatch(/^default {4}web {3}Canary {4}Paused /);
  expect(new Set(lines).size).toBe(lines.length);
});

test('§13: get shows the AnalysisRuns of a Rollout with what they measured', async () => {
  await created();
  const { uid = '' } = (await ground.rollout()).metadata;
  const owner = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout', name: 'web', uid, controller: true };
  const metadata = { ownerReferences: [owner], annotations: { 'rollout.argoproj.io/revision': '2' } };
  const measurements = [
    { phase: 'Successful', value: '[0.99]' },
    { phase: 'Failed', value: '[0.5]' },
  ];
  const metricResults = [{ name: 'rate', phase: 'Failed', count: 2, successful: 1, measurements }];
  const message = 'Metric "rate" assessed Failed';
  const provider = { prometheus: { address: 'http://127.0.0.1:1', query: 'rate' } };
  const spec = { metrics: [{ name: 'rate', provider }] };
  await ground.create('AnalysisRun', 'web-new-2-1', spec, {
    metadata: { name: 'web-new-2-1', namespace, ...metadata },
    status: { phase: 'Failed', message, metricResults },
  });
  await ground.create('AnalysisRun', 'of-another', spec);
  const { out } = await rollouts('get', 'web');
  expect(out).toMatch(/^REVISION {2}ANALYSISRUN {2}STATUS {2}METRICS +MESSAGE$/m);
  expect(out).toMatch(
    /^2 {9}web-new-2-1 {2}Failed {2}rate Failed 1 of 2, last \[0\.5\] {2}Metric "rate" assessed Failed$/m,
  );
  expect(out).not.toContain('of-another');
});
