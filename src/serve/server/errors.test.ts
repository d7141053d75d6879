import { expect, test } from 'vitest';
import { FairleadError } from '#base/std';
import { KubeError } from '#kubernetes/client';
import { refusalOf, streamRefusalOf } from './errors.ts';

// compat server §2.4: the reason of Kubernetes, the code of gRPC and the status of HTTP.
test.each([
  [400, 'BadRequest', 9, 400],
  [401, 'Unauthorized', 16, 401],
  [403, 'Forbidden', 7, 403],
  [404, 'NotFound', 5, 404],
  [405, 'MethodNotAllowed', 12, 501],
  [409, 'AlreadyExists', 6, 409],
  [409, 'Conflict', 10, 409],
  [422, 'Invalid', 3, 400],
  [429, 'TooManyRequests', 8, 429],
  [500, 'ServerTimeout', 14, 503],
  [503, 'ServiceUnavailable', 14, 503],
  [504, 'Timeout', 4, 504],
])('%i %s of the cluster is code %i and status %i', (code, reason, grpc, http) => {
  const { status, body } = refusalOf(new KubeError({ code, reason, message: 'the reason' }));
  expect([status, body]).toEqual([http, { error: 'the reason', code: grpc, message: 'the reason' }]);
});

test('a status without a reason has the reason of its number', () => {
  expect([405, 429, 504].map((code) => refusalOf(new KubeError({ code })).status)).toEqual([501, 429, 504]);
});

test('the error of a stream names its status', () => {
  const error = new FairleadError('LimitExceeded', 'too much');
  const expected = { grpc_code: 8, http_code: 429, message: 'too much', http_status: 'Too Many Requests' };
  expect(streamRefusalOf(error)).toEqual({ error: expected });
});
