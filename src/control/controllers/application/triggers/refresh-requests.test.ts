import { expect, test } from 'vitest';
import type { Application } from '#base/model';
import { RefreshRequests, remainingRequest, requestedSince } from './refresh-requests.ts';

test('R-5: of two requests the deeper one is kept, with the later time', () => {
  const requests = new RefreshRequests();
  requests.note('a/b', { level: 'resolved', at: 5 });
  requests.note('a/b', { level: 'tree', at: 9 });
  expect(requests.take('a/b')).toEqual({ level: 'resolved', at: 9, isPush: false });
  expect(requests.take('a/b')).toBeUndefined();
});

test('a look is a matter of pushes only while nothing else asks for it', () => {
  const requests = new RefreshRequests();
  requests.note('a/b', { level: 'resolved', at: 1, isPush: true });
  requests.note('a/b', { level: 'resolved', at: 2, isPush: true });
  expect(requests.take('a/b')?.isPush).toBe(true);
  requests.note('a/b', { level: 'recorded', at: 3 });
  requests.note('a/b', { level: 'resolved', at: 4, isPush: true });
  expect(requests.take('a/b')).toEqual({ level: 'resolved', at: 4, isPush: false });
});

const appWith = (annotations: Record<string, string>): Application => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name: 'b', namespace: 'a', annotations },
  spec: { destination: {} },
});
const [quiet, asking] = [appWith({}), appWith({ 'argocd.argoproj.io/refresh': 'normal' })];
const pushed = { level: 'resolved', at: 5, isPush: true } as const;

test('what a repository said before somebody asked for a refresh is too old, whatever was asked for earlier', () => {
  expect(requestedSince(pushed, quiet)).toBe(5);
  expect(requestedSince(pushed, asking)).toBeUndefined();
  expect(requestedSince({ level: 'recorded', at: 5, isPush: false }, asking)).toBeUndefined();
  expect(requestedSince({ level: 'recorded', at: 5, isPush: false }, quiet)).toBeUndefined();
  expect(requestedSince(undefined, asking)).toBeUndefined();
});

test('a look that failed is owed again, as deep as it was asked for, also where the annotation is gone by now', () => {
  expect(remainingRequest(pushed, quiet, 9)).toEqual({ level: 'resolved', at: 5, isPush: false });
  expect(remainingRequest({ level: 'tree', at: 5, isPush: false }, asking, 9)).toEqual({
    level: 'resolved',
    at: 9,
    isPush: false,
  });
  expect(remainingRequest(undefined, asking, 9)).toEqual({ level: 'resolved', at: 9, isPush: false });
  expect(remainingRequest(undefined, quiet, 9)).toBeUndefined();
});
