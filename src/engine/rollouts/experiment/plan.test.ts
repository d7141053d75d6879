import { describe, expect, test } from 'vitest';
import type { KubeObject } from '#base/model';
import type { AnalysisRun } from '../analysis/analysis.ts';
import type { RolloutService } from '../pass.ts';
import type { ExperimentAnalysis, RolloutReplicaSet } from '../rollout.ts';
import { Stage } from '../stage.ts';
import type { Experiment, ExperimentSpec, ExperimentTemplate } from './experiment.ts';

const template = (name: string, more: Partial<ExperimentTemplate> = {}): ExperimentTemplate => ({
  name,
  selector: { matchLabels: { app: 'web', of: name } },
  template: {
    metadata: { labels: { app: 'web', of: name } },
    spec: {
      containers: [{ name: 'web', image: `web:${name}`, ports: [{ containerPort: 8080, name: 'http' }] }],
    },
  },
  ...more,
});
const experiment = (spec: ExperimentSpec = {}): Experiment => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Experiment',
  metadata: { name: 'compare', namespace: 'shop' },
  spec: { templates: [template('old'), template('new', { replicas: 2 })], ...spec },
});
const analysisTemplate = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'AnalysisTemplate',
  metadata: { name: 'rate', namespace: 'shop' },
  spec: {
    args: [{ name: 'hash', value: '' }],
    metrics: [{ name: 'rate', provider: { web: { url: 'http://web/{{args.hash}}' } } }],
  },
};
const rate = (name = 'rate', more: Partial<ExperimentAnalysis> = {}): ExperimentAnalysis => ({
  name,
  templateName: 'rate',
  ...more,
});

/** An Experiment that has come to rest. */
function settled(spec: ExperimentSpec = {}, ...more: object[]): Stage {
  const stage = new Stage(experiment(spec), analysisTemplate, ...more);
  stage.settle();
  return stage;
}
const read = (stage: Stage): Experiment => stage.get<Experiment>('Experiment', 'compare') as Experiment;
const phase = (stage: Stage) => read(stage).status?.phase;
const sizes = (stage: Stage) =>
  Object.fromEntries(
    stage.all<RolloutReplicaSet>('ReplicaSet').map(({ metadata, spec }) => [metadata.name, spec?.replicas]),
  );
const reasons = (stage: Stage) => stage.events.map(({ reason }) => reason);
const edit = (stage: Stage, spec: ExperimentSpec) =>
  stage.put({ ...read(stage), spec: { ...read(stage).spec, ...spec } });

