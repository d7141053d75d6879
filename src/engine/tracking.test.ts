import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Application, KubeObject } from '#base/model';
import {
  defaultTracking,
  isSelfReferenced,
  ownerOf,
  parseTrackingId,
  printTrackingId,
  track,
  trackedBy,
} from './tracking.ts';

const owner = { instance: 'app', destinationNamespace: 'd' };
const object = (kind: string, name: string, namespace?: string, apiVersion = 'v1'): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name, ...(namespace && { namespace }) },
});
const id = (text: string) => ({ 'argocd.argoproj.io/tracking-id': text });
const marked = (target: KubeObject, text: string): KubeObject => ({
  ...target,
  metadata: { ...target.metadata, annotations: id(text) },
});

test('the default writes an annotation and reads it back (T-1)', () => {
  const stamped = track(object('ConfigMap', 'c', 'ns'), owner, defaultTracking);
  expect(stamped.metadata.annotations).toEqual(id('app:/ConfigMap:ns/c'));
  expect(stamped.metadata.labels).toBeUndefined();
  expect(trackedBy(stamped, defaultTracking)).toBe('app');
});

test('a cluster-wide object names the destination namespace (T-1)', () => {
  const stamped = track(
    object('ClusterRole', 'r', undefined, 'rbac.authorization.k8s.io/v1'),
    owner,
    defaultTracking,
  );
  expect(stamped.metadata.annotations).toEqual(id('app:rbac.authorization.k8s.io/ClusterRole:d/r'));
});

test('marking changes nothing else, and the original not at all', () => {
  const before = object('ConfigMap', 'c', 'ns');
  track(before, owner, defaultTracking);
  expect(before).toEqual(object('ConfigMap', 'c', 'ns'));
  const stamped = track(before, owner, defaultTracking);
  expect(track(stamped, owner, defaultTracking)).toBe(stamped);
});

test('the label method writes and reads the label, untruncated (T-2)', () => {
  const label = { ...defaultTracking, method: 'label' as const };
  const long = 'x'.repeat(80);
  const stamped = track(object('ConfigMap', 'c'), { ...owner, instance: long }, label);
  expect(stamped.metadata.labels).toEqual({ 'app.kubernetes.io/instance': long });
  expect(trackedBy(stamped, label)).toBe(long);
  expect(trackedBy(marked(object('ConfigMap', 'c'), 'app:/ConfigMap:d/c'), label)).toBeUndefined();
});

test('annotation+label shortens the label to fit and reads the annotation', () => {
  const both = { ...defaultTracking, method: 'annotation+label' as const };
  const instance = `${'x'.repeat(60)}--.tail`;
  const stamped = track(object('ConfigMap', 'c', 'd'), { ...owner, instance }, both);
  expect(stamped.metadata.labels?.['app.kubernetes.io/instance']).toBe('x'.repeat(60));
  expect(trackedBy(stamped, both)).toBe(instance);
});

test('the mark of another installation is no mark (T-3)', () => {
  const ours = { ...defaultTracking, installationId: 'one' };
  const stamped = track(object('ConfigMap', 'c'), owner, ours);
  expect(trackedBy(stamped, ours)).toBe('app');
  expect(trackedBy(stamped, { ...ours, installationId: 'two' })).toBeUndefined();
  expect(track(stamped, owner, defaultTracking).metadata.annotations).toEqual(id('app:/ConfigMap:d/c'));
});

test('definitions are never marked (T-4)', () => {
  const crd = object('CustomResourceDefinition', 'x', undefined, 'apiextensions.k8s.io/v1');
  expect(track(crd, owner, { ...defaultTracking, method: 'annotation+label' })).toBe(crd);
});

test.each([
  '',
  'app',
  'app:/ConfigMap',
  'app:ConfigMap:d/c',
  'app:/ConfigMap:d',
  'app:/ConfigMap:d/c/e',
  'app:a/b/c:d/e',
])('%j is no tracking id (T-1)', (text) => {
  expect(parseTrackingId(text)).toBeUndefined();
});

test('names may hold colons, as those of RBAC do', () => {
  expect(parseTrackingId('app:rbac.authorization.k8s.io/ClusterRole:d/system:x:y')).toEqual({
    instance: 'app',
    group: 'rbac.authorization.k8s.io',
    kind: 'ClusterRole',
    namespace: 'd',
    name: 'system:x:y',
  });
});

