import { expect } from 'vitest';
import type { Application } from '#base/model';
import { type Failure, type Files, file, type Plant, service } from './plant.ts';

const labels = { app: 'overlaid' };
const added = { name: 'B', value: '2' };
const base = service('overlaid', 'v1', { container: { name: 'app', env: [{ name: 'A', value: '1' }] } });
const overlay = (kustomization: object, more: Files = {}): Files => ({
  [file]: base,
  'kustomization.yaml': { resources: [file], ...kustomization },
  ...more,
});
const containers = [{ name: 'app', env: [added] }];
const patch = { ...service('overlaid', 'v1'), spec: { template: { spec: { containers } } } };
const oneField = { op: 'add', path: '/spec/template/spec/containers/0/env/-', value: added };

/** A tree that Knative refuses, and the same tree as the finding of `fairlead doctor` says to write it. */
type Refused = { readonly id: string; readonly tells: string; readonly bad: Files; readonly good: Files };

const trees: readonly Refused[] = [
  {
    id: 'knative-selector',
    tells: 'commonLabels of Kustomize write a selector into a Knative Service, which has no such field',
    bad: overlay({ commonLabels: labels }),
    good: overlay({ labels: [{ pairs: labels, includeTemplates: true }] }),
  },
  {
    id: 'knative-containers-replaced',
    tells: 'a patch of one container replaces the list, and its image is lost',
    bad: overlay({ patches: [{ path: 'patch.yaml' }] }, { 'patch.yaml': patch }),
    good: overlay({ patches: [{ target: { kind: 'Service' }, patch: JSON.stringify([oneField]) }] }),
  },
];

/** Overlays of seed 001 that render something else than they seem to, and Revisions that look left over. */
export const renderedFailures = (plant: Plant): readonly Failure[] => [
  ...trees.map(
    ({ id, tells, bad, good }): Failure => ({
      seed: '001',
      tells,
      plain: async () => {
        await plant.begin(id, bad);
        const app = await plant.until(
          id,
          'refused',
          ({ status }) => status?.operationState?.phase === 'Failed',
        );
        return app.status?.operationState?.message;
      },
      failure: expect.stringMatching(/validation failed|unknown field|missing field/),
      here: async () => {
        const found = await plant.diagnose(id);
        const app = await plant.deploy(id, good);
        return [found, app.status?.health?.status, await plant.diagnose(id)];
      },
      instead: [expect.arrayContaining([id]), 'Healthy', expect.not.arrayContaining([id])],
    }),
  ),
  {
    seed: '001',
    tells: 'prune deletes Revisions, and IgnoreExtraneous does not keep them',
    plain: async () => {
      await plant.apply(ownerless);
      const isSeen = ({ status }: Application): boolean =>
        status?.resources?.some(({ name, requiresPruning }) => name === revision && requiresPruning) ?? false;
      await plant.until('agent', 'seen with a Revision of its own', isSeen);
      await plant.cli('app', 'sync', 'agent', '--prune');
      await plant.kubectl('wait', `revision/${revision}`, '-n', 'agent', '--for=delete', '--timeout=60s');
      return (await revisionsOf(plant)).includes(revision);
    },
    failure: false,
    here: () => revisionsOf(plant),
    instead: expect.arrayContaining(['agent-00001', 'agent-00002']),
  },
];

/** A Revision as a backup restores it: with the mark of its application, without the owner that Knative gave it. */
const revision = 'agent-ownerless';
const ownerless = {
  apiVersion: 'serving.knative.dev/v1',
  kind: 'Revision',
  metadata: {
    name: revision,
    namespace: 'agent',
    annotations: {
      'argocd.argoproj.io/tracking-id': `agent:serving.knative.dev/Revision:agent/${revision}`,
      'argocd.argoproj.io/compare-options': 'IgnoreExtraneous',
    },
  },
  spec: { containers: [{ image: 'ghcr.io/demo/agent:v0' }] },
};

const revisionsOf = async (plant: Plant): Promise<string[]> =>
  (await plant.kubectl('get', 'revisions', '-n', 'agent', '-o', 'name'))
    .split('\n')
    .map((line) => line.replace(/.*\//, ''));
