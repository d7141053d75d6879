import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { asKubeObject, type KubeObject } from '#base/model';
import { printJson } from '#base/std';
import { lintExperiment, lintRollout, lintTemplate } from '#engine/rollouts';
import { createKubeClient, type KubeClient, refOf } from '#kubernetes/client';
import { parse, parseAll } from '#lang/yaml';
import { readText } from '../conformance/stream.ts';
import { openTarget, type Target } from '../conformance/target.ts';
import { eventually } from '../eventually.ts';

// compat rollouts RC-4: the admission policies of deploy/rollouts say what the linter says, and refuse nothing. On the embedded cluster,
// or on that of FAIRLEAD_TEST_KUBECONFIG (npm run test:kubernetes).

const folder = new URL('../../deploy/rollouts/', import.meta.url);
const read = (file: string): string => readFileSync(new URL(file, folder), 'utf8');
const apiVersion = 'argoproj.io/v1alpha1';
let target: Target;
let kube: KubeClient;

const policies = parseAll(read('admission-warnings.yaml')).map(({ value }) => {
  const policy = asKubeObject(value, 'admission-warnings.yaml');
  // an expression that fails is a warning of its own here, where it says nothing to users
  const isPolicy = policy.kind === 'ValidatingAdmissionPolicy';
  return isPolicy ? { ...policy, spec: { ...(policy.spec as object), failurePolicy: 'Fail' } } : policy;
});
const definitions = readdirSync(folder)
  .filter((file) => file.endsWith('.yaml') && file !== 'admission-warnings.yaml')
  .map((file) => asKubeObject(parse(read(file)), file));

beforeAll(async () => {
  target = await openTarget();
  kube = createKubeClient({ transport: target.transport.admin });
  for (const object of [...definitions, ...policies])
    await kube.apply(target.ctx, object, { fieldManager: 'fairlead', force: true });
  // definitions and policies take effect after a moment
  await eventually(async () => {
    for (const one of [rollout({}), template([endless]), experiment({ templates: [part('a')] })])
      expect(await warningsOf(one)).not.toEqual([]);
  }, 60_000);
}, 120_000);
afterAll(async () => {
  for (const policy of policies) await kube?.delete(target.ctx, refOf(policy));
  await target?.close();
});

const plurals: Readonly<Record<string, string>> = {
  Rollout: 'rollouts',
  AnalysisTemplate: 'analysistemplates',
  Experiment: 'experiments',
};
const linters: Readonly<Record<string, (object: never) => readonly { readonly message: string }[]>> = {
  Rollout: lintRollout,
  AnalysisTemplate: lintTemplate,
  Experiment: lintExperiment,
};
const linted = (object: KubeObject): string[] =>
  (linters[object.kind]?.(object as never) ?? []).map(({ message }) => message);

/** The warnings of the policies about an object that is created; nothing is stored. */
async function warningsOf(object: KubeObject): Promise<string[]> {
  const { status, headers, body } = await target.transport.admin({
    method: 'POST',
    path: `/apis/${apiVersion}/namespaces/default/${plurals[object.kind]}?dryRun=All`,
    headers: { 'content-type': 'application/json' },
    body: new TextEncoder().encode(printJson(object)),
    signal: target.ctx.signal,
  });
  expect(status === 201 ? '' : await readText(body)).toBe('');
  const texts = [...String(headers.warning ?? '').matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)];
  return texts.map(([, text = '']) =>
    text
      .replace(/\\(.)/g, '$1')
      .replace(/^Validation failed for ValidatingAdmissionPolicy '[^']*' with binding '[^']*': /, ''),
  );
}

const object = (kind: string, spec: object): KubeObject =>
  ({ apiVersion, kind, metadata: { name: 'web', namespace: 'default' }, spec }) as KubeObject;
const pods = {
  selector: { matchLabels: { app: 'web' } },
  template: {
    metadata: { labels: { app: 'web' } },
    spec: { containers: [{ name: 'web', image: 'web:1' }] },
  },
};
const rollout = (strategy: object, more: object = {}) => object('Rollout', { ...pods, strategy, ...more });
const canary = (more: object) => rollout({ canary: more });
const steps = (...all: object[]) => canary({ steps: all });
const routed = (trafficRouting: object, ...all: object[]) =>
  canary({ canaryService: 'canary', stableService: 'stable', trafficRouting, steps: all });
const istio = { istio: { virtualService: { name: 'web' } }, managedRoutes: [{ name: 'mine' }] };
const knative = (settings: unknown, strategy: object = {}, more: object = {}) => {
  const plugins = { 'fairlead.io/knative': settings };
  return object('Rollout', { strategy: { canary: { trafficRouting: { plugins }, ...strategy } }, ...more });
};
const service = { service: 'web' };
const blueGreen = (more: object, spec: object = {}) => rollout({ blueGreen: more }, spec);
const template = (metrics: object[]) => object('AnalysisTemplate', { metrics });
const prometheus = (query: string) => ({ name: 'm', provider: { prometheus: { query } } });
const endless = { ...prometheus('a'), interval: '2m' };
const web = (more: object) => ({ name: 'm', provider: { web: { url: 'https://web/' } }, ...more });
const experiment = (spec: object) => object('Experiment', spec);
const part = (name: string, more: object = {}) => ({ name, ...pods, ...more });
const once = (more: object) => experiment({ templates: [part('a')], duration: '5m', ...more });
const workloadRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
const many = Array.from({ length: 40 }, (_, index) => ({ setWeight: index }));

