import { type KubeObject, keyOf } from '#base/model';
import { actionsFor, discoverActions, health } from '#engine';
import type { BenchCase } from './harness.ts';

const count = 1000;
const conditions = ['Synced', 'Available', 'Ready'].map((type) => ({ type, status: 'True', reason: 'Done' }));

const object = (apiVersion: string, kind: string, at: number): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name: `x-${at}`, namespace: 'shop', generation: 2 },
  spec: { replicas: 2 },
  status: { observedGeneration: 2, replicas: 2, updatedReplicas: 2, availableReplicas: 2, conditions },
});
const many = (apiVersion: string, kind: string): KubeObject[] =>
  Array.from({ length: count }, (_, at) => object(apiVersion, kind, at));

const deployments = many('apps/v1', 'Deployment');
const managed = many('ec2.aws.upbound.io/v1beta1', 'Instance');
const unknown = many('example.com/v1', 'Widget');
function over(name: string, objects: readonly KubeObject[]): BenchCase {
  return {
    name: `health: ${name}`,
    baseline: 'naming each object',
    operations: count,
    run: () => {
      for (const one of objects) health(one);
    },
    against: () => {
      for (const one of objects) keyOf(one);
    },
  };
}

export const cases: BenchCase[] = [
  over('a kind with its own check', deployments),
  over('a kind of a family of groups', managed),
  over('a kind nobody has a check for', unknown),
  {
    name: 'actions: what a Deployment offers',
    baseline: 'naming each object',
    operations: count,
    run: () => {
      for (const one of deployments) actionsFor(discoverActions(one));
    },
    against: () => {
      for (const one of deployments) keyOf(one);
    },
  },
];
