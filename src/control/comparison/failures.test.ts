import { expect, test } from 'vitest';
import { FairleadError } from '#base/std';
import { ClusterUnreachable, failedAt, isClusterUnreachable, withoutManifests } from './failures.ts';

const failure = (code: ConstructorParameters<typeof FairleadError>[0]) =>
  withoutManifests(new FairleadError(code, 'it broke')).message;

test('a repository that cannot be read is a source failure, a template that breaks a render failure', () => {
  expect(failure('Unavailable')).toBe('source failure: it broke');
  expect(failure('Auth')).toBe('source failure: it broke');
  expect(failure('NotFound')).toBe('source failure: it broke');
  expect(failure('PolicyFailed')).toBe('source failure: it broke');
  expect(failure('RenderFailed')).toBe('render failure: it broke');
  expect(failure('LimitExceeded')).toBe('render failure: it broke');
});

test('what is wrong with the spec is told as it is, and nothing is named twice', () => {
  expect(failure('InvalidSpec')).toBe('it broke');
  const once = failedAt('diff', new FairleadError('Unavailable', 'the cluster is gone'));
  expect(failedAt('source', once).message).toBe('diff failure: the cluster is gone');
  expect(once.code).toBe('Unavailable');
});

test('a cluster is unreachable by the reason of the error, whatever the text of another says', () => {
  const text = 'cluster far is unreachable since 2026-01-01T00:00:00Z';
  const lost = new ClusterUnreachable(text);
  expect(lost).toMatchObject({ code: 'Unavailable', message: `diff failure: ${text}` });
  expect([lost, failedAt('source', lost)].map(isClusterUnreachable)).toEqual([true, true]);
  expect(isClusterUnreachable(new FairleadError('RenderFailed', text))).toBe(false);
});
