import { expect, test } from 'vitest';
import type { RolloutReplicaSet } from './rollout.ts';
import { Stage } from './stage.ts';

const rollout = (canary: object) => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Rollout',
  metadata: { name: 'web', namespace: 'd' },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'web', image: 'web:1' }] },
    },
    strategy: { canary: { steps: [{ setWeight: 50 }, { pause: {} }], ...canary } },
  },
});
const setOf = (stage: Stage, image: string): RolloutReplicaSet | undefined =>
  stage.all<RolloutReplicaSet>('ReplicaSet').find(({ spec }) => JSON.stringify(spec).includes(`"${image}"`));

test('RH-10: the pods of an update avoid the nodes of the stable ones, those of the first version avoid none', () => {
  const antiAffinity = { preferredDuringSchedulingIgnoredDuringExecution: { weight: 50 } };
  const stage = new Stage(rollout({ antiAffinity }));
  stage.settle();
  expect(setOf(stage, 'web:1')?.spec?.template?.spec?.affinity).toBeUndefined();
  const { stableRS } = stage.status;
  stage.setImage('web:2');
  stage.settle();
  const podAffinityTerm = {
    labelSelector: {
      matchExpressions: [{ key: 'rollouts-pod-template-hash', operator: 'In', values: [stableRS] }],
    },
    namespaces: ['d'],
    topologyKey: 'kubernetes.io/hostname',
  };
  expect(setOf(stage, 'web:2')?.spec?.template?.spec?.affinity).toEqual({
    podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 50, podAffinityTerm }] },
  });
});

test('RH-9: the record of injected metadata leaves out what holds nothing, as the peer does', () => {
  const stage = new Stage(rollout({ stableMetadata: { labels: { role: 'stable' } } }));
  stage.settle();
  expect(setOf(stage, 'web:1')?.metadata.annotations?.['rollout.argoproj.io/ephemeral-metadata']).toBe(
    '{"labels":{"role":"stable"}}',
  );
});
