import { expect, test } from 'vitest';
import type { AppProject, KubeObject } from '#base/model';
import { eventLabelsBy } from './event-labels.ts';

const project = { metadata: { name: 'shop', labels: { team: 'red', cost: '7' } } } as unknown as AppProject;
const app: KubeObject = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name: 'web', namespace: 'argocd', labels: { team: 'blue', 'app.kubernetes.io/name': 'web' } },
  spec: { project: 'shop' },
};

test.each([
  ['nothing is wanted', [], [], {}],
  ['its own label before that of its project', ['team'], [], { team: 'blue' }],
  ['a pattern', ['*'], [], { team: 'blue', cost: '7', 'app.kubernetes.io/name': 'web' }],
  ['a pattern without some', ['*'], ['app.kubernetes.io/*', 'cost'], { team: 'blue' }],
  ['a pattern that does not compile', ['['], [], {}],
])('labels of Events: %s', (_about, includeEventLabelKeys, excludeEventLabelKeys, labels) => {
  const labelsOf = eventLabelsBy({
    settings: { current: { resources: { includeEventLabelKeys, excludeEventLabelKeys } } },
    projects: { get: (namespace, name) => (`${namespace}/${name}` === 'argocd/shop' ? project : undefined) },
    namespace: 'argocd',
  });
  expect(labelsOf(app)).toEqual(labels);
});