test.each<[string, KubeObject]>([
  [
    'a canary',
    steps({ setWeight: 20 }, { pause: {} }, { pause: { duration: '1h30m' } }, { pause: { duration: 5 } }),
  ],
  ['a long canary', steps(...many)],
  ['blue-green', blueGreen({ activeService: 'a', previewService: 'b' })],
  [
    'routes',
    routed(istio, {
      setHeaderRoute: { name: 'mine', match: [{ headerName: 'a', headerValue: { exact: 'b' } }] },
    }),
  ],
  [
    'a mirror',
    routed(istio, { setMirrorRoute: { name: 'mine', percentage: 5, match: [{ path: { prefix: '/' } }] } }),
  ],
  [
    'an experiment',
    routed(istio, {
      experiment: { duration: '5m', templates: [{ name: 'a', specRef: 'canary', weight: 5 }] },
    }),
  ],
  ['Knative', knative(service, { steps: [{ setWeight: 20 }, { pause: {} }] })],
  ['a workload', object('Rollout', { workloadRef, strategy: { canary: {} } })],
  [
    'expressions',
    rollout(
      { canary: {} },
      { selector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['web'] }] } },
    ),
  ],
  [
    'metrics',
    template([
      {
        ...prometheus('avg(a)'),
        successCondition: 'len(result) > 0 && result[0] > 1',
        interval: '1m',
        count: 3,
      },
    ]),
  ],
  ['an Experiment', once({})],
])('nothing is said about %s', async (_what, one) => {
  expect(linted(one)).toEqual([]);
  expect(await warningsOf(one)).toEqual([]);
});

