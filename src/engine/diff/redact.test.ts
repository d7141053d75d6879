import { expect, test } from 'vitest';
import type { KubeObject } from '#base/model';
import { redact } from './redact.ts';

const none = { sensitiveAnnotations: [] };
const secret = (fields: object, annotations?: Record<string, string>): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 's', ...(annotations && { annotations }) },
  ...fields,
});
const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

test('eight plus signs for the first value of a key, four more for each further one (D-32)', () => {
  const { target, live } = redact(
    { target: secret({ data: { a: 'QQ==', b: 'QQ==' } }), live: secret({ data: { a: 'QQ==', b: 'Qg==' } }) },
    none,
  );
  expect(target).toMatchObject({ data: { a: '++++++++', b: '++++++++' } });
  expect(live).toMatchObject({ data: { a: '++++++++', b: '++++++++++++' } });
});

test('the copies in last-applied are masked with the same masks (D-33)', () => {
  const inner = JSON.stringify(secret({ data: { a: 'Qg==' }, stringData: { b: 'A' } }));
  const { live } = redact(
    {
      target: secret({ data: { a: 'QQ==' } }),
      live: secret({ data: { a: 'QQ==', b: 'QQ==' } }, { [lastApplied]: inner }),
    },
    none,
  );
  const shown = JSON.parse(live.metadata.annotations?.[lastApplied] ?? '');
  expect(shown.data).toEqual({ a: '++++++++++++' });
  expect(shown.stringData).toEqual({ b: '++++++++' });
});

test('a copy that cannot be read is masked whole (D-32)', () => {
  for (const text of ['{ "data": { "a": "hunter2" ', 'hunter2', '"hunter2"', '[]']) {
    const { live } = redact({ live: secret({}, { [lastApplied]: text }) }, none);
    expect(live.metadata.annotations?.[lastApplied]).toBe('++++++++');
  }
});

test('other kinds are left alone, but for sensitive annotations', () => {
  const live: KubeObject = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'c', annotations: { token: 't', other: 'o' } },
  };
  expect(redact({ live }, none).live).toBe(live);
  expect(redact({ live }, { sensitiveAnnotations: ['token'] }).live.metadata.annotations).toEqual({
    other: 'o',
    token: '++++++++',
  });
});

test('null values are masked like empty ones, and nothing is changed in place', () => {
  const live = secret({ data: { a: null, b: '' } });
  expect(redact({ live }, none).live).toMatchObject({ data: { a: '++++++++', b: '++++++++' } });
  expect(live).toMatchObject({ data: { a: null, b: '' } });
});
