import { expect, test } from 'vitest';
import type { Application, HealthCode } from '#base/model';
import { health as healthOf } from '#engine';
import type { ResourceNode, ResourceTree } from '#serve/api';
import { openingSentence } from './opening-sentence.ts';
import { forestOf } from './resource-forest.ts';
import { sampleApplication } from './sample-application.ts';
import { textOf } from './span.ts';

const now = Date.parse('2026-03-18T14:30:00Z');
const degraded = { status: 'Degraded', lastTransitionTime: '2026-03-18T14:02:00Z' } as const;
const words = (app: Application, { tree }: { tree?: ResourceTree } = {}): string =>
  textOf(openingSentence({ app, items: forestOf(app, tree), now, zone: 'UTC' }));

test('names the Revision, the probe and the fix of a Service that cannot be deployed', () => {
  const live = {
    apiVersion: 'serving.knative.dev/v1',
    kind: 'Service',
    metadata: { name: 'product-import-production', generation: 3 },
    spec: { template: { spec: { containers: [{ name: 'web', startupProbe: { httpGet: {} } }] } } },
    status: {
      observedGeneration: 3,
      latestCreatedRevisionName: 'product-import-production-00003',
      conditions: [{ type: 'Ready', status: 'Unknown' as const }],
    },
  };
  const { message = '' } = healthOf(live) ?? {};
  const fix = 'Revision product-import-production-00003 lacks a port: set startupProbe.httpGet.port to 8080';
  expect(words(sampleApplication({ health: { ...degraded, message } }))).toContain(fix);
  const resources = [{ kind: 'Service', name: 'agent', health: { ...degraded, message } }];
  expect(words(sampleApplication({ health: degraded, resources }))).toContain(fix);
});

test('counts the pods of the Revision that fails, not of the one that still serves', () => {
  const group = 'serving.knative.dev';
  const below = (kind: string, name: string, parent: string, status: HealthCode): ResourceNode => ({
    ...{ group: kind === 'Pod' ? '' : group, kind, name, namespace: 'payments', health: { status } },
    parentRefs: [
      { group, kind: kind === 'Pod' ? 'Revision' : 'Service', namespace: 'payments', name: parent },
    ],
  });
  const service = { group, kind: 'Service', namespace: 'payments', name: 'agent' };
  const nodes: ResourceNode[] = [
    { ...service, health: { status: 'Degraded' } },
    below('Revision', 'agent-00001', 'agent', 'Healthy'),
    below('Pod', 'a', 'agent-00001', 'Healthy'),
    below('Revision', 'agent-00002', 'agent', 'Degraded'),
    below('Pod', 'b', 'agent-00002', 'Progressing'),
  ];
  const resources = [{ ...service, health: { status: 'Degraded' as const } }];
  expect(words(sampleApplication({ health: degraded, resources }), { tree: { nodes } })).toContain(
    'since 14:02: Service agent has 0 of 1 pods ready, after',
  );
});
