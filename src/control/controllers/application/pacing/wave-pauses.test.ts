import { expect, test } from 'vitest';
import type { Application, OperationPhase } from '#base/model';
import { WavePauses } from './wave-pauses.ts';

const at = (ms: number) => new Date(ms);
const app = (phase: OperationPhase): Application => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name: 'a', namespace: 'argocd' },
  spec: { destination: {} },
  operation: { sync: {} },
  status: { operationState: { operation: { sync: {} }, phase, startedAt: '2026-06-03T10:00:00Z' } },
});

test('an operation rests after a wave, however often it is woken (S-14)', () => {
  const pauses = new WavePauses();
  pauses.begin('argocd/a', at(1000), 2000);
  expect(pauses.leftMs(app('Running'), at(1000))).toBe(2000);
  expect(pauses.leftMs(app('Running'), at(2500))).toBe(500);
  expect(pauses.leftMs(app('Running'), at(3000))).toBe(0);
});

test('one that is terminated does not rest, and the next operation does not inherit it (R-41)', () => {
  const pauses = new WavePauses();
  pauses.begin('argocd/a', at(1000), 2000);
  expect(pauses.leftMs(app('Terminating'), at(1500))).toBe(0);
  expect(pauses.leftMs(app('Running'), at(1600))).toBe(0);
});