test.each<[string, KubeObject]>([
  ['no strategy', rollout({})],
  ['two strategies', rollout({ canary: {}, blueGreen: { activeService: 'a' } })],
  ['no selector', object('Rollout', { template: pods.template, strategy: { canary: {} } })],
  ['an empty selector', rollout({ canary: {} }, { selector: {} })],
  ['a foreign selector', rollout({ canary: {} }, { selector: { matchLabels: { app: 'b' } } })],
  [
    'a foreign expression',
    rollout({ canary: {} }, { selector: { matchExpressions: [{ key: 'app', operator: 'DoesNotExist' }] } }),
  ],
  [
    'a foreign workload',
    object('Rollout', { workloadRef: { ...workloadRef, kind: 'StatefulSet' }, strategy: { canary: {} } }),
  ],
  ['a deadline', rollout({ canary: {} }, { minReadySeconds: 60, progressDeadlineSeconds: 60 })],
  ['no surge', canary({ maxSurge: 0, maxUnavailable: '0%' })],
  ['one Service', canary({ canaryService: 'a', stableService: 'a' })],
  ['a field of routing', canary({ minPodsPerReplicaSet: 1 })],
  ['a delay', canary({ trafficRouting: {}, dynamicStableScale: true, scaleDownDelaySeconds: 3 })],
  ['ping-pong', canary({ pingPong: { pingService: 'a', pongService: 'b' } })],
  ['RM-1', canary({ autoPromotionEnabled: false })],
  ['no action', steps({ setWeight: 20 }, {})],
  ['two actions', steps({ setWeight: 20, pause: {} })],
  ['a weight', steps({ setWeight: 20 }, { setWeight: 120 })],
  ['a maximum', routed({ ...istio, maxTrafficWeight: 1000 }, { setWeight: 1001 })],
  ['a negative pause', steps({ pause: { duration: -1 } })],
  ['a negative text', steps({ pause: { duration: '-5m' } })],
  ['no duration', steps({ pause: { duration: '5 minutes' } })],
  ['a scale', steps({ setCanaryScale: { weight: 20 } })],
  ['two scales', routed(istio, { setCanaryScale: { weight: 20, replicas: 1 } })],
  ['a plugin', steps({ plugin: { name: 'a' } })],
  ['a header without a router', steps({ setHeaderRoute: { name: 'mine' } })],
  ['an unmanaged header', routed(istio, { setHeaderRoute: { name: 'other' } })],
  [
    'no header name',
    routed(istio, {
      setHeaderRoute: { name: 'mine', match: [{ headerName: '', headerValue: { exact: 'a' } }] },
    }),
  ],
  [
    'two values',
    routed(istio, {
      setHeaderRoute: { name: 'mine', match: [{ headerName: 'a', headerValue: { exact: 'b', regex: 'c' } }] },
    }),
  ],
  ['a mirror without a router', steps({ setMirrorRoute: { name: 'mine' } })],
  ['a share', routed(istio, { setMirrorRoute: { name: 'mine', percentage: 101 } })],
  ['no match', routed(istio, { setMirrorRoute: { name: 'mine', match: [{ method: {} }] } })],
  ['no header match', routed(istio, { setMirrorRoute: { name: 'mine', match: [{ headers: { a: {} } }] } })],
  ['an unmanaged mirror', routed(istio, { setMirrorRoute: { name: 'other' } })],
  ['no templates', steps({ experiment: { templates: [] } })],
  ['a template without a version', steps({ experiment: { templates: [{ name: 'a', specRef: 'other' }] } })],
  [
    'a weight without routing',
    steps({ experiment: { templates: [{ name: 'a', specRef: 'canary', weight: 5 }] } }),
  ],
  [
    'a template weight',
    routed(istio, { experiment: { templates: [{ name: 'a', specRef: 'canary', weight: 500 }] } }),
  ],
  [
    'a duration of an experiment',
    steps({ experiment: { duration: 'x', templates: [{ name: 'a', specRef: 'canary' }] } }),
  ],
  ['no active Service', blueGreen({ activeService: '' })],
  ['one Service of two', blueGreen({ activeService: 'a', previewService: 'a' })],
  ['a limit', blueGreen({ activeService: 'a', scaleDownDelayRevisionLimit: 3 }, { revisionHistoryLimit: 2 })],
  ['Knative with pods', knative(service, {}, { replicas: 3 })],
  ['Knative with a Service', knative(service, { canaryService: 'a' })],
  ['Knative with a gate', knative(service, { autoPromotionEnabled: false })],
  ['Knative without a name', knative({})],
  ['a tag', knative({ service: 'web', tag: 'A' })],
  ['a step of pods', knative(service, { steps: [{ pause: {} }, { setCanaryScale: { weight: 2 } }] })],
  ['a weight of Knative', knative(service, { steps: [{ setWeight: 101 }] })],
  [
    'another router',
    knative(service, { trafficRouting: { nginx: {}, plugins: { 'fairlead.io/knative': service } } }),
  ],
  ['RM-7', template([prometheus('avg(a{b="c"}[10m])')])],
  ['RM-3', template([endless])],
  ['RM-6', template([{ ...prometheus('a'), successCondition: 'result[0] > 1' }])],
  ['RM-4', template([web({ successCondition: 'result.status == "200"' })])],
  ['RQ-11', template([{ ...prometheus('a'), interval: '1m', count: 3, failureLimit: '3' }])],
  ['RQ-11 of one', template([{ ...prometheus('a'), failureLimit: 1 }])],
  ['no template', experiment({ templates: [], duration: '5m' })],
  ['two of one name', once({ templates: [part('a'), part('a')] })],
  ['a selector of all', once({ templates: [part('a', { selector: {} })] })],
  ['a selector of others', once({ templates: [part('a', { selector: { matchLabels: { b: 'c' } } })] })],
  ['a late pod', once({ templates: [part('a', { minReadySeconds: 601 })] })],
  ['an Experiment without an end', experiment({ templates: [part('a')] })],
  ['a duration of an Experiment', once({ duration: '-5m' })],
])('%s is a warning in the words of the linter', async (_what, one) => {
  expect(linted(one)).not.toEqual([]);
  expect(await warningsOf(one)).toEqual(linted(one));
});

test('a change of the spec is judged, any other is not', async () => {
  const bad = { ...steps({ setWeight: 120 }), metadata: { name: 'changed', namespace: 'default' } };
  const made = await kube.create(target.ctx, bad);
  const ref = { apiVersion, kind: 'Rollout', namespace: 'default', name: 'changed' };
  try {
    const patch = async (body: object) => {
      const { status, headers } = await target.transport.admin({
        method: 'PATCH',
        path: `/apis/${apiVersion}/namespaces/default/rollouts/changed`,
        headers: { 'content-type': 'application/merge-patch+json' },
        body: new TextEncoder().encode(printJson(body)),
        signal: target.ctx.signal,
      });
      return [status, String(headers.warning ?? '')] as const;
    };
    expect(made.metadata.name).toBe('changed');
    expect(await patch({ metadata: { labels: { a: 'b' } } })).toEqual([200, '']);
    expect(await patch({ spec: { minReadySeconds: 1 } })).toEqual([
      200,
      expect.stringContaining('setWeight'),
    ]);
  } finally {
    await kube.delete(target.ctx, ref);
  }
});

test('no policy refuses anything: each warns, and an expression that fails says nothing', () => {
  const written = parseAll(read('admission-warnings.yaml')).map(({ value }) => value as KubeObject);
  const specs = written.map(({ kind, spec }) => [
    kind,
    (spec as { failurePolicy?: string }).failurePolicy,
    (spec as { validationActions?: string[] }).validationActions,
  ]);
  const [policy, binding] = ['ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding'];
  expect(specs).toEqual(
    Array.from({ length: 3 }, () => [
      [policy, 'Ignore', undefined],
      [binding, undefined, ['Warn']],
    ]).flat(),
  );
});
