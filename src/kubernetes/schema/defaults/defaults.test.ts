import { describe, expect, test } from 'vitest';
import { cases } from '../../../../test/cases.ts';
import { findType } from '../resources.ts';
import { roundTrip } from '../round-trip.ts';
import type { JsonObject } from '../type-node.ts';
import { applyDefaults } from './defaults.ts';

/** What a server makes of an object before it allocates or admits anything. */
function stored(object: JsonObject): JsonObject {
  const { apiVersion, kind } = object as { apiVersion: string; kind: string };
  const slash = apiVersion.indexOf('/');
  const group = slash < 0 ? '' : apiVersion.slice(0, slash);
  const type = findType({ group, version: apiVersion.slice(slash + 1), kind });
  return applyDefaults(type === undefined ? object : roundTrip(object, type));
}

describe('as Kubernetes 1.36 stores it', () => {
  test.each(cases<JsonObject>(new URL('./testdata/', import.meta.url)))(
    '$name',
    ({ input, expect: wanted }) => {
      const before = structuredClone(input[0]);
      expect(stored(input[0])).toEqual(wanted);
      expect(input[0]).toEqual(before);
    },
  );
});

test.each(cases<JsonObject>(new URL('./testdata/', import.meta.url)))(
  'invariant 3: defaults of $name are complete after one pass',
  ({ expect: wanted }) => {
    expect(stored(wanted)).toEqual(wanted);
    expect(applyDefaults(wanted)).toEqual(wanted);
  },
);

test('a kind nobody knows is left alone', () => {
  const object = { apiVersion: 'apps.example.io/v1', kind: 'Deployment', spec: {} };
  expect(applyDefaults(object)).toBe(object);
});

test('an image pulled by digest is never assumed to be the latest', () => {
  const policies = [
    'nginx',
    'nginx:latest',
    'nginx:1',
    'host:5000/nginx',
    'a@sha256:1',
    'a:1@sha256:1',
    '',
  ].map((image) => {
    const pod: any = applyDefaults({
      apiVersion: 'v1',
      kind: 'Pod',
      spec: { containers: [{ name: 'a', image }] },
    });
    return pod.spec.containers[0].imagePullPolicy;
  });
  expect(policies).toEqual([
    'Always',
    'Always',
    'IfNotPresent',
    'Always',
    'IfNotPresent',
    'IfNotPresent',
    'IfNotPresent',
  ]);
});
