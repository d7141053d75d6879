import { expect, test } from 'vitest';
import { applySchemaDefaults } from './schema-defaults.ts';
import { typeFromCrd } from './structural.ts';
import type { TypeNode } from './type-node.ts';

const quantity =
  '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$';

const type = typeFromCrd({
  type: 'object',
  properties: {
    metadata: { type: 'object', properties: { name: { type: 'string', maxLength: 10 } } },
    spec: {
      type: 'object',
      default: {},
      required: ['mode'],
      properties: {
        mode: { type: 'string', default: 'auto' },
        port: { 'x-kubernetes-int-or-string': true },
        cpu: { 'x-kubernetes-int-or-string': true, pattern: quantity },
        note: { type: 'string', nullable: true },
        plain: { type: 'string' },
        nested: { type: 'object', properties: { n: { type: 'integer', default: 0 } } },
        ports: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['port', 'protocol'],
          items: {
            type: 'object',
            properties: { port: { type: 'integer' }, protocol: { type: 'string', default: 'TCP' } },
          },
        },
        tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string', default: 'none' } },
        options: { type: 'object', additionalProperties: { type: 'string', default: 'on' } },
        selector: {
          type: 'object',
          'x-kubernetes-map-type': 'atomic',
          properties: { a: { type: 'string' } },
        },
        raw: { 'x-kubernetes-preserve-unknown-fields': true },
        loose: { type: 'object', additionalProperties: true },
      },
    },
  },
});

function at(...path: string[]): TypeNode | undefined {
  return path.reduce<TypeNode | undefined>(
    (node, name) => (node?.kind === 'struct' ? node.fields.get(name)?.type : undefined),
    type,
  );
}

test('the schema becomes nodes', () => {
  expect(at('spec', 'port')).toEqual({ kind: 'scalar', scalar: 'int-or-string' });
  expect(at('spec', 'cpu')).toEqual({ kind: 'scalar', scalar: 'quantity' });
  expect(at('spec', 'note')).toEqual({ kind: 'scalar', scalar: 'string', nullable: true });
  expect(at('spec', 'ports')).toMatchObject({ merge: 'keyed', keys: ['port', 'protocol'] });
  expect(at('spec', 'tags')).toMatchObject({ merge: 'set' });
  expect(at('spec', 'selector')).toMatchObject({ atomic: true });
  expect(at('spec', 'raw')).toEqual({ kind: 'any', atomic: false });
  expect(at('spec', 'loose')).toMatchObject({ kind: 'map', values: { kind: 'any' } });
});

test('metadata is metadata, whatever the schema says of it', () => {
  expect(at('metadata', 'labels')).toMatchObject({ kind: 'map' });
});

test('a default of a list key stands for a missing key', () => {
  const ports = at('spec', 'ports');
  const items = ports?.kind === 'list' && ports.items.kind === 'struct' ? ports.items : undefined;
  expect(items?.fields.get('protocol')?.keyDefault).toBe('TCP');
});

test('defaults are filled in from the top down', () => {
  expect(applySchemaDefaults({ metadata: { name: 'x' } }, type)).toEqual({
    metadata: { name: 'x' },
    spec: { mode: 'auto' },
  });
});

test('defaults reach into what is there, and never create what is not', () => {
  const object = { spec: { mode: 'manual', nested: {}, ports: [{ port: 1 }] } };
  expect(applySchemaDefaults(object, type)).toEqual({
    spec: { mode: 'manual', nested: { n: 0 }, ports: [{ port: 1, protocol: 'TCP' }] },
  });
});

test('a null that is not nullable is defaulted or dropped', () => {
  const object = {
    spec: { mode: null, note: null, plain: null, options: { a: null, b: 'off' }, tags: [null, 'x'] },
  };
  expect(applySchemaDefaults(object, type)).toEqual({
    spec: { mode: 'auto', note: null, options: { a: 'on', b: 'off' }, tags: ['none', 'x'] },
  });
});

test('a complete object comes back itself', () => {
  const object = { spec: { mode: 'auto', nested: { n: 1 }, raw: { x: null } } };
  expect(applySchemaDefaults(object, type)).toBe(object);
});
