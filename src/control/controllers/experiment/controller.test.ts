import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { KubeObject } from '#base/model';
import { type DeliveryGround, deliveryGround, namespace } from '../../../../test/delivery-ground.ts';
import { type PrometheusServer, prometheusServer } from '../../../../test/prometheus-server.ts';

// Experiments on the embedded cluster, alone and as steps of a canary. Time is virtual, metrics are read over real HTTP.

let ground: DeliveryGround;
let prometheus: PrometheusServer;
beforeEach(async () => {
  [ground, prometheus] = await Promise.all([deliveryGround(), prometheusServer()]);
});
afterEach(async () => {
  await Promise.all([ground.stop(), prometheus.close()]);
});

const template = (name: string, image = `web:${name}`) => ({
  name,
  selector: { matchLabels: { of: name } },
  template: {
    metadata: { labels: { of: name } },
    spec: { containers: [{ name: 'web', image, ports: [{ containerPort: 8080 }] }] },
  },
});
const measured = (condition = 'result[0] > 0.5') =>
  ground.create('AnalysisTemplate', 'rate', {
    args: [{ name: 'hash', value: '' }],
    metrics: [
      {
        name: 'rate',
        successCondition: condition,
        provider: { prometheus: { address: prometheus.url, query: 'rate{hash="{{args.hash}}"}' } },
      },
    ],
  });
const rate = { name: 'rate', templateName: 'rate' };
const create = (spec: object, more: object = {}) =>
  ground.create('Experiment', 'compare', { templates: [template('old'), template('new')], ...spec }, more);
const ref = (kind: string, name: string, apiVersion = 'argoproj.io/v1alpha1') => ({
  ...{ apiVersion, kind, namespace, name },
});
const patch = (body: object) =>
  ground.kube.patch(ground.ctx, ref('Experiment', 'compare'), { type: 'merge', body });
const status = async () => (await ground.experiments())[0]?.status ?? {};
const sizes = async () =>
  Object.fromEntries(
    (await ground.replicaSets()).map(({ metadata, spec, status: is }) => [
      metadata.name,
      `${spec?.replicas} ${is?.availableReplicas ?? 0}`,
    ]),
  );
const reasons = async () => (await ground.events()).map(({ reason, count }) => `${reason} ×${count}`);

