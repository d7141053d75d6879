import { expect } from 'vitest';
import { isSettled } from '../fairlead.ts';
import { declaredDrift, mergedDrift, plainDrift } from './plain-comparison.ts';
import { asSent, deployments, type Failure, file, type Plant, policy, service } from './plant.ts';

const cpu = { container: { resources: { limits: { cpu: '1000m' } } } };
const modifier = 'serving.knative.dev/lastModifier';
const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';
const annotated = (name: string): string => `/metadata/annotations/serving.knative.dev~1${name}`;
const inContainer = (path: string): string => `/spec/template/spec/containers/0/${path}`;

/** The Service on which most cases are observed, in its second version. */
export async function deployAgent(plant: Plant): Promise<void> {
  await plant.begin('agent', { [file]: service('agent', 'v1', cpu) });
  await plant.until('agent', 'settled', isSettled);
  await plant.deploy('agent', { [file]: service('agent', 'v2', cpu) });
}

/** What the program finds when it compares again with nothing cached: what differs, and how often it has deployed. */
async function compared(plant: Plant, app: string): Promise<unknown> {
  const { stdout, code } = await plant.cli('app', 'diff', app, '--hard-refresh');
  return { code, differs: stdout, deployments: deployments(await plant.until(app, 'settled', isSettled)) };
}
const quiet = (times: number) => ({ code: 0, differs: '', deployments: times });

/** A field of the agent that only Knative, its webhooks or the API server wrote. */
const written = (plant: Plant, tells: string, path: string): Failure => ({
  seed: '000',
  tells,
  plain: async () => plainDrift(asSent('agent', service('agent', 'v2', cpu)), await plant.live('agent')),
  failure: expect.arrayContaining([path]),
  here: () => compared(plant, 'agent'),
  instead: quiet(2),
});

/** Drift that is none. */
export const comparedFailures = (plant: Plant): readonly Failure[] => [
  written(plant, 'the status that Knative writes is drift', '/status'),
  written(plant, 'the traffic that Knative sets is drift', '/spec/traffic'),
  written(plant, 'the creator annotation is drift', annotated('creator')),
  written(plant, 'the lastModifier annotation is drift', annotated('lastModifier')),
  written(plant, 'what a webhook defaults is drift', '/spec/template/spec/containerConcurrency'),
  written(plant, '1000m in Git is not 1 in the cluster', inContainer('resources/limits/cpu')),
  exportedIntoGit(plant),
  {
    seed: '000',
    tells: 'ServerSideApply=true alone compares whole lists, and defaults inside them are drift',
    plain: async () => {
      const syncPolicy = { ...policy, syncOptions: ['ServerSideApply=true'] };
      await plant.begin('applied', { [file]: service('applied', 'v1', cpu) }, { syncPolicy });
      await plant.until('applied', 'settled', isSettled);
      return mergedDrift(asSent('applied', service('applied', 'v1', cpu)), await plant.live('applied'));
    },
    failure: expect.arrayContaining([inContainer('name')]),
    here: () => compared(plant, 'applied'),
    instead: quiet(1),
  },
  handmadeChange(plant),
];

/** The manifest is what kubectl printed, with the annotations and the status of that moment. */
const exportedIntoGit = (plant: Plant): Failure => ({
  seed: '000',
  tells: 'runtime fields that were exported into Git are fought over for ever',
  plain: async () => {
    const { metadata, spec, status } = await plant.live('agent');
    const { [lastApplied]: _applied, ...annotations } = metadata.annotations ?? {};
    const exported = {
      ...service('exported', 'v1'),
      ...{ spec, status },
      metadata: { name: 'exported', annotations: { ...annotations, [modifier]: 'ann@example.com' } },
    } as ReturnType<typeof service>;
    await plant.begin('exported', { [file]: exported });
    await plant.until('exported', 'settled', isSettled);
    return declaredDrift(asSent('exported', exported), await plant.live('exported'));
  },
  failure: expect.arrayContaining([annotated('lastModifier')]),
  here: () => compared(plant, 'exported'),
  instead: quiet(1),
});

/** An application that is always OutOfSync looks the same before and after a change by hand. */
const handmadeChange = (plant: Plant): Failure => ({
  seed: '001',
  tells: 'a change by hand is lost among false differences, and the next sync overwrites it unseen',
  plain: async () => {
    await plant.begin('noisy', { [file]: service('noisy', 'v1', cpu) }, { syncPolicy: { automated: {} } });
    await plant.until('noisy', 'settled', isSettled);
    const sent = asSent('noisy', service('noisy', 'v1', cpu));
    const before = declaredDrift(sent, await plant.live('noisy'));
    await plant.patch('noisy', { spec: service('noisy', 'handmade', cpu).spec });
    const after = declaredDrift(sent, await plant.live('noisy'));
    return { wasOutOfSync: before.length > 0, isOutOfSync: after.length > 0 };
  },
  failure: { wasOutOfSync: true, isOutOfSync: true },
  here: async () => {
    await plant.until('noisy', 'OutOfSync', ({ status }) => status?.sync?.status === 'OutOfSync');
    const { stdout } = await plant.cli('app', 'diff', 'noisy');
    return stdout.split('\n').filter((line) => /^[-+<>] .*image/.test(line));
  },
  instead: [expect.stringMatching(/^[-<] .*noisy:handmade/), expect.stringMatching(/^[+>] .*noisy:v1/)],
});