describe('RX-1: what an Experiment makes', () => {
  test('a ReplicaSet for each template, by name, hash, labels and annotations', () => {
    const stage = settled({ templates: [template('old', { minReadySeconds: 5 }), template('new')] });
    expect(sizes(stage)).toEqual({ 'compare-old': 1, 'compare-new': 1 });
    const set = stage.get<RolloutReplicaSet>('ReplicaSet', 'compare-old');
    const hash = set?.metadata.labels?.['rollouts-pod-template-hash'];
    expect(hash).toMatch(/^[0-9b-f]{8,10}$/);
    expect(set).toMatchObject({
      metadata: {
        labels: { app: 'web', of: 'old' },
        annotations: {
          'experiment.argoproj.io/name': 'compare',
          'experiment.argoproj.io/template-name': 'old',
        },
        ownerReferences: [{ kind: 'Experiment', name: 'compare', controller: true }],
      },
      spec: {
        minReadySeconds: 5,
        selector: { matchLabels: { app: 'web', of: 'old', 'rollouts-pod-template-hash': hash } },
        template: { metadata: { labels: { 'rollouts-pod-template-hash': hash } } },
      },
    });
  });

  test('the hash of a template of a Rollout is computed again, without the label of its ReplicaSet', () => {
    const [plain] = settled({ templates: [template('old')] }).all('ReplicaSet');
    const old = template('old');
    old.template = {
      ...old.template,
      metadata: { labels: { app: 'web', of: 'old', 'rollouts-pod-template-hash': 'abc' } },
    };
    const [copied] = settled({ templates: [old] }).all('ReplicaSet');
    expect(copied?.metadata.labels).toEqual(plain?.metadata.labels);
  });

  test.each([
    [{}, 'compare-old'],
    [{ name: 'old-web' }, 'old-web'],
  ])('a Service %j with the ports of the containers, until no pod is available', (service, name) => {
    const stage = settled({ templates: [template('old', { service })], duration: '1m' });
    const found = stage.get<RolloutService>('Service', name);
    expect(found?.spec).toMatchObject({
      selector: stage.all('ReplicaSet')[0]?.metadata.labels,
      ports: [{ name: 'http', port: 8080, targetPort: 8080 }],
    });
    expect(read(stage).status?.templateStatuses?.[0]).toMatchObject({
      serviceName: name,
      podTemplateHash: found?.spec?.selector?.['rollouts-pod-template-hash'],
    });
    stage.wait(80);
    expect([phase(stage), stage.get('Service', name) !== undefined]).toEqual(['Successful', true]);
    stage.wait(20);
    expect(stage.get('Service', name)).toBeUndefined();
    expect(read(stage).status?.templateStatuses?.[0]).not.toHaveProperty('serviceName');
  });

  test('runs with arguments about the Experiment, labels and rules', () => {
    const stage = settled({
      duration: '2m',
      analyses: [
        rate('rate', {
          args: [
            {
              name: 'hash',
              value:
                '{{templates.new.podTemplateHash}} {{ templates.old.replicaset.name }} {{experiment.availableAt}} {{experiment.finishedAt}}',
            },
          ],
        }),
      ],
      dryRun: [{ metricName: 'rate' }],
      analysisRunMetadata: { labels: { team: 'shop' }, annotations: { why: 'test' } },
    });
    const hash = stage.get('ReplicaSet', 'compare-new')?.metadata.labels?.['rollouts-pod-template-hash'];
    expect(stage.get('AnalysisRun', 'compare-rate')).toMatchObject({
      metadata: {
        labels: { team: 'shop' },
        annotations: { why: 'test' },
        ownerReferences: [{ kind: 'Experiment', controller: true }],
      },
      spec: {
        args: [{ name: 'hash', value: `${hash} compare-old 2026-01-01T00:00:00Z 2026-01-01T00:02:00Z` }],
        dryRun: [{ metricName: 'rate' }],
      },
    });
  });

  test('RC-5: the instance of the controller is copied to the runs', () => {
    const label = 'argo-rollouts.argoproj.io/controller-instance-id';
    const of = experiment({ analyses: [rate()] });
    const stage = new Stage(
      { ...of, metadata: { ...of.metadata, labels: { [label]: 'b' } } },
      analysisTemplate,
    );
    stage.settle();
    expect(stage.get('AnalysisRun', 'compare-rate')?.metadata.labels).toEqual({ [label]: 'b' });
  });
});

