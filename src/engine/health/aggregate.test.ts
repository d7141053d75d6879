import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type HealthCode, type KubeObject, keyOf } from '#base/model';
import { aggregateHealth } from './aggregate.ts';
import { healthCodes, isWorse } from './verdict.ts';

type Options = { annotations?: Record<string, string>; message?: string };

/** An object that a script says this of: the aggregation does not care where a health comes from. */
function live(name: string, status: HealthCode, { annotations, message }: Options = {}): KubeObject {
  const metadata = annotations ? { name, annotations } : { name };
  return {
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata,
    status: { is: { status, ...(message && { message }) } },
  };
}
const scripted = (object: KubeObject) => {
  const { is } = (object.status ?? {}) as { is?: { status: HealthCode; message?: string } };
  return is ? { health: is } : undefined;
};
const pair = (object: KubeObject) => ({ key: keyOf(object), target: object, live: object });
const aggregate = (...objects: readonly KubeObject[]) =>
  aggregateHealth(objects.map(pair), { scripted }).health;

test('codes rank from Healthy to Unknown, and an unknown code like Healthy (H-1)', () => {
  expect(healthCodes.join(' < ')).toBe('Healthy < Suspended < Progressing < Missing < Degraded < Unknown');
  for (const [at, code] of healthCodes.entries()) {
    for (const better of healthCodes.slice(0, at))
      expect(isWorse(code, better), `${code} ${better}`).toBe(true);
    expect(isWorse(code, code)).toBe(false);
  }
  expect(isWorse('Odd' as HealthCode, 'Healthy')).toBe(false);
  expect(isWorse('Suspended', 'Odd' as HealthCode)).toBe(true);
  expect(isWorse('Odd' as HealthCode, 'Suspended')).toBe(false);
});

test('the worst of the resources is the health of the application (H-8)', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...healthCodes), { minLength: 1 }), (list) => {
      const worst = healthCodes[Math.max(...list.map((code) => healthCodes.indexOf(code)))];
      expect(aggregate(...list.map((code, at) => live(`w${at}`, code))).status).toBe(worst);
    }),
  );
});

test('a resource without health neither worsens the application nor is told (H-4)', () => {
  const silent = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } };
  const { health, byKey, errors } = aggregateHealth([pair(silent)], { scripted });
  expect(health).toEqual({ status: 'Healthy' });
  expect(byKey.size).toBe(0);
  expect(errors).toEqual([]);
});

test('skipped targets, and hooks that are live, do not count; they do not make it Missing either (H-5, H-9)', () => {
  const skipped = live('s', 'Degraded', { annotations: { 'argocd.argoproj.io/hook': 'Skip' } });
  const hook = live('h', 'Degraded', { annotations: { 'argocd.argoproj.io/hook': 'PreSync' } });
  const ignored = live('i', 'Degraded', { annotations: { 'helm.sh/hook': 'test' } });
  const { health, byKey } = aggregateHealth(
    [pair(skipped), { key: keyOf(hook), live: hook }, { key: keyOf(ignored), live: ignored }],
    { scripted },
  );
  expect(health).toEqual({ status: 'Healthy' });
  expect(byKey.size).toBe(0);
});

test('an object that asks to be ignored is told but not counted, and counts as live (H-5)', () => {
  const quiet = live('q', 'Degraded', { annotations: { 'argocd.argoproj.io/ignore-healthcheck': 'true' } });
  const { health, byKey } = aggregateHealth([pair(quiet), { key: keyOf(live('gone', 'Healthy')) }], {
    scripted,
  });
  expect(health).toEqual({ status: 'Healthy' });
  expect(byKey.get(keyOf(quiet))?.status).toBe('Degraded');
});

test("the application's own object does not count (H-5)", () => {
  const self = live('self', 'Degraded');
  const found = aggregateHealth([pair(self)], {
    scripted,
    isSelf: ({ metadata }) => metadata.name === 'self',
  });
  expect(found.health).toEqual({ status: 'Healthy' });
});

test('what is missing is told as Missing, and does not count beside what is there (H-6)', () => {
  const gone = keyOf(live('gone', 'Healthy'));
  const { health, byKey } = aggregateHealth(
    [pair(live('here', 'Suspended')), { key: gone, target: live('gone', 'Healthy') }],
    { scripted },
  );
  expect(health.status).toBe('Suspended');
  expect(byKey.get(gone)).toEqual({ status: 'Missing' });
});

