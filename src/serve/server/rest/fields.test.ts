import { expect, test } from 'vitest';
import { selectionIn } from './fields.ts';

const value = {
  metadata: { resourceVersion: '7' },
  items: [
    { metadata: { name: 'a', labels: { x: '1' } }, spec: { project: 'p', sources: [{ path: '.' }] } },
    { metadata: { name: 'b' }, status: { health: { status: 'Healthy' } } },
  ],
};
const picked = (fields: string, ...below: string[]) => {
  let selection = selectionIn(new URLSearchParams({ fields }));
  for (const name of below) selection = selection?.below(name);
  return selection?.pick(below.reduce((inner, name) => (inner as never)[name], value as unknown));
};

test.each([
  ['metadata', { metadata: value.metadata }],
  ['items.metadata.name', { items: [{ metadata: { name: 'a' } }, { metadata: { name: 'b' } }] }],
  [
    'items.spec.sources.path,items.spec.project',
    { items: [{ spec: { sources: [{ path: '.' }], project: 'p' } }, {}] },
  ],
  [
    'items.metadata.labels,items.metadata,items.metadata.name',
    { items: value.items.map(({ metadata }) => ({ metadata })) },
  ],
  ['nothing.here', {}],
  ['items.metadata.name.deeper', { items: [{ metadata: {} }, { metadata: {} }] }],
  ['-items', { metadata: value.metadata }],
  [
    '-items.spec,items.status.health.status,metadata',
    { items: [{ metadata: value.items[0]?.metadata }, { metadata: { name: 'b' }, status: { health: {} } }] },
  ],
  ['-absent', value],
  ['__proto__,constructor,toString', {}],
])('server §2.6: %s', (fields, expected) => {
  expect(picked(fields)).toEqual(expected);
});

test('a stream and a list are selected from below their envelope', () => {
  expect(picked('items.metadata.name', 'items', '0')).toEqual({});
  expect(
    selectionIn(new URLSearchParams('fields=result.type'))
      ?.below('result')
      .pick({ type: 'ADDED', application: {} }),
  ).toEqual({ type: 'ADDED' });
  expect(
    selectionIn(new URLSearchParams('fields=-result.application.spec'))
      ?.below('result')
      .pick({ type: 'ADDED', application: { spec: 1, metadata: 2 } }),
  ).toEqual({ type: 'ADDED', application: { metadata: 2 } });
});

test('without fields everything is wanted', () => {
  expect(selectionIn(new URLSearchParams('fields='))).toBeUndefined();
});