describe('RX-2: how an Experiment goes', () => {
  test('it is pending, runs once all pods are available, and succeeds after its duration', () => {
    const stage = settled({ duration: '5m' });
    expect(read(stage).status).toMatchObject({
      phase: 'Running',
      availableAt: '2026-01-01T00:00:00Z',
      templateStatuses: [
        {
          name: 'old',
          replicas: 1,
          updatedReplicas: 1,
          readyReplicas: 1,
          availableReplicas: 1,
          status: 'Running',
        },
        { name: 'new', availableReplicas: 2, status: 'Running' },
      ],
      conditions: [{ type: 'Progressing', status: 'True', reason: 'NewReplicaSetAvailable' }],
    });
    stage.wait(299);
    expect(phase(stage)).toBe('Running');
    stage.wait(1);
    expect(phase(stage)).toBe('Successful');
    expect(reasons(stage).filter((reason) => /^(Experiment|Template)/.test(reason))).toEqual([
      'TemplateProgressing',
      'TemplateProgressing',
      'ExperimentPending',
      'TemplateRunning',
      'TemplateRunning',
      'ExperimentRunning',
      'TemplateSuccessful',
      'TemplateSuccessful',
      'ExperimentSuccessful',
    ]);
    expect(read(stage).status?.conditions).toMatchObject([
      { type: 'Progressing', status: 'False', reason: 'ExperimentCompleted' },
    ]);
  });

  test.each([
    [undefined, 29, 31],
    [5, 4, 6],
    [0, 0, 0],
  ])('a scale-down delay of %s s keeps the pods that long', (delay, before, after) => {
    const stage = settled({
      duration: '1m',
      ...(delay !== undefined && { scaleDownDelaySeconds: delay }),
    });
    stage.wait(60 + before);
    if (delay !== 0) expect(sizes(stage)).toEqual({ 'compare-old': 1, 'compare-new': 2 });
    stage.wait(after - before);
    expect(sizes(stage)).toEqual({ 'compare-old': 0, 'compare-new': 0 });
    expect(read(stage).status?.templateStatuses?.[1]).toMatchObject({
      availableReplicas: 0,
      status: 'Successful',
    });
  });

  test('without a duration it runs until it is terminated', () => {
    const stage = settled({ analyses: [rate()] });
    stage.wait(86_400);
    expect(phase(stage)).toBe('Running');
    edit(stage, { terminate: true });
    stage.settle();
    expect(phase(stage)).toBe('Successful');
    expect(stage.get<AnalysisRun>('AnalysisRun', 'compare-rate')?.spec?.terminate).toBe(true);
  });

  test('one that is terminated before it began starts nothing', () => {
    const stage = settled({ terminate: true, analyses: [rate()] });
    expect(phase(stage)).toBe('Successful');
    expect([stage.all('ReplicaSet'), stage.all('AnalysisRun')]).toEqual([[], []]);
  });

  test.each([
    [undefined, 600],
    [30, 30],
  ])('a template that is not available within progressDeadlineSeconds %s fails it', (seconds, limit) => {
    const stage = new Stage(experiment(seconds === undefined ? {} : { progressDeadlineSeconds: seconds }));
    stage.broken.add('web:new');
    stage.wait(limit);
    expect(phase(stage)).toBe('Pending');
    stage.wait(2);
    expect(read(stage).status).toMatchObject({
      phase: 'Failed',
      message: `Template 'new' exceeded its progressDeadlineSeconds (${limit})`,
    });
    stage.wait(31);
    expect(sizes(stage)).toEqual({ 'compare-old': 0, 'compare-new': 0 });
  });

  test.each(['Failed', 'Error', 'Inconclusive'] as const)('an analysis that is %s gives its phase', (bad) => {
    const stage = settled({ duration: '5m', analyses: [rate(), rate('other')] });
    stage.setRun(bad, 'the rate is low');
    stage.settle();
    expect(read(stage).status).toMatchObject({ phase: bad, message: 'the rate is low' });
    expect(stage.get<AnalysisRun>('AnalysisRun', 'compare-other')?.spec?.terminate).toBe(true);
    expect(stage.events.find(({ reason }) => reason === `Experiment${bad}`)?.type).toBe('Warning');
  });

  test.each<[string, boolean, number, string]>([
    ['one that is not required and runs', false, 300, 'Successful'],
    ['a required one that runs', true, 300, 'Running'],
  ])('after the duration %s leaves it %s, %i, %s', (_what, requiredForCompletion, seconds, expected) => {
    const stage = settled({ duration: '5m', analyses: [rate('rate', { requiredForCompletion })] });
    stage.wait(seconds);
    expect(phase(stage)).toBe(expected);
  });

  test('all required analyses successful end it early, and the others are terminated', () => {
    const stage = settled({
      duration: '1h',
      analyses: [rate('rate', { requiredForCompletion: true }), rate('other')],
    });
    stage.setRun('Successful');
    stage.settle();
    expect(read(stage).status).toMatchObject({
      phase: 'Successful',
      message: 'Required AnalysisRuns completed',
    });
    expect(stage.get<AnalysisRun>('AnalysisRun', 'compare-other')?.spec?.terminate).toBe(true);
  });

  test.each<[string, ExperimentAnalysis, string]>([
    [
      'template',
      rate('rate', { templateName: 'none' }),
      "AnalysisTemplate 'none' of analysis 'rate' not found",
    ],
    [
      'value',
      rate('rate', { args: [{ name: 'hash', value: '{{templates.none.podTemplateHash}}' }] }),
      'failed to resolve',
    ],
  ])('an analysis without a %s is an error that says so', (_what, analysis, message) => {
    const stage = settled({ analyses: [analysis] });
    expect(read(stage).status).toMatchObject({ phase: 'Error', message: expect.stringContaining(message) });
  });

  test('pods that are lost while it runs make it pending again, and the deadline counts', () => {
    const stage = settled({ duration: '1h', progressDeadlineSeconds: 60 });
    stage.broken.add('web:new');
    stage.settle();
    expect(phase(stage)).toBe('Pending');
    stage.wait(62);
    expect(phase(stage)).toBe('Failed');
  });

  test('RW-7: a retry starts over, with new runs', () => {
    const stage = settled({ duration: '1m', analyses: [rate()] });
    stage.setRun('Failed');
    stage.wait(60);
    expect([phase(stage), sizes(stage)]).toEqual(['Failed', { 'compare-old': 0, 'compare-new': 0 }]);
    const { status: _status, ...rest } = read(stage);
    stage.put(rest as KubeObject);
    stage.settle();
    expect([phase(stage), sizes(stage)]).toEqual(['Running', { 'compare-old': 1, 'compare-new': 2 }]);
    expect(stage.all('AnalysisRun').map(({ metadata }) => metadata.name)).toEqual([
      'compare-rate',
      'compare-rate.1',
    ]);
    expect(JSON.stringify(stage.all('ReplicaSet'))).not.toContain('scale-down-deadline');
  });
});

