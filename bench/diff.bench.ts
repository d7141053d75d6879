import { type Application, annotation, defaultSettings, type KubeObject, printTime } from '#base/model';
import { equal } from '#base/std';
import { type CompareOptions, compare, defaultTracking, diff, diffCacheOf, ignoreRules } from '#engine';
import type { BenchCase, Figure } from './harness.ts';

const count = 10_000;
const spread = (at: number) => `web-${at}`;

function declared(at: number): KubeObject {
  const name = spread(at);
  const labels = { app: name, tier: 'front' };
  const env = Array.from({ length: 6 }, (_, n) => ({ name: `SETTING_${n}`, value: `value-${n}` }));
  const container = {
    name: 'web',
    image: `example/web:1.${at % 20}.0`,
    env,
    ports: [{ containerPort: 8080 }],
    resources: { requests: { cpu: '100m', memory: '64Mi' }, limits: { memory: '128Mi' } },
    readinessProbe: { httpGet: { path: '/ready', port: 8080 } },
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      name,
      namespace: 'shop',
      labels,
      annotations: { [annotation.trackingId]: `shop:apps/Deployment:shop/${name}` },
    },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [container] } },
    },
  };
}

/** The same object as a cluster holds it: defaults filled in, status, owners and what was applied last. */
function held(target: KubeObject, serverSide: boolean): KubeObject {
  const { metadata, spec } = structuredClone(target) as KubeObject & { spec: Spec };
  const [container = {}] = spec.template.spec.containers;
  const probe = {
    httpGet: { path: '/ready', port: 8080, scheme: 'HTTP' },
    failureThreshold: 3,
    periodSeconds: 10,
  };
  const filled = {
    ...container,
    imagePullPolicy: 'IfNotPresent',
    ports: [{ containerPort: 8080, protocol: 'TCP' }],
    readinessProbe: probe,
    terminationMessagePath: '/dev/termination-log',
  };
  const pod = {
    containers: [filled],
    dnsPolicy: 'ClusterFirst',
    restartPolicy: 'Always',
    securityContext: {},
  };
  const made = {
    uid: metadata.name,
    resourceVersion: '7',
    generation: 1,
    creationTimestamp: printTime(new Date(0)),
  };
  const lastApplied = { [annotation.lastApplied]: JSON.stringify(target) };
  const records = serverSide
    ? { managedFields: [ownEntry()] }
    : { annotations: { ...metadata.annotations, ...lastApplied } };
  return {
    ...target,
    metadata: { ...metadata, ...made, ...records },
    spec: {
      ...spec,
      progressDeadlineSeconds: 600,
      revisionHistoryLimit: 10,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
      template: { ...spec.template, spec: pod },
    },
    status: { readyReplicas: 2, replicas: 2, observedGeneration: 1 },
  };
}
type Spec = { template: { spec: { containers: Record<string, unknown>[] } } };

function ownEntry() {
  const env = Object.fromEntries(
    Array.from({ length: 6 }, (_, n) => [
      `k:{"name":"SETTING_${n}"}`,
      { '.': {}, 'f:name': {}, 'f:value': {} },
    ]),
  );
  const container = { '.': {}, 'f:name': {}, 'f:image': {}, 'f:env': env, 'f:resources': {} };
  return {
    manager: 'argocd-controller',
    operation: 'Apply' as const,
    apiVersion: 'apps/v1',
    fieldsType: 'FieldsV1',
    fieldsV1: {
      'f:metadata': { 'f:labels': { 'f:app': {}, 'f:tier': {} } },
      'f:spec': {
        'f:replicas': {},
        'f:selector': {},
        'f:template': { 'f:spec': { 'f:containers': { 'k:{"name":"web"}': container } } },
      },
    },
  };
}

const app: Application = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name: 'shop', namespace: 'argocd' },
  spec: { destination: { server: 'https://cluster.example', namespace: 'shop' } },
};
const diffOptions = {
  tracking: defaultTracking,
  rules: ignoreRules(app, defaultSettings.resources),
  ignoreAggregatedRoles: false,
  sensitiveAnnotations: [],
};
const pairsOf = (serverSide: boolean, size = count) =>
  Array.from({ length: size }, (_, at) => {
    const target = declared(at);
    return { target, live: held(target, serverSide) };
  });
const few = pairsOf(false, 100);
const changedOnes = few.map(({ target, live }) => ({
  target: { ...target, spec: { ...(target.spec as object), replicas: 3 } },
  live,
}));

export const cases: BenchCase[] = [
  {
    name: 'diff: an unchanged Deployment',
    baseline: 'deep equality of the two sides',
    operations: few.length,
    run: () => {
      for (const pair of few) diff(pair, { ...diffOptions, serverSideApply: false });
    },
    against: () => {
      for (const { target, live } of few) equal(target, structuredClone(live));
    },
  },
  {
    name: 'diff: a changed Deployment',
    baseline: 'deep equality of the two sides',
    operations: few.length,
    run: () => {
      for (const pair of changedOnes) diff(pair, { ...diffOptions, serverSideApply: false });
    },
    against: () => {
      for (const { target, live } of changedOnes) equal(target, structuredClone(live));
    },
  },
];

/** Milliseconds, the median of five after one to warm up. */
function timed(work: () => void): number {
  const times = Array.from({ length: 6 }, () => {
    const began = performance.now();
    work();
    return performance.now() - began;
  });
  return times.slice(1).sort((a, b) => a - b)[2] ?? 0;
}

/** What an unchanged cluster costs: ten thousand pairs in which nothing is to be done. */
export async function figures(): Promise<Figure[]> {
  const [applied, merged] = [pairsOf(false), pairsOf(true)];
  const compareOptions: CompareOptions = {
    controlPlaneNamespace: 'argocd',
    tracking: defaultTracking,
    resources: defaultSettings.resources,
    isNamespaced: () => true,
  };
  const sides = {
    target: { objects: applied.map(({ target }) => target), conditions: [] },
    live: applied.map(({ live }) => live),
  };
  const cache = diffCacheOf(app, compare(app, sides, compareOptions), compareOptions);
  const row = (name: string, value: number, target: number): Figure => ({ name, value, unit: 'ms', target });
  return [
    row(
      'diff: 10,000 unchanged, client-side',
      timed(() => {
        for (const pair of applied) diff(pair, { ...diffOptions, serverSideApply: false });
      }),
      250,
    ),
    row(
      'diff: 10,000 unchanged, server-side',
      timed(() => {
        for (const pair of merged) diff(pair, { ...diffOptions, serverSideApply: true });
      }),
      250,
    ),
    row(
      'compare: 10,000 unchanged, with health',
      timed(() => compare(app, sides, compareOptions)),
      500,
    ),
    row(
      'compare: 10,000 known',
      timed(() => compare(app, sides, { ...compareOptions, cache })),
      250,
    ),
  ];
}
