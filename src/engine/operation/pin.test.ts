import { expect, test } from 'vitest';
import type { Application, OperationState } from '#base/model';
import { repositoryGrace } from '../refresh/grace.ts';
import { heldElsewhere } from '../refresh/takeover.ts';
import { historyAfter } from './history.ts';
import { localManifests, pin, pinnedBy } from './pin.ts';

const source = { repoURL: 'https://git.example/a', path: 'a' };
const app: Application = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name: 'app', namespace: 'argocd' },
  spec: { source, destination: {} },
};
const state = (more: Partial<OperationState> = {}): OperationState => ({
  operation: { sync: { revision: 'main' } },
  phase: 'Running',
  startedAt: '2026-01-01T00:00:00Z',
  ...more,
});

test('the first pass writes the concrete revision, and later ones keep it (R-34)', () => {
  expect(pinnedBy(app, state())).toEqual({
    sources: [source],
    isMultiple: false,
    revisions: ['main'],
  });
  const first = pin(app, state(), ['abc']);
  expect(first.syncResult).toEqual({ revision: 'abc', source, resources: [] });
  expect(pinnedBy(app, first)).toMatchObject({ sources: [source], revisions: ['abc'] });
  expect(pin(app, first, ['def'])).toBe(first);
});

test('an operation may bring its own sources, and many of them (R-34, A-20)', () => {
  const old = { ...source, path: 'old' };
  expect(pinnedBy(app, state({ operation: { sync: { source: old } } }))).toEqual({
    sources: [old],
    isMultiple: false,
  });
  const many = { ...app, spec: { ...app.spec, sources: [source, old] } };
  const pinned = pin(many, state({ operation: { sync: {} } }), ['a', 'b']);
  expect(pinned.syncResult).toMatchObject({ revisions: ['a', 'b'], sources: [source, old] });
  expect(pinnedBy(many, pinned)).toMatchObject({ sources: [source, old], revisions: ['a', 'b'] });
});

test('whether there are several sources is said by the operation that brings them, whatever the spec has become (R-45, A-5)', () => {
  const old = { ...source, path: 'old' };
  const back = state({ operation: { sync: { sources: [source, old], revisions: ['a', 'b'] } } });
  const toMany = pin(app, back, ['a', 'b']);
  expect(toMany.syncResult).toEqual({ revisions: ['a', 'b'], sources: [source, old], resources: [] });
  const deployed = historyAfter(app, { ...toMany, phase: 'Succeeded', finishedAt: '2026-01-01T00:00:01Z' });
  expect(deployed).toMatchObject([{ id: 0, revisions: ['a', 'b'], sources: [source, old] }]);
  expect(deployed[0]).not.toHaveProperty('source');

  const many = { ...app, spec: { ...app.spec, sources: [source, old] } };
  const toOne = pin(many, state({ operation: { sync: { source, revision: 'a' } } }), ['a']);
  expect(toOne.syncResult).toEqual({ revision: 'a', source, resources: [] });
});

test('the namespace metadata in force is written down with it (S-41)', () => {
  const managedNamespaceMetadata = { labels: { a: 'b' } };
  const managed = { ...app, spec: { ...app.spec, syncPolicy: { managedNamespaceMetadata } } };
  expect(pin(managed, state(), ['abc']).syncResult).toMatchObject({ managedNamespaceMetadata });
});

test('manifests synced from elsewhere are compared with until another operation comes (R-18)', () => {
  const local = state({ operation: { sync: { manifests: ['{}'] } }, phase: 'Succeeded' });
  expect(localManifests({ ...app, status: { operationState: local } })).toEqual(['{}']);
  expect(localManifests({ ...app, status: { operationState: state() } })).toBeUndefined();
  expect(localManifests(app)).toBeUndefined();
});

const at = (seconds: number): Date => new Date(seconds * 1000);
const periodMs = 180_000;

test('a repository that fails is forgiven for a while (R-20, vector 9)', () => {
  const first = repositoryGrace(undefined, { level: 'tracked', now: at(0), periodMs });
  expect(first).toEqual({ excused: true, since: 0 });
  expect(repositoryGrace(0, { level: 'tracked', now: at(60), periodMs })).toEqual({
    excused: true,
    since: 0,
  });
  expect(repositoryGrace(0, { level: 'recorded', now: at(180), periodMs }).excused).toBe(true);
  expect(repositoryGrace(0, { level: 'tracked', now: at(181), periodMs })).toEqual({
    excused: false,
    since: 0,
  });
});

test('but not when somebody asked, and that starts no time (R-20, vector 9)', () => {
  expect(repositoryGrace(undefined, { level: 'resolved', now: at(0), periodMs })).toEqual({
    excused: false,
    since: undefined,
  });
  expect(repositoryGrace(0, { level: 'resolved', now: at(1), periodMs }).excused).toBe(false);
});

test('the first failure is forgiven even without a period (R-20)', () => {
  expect(repositoryGrace(undefined, { level: 'tracked', now: at(0), periodMs: 0 }).excused).toBe(true);
  expect(repositoryGrace(0, { level: 'tracked', now: at(1), periodMs: 0 }).excused).toBe(false);
});

test('what another controller reconciled lately is left to it, unless we are told to take over (X-60, X-61)', () => {
  const options = { controllerNamespace: 'fairlead', now: at(300), intervalMs: 120_000 };
  const held = (reconciledAt: string, controllerNamespace = 'argocd') => ({
    ...app,
    status: { reconciledAt, controllerNamespace },
  });
  expect(heldElsewhere(held('1970-01-01T00:01:00Z'), options)).toContain(
    'by the controller in namespace argocd',
  );
  expect(heldElsewhere(held('1970-01-01T00:00:59Z'), options)).toBeUndefined();
  expect(heldElsewhere(held('1970-01-01T00:05:00Z', 'fairlead'), options)).toBeUndefined();
  expect(heldElsewhere(held('1970-01-01T00:05:00Z'), { ...options, takeOver: true })).toBeUndefined();
  expect(heldElsewhere(app, options)).toBeUndefined();
});
