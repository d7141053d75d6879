import { expect, test } from 'vitest';
import { FairleadError } from '#base/std';
import { failedAt, withoutManifests } from './failures.ts';

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
