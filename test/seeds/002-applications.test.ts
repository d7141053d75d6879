import { expect, test } from 'vitest';
import {
  type Application,
  defaultSettings,
  destinationProblem,
  type KubeObject,
  type OperationState,
  sourceProblems,
} from '#base/model';
import {
  admissionProblems,
  applicationHints,
  decide,
  finish,
  isCompleted,
  operationOptions,
  planPass,
  retryAt,
  rollbackOperation,
} from '#engine';
import { dataOf, fragment, manifest, manifests, settingsOf } from './documents.ts';
import { application, Installation } from './installation.ts';

// the Applications of "GitOps with ArgoCD": which are accepted, what they decide, and what they ignore
const problemsOf = (app: Application): string[] => [
  ...admissionProblems(app),
  ...(app.spec.destination ? [destinationProblem(app.spec.destination) ?? []].flat() : []),
  ...sourceProblems(app.spec),
];

test.each([
  '002/app-basic.yaml',
  '002/app-promotion.yaml',
  '002/app-with-retry.yaml',
  '004/app-payments-api.yaml',
  '004/app-of-apps-root.yaml',
  '004/app-of-apps-child.yaml',
])('%s is accepted', (file) => {
  expect(problemsOf(manifest<Application>(file))).toEqual([]);
});

test.each([...manifests('002/apps-by-environment.yaml'), ...manifests('002/app-parameterized.yaml')])(
  'argocd.io is no group: $metadata.name is refused with the right one, and accepted with it (X-21)',
  (app) => {
    expect(admissionProblems(app)).toEqual([
      'apiVersion "argocd.io/v1alpha1" does not exist for an Application; write argoproj.io/v1alpha1',
    ]);
    expect(problemsOf({ ...app, apiVersion: 'argoproj.io/v1alpha1' } as Application)).toEqual([]);
  },
);

test('one Application with two destinations is refused, and told to be an ApplicationSet (X-20)', () => {
  const [problem, ...more] = admissionProblems(manifest('002/app-many-destinations.yaml'));
  expect(more).toEqual([]);
  expect(problem).toContain('spec.destinations is not a field');
  expect(problem).toContain('an ApplicationSet with a list generator');
});

test('nothing is put in for a placeholder in an image, and its author is told (X-50)', () => {
  const app = manifest<Application>('002/app-promotion.yaml');
  // biome-ignore lint/suspicious/noTemplateCurlyInString: as the document has it
  const literal = 'myapp=${IMAGE_TAG}';
  expect(app.spec.source?.kustomize?.images).toEqual([literal]);
  expect(applicationHints(app, undefined).join()).toContain(`the image ${literal}`);
});

test('the promotion has the options it asks for', () => {
  expect(operationOptions(manifest<Application>('002/app-promotion.yaml'))).toMatchObject({
    createNamespace: true,
    applyOutOfSyncOnly: true,
    skipDryRunOnMissingResource: true,
    unknown: [],
  });
});

// the waits double from the first on, and are capped by maxDuration
test.each([
  ['002/app-promotion.yaml', [10, 20, 40, 80, 160]],
  ['002/app-with-retry.yaml', [20, 40, 80]],
])('%s tries again after %j seconds, and then gives up (R-37, R-38)', (file, waits) => {
  const { retry } = manifest<Application>(file).spec.syncPolicy ?? {};
  const now = new Date('2026-06-03T10:00:00Z');
  const failed = { phase: 'Failed', message: 'one or more objects failed' } as const;
  let state: OperationState = {
    operation: { sync: {}, ...(retry && { retry }) },
    phase: 'Running',
    startedAt: '2026-06-03T10:00:00Z',
  };
  const waited: number[] = [];
  for (state = finish(state, failed, now); !isCompleted(state); state = finish(state, failed, now))
    waited.push((retryAt(state).getTime() - now.getTime()) / 1000);
  expect(waited).toEqual(waits);
  expect(state.phase).toBe('Failed');
});

test('retry and self-heal bring nothing back: what failed stays failed, and a rollback is refused (X-37)', () => {
  const app = manifest<Application>('002/app-with-retry.yaml');
  const operationState: OperationState = {
    operation: { sync: { revision: 'bad' } },
    phase: 'Failed',
    startedAt: '2026-06-03T10:00:00Z',
    finishedAt: '2026-06-03T10:00:00Z',
    syncResult: { revision: 'bad', ...(app.spec.source && { source: app.spec.source }), resources: [] },
  };
  const history = [{ id: 1, revision: 'good', deployedAt: '2026-06-02T10:00:00Z' }];
  const failed: Application = { ...app, status: { operationState, history } };
  const drift = { status: { version: 'v1', kind: 'Deployment', name: 'web', status: 'OutOfSync' as const } };
  const decision = decide(
    failed,
    { status: 'OutOfSync', resources: [drift], revisions: ['bad'] },
    { now: new Date('2026-06-03T12:00:00Z'), selfHeal: defaultSettings.controller },
  );
  expect(JSON.stringify(decision)).not.toContain('good');
  expect(rollbackOperation(failed, { id: 1, username: 'jane' })).toMatchObject({
    problem: expect.stringContaining('auto-sync is enabled'),
  });
});

const matrix: [string, boolean, boolean][] = [
  ['dev, and strict production', true, true],
  ['cautious production', false, true],
  ['a shared cluster with manual overrides', false, false],
  ['pruning alone', true, false],
];

