import { afterAll, expect, test } from 'vitest';
import type { KubeObject } from '#base/model';
import { createScripts } from '#control/scripts';
import { actionsFor, discoverActions, health, planAction, readChanges, startAction } from '#engine';
import { dataOf, fragment, manifest, settingsOf } from './documents.ts';
import { ctx, judged, spelled } from './scripts.ts';

// the Lua of "GitOps with ArgoCD": four health scripts and two actions
const scripts = createScripts({ size: 1 });
afterAll(() => scripts.close());

const settings = settingsOf({
  ...dataOf('002/health-rollout.yaml'),
  ...fragment('002/health-certificate.yaml'),
  ...fragment('002/health-my-app.yaml'),
  ...fragment('002/health-my-resource.yaml'),
  ...fragment('002/actions-rollout.yaml'),
});

test('the keys keep the dots of the group and have one underscore before the kind (X-28)', () => {
  expect(settings.problems).toEqual([]);
  expect(Object.keys(settings.resources.overrides).sort()).toEqual(
    expect.arrayContaining([
      'argoproj.io/Rollout',
      'cert-manager.io/Certificate',
      'example.com/MyResource',
      'myorg.io/MyApp',
    ]),
  );
});

const kinds = {
  Rollout: 'argoproj.io/v1alpha1',
  Certificate: 'cert-manager.io/v1',
  MyApp: 'myorg.io/v1',
  MyResource: 'example.com/v1',
} as const;
type Kind = keyof typeof kinds;
type Fields = Record<string, unknown>;

const object = (kind: Kind, status?: Fields, spec: Fields = {}): KubeObject => ({
  apiVersion: kinds[kind],
  kind,
  metadata: { name: 'web', namespace: 'd' },
  spec,
  ...(status && { status }),
});
const condition = (type: string, status: string, message?: string) => ({
  conditions: [{ type, status, ...(message && { message }) }],
});

const healths: [Kind, Fields | undefined, string, Fields?][] = [
  ['Rollout', undefined, 'Progressing: Waiting for status'],
  ['Rollout', { phase: 'Healthy' }, 'Healthy: Rollout is healthy'],
  ['Rollout', { phase: 'Paused' }, 'Suspended: Rollout is paused: awaiting promotion'],
  ['Rollout', { phase: 'Paused', message: 'step 2' }, 'Suspended: Rollout is paused: step 2'],
  ['Rollout', { phase: 'Degraded', message: 'aborted' }, 'Degraded: Rollout is degraded: aborted'],
  ['Rollout', { phase: 'Degraded' }, 'Degraded: Rollout is degraded: unknown error'],
  ['Rollout', { phase: 'Progressing' }, 'Progressing: Rollout is Progressing'],
  ['Rollout', {}, 'Progressing: Rollout is unknown'],
  ['Certificate', undefined, 'Progressing: Waiting for certificate status'],
  ['Certificate', {}, 'Progressing: Waiting for certificate status'],
  ['Certificate', condition('Ready', 'True'), 'Healthy: Certificate is ready'],
  ['Certificate', condition('Ready', 'False', 'no such issuer'), 'Degraded: no such issuer'],
  ['Certificate', condition('Ready', 'False'), 'Degraded: Certificate not ready'],
  ['Certificate', condition('Ready', 'Unknown'), 'Progressing: Certificate status unknown'],
  ['Certificate', condition('Issuing', 'True'), 'Progressing: No Ready condition found'],
  ['MyApp', undefined, 'Progressing: Resource just created'],
  ['MyApp', { state: 'Running', replicas: { ready: 3 } }, 'Healthy: 3/3 replicas ready', { replicas: 3 }],
  ['MyApp', { state: 'Running', replicas: { ready: 1 } }, 'Progressing: 1/3 replicas ready', { replicas: 3 }],
  ['MyApp', { state: 'Running' }, 'Progressing: 0/1 replicas ready'],
  ['MyApp', { state: 'Failed' }, 'Degraded: Application failed'],
  ['MyApp', { state: 'Failed', error: 'out of memory' }, 'Degraded: out of memory'],
  ['MyApp', { state: 'Suspended' }, 'Suspended: Application paused by operator'],
  ['MyApp', { state: 'Starting' }, 'Progressing: State: Starting'],
  ['MyApp', {}, 'Progressing: State: unknown'],
  ['MyResource', undefined, 'Progressing: Waiting for conditions'],
  ['MyResource', condition('Ready', 'True'), 'Healthy: Ready: OK'],
  ['MyResource', condition('Available', 'True', 'all good'), 'Healthy: Available: all good'],
  ['MyResource', condition('Degraded', 'True', 'disk full'), 'Degraded: disk full'],
  ['MyResource', condition('Degraded', 'True'), 'Degraded: Resource degraded'],
  ['MyResource', condition('Ready', 'False'), 'Progressing: Waiting for Ready condition'],
];

test.each(healths)('the health script says of a %s with %j: %s', async (kind, status, wanted, spec) => {
  expect(spelled(await judged(scripts, object(kind, status, spec), settings))).toBe(wanted);
});

test('without a script a custom kind has no health at all, and is not Unknown (X-29)', () => {
  expect(health(object('MyApp', { state: 'Running' }))).toBeUndefined();
  expect(health(object('MyResource', condition('Ready', 'True')))).toBeUndefined();
});

const configured = settings.resources.overrides['argoproj.io/Rollout']?.actions ?? '';
const rollout: KubeObject = {
  ...manifest('002/rollout-canary.yaml'),
  status: { phase: 'Paused', currentPodHash: 'abc' },
};

async function act(name: string, on: KubeObject) {
  const started = startAction(on, { name, parameters: {}, now: new Date(0), configured });
  if (!('script' in started)) throw new Error('the document brings a script for it');
  return planAction(on, readChanges(on, await scripts.run(ctx, started.script)));
}

test('its discovery script offers both actions', async () => {
  const discovery = discoverActions(rollout, configured);
  const returned = discovery.script && (await scripts.run(ctx, discovery.script));
  expect(actionsFor(discovery, returned)).toEqual([
    { name: 'promote-full', disabled: false },
    { name: 'restart', disabled: false },
  ]);
});

test('restart asks the clock by os.date, and that works (X-30)', async () => {
  const before = Date.now();
  const [step, ...more] = await act('restart', rollout);
  expect(more).toEqual([]);
  const { restartAt } = step?.do === 'patch' ? (step.patch.spec as { restartAt: string }) : { restartAt: '' };
  expect(restartAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  expect(Math.abs(Date.parse(restartAt) - before)).toBeLessThan(60_000);
  expect(step).toMatchObject({ do: 'patch', patch: { spec: { restartAt } } });
});

test('promote-full changes the status, so it is sent to the status subresource (X-31)', async () => {
  expect(await act('promote-full', rollout)).toMatchObject([
    { do: 'patch-status', patch: { status: { promoteFull: true } } },
  ]);
  // nothing runs yet that could be promoted
  expect(await act('promote-full', { ...rollout, status: { phase: 'Healthy' } })).toEqual([]);
});
