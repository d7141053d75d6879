import { expect, test } from 'vitest';
import type { Health, KubeObject } from '#base/model';
import { FairleadError } from '#base/std';
import { cases } from '../../../test/cases.ts';
import { assess, type HealthOptions, health } from './health.ts';

// a case is an object, then options if it needs any, then what is expected: a health, or null for none
const folders = ['./testdata/', './kinds/testdata/'].map((path) => new URL(path, import.meta.url));

test.each(folders.flatMap((folder) => cases<Health | null>(folder)))('$name', ({ input, expect: wanted }) => {
  expect(health(input[0], optionsFrom(input[1])) ?? null).toEqual(wanted);
});

/** A time in a case file is text. */
function optionsFrom(told: (HealthOptions & { child?: { now?: unknown } }) | undefined): HealthOptions {
  if (!told?.child?.now) return told ?? {};
  return { child: { ...told.child, now: new Date(String(told.child.now)) } };
}

const pod = (rest: Partial<KubeObject> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web' },
  ...rest,
});

test('a kind nobody knows has no health, which is not Unknown (H-2, X-29)', () => {
  expect(assess({ apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' } })).toEqual({});
});

test('a script of the user comes before every check of ours (H-2, X-41)', () => {
  const scripted = () => ({ health: { status: 'Suspended' as const } });
  expect(health(pod({ status: { phase: 'Running' } }), { scripted })).toEqual({ status: 'Suspended' });
});

test('a script of the user comes before the setting for child Applications (X-1)', () => {
  const child = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', metadata: { name: 'child' } };
  const scripted = () => ({ health: { status: 'Degraded' as const } });
  expect(health(child, { child: { mode: 'strict' }, scripted })).toEqual({ status: 'Degraded' });
});

test('a script that has no opinion leaves the object to our checks (H-2)', () => {
  expect(health(pod({ status: { phase: 'Succeeded' } }), { scripted: () => undefined })).toEqual({
    status: 'Healthy',
  });
});

test('an object that is going is Progressing, and no script is asked (H-2)', () => {
  const scripted = () => {
    throw new FairleadError('Internal', 'asked');
  };
  const leaving = pod({ metadata: { name: 'web', deletionTimestamp: '2026-01-01T00:00:00Z' } });
  expect(health(leaving, { scripted })?.status).toBe('Progressing');
});

test('a check that breaks down is Unknown, and tells the Application (H-3)', () => {
  const old = { apiVersion: 'apps/v1beta1', kind: 'Deployment', metadata: { name: 'web' } };
  const { health: found, error } = assess(old);
  expect(found?.status).toBe('Unknown');
  expect(error).toBe('no health check for Deployment in apps/v1beta1; use apps v1');
  expect(found?.message).toBe(error);
});

test('conditions that are garbage are a broken check, not a crash (H-3)', () => {
  const garbage = {
    apiVersion: 'keda.sh/v1alpha1',
    kind: 'ScaledObject',
    metadata: { name: 'x' },
    status: { conditions: [null] },
  };
  expect(assess(garbage).health?.status).toBe('Unknown');
  expect(assess(garbage).error).toBeDefined();
});

test('kinds that only configure have no health (H-20)', () => {
  const kinds = [
    ['v1', 'Namespace'],
    ['v1', 'ConfigMap'],
    ['v1', 'Secret'],
    ['v1', 'ServiceAccount'],
    ['v1', 'PersistentVolume'],
    ['rbac.authorization.k8s.io/v1', 'ClusterRole'],
    ['rbac.authorization.k8s.io/v1', 'RoleBinding'],
    ['networking.k8s.io/v1', 'NetworkPolicy'],
    ['storage.k8s.io/v1', 'StorageClass'],
    ['admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration'],
    ['argoproj.io/v1alpha1', 'AppProject'],
    ['argoproj.io/v1alpha1', 'Application'],
  ] as const;
  for (const [apiVersion, kind] of kinds) {
    expect(assess({ apiVersion, kind, metadata: { name: 'x' } }), kind).toEqual({});
  }
});
