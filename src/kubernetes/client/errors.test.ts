import { expect, test } from 'vitest';
import { hasReason, isExpired, isPathMissing, KubeError, refusal } from './errors.ts';

test.each([
  [400, 'BadRequest', 'InvalidSpec', true],
  [401, 'Unauthorized', 'Auth', false],
  [403, 'Forbidden', 'PermissionDenied', true],
  [404, 'NotFound', 'NotFound', true],
  [409, 'Conflict', 'Unavailable', false],
  [410, 'Gone', 'Unavailable', false],
  [413, 'RequestEntityTooLarge', 'LimitExceeded', true],
  [422, 'Invalid', 'InvalidSpec', true],
  [429, 'TooManyRequests', 'Unavailable', false],
  [500, 'InternalError', 'Unavailable', false],
  [502, 'Unknown', 'Unavailable', false],
  [503, 'ServiceUnavailable', 'Unavailable', false],
])('an answer of %i without a Status is %s', (status, reason, code, terminal) => {
  expect(refusal(status, '<html>')).toMatchObject({ name: 'KubeError', status, reason, code, terminal });
});

test('a Status speaks for itself', () => {
  const details = { name: 'web', group: 'apps', kind: 'deployments' };
  const error = refusal(404, {
    kind: 'Status',
    code: 404,
    reason: 'NotFound',
    message: 'deployments.apps "web" not found',
    details,
  });
  expect(error).toMatchObject({
    message: 'deployments.apps "web" not found',
    reason: 'NotFound',
    details,
    code: 'NotFound',
  });
  expect(hasReason(error, 'Conflict', 'NotFound')).toBe(true);
  expect(hasReason(new Error('NotFound'), 'NotFound')).toBe(false);
});

test('an object that is missing and a URL that is unknown are told apart', () => {
  expect(isPathMissing(refusal(404, undefined))).toBe(true);
  expect(isPathMissing(refusal(404, { kind: 'Status', reason: 'NotFound', code: 404 }))).toBe(false);
});

test('both words for a lost history are understood', () => {
  expect(['Gone', 'Expired'].map((reason) => isExpired(new KubeError({ reason })))).toEqual([true, true]);
  expect(isExpired(new KubeError({ code: 410 }))).toBe(true);
  expect(isExpired(new KubeError({ reason: 'Conflict', code: 409 }))).toBe(false);
});

test('input that an old server quotes back is cut off, because it may be a secret', () => {
  const message =
    'Secret in version "v1" cannot be handled as a Secret: v1.Secret.Data: decode base64: illegal base64 data, error found in #10 byte of ...|ord":"hunter2"}}|..., bigger context ...|{"password":"hunter2"}}|...';
  const error = new KubeError({ code: 400, message });
  expect(error.message).toBe(
    'Secret in version "v1" cannot be handled as a Secret: v1.Secret.Data: decode base64: illegal base64 data',
  );
});