const child = (status: HealthCode): KubeObject => ({
  ...live('child', status),
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
});

test('a child Application that is Missing or Unknown says nothing about its parent (H-7, X-3)', () => {
  expect(aggregate(child('Missing')).status).toBe('Healthy');
  expect(aggregate(child('Unknown')).status).toBe('Healthy');
  expect(aggregate(child('Degraded')).status).toBe('Degraded');
  expect(aggregate(live('other', 'Unknown')).status).toBe('Unknown');
});

test('nothing live at all is Missing, nothing declared at all is Healthy (H-9)', () => {
  const gone = { key: keyOf(live('gone', 'Healthy')), target: live('gone', 'Healthy') };
  expect(aggregateHealth([gone], { scripted }).health).toEqual({ status: 'Missing' });
  expect(aggregateHealth([], { scripted }).health).toEqual({ status: 'Healthy' });
});

test('an object that only awaits pruning counts (H-10)', () => {
  const old = live('old', 'Degraded');
  expect(aggregateHealth([{ key: keyOf(old), live: old }], { scripted }).health.status).toBe('Degraded');
});

test('only the pairs count: a broken Pod below a healthy root is nobody to the application (H-11)', () => {
  const { health, byKey } = aggregateHealth([pair(live('root', 'Healthy'))], { scripted });
  expect(health.status).toBe('Healthy');
  expect([...byKey.keys()]).toEqual([keyOf(live('root', 'Healthy'))]);
});

test('a broken check is an error of the application (H-3)', () => {
  const old = { apiVersion: 'apps/v1beta1', kind: 'Deployment', metadata: { name: 'web', namespace: 'n' } };
  const { health, errors } = aggregateHealth([pair(old)]);
  expect(health.status).toBe('Unknown');
  expect(errors).toEqual([
    'apps/Deployment/n/web: no health check for Deployment in apps/v1beta1; use apps v1',
  ]);
});

test('the message names up to three causes with their reasons, and counts the rest', () => {
  expect(
    aggregate(
      live('fine', 'Healthy'),
      live('slow', 'Progressing', { message: 'not a cause' }),
      live('a', 'Degraded', { message: 'ImagePullBackOff: no such image' }),
      live('b', 'Degraded'),
      live('c', 'Degraded', { message: 'first line\nsecond line' }),
      live('d', 'Degraded'),
      live('e', 'Degraded'),
    ),
  ).toEqual({
    status: 'Degraded',
    message: 'Widget a (ImagePullBackOff: no such image), Widget b, Widget c (first line) and 2 more',
  });
});

const abortedBy = (cause: string): string | undefined => {
  const message = `RolloutAborted: Rollout aborted update to revision 2: Step-based analysis phase error/failed (web-6c54544bf9-2-1): ${cause}`;
  const rollout = {
    ...{ apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout', metadata: { name: 'web', generation: 1 } },
    status: { observedGeneration: '1', phase: 'Degraded', message },
  };
  return aggregateHealth([pair(rollout)]).health.message;
};

test('an update that a metric aborted names the metric', () => {
  const cause = 'Metric "success-rate" assessed Failed due to failed (1) > failureLimit (0)';
  expect(abortedBy(cause)).toBe(`Rollout web (aborted revision 2: ${cause})`);
});

test('RA-20: what the metric measured and the condition are not cut from an abort', () => {
  const limits = 'failed (1) > failureLimit (0)';
  const assessed = `Metric "success-rate" assessed Failed due to ${limits}`;
  const measured = 'aborted revision 2: success-rate measured [0.5], successCondition result[0] >= 0.95';
  expect(abortedBy(`${assessed}; value [0.5], successCondition result[0] >= 0.95`)).toBe(
    `Rollout web (${measured}; ${limits})`,
  );
  // a longer condition cuts the limits first
  const longer = abortedBy(
    `${assessed}; value [0.5], successCondition result[0] >= 0.95 && len(result) > 0 || true`,
  );
  expect(longer).toContain(`${measured} && len(result) > 0 || true`);
  expect(longer).toMatch(/…\)$/);
});

test('a reason that is long is cut, a healthy application has no message', () => {
  expect(aggregate(live('a', 'Degraded', { message: 'x'.repeat(500) })).message).toBe(
    `Widget a (${'x'.repeat(119)}…)`,
  );
  expect(aggregate(live('a', 'Healthy', { message: 'fine' }))).toEqual({ status: 'Healthy' });
});
