import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Application, finalizer, type KubeObject, syncWaveOf } from '#base/model';
import { cases } from '../../../test/cases.ts';
import { abandon, deletionNeedsTargets, deletionStep } from './deletion.ts';
import { type DeletionStep, finalizersFor } from './hooks.ts';

const nameOf = ({ kind, metadata }: KubeObject): string => `${kind} ${metadata.name}`;

function spelled(step: DeletionStep): Record<string, unknown> {
  switch (step.do) {
    case 'create-hooks':
      return { ...step, hooks: step.hooks.map(nameOf) };
    case 'delete':
      return { ...step, objects: step.objects.map(nameOf) };
    case 'wait':
      return { ...step, for: step.for.map(nameOf) };
    default:
      return step;
  }
}

test.each(cases<Record<string, unknown>>(new URL('./testdata/deletion/', import.meta.url)))(
  '$name',
  ({ input, expect: wanted }) => {
    const { app, live, targets, denied = [] } = input[0];
    const denies = ({ kind }: KubeObject) => (denied.includes(kind) ? 'not permitted' : undefined);
    expect(spelled(deletionStep({ app, live, targets, denies }))).toMatchObject(wanted);
  },
);

const appWith = (finalizers: string[], more: object = {}): Application => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name: 'app', namespace: 'argocd', finalizers, ...more },
  spec: { destination: {} },
});
const hook = (types: string): KubeObject => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: types, annotations: { 'argocd.argoproj.io/hook': types } },
});

test('hooks for deletion bring both of their finalizers, and take them along when they go (A-28)', () => {
  const { preDelete, preDeleteCleanup, postDelete, postDeleteCleanup, resources } = finalizer;
  expect(finalizersFor(appWith([resources]), [hook('PreDelete')])).toEqual([
    resources,
    preDelete,
    preDeleteCleanup,
  ]);
  expect(finalizersFor(appWith([]), [hook('PostSync,PostDelete')])).toEqual([postDelete, postDeleteCleanup]);
  expect(finalizersFor(appWith([preDelete, resources, preDeleteCleanup]), [])).toEqual([resources]);
});

test('nothing to change is the very same list, and once deletion has begun nothing changes (A-28)', () => {
  const held = [finalizer.preDelete, finalizer.preDeleteCleanup];
  const app = appWith(held);
  expect(finalizersFor(app, [hook('PreDelete')])).toBe(app.metadata.finalizers);
  const going = appWith(held, { deletionTimestamp: '2026-01-01T00:00:00Z' });
  expect(finalizersFor(going, [])).toBe(going.metadata.finalizers);
  expect(finalizersFor(going, [hook('PostDelete')])).toBe(going.metadata.finalizers);
});

test('only the stages that run hooks need what Git says (A-35)', () => {
  expect(deletionNeedsTargets(appWith([finalizer.preDelete, finalizer.resources]))).toBe(true);
  expect(deletionNeedsTargets(appWith([finalizer.resources, finalizer.postDelete]))).toBe(false);
  expect(deletionNeedsTargets(appWith([finalizer.postDelete]))).toBe(true);
  expect(deletionNeedsTargets(appWith([finalizer.postDeleteCleanup]))).toBe(false);
  expect(deletionNeedsTargets(appWith([]))).toBe(false);
});

test('without its cluster every finalizer of ours goes at once, and no other (A-34, vector 6)', () => {
  const ours = [finalizer.preDelete, finalizer.resources, finalizer.postDeleteCleanup];
  expect(abandon(appWith(['other.example/x', ...ours]))).toMatchObject({ do: 'release', finalizers: ours });
  expect(abandon(appWith(['other.example/x']))).toEqual({ do: 'nothing' });
});

test('a cascade ends, and no wave goes before a higher one (A-32)', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -5, max: 5 }), { maxLength: 20 }), (waves) => {
      let live = waves.map(
        (wave, at): KubeObject => ({
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: {
            name: `n${at}`,
            namespace: 'd',
            annotations: { 'argocd.argoproj.io/sync-wave': String(wave) },
          },
        }),
      );
      const app = appWith([finalizer.resources], { deletionTimestamp: '2026-01-01T00:00:00Z' });
      const gone: number[] = [];
      for (let pass = 0; pass <= waves.length; pass++) {
        const step = deletionStep({ app, live, targets: [] });
        if (step.do !== 'delete') break;
        gone.push(...step.objects.map(syncWaveOf));
        live = live.filter((object) => !step.objects.includes(object));
      }
      expect(gone).toEqual([...waves].sort((a, b) => b - a));
      expect(deletionStep({ app, live, targets: [] }).do).toBe('release');
    }),
  );
});
