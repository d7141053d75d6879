import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Application, KubeObject } from '#base/model';
import { isObject } from '#base/std';
import { parse } from '#lang/yaml';
import { type Ground, openGround } from './ground.ts';

// Apply, then compare, is Synced: whatever a server or a webhook fills in is no drift, for every kind that is filled in, applied by the
// client or by the server, compared by prediction or by the server (compat engine D-20 to D-23). On the embedded cluster, or on that
// of FAIRLEAD_TEST_KUBECONFIG (npm run test:kubernetes, npm run test:knative).
type Entry = { readonly needs?: string; readonly body: unknown };
// the same choices in every run, so that a cluster that refuses a manifest is no chance; FAIRLEAD_TEST_SEED makes others
const { FAIRLEAD_TEST_KUBECONFIG: kubeconfig, FAIRLEAD_TEST_SEED: seed = '1' } = process.env;
const entries = parse(readFileSync(new URL('./defaulted.yaml', import.meta.url), 'utf8')) as Entry[];
/** Runs besides the two in which every optional field is there, and none. */
const runs = 2;

const modes = ['client', 'client-ssd', 'server', 'server-ssd'] as const;
type Mode = (typeof modes)[number];

let ground: Ground;
let hasKnative: boolean;

beforeAll(async () => {
  ground = await openGround();
  const crd = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' };
  hasKnative =
    !kubeconfig || (await ground.find({ ...crd, name: 'services.serving.knative.dev' })) !== undefined;
  await ground.apply(widgets);
});
afterAll(() => ground?.stop());

const withDefault = (type: string, value: unknown) => ({ type, default: value });
const part = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    port: { type: 'integer' },
    protocol: withDefault('string', 'TCP'),
    options: {
      type: 'array',
      default: [{ key: 'all' }],
      items: { type: 'object', properties: { key: { type: 'string' }, weight: withDefault('integer', 10) } },
    },
  },
};
const step = { type: 'object', properties: { run: { type: 'string' }, retries: withDefault('integer', 3) } };

/** A kind with defaults in a list of maps, in a list that is replaced whole, in a list below a list and in a map. */
const widgets = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.synced.example.com' },
  spec: {
    group: 'synced.example.com',
    names: { plural: 'widgets', kind: 'Widget' },
    scope: 'Namespaced',
    versions: [
      {
        ...{ name: 'v1', served: true, storage: true },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: {
                  size: withDefault('integer', 1),
                  parts: {
                    type: 'array',
                    'x-kubernetes-list-type': 'map',
                    'x-kubernetes-list-map-keys': ['name'],
                    items: { ...part, required: ['name'] },
                  },
                  steps: { type: 'array', items: step },
                  keyed: {
                    type: 'object',
                    additionalProperties: {
                      type: 'object',
                      properties: { limit: withDefault('integer', 7) },
                    },
                  },
                },
              },
            },
          },
        },
      },
    ],
  },
} as unknown as KubeObject;

/** The value without the optional keys that are not kept. */
function choose(value: unknown, keep: () => boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => choose(item, keep));
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([key]) => !key.endsWith('?') || keep());
  return Object.fromEntries(kept.map(([key, inner]) => [key.replace(/\?$/, ''), choose(inner, keep)]));
}

const applicationOf = (mode: Mode, namespace: string): KubeObject =>
  ({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: {
      name: namespace,
      namespace: 'argocd',
      annotations: { 'argocd.argoproj.io/compare-options': `ServerSideDiff=${mode.endsWith('ssd')}` },
    },
    spec: {
      project: 'default',
      source: { repoURL: `file://${ground.repository.dir}`, path: namespace, targetRevision: 'HEAD' },
      destination: { server: 'https://kubernetes.default.svc', namespace },
      syncPolicy: {
        automated: {},
        syncOptions: ['CreateNamespace=true', `ServerSideApply=${mode.startsWith('server')}`],
      },
    },
  }) as KubeObject;

const isCompared = ({ status, operation }: Application): boolean =>
  !operation && status?.operationState?.phase !== undefined && status.operationState.phase !== 'Running';

/** Advice that the manifests deserve: they write on purpose what a server stores in another form (decision 58). */
const deserved = /which Kubernetes stores as|\(quantity-form\)|spreads every rollout over 10s/;

/** Rows that are not Synced, and what else went wrong, in words. */
const problems = ({ status }: Application): string[] => [
  ...(status?.operationState?.phase === 'Succeeded'
    ? []
    : [status?.operationState?.message ?? 'no operation']),
  ...(status?.conditions ?? [])
    .map(({ type, message }) => `${type}: ${message}`)
    .filter((condition) => !(condition.startsWith('ConfigurationWarning: ') && deserved.test(condition))),
  ...(status?.resources ?? [])
    .filter((row) => row.status !== 'Synced')
    .map((row) => `${row.kind} ${row.name}: ${row.status}`),
];

let run = 0;

/** Deploys everything once in each mode, and again after the control plane compared it again. */
async function deploy(coins: readonly boolean[]): Promise<Record<string, string[]>> {
  run += 1;
  const names = modes.map((mode) => `synced-${run}-${mode}`);
  const files = names.flatMap((namespace) => {
    let next = 0;
    const keep = () => coins[next++ % coins.length] ?? true;
    return entries
      .filter(({ needs }) => needs !== 'knative' || hasKnative)
      .map(({ body }, index) => {
        const text = JSON.stringify(choose(body, keep)).replaceAll('$NS', namespace);
        return [`${namespace}/${index}.json`, text] as const;
      });
  });
  await ground.repository.commit(Object.fromEntries(files));
  for (const [index, mode] of modes.entries()) await ground.apply(applicationOf(mode, names[index] ?? ''));
  for (const name of names) await ground.until(name, 'synced once', isCompared);
  await ground.refresh(names);
  const found = await Promise.all(names.map((name) => ground.app(name)));
  return Object.fromEntries(found.map((app) => [app.metadata.name, problems(app)]));
}

const clean = () => Object.fromEntries(modes.map((mode) => [`synced-${run}-${mode}`, []]));

test('every optional field present: apply, then compare, is Synced', async () => {
  expect(await deploy([true])).toEqual(clean());
});

test('no optional field present: apply, then compare, is Synced', async () => {
  expect(await deploy([false])).toEqual(clean());
});

test('any of the optional fields present: apply, then compare, is Synced', async () => {
  const coins = fc.array(fc.boolean(), { minLength: 61, maxLength: 61 });
  const property = fc.asyncProperty(coins, async (chosen) => {
    expect(await deploy(chosen)).toEqual(clean());
  });
  // a failure names the kind: nothing is gained by deploying smaller sets
  await fc.assert(property, { numRuns: runs, endOnFailure: true, seed: Number(seed) });
});
