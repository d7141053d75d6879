import { expect, test } from 'vitest';
import { findType, type StructType } from '#kubernetes/schema';
import { openEnvelope, readMessage } from './protobuf.ts';

/** Just enough of an encoder to write down what Go would send; the real thing is proven with kubectl. */
const text = (value: string): number[] => [...new TextEncoder().encode(value)];
const varint = (value: number): number[] =>
  value < 128 ? [value] : [(value & 127) | 128, ...varint(value >>> 7)];
const bytes = (field: number, content: readonly number[]): number[] => [
  ...varint(field * 8 + 2),
  ...varint(content.length),
  ...content,
];
const number = (field: number, value: number): number[] => [...varint(field * 8), ...varint(value)];

const body = (apiVersion: string, kind: string, raw: readonly number[]): Uint8Array =>
  Uint8Array.from([
    ...[0x6b, 0x38, 0x73, 0],
    ...bytes(1, [...bytes(1, text(apiVersion)), ...bytes(2, text(kind))]),
    ...bytes(2, raw),
  ]);

const read = (apiVersion: string, kind: string, raw: readonly number[]) => {
  const [version = '', group = ''] = apiVersion.split('/').toReversed();
  return readMessage(
    openEnvelope(body(apiVersion, kind, raw)),
    findType({ group, version, kind }) as StructType,
  );
};

test('zero values of value fields are dropped, those of pointers are kept (contract 2.4)', () => {
  const meta = bytes(1, [...bytes(1, text('d')), ...bytes(3, []), ...number(7, 0), ...bytes(8, [])]);
  const spec = bytes(2, [...number(1, 0), ...number(5, 0), ...number(7, 0)]); // replicas, minReadySeconds, paused
  expect(read('apps/v1', 'Deployment', [...meta, ...spec])).toEqual({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'd' },
    spec: { replicas: 0 },
  });
});

test('maps, bytes, times and lists become what JSON would say', () => {
  const created = bytes(8, [...number(1, 1_767_225_600)]);
  const labels = [...bytes(11, [...bytes(1, text('a')), ...bytes(2, text('b'))])];
  const data = bytes(2, [...bytes(1, text('k')), ...bytes(2, [1, 2, 255])]);
  const secret = read('v1', 'Secret', [
    ...bytes(1, [...bytes(1, text('s')), ...created, ...labels]),
    ...data,
  ]);
  expect(secret).toMatchObject({
    metadata: { name: 's', creationTimestamp: '2026-01-01T00:00:00Z', labels: { a: 'b' } },
    data: { k: 'AQL/' },
  });
});

test('structs that Go embeds are flat in JSON: the handler of a probe', () => {
  const port = bytes(2, [...number(1, 0), ...number(2, 8080)]); // int-or-string: type, intVal
  const probe = [...bytes(1, bytes(2, [...bytes(1, text('/')), ...port])), ...number(4, 5)]; // handler.httpGet, periodSeconds
  const container = bytes(2, [...bytes(1, text('c')), ...bytes(10, probe)]);
  const pod = read('v1', 'Pod', bytes(2, container));
  expect((pod.spec as any).containers[0].livenessProbe).toEqual({
    httpGet: { path: '/', port: 8080 },
    periodSeconds: 5,
  });
});

test.each([
  ['another prefix', Uint8Array.from([1, 2, 3, 4]), 'does not appear to be a protobuf message'],
  ['an early end', body('v1', 'Pod', bytes(2, text('x'))).subarray(0, 12), 'unexpected end of the message'],
])('%s is a bad request', (_what, sent, message) => {
  expect(() => openEnvelope(sent)).toThrow(message);
});