test.each(matrix)(
  '%s: prune %s deletes what left Git, self-heal %s undoes what people change',
  (_, prune, selfHeal) => {
    const app = application({
      source: { repoURL: 'https://github.com/your-org/my-app-manifests', path: 'k8s' },
      syncPolicy: { automated: { prune, selfHeal } },
    });
    const row = (name: string, more: object) => ({
      status: { version: 'v1', kind: 'ConfigMap', name, status: 'OutOfSync' as const, ...more },
    });
    const kept = { status: { version: 'v1', kind: 'ConfigMap', name: 'kept', status: 'Synced' as const } };
    const options = { now: new Date('2026-06-03T12:00:00Z'), selfHeal: defaultSettings.controller };

    const removed = {
      status: 'OutOfSync',
      resources: [row('gone', { requiresPruning: true }), kept],
      revisions: ['b'],
    } as const;
    const left = decide(app, removed, options);
    expect(left.do === 'sync' && left.operation.sync?.prune === true).toBe(prune);
    if (!prune) expect(left.do).toBe('nothing');

    // the same revision was synced before: this is somebody's own change
    const operationState: OperationState = {
      operation: { sync: { revision: 'b' } },
      phase: 'Succeeded',
      startedAt: '2026-06-03T10:00:00Z',
      finishedAt: '2026-06-03T10:00:00Z',
      syncResult: { revision: 'b', ...(app.spec.source && { source: app.spec.source }), resources: [] },
    };
    const drifted = { status: 'OutOfSync', resources: [row('edited', {}), kept], revisions: ['b'] } as const;
    expect(decide({ ...app, status: { operationState } }, drifted, options).do).toBe(
      selfHeal ? 'sync' : 'nothing',
    );
  },
);

const deployment = (replicas: number, image = 'nginx:latest'): KubeObject => {
  const shown = manifest<KubeObject<{ template: { spec: object } }>>('002/hello-world.yaml');
  const containers = [{ name: 'hello-world', image, ports: [{ containerPort: 80 }] }];
  return {
    ...shown,
    metadata: { ...shown.metadata, namespace: 'd' },
    spec: { ...shown.spec, replicas, template: { ...shown.spec?.template, spec: { containers } } },
  } as KubeObject;
};

test.each([
  ['002/ignore-drift.yaml', manifest<Application>('002/ignore-drift.yaml').spec],
  ['002/ignore-replicas.yaml', fragment<Pick<Application, 'spec'>>('002/ignore-replicas.yaml').spec],
  ['004/ignore-replicas.yaml', manifest<Application>('004/ignore-replicas.yaml').spec],
])('%s: an autoscaler may scale, and nobody may change the image', (_, { ignoreDifferences = [] }) => {
  const drifted = (app: Application, live: KubeObject) => {
    const world = new Installation(app, [deployment(1)]);
    world.take(world.next());
    const [applied] = [...world.live.values()];
    return world.put({ ...live, metadata: applied?.metadata ?? live.metadata }).compare().status;
  };
  const app = application({ ignoreDifferences });
  expect(drifted(application(), deployment(5))).toBe('OutOfSync');
  expect(drifted(app, deployment(5))).toBe('Synced');
  expect(drifted(app, deployment(5, 'nginx:handmade'))).toBe('OutOfSync');
});

test('PruneLast on a manifest counts only once it is on the object that goes (X-39)', () => {
  const annotated = (marked: boolean): KubeObject => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: 'old',
      namespace: 'd',
      annotations: {
        'argocd.argoproj.io/tracking-id': 'app:/ConfigMap:d/old',
        ...(marked && { 'argocd.argoproj.io/sync-options': 'PruneLast=true' }),
      },
    },
  });
  const wave = (marked: boolean): unknown => {
    const world = new Installation(application(), [deployment(1)]).put(annotated(marked));
    const step = world.begin({ sync: { prune: true } }).next();
    return step.do === 'apply' && step.prune.map(({ live }) => live?.metadata.name);
  };
  expect(wave(false)).toEqual(['old']);
  expect(wave(true)).toEqual([]);
});

test('polling: the key said to set it is the patience with rendering; the other is in the wrong map, and used (X-26)', () => {
  expect(defaultSettings.refresh).toMatchObject({ intervalMs: 120_000, jitterMs: 60_000 });
  const settings = settingsOf({}, dataOf('002/argocd-cmd-params-cm.yaml'));
  expect(settings.controller.repoTimeoutMs).toBe(60_000);
  expect(settings.refresh.intervalMs).toBe(180_000);
  expect(settings.problems).toMatchObject([{ severity: 'warning', key: 'timeout.reconciliation' }]);
  const both = settingsOf({ 'timeout.reconciliation': '60s' }, dataOf('002/argocd-cmd-params-cm.yaml'));
  expect(both.refresh.intervalMs).toBe(60_000);
});

test('an operation asked for begins at once', () => {
  const app = manifest<Application>('002/app-basic.yaml');
  const begun = planPass(app, { sync: {} }, { now: new Date('2026-06-03T10:00:00Z') });
  expect(begun).toMatchObject({ do: 'run', state: { phase: 'Running', startedAt: '2026-06-03T10:00:00Z' } });
});
