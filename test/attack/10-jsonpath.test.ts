import { expect, test } from 'vitest';
import { talk } from '../talk.ts';

// Attack 10, as far as JSONPath goes: it stands in the columns of definitions, and is run for every object of a table.

const paths = [
  `.spec${'[*]'.repeat(400)}`,
  `.spec${'.*'.repeat(400)}`,
  `.spec${'..x'.repeat(400)}`,
  '..*..*..*..*..*..*',
  `.spec.list[?(@.${'a'.repeat(5000)}=="x")]`,
  `.spec['${"a\\\\'".repeat(3000)}']`,
  `{${'{'.repeat(3000)}.spec${'}'.repeat(3000)}}`,
  `.spec.list[?(@.a=='${'x'.repeat(5000)}`,
  '{range .spec.list[*]}{range .spec.list[*]}{.}{end}{end}',
  '.__proto__.constructor.constructor',
];

test('hostile columns cost what the object weighs, whatever they say', async () => {
  const { post, get } = await talk();
  const { status } = await post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'things.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'things', kind: 'Thing' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
          additionalPrinterColumns: paths.map((jsonPath, at) => ({
            name: `c${at}`,
            type: 'string',
            jsonPath,
          })),
        },
      ],
    },
  });
  expect([201, 422]).toContain(status);
  const things = '/apis/example.com/v1/namespaces/default/things';
  const list = Array.from({ length: 1000 }, (_none, at) => ({ a: String(at), list: [1, 2, 3] }));
  const deep = JSON.parse(`${'{"x":['.repeat(50)}1${']}'.repeat(50)}`);
  for (const name of ['a', 'b', 'c']) {
    await post(things, {
      apiVersion: 'example.com/v1',
      kind: 'Thing',
      metadata: { name },
      spec: { list, deep },
    });
  }
  const start = performance.now();
  const answer = await get(things, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' });
  expect(performance.now() - start).toBeLessThan(5_000);
  expect(answer.status).toBe(status === 201 ? 200 : 404);
  expect(JSON.stringify(answer.body)).not.toContain('[native code]');
});

test('a column reads the fields of the object and nothing that every object inherits', async () => {
  const { post, get } = await talk();
  const inherited = ['.__proto__', '.spec.__proto__', '.spec.list.__proto__'];
  const { status } = await post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'things.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'things', kind: 'Thing' },
      versions: [
        {
          ...{ name: 'v1', served: true, storage: true },
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
          additionalPrinterColumns: inherited.map((jsonPath, at) => ({
            name: `c${at}`,
            type: 'string',
            jsonPath,
          })),
        },
      ],
    },
  });
  expect(status).toBe(201);
  const things = '/apis/example.com/v1/namespaces/default/things';
  await post(things, {
    apiVersion: 'example.com/v1',
    kind: 'Thing',
    metadata: { name: 'a' },
    spec: { list: [] },
  });
  const { body } = await get(things, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' });
  expect(body.rows).toMatchObject([{ cells: ['a', null, null, null] }]);
});
