import { expect, test } from 'vitest';
import type { KubeObject } from '#base/model';
import { cases } from '../../../test/cases.ts';
import { hostsOf } from './hosts.ts';
import { nodeOf } from './node.ts';

test.each(cases<Record<string, unknown>>(new URL('./testdata/node/', import.meta.url)))(
  '$name',
  ({ input, expect: wanted }) => {
    const { object, customLabels } = input[0];
    expect(nodeOf(object, customLabels && { customLabels })).toMatchObject(wanted);
  },
);

const pod = (name: string, nodeName: string, cpu: string, phase = 'Running'): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'd' },
  spec: { nodeName, containers: [{ resources: { requests: { cpu, memory: '1Ki', 'x.example/gpu': '1' } } }] },
  status: { phase },
});
const machine = (name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { zone: 'a', secret: 'b' } },
  status: { capacity: { cpu: '2', memory: '4Ki', pods: '110' }, nodeInfo: { architecture: 'amd64' } },
});

test('hosts are the machines its pods run on, with who asks for how much, in thousandths (T-11)', () => {
  const [mine, ended] = [pod('mine', 'n1', '100m'), pod('ended', 'n1', '1', 'Succeeded')];
  const all = [machine('n2'), mine, ended, pod('other', 'n1', '1'), pod('far', 'n2', '1'), machine('n1')];
  const nodes = all.map((object) => nodeOf(object));
  const own = new Set([mine, ended].map((object) => nodeOf(object).key));
  expect(hostsOf({ all: nodes, own, allowedLabels: ['zone'] })).toEqual([
    {
      name: 'n1',
      resourcesInfo: [
        { resourceName: 'cpu', requestedByApp: 100, requestedByNeighbors: 1000, capacity: 2000 },
        { resourceName: 'memory', requestedByApp: 1024000, requestedByNeighbors: 1024000, capacity: 4096000 },
      ],
      systemInfo: { architecture: 'amd64' },
      labels: { zone: 'a' },
    },
  ]);
});

test('a machine that is not known is left out (T-11)', () => {
  const mine = nodeOf(pod('mine', 'n9', '1'));
  expect(hostsOf({ all: [mine], own: new Set([mine.key]) })).toEqual([]);
});

test('a node holds what the tree needs and no manifest (T-18)', () => {
  const object = { ...pod('p', 'n1', '1'), data: { secret: 'x' } } as KubeObject;
  expect(Object.keys(nodeOf(object)).sort()).toEqual([
    'health',
    'info',
    'key',
    'kind',
    'load',
    'name',
    'namespace',
    'owners',
    'version',
  ]);
});