describe('an Experiment alone', () => {
  test('makes its pods, measures them, ends after its duration and removes them', async () => {
    await measured();
    await create({
      duration: '2m',
      templates: [template('old'), { ...template('new'), replicas: 2, service: {} }],
      analyses: [{ ...rate, args: [{ name: 'hash', value: '{{templates.new.podTemplateHash}}' }] }],
    });
    ground.start();
    await ground.pass(10);
    expect(await status()).toMatchObject({ phase: 'Running', availableAt: expect.any(String) });
    expect(await sizes()).toEqual({ 'compare-old': '1 1', 'compare-new': '2 2' });
    const [run] = await ground.runs();
    const made = await ground.kube.get(ground.ctx, ref('ReplicaSet', 'compare-new', 'apps/v1'));
    const hash = made.metadata.labels?.['rollouts-pod-template-hash'];
    expect(run).toMatchObject({ metadata: { name: 'compare-rate' }, status: { phase: 'Successful' } });
    expect(prometheus.queries).toEqual([`rate{hash="${hash}"}`]);
    const service = await ground.kube.get(ground.ctx, ref('Service', 'compare-new', 'v1'));
    expect(service.spec).toMatchObject({ selector: { of: 'new', 'rollouts-pod-template-hash': hash } });
    await ground.pass(115);
    expect(await status()).toMatchObject({
      phase: 'Successful',
      analysisRuns: [{ name: 'rate', analysisRun: 'compare-rate', phase: 'Successful' }],
    });
    expect(await sizes()).toEqual({ 'compare-old': '1 1', 'compare-new': '2 2' });
    await ground.pass(40);
    expect(await sizes()).toEqual({ 'compare-old': '0 0', 'compare-new': '0 0' });
    expect(await ground.kube.find(ground.ctx, ref('Service', 'compare-new', 'v1'))).toBeUndefined();
    for (const reason of [
      'ExperimentPending',
      'ExperimentRunning',
      'ExperimentSuccessful',
      'AnalysisRunSuccessful',
    ])
      expect(await reasons()).toContain(`${reason} ×1`);
  });

  test('RC-1: at rest it writes nothing, and its status has no subresource', async () => {
    await create({});
    ground.start();
    await ground.pass(30);
    const before = ground.writes;
    await ground.pass(3600);
    expect(ground.writes).toBe(before);
    const write = ground.kube.patch(
      ground.ctx,
      { ...ref('Experiment', 'compare'), subresource: 'status' },
      { type: 'merge', body: { status: { phase: 'Failed' } } },
    );
    await expect(write).rejects.toMatchObject({ reason: 'NotFound' });
  });

  test('a bad metric fails it, RW-7 starts it over, RW-8 terminates it', async () => {
    await measured('result[0] > 2');
    await create({ analyses: [rate] });
    ground.start();
    await ground.pass(10);
    expect(await status()).toMatchObject({
      phase: 'Failed',
      message: expect.stringContaining('failed (1) > failureLimit (0)'),
    });
    await ground.pass(60);
    expect(await sizes()).toEqual({ 'compare-old': '0 0', 'compare-new': '0 0' });
    await ground.kube.patch(ground.ctx, ref('AnalysisTemplate', 'rate'), {
      type: 'json',
      body: [{ op: 'replace', path: '/spec/metrics/0/successCondition', value: 'true' }],
    });
    await patch({ status: null });
    await ground.pass(10);
    expect(await status()).toMatchObject({ phase: 'Running' });
    expect((await ground.runs()).map(({ metadata }) => metadata.name)).toEqual([
      'compare-rate',
      'compare-rate.1',
    ]);
    await patch({ spec: { terminate: true } });
    await ground.pass(60);
    expect(await status()).toMatchObject({ phase: 'Successful' });
    expect(await sizes()).toEqual({ 'compare-old': '0 0', 'compare-new': '0 0' });
  });

  test('a name that is taken is an error that names it, and nothing of the other owner is touched', async () => {
    const foreign = {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: { name: 'compare-new', namespace },
      spec: {
        replicas: 1,
        selector: { matchLabels: { x: 'y' } },
        template: { metadata: { labels: { x: 'y' } }, spec: { containers: [{ name: 'x', image: 'x:1' }] } },
      },
    };
    await ground.kube.create(ground.ctx, foreign as KubeObject);
    await create({});
    ground.start();
    await ground.pass(60);
    expect(await status()).toMatchObject({
      phase: 'Error',
      message: expect.stringContaining('ReplicaSet compare-new exists and is not owned by the Experiment'),
    });
    expect(await sizes()).toEqual({ 'compare-old': '0 0', 'compare-new': '1 1' });
  });

  test('pods that the API server refuses are an error with its words', async () => {
    const broken = template('new');
    await create({
      templates: [
        {
          ...broken,
          template: { ...broken.template, spec: { containers: [{ name: 'UPPER', image: 'x' }] } },
        },
      ],
    });
    ground.start();
    await ground.pass(10);
    expect(await status()).toMatchObject({
      phase: 'Error',
      message: expect.stringContaining('ReplicaSet compare-new was not created'),
    });
  });

  test('RC-5: one of another instance of the controller is left alone', async () => {
    const labels = { 'argo-rollouts.argoproj.io/controller-instance-id': 'other' };
    await create({}, { metadata: { name: 'compare', namespace, labels } });
    ground.start();
    await ground.pass(10);
    expect([await status(), await sizes()]).toEqual([{}, {}]);
  });
});