test('every printed id is read back', () => {
  const word = fc.stringMatching(/^[a-z][a-z0-9.-]{0,10}$/);
  fc.assert(
    fc.property(word, word, word, word, (instance, group, namespace, name) => {
      const text = printTrackingId(object('Thing', name, namespace, `${group}/v1`), {
        instance,
        destinationNamespace: '',
      });
      expect(parseTrackingId(text)).toEqual({ instance, group, kind: 'Thing', namespace, name });
    }),
  );
});

test('a copied mark does not make an object ours (T-6)', () => {
  const live = object('ConfigMap', 'copy', 'd');
  expect(isSelfReferenced(marked(live, 'app:/ConfigMap:d/original'), undefined, defaultTracking)).toBe(false);
  expect(isSelfReferenced(marked(live, 'app:/ConfigMap:d/copy'), undefined, defaultTracking)).toBe(true);
  expect(isSelfReferenced(marked(live, 'app:/ConfigMap:other/copy'), undefined, defaultTracking)).toBe(false);
  expect(isSelfReferenced(live, undefined, defaultTracking)).toBe(true);
  expect(isSelfReferenced(undefined, live, defaultTracking)).toBe(true);
});

test('with a target, the target says what the mark should be (T-6)', () => {
  const live = marked(object('Ingress', 'i', 'd', 'networking.k8s.io/v1'), 'app:extensions/Ingress:d/i');
  expect(isSelfReferenced(live, object('Ingress', 'i', 'd', 'networking.k8s.io/v1'), defaultTracking)).toBe(
    true,
  );
});

test('a cluster-wide object is not asked for its namespace (T-6)', () => {
  expect(
    isSelfReferenced(marked(object('Namespace', 'n'), 'app:/Namespace:d/n'), undefined, defaultTracking),
  ).toBe(true);
});

test('labels carry no such detail, so the label method takes everybody (T-6)', () => {
  const live = marked(object('ConfigMap', 'copy', 'd'), 'app:/ConfigMap:d/original');
  expect(isSelfReferenced(live, undefined, { ...defaultTracking, method: 'label' })).toBe(true);
});

test('an application outside the control plane goes by namespace and name', () => {
  const app = {
    metadata: { name: 'a', namespace: 'team' },
    spec: { destination: { name: 'c', namespace: 'd' } },
  } as Application;
  expect(ownerOf(app, 'argocd')).toEqual({ instance: 'team_a', destinationNamespace: 'd' });
  expect(ownerOf(app, 'team').instance).toBe('a');
});

const workload = (apiVersion: string, kind: string): KubeObject => ({
  ...object(kind, 'w', 'd', apiVersion),
  spec: { template: { metadata: { labels: { a: 'b' } }, spec: {} } },
});
const templateLabels = ({ spec }: KubeObject) =>
  (spec as { template: { metadata: { labels: Record<string, string> } } }).template.metadata.labels;

test('pod templates are never marked (T-5)', () => {
  for (const method of ['annotation', 'label', 'annotation+label'] as const) {
    const marked = track(workload('apps/v1', 'Deployment'), owner, { ...defaultTracking, method });
    expect(marked.spec).toEqual(workload('apps/v1', 'Deployment').spec);
  }
});

test('except under the obsolete key, and only those of workloads (T-5)', () => {
  const instanceLabelKey = 'applications.argoproj.io/app-name';
  const legacy = { ...defaultTracking, method: 'label' as const, instanceLabelKey };
  const marked = track(workload('apps/v1', 'Deployment'), owner, legacy);
  expect(templateLabels(marked)).toEqual({ a: 'b', [instanceLabelKey]: 'app' });
  expect(templateLabels(track(workload('batch/v1', 'Job'), owner, legacy))).toHaveProperty([
    instanceLabelKey,
  ]);
  expect(templateLabels(track(workload('example.com/v1', 'Thing'), owner, legacy))).toEqual({ a: 'b' });
  expect(track(object('Job', 'j', 'd', 'batch/v1'), owner, legacy).spec).toBeUndefined();
});

test('an object moves to another application when that one writes its mark, and not before (X-16, T-7)', () => {
  const before = track(
    object('ConfigMap', 'c', 'd'),
    { instance: 'from', destinationNamespace: 'd' },
    defaultTracking,
  );
  expect(trackedBy(before, defaultTracking)).toBe('from');
  const after = track(before, { instance: 'to', destinationNamespace: 'd' }, defaultTracking);
  expect(trackedBy(after, defaultTracking)).toBe('to');
  expect(isSelfReferenced(after, undefined, defaultTracking)).toBe(true);
});