test.each<[string, ExperimentSpec, string]>([
  ['no template', { templates: [] }, 'spec.templates: Required value'],
  ['two of a name', { templates: [template('a'), template('a')] }, 'spec.templates[1].name'],
  ['no selector', { templates: [{ name: 'a' }] }, 'spec.templates[0].selector'],
  ['an empty selector', { templates: [template('a', { selector: {} })] }, 'selecting all pods'],
  [
    'a selector of other pods',
    { templates: [template('a', { selector: { matchLabels: { x: 'y' } } })] },
    'does not match',
  ],
  [
    'a long minReadySeconds',
    { templates: [template('a', { minReadySeconds: 700 })] },
    'minReadySeconds: 700',
  ],
  ['no such duration', { duration: 'soon' }, 'spec.duration: "soon" is no duration'],
  ['two analyses of a name', { analyses: [rate(), rate()] }, 'spec.analyses[1].name'],
])('an Experiment with %s is invalid, touches nothing and says why', (_what, spec, message) => {
  const stage = settled(spec);
  const [condition] = read(stage).status?.conditions ?? [];
  expect(condition).toMatchObject({ type: 'InvalidSpec', status: 'True', reason: 'InvalidSpec' });
  expect(condition?.message).toContain(message);
  expect(stage.all('ReplicaSet')).toEqual([]);
  edit(stage, { templates: [template('new')], duration: '1m', analyses: [] });
  stage.settle();
  expect(JSON.stringify(read(stage).status)).not.toContain('InvalidSpec');
  expect(phase(stage)).toBe('Running');
});

test('a process that dies after any write makes nothing twice', () => {
  const spec: ExperimentSpec = {
    templates: [template('old', { service: {} }), template('new', { service: {} })],
    duration: '1m',
    analyses: [rate()],
  };
  const names = (stage: Stage) => [...stage.objects.keys()].toSorted();
  const whole = settled(spec);
  for (const writes of [0, 1, 2]) {
    const stage = new Stage(experiment(spec), analysisTemplate);
    for (let count = 0; count < 12; count += 1) {
      stage.pass(writes);
      stage.pass(writes + 1);
    }
    stage.settle();
    expect(names(stage)).toEqual(names(whole));
    expect(phase(stage)).toBe('Running');
  }
});