const web = (image: string) => ({
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'web', image, ports: [{ containerPort: 8080 }] }] },
});
const canary = () => ({
  canary: {
    steps: [
      { setWeight: 25 },
      {
        experiment: {
          duration: '1m',
          templates: [
            { name: 'baseline', specRef: 'stable', metadata: { labels: { role: 'baseline' } } },
            { name: 'candidate', specRef: 'canary', metadata: { labels: { role: 'candidate' } } },
          ],
          analyses: [rate],
        },
      },
      { setWeight: 75 },
    ],
  },
});
const rollout = (labels: object = {}) =>
  ground.create(
    'Rollout',
    'web',
    { replicas: 4, selector: { matchLabels: { app: 'web' } }, template: web('web:1'), strategy: canary() },
    { metadata: { name: 'web', namespace, labels } },
  );

describe('an Experiment as a step of a canary', () => {
  test('runs both versions beside the Rollout, and the pods of neither count for it', async () => {
    await measured();
    await rollout({ team: 'shop' });
    ground.start();
    await ground.pass(5);
    await ground.patch({ spec: { template: web('web:2') } });
    await ground.pass(20);
    const [made] = await ground.experiments();
    const { currentPodHash, canary: of, replicas } = (await ground.rollout()).status ?? {};
    expect(made?.metadata).toMatchObject({
      name: `web-${currentPodHash}-2-1`,
      labels: { team: 'shop', 'rollouts-pod-template-hash': currentPodHash },
    });
    expect(of?.currentExperiment).toBe(made?.metadata.name);
    expect(replicas).toBe(4);
    const hashes = (await ground.replicaSets()).map(
      ({ metadata }) => metadata.labels?.['rollouts-pod-template-hash'],
    );
    expect(new Set(hashes).size).toBe(4);
    await ground.pass(120);
    expect((await ground.rollout()).status).toMatchObject({ phase: 'Healthy', currentStepIndex: 3 });
    expect(await reasons()).toContain('ExperimentCreated ×1');
  });

  test('a restart of the Rollout leaves the pods of the Experiment alone', async () => {
    await measured();
    await rollout();
    ground.start();
    await ground.pass(5);
    await ground.patch({ spec: { template: web('web:2') } });
    await ground.pass(20);
    const pods = async () =>
      (
        await ground.kube.list(
          ground.ctx,
          { apiVersion: 'v1', kind: 'Pod', namespace },
          { labelSelector: 'role' },
        )
      ).items
        .map(({ metadata }) => metadata.uid)
        .toSorted();
    const before = await pods();
    expect(before).toHaveLength(2);
    await ground.patch({ spec: { restartAt: ground.clock.now().toISOString().replace(/\.\d+/, '') } });
    await ground.pass(30);
    expect(await pods()).toEqual(before);
    expect((await ground.rollout()).status?.restartedAt).toBeDefined();
  });

  test.each([1, 2, 3])(
    'vector 60: controllers that die after every %i. write make everything once',
    async (writes) => {
      const play = async (cut: object, seconds: number) => {
        await measured();
        await rollout();
        let stop = ground.start();
        await ground.pass(5);
        await stop();
        await ground.patch({ spec: { template: web('web:2') } });
        let lives = 0;
        for (; lives < 150; lives += 1) {
          stop = ground.start(cut);
          await ground.pass(seconds);
          await stop();
          const { metadata, status: is } = await ground.rollout();
          const isSeen = is?.observedGeneration === String(metadata.generation);
          if (isSeen && is?.phase === 'Healthy') break;
        }
        stop = ground.start();
        await ground.pass(120);
        await stop();
        const { phase, currentStepIndex } = (await ground.rollout()).status ?? {};
        if (seconds === 2) expect(lives).toBeGreaterThan(5);
        return {
          phase,
          currentStepIndex,
          sizes: await sizes(),
          experiments: (await ground.experiments()).map((one) => `${one.metadata.name} ${one.status?.phase}`),
          runs: (await ground.runs()).map((one) => `${one.metadata.name} ${one.status?.phase}`),
        };
      };
      const whole = await play({}, 200);
      expect(whole).toMatchObject({ phase: 'Healthy', currentStepIndex: 3 });
      expect(whole.experiments).toHaveLength(1);
      expect(whole.runs).toHaveLength(1);
      await ground.stop();
      ground = await deliveryGround();
      expect(await play({ writes }, 2)).toEqual(whole);
    },
    120_000,
  );
});
