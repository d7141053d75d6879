import { expect, test } from 'vitest';
import type { KubeObject } from '#base/model';
import { heldUp, holderOf } from './holding.ts';

const since = '2026-06-01T00:20:00Z';
const after = (seconds: number): Date => new Date(Date.parse(since) + seconds * 1000);
const remedy =
  'a finalizer is removed by the controller that set it: see that it runs, or remove the finalizer by hand where there is none any more';

function leaving(name: string, finalizers: string[], more: Partial<KubeObject> = {}): KubeObject {
  const metadata = { name, namespace: 'shop', deletionTimestamp: since, finalizers };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, ...more };
}

test('who holds an object is told once it has waited for a minute, in words that stay the same (A-32)', () => {
  const object = leaving('a', ['example.com/guard', 'example.com/audit']);
  expect(heldUp([object], after(59))).toBeUndefined();
  const told = `deletion is held up: ConfigMap shop/a since ${since} by example.com/guard, example.com/audit; ${remedy}`;
  expect(heldUp([object], after(60))).toBe(told);
  expect(heldUp([object], after(3600))).toBe(told);
});

test('what nobody holds, or is not being deleted, is not told', () => {
  const { deletionTimestamp: _, ...staying } = leaving('a', ['example.com/guard']).metadata;
  expect(heldUp([leaving('a', []), leaving('b', [], { metadata: staying })], after(600))).toBeUndefined();
});

test('many are counted, and named in one order', () => {
  const many = ['e', 'd', 'c', 'b', 'a'].map((name) => leaving(name, ['x/y']));
  expect(heldUp(many, after(60))).toMatch(
    /^deletion is held up: ConfigMap shop\/a .*; ConfigMap shop\/b .*; ConfigMap shop\/c since \S+ by x\/y; and 2 more; a finalizer/,
  );
});

test('a Namespace is held by what it says is left in it', () => {
  const conditions = [
    { type: 'NamespaceDeletionDiscoveryFailure', status: 'False', message: 'all is well' },
    {
      type: 'NamespaceContentRemaining',
      status: 'True',
      message: 'Some resources are remaining: configmaps. has 1 resource instances',
    },
    {
      type: 'NamespaceFinalizersRemaining',
      status: 'True',
      message:
        'Some content in the namespace has finalizers remaining: example.com/guard in 1 resource instances',
    },
  ];
  const metadata = { name: 'shop', deletionTimestamp: since };
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata, status: { conditions } };
  expect(holderOf(namespace)).toBe(
    'Some resources are remaining: configmaps. has 1 resource instances and Some content in the namespace has finalizers remaining: example.com/guard in 1 resource instances',
  );
  expect(heldUp([{ ...namespace, status: {} }], after(600))).toBeUndefined();
});

test('a deletion from the owned to the owner says so', () => {
  expect(holderOf(leaving('a', ['foregroundDeletion']))).toBe('what it owns, which is not gone yet');
});

test('a child application has its own deletion to do, and only its own complaints are told', () => {
  const finalizers = ['resources-finalizer.argocd.argoproj.io'];
  const child = leaving('c', finalizers, { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application' });
  expect(heldUp([child], after(600))).toBeUndefined();
  const conditions = [{ type: 'DeletionError', message: 'deletion is held up: ConfigMap a/b' }];
  expect(holderOf({ ...child, status: { conditions } })).toBe('deletion is held up: ConfigMap a/b');
});
