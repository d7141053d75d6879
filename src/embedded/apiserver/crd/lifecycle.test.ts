import { expect, test } from 'vitest';
import { type Talk, talk } from '../../../../test/talk.ts';

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const widgets = '/apis/example.com/v1/namespaces/default/widgets';

const definition = (change: object = {}, version: object = {}) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget', shortNames: ['wd'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: {
          status: {},
          scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
        },
        additionalPrinterColumns: [
          { name: 'Size', type: 'integer', jsonPath: '.spec.size' },
          { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
        ],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                required: ['size'],
                properties: {
                  size: { type: 'integer', minimum: 1 },
                  color: { type: 'string', default: 'red', enum: ['red', 'green'] },
                  name: { type: 'string', pattern: '^[a-z]+$', maxLength: 5 },
                  tags: {
                    type: 'array',
                    maxItems: 2,
                    items: { type: 'string' },
                    'x-kubernetes-list-type': 'set',
                  },
                  replicas: { type: 'integer' },
                  anything: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                },
              },
              status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
            },
          },
        },
        ...version,
      },
    ],
    ...change,
  },
});

const widget = (spec: object, name = 'one') => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name },
  spec,
});

async function withWidgets(): Promise<Talk> {
  const speak = await talk();
  const { status } = await speak.post(definitions, definition());
  expect(status).toBe(201);
  await speak.cluster.settled();
  return speak;
}

test('a definition is established, names filled in, and its kind is served at once (contract 3.15)', async () => {
  const { get } = await withWidgets();
  const { body } = await get(`${definitions}/widgets.example.com`);
  expect(body.spec.names).toMatchObject({ singular: 'widget', listKind: 'WidgetList' });
  expect(body.status).toMatchObject({
    acceptedNames: { plural: 'widgets', kind: 'Widget' },
    storedVersions: ['v1'],
    conditions: [
      { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' },
      { type: 'Established', status: 'True', reason: 'InitialNamesAccepted' },
    ],
  });
  const { body: served } = await get('/apis/example.com/v1');
  expect(served.resources.map((one: any) => one.name)).toEqual([
    'widgets',
    'widgets/status',
    'widgets/scale',
  ]);
});

test('objects are pruned, defaulted, and counted by generation', async () => {
  const { post, patch } = await withWidgets();
  const made = await post(widgets, {
    ...widget({ size: 1, nonsense: 1, anything: { a: { b: 1 } } }),
    status: { x: 1 },
  });
  expect(made.status).toBe(201);
  expect(made.headers.warning).toBe('299 - "unknown field \\"spec.nonsense\\""');
  expect(made.body.spec).toEqual({ size: 1, color: 'red', anything: { a: { b: 1 } } });
  expect([made.body.status, made.body.metadata.generation]).toEqual([undefined, 1]);
  const status = await patch(`${widgets}/one/status`, 'merge-patch+json', {
    status: { ok: true },
    spec: { size: 9 },
  });
  expect([status.body.status, status.body.spec.size, status.body.metadata.generation]).toEqual([
    { ok: true },
    1,
    1,
  ]);
  expect(
    (await patch(`${widgets}/one`, 'merge-patch+json', { spec: { size: 2 } })).body.metadata.generation,
  ).toBe(2);
});

test.each([
  [{}, 'spec.size: Required value'],
  [{ size: 'x' }, 'spec.size: Invalid value: "string": spec.size in body must be of type integer: "string"'],
  [{ size: 0 }, 'spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1'],
  [{ size: 1, color: 'blue' }, 'spec.color: Unsupported value: "blue": supported values: "red", "green"'],
  [{ size: 1, name: 'A' }, 'spec.name: Invalid value: "A": spec.name in body should match \'^[a-z]+$\''],
  [{ size: 1, name: 'abcdef' }, 'spec.name: Too long: may not be more than 5 bytes'],
  [{ size: 1, tags: ['a', 'b', 'c'] }, 'spec.tags: Too many: 3: must have at most 2 items'],
  [{ size: 1, tags: ['a', 'a'] }, 'spec.tags[1]: Duplicate value: "a"'],
])('%j is invalid', async (spec, message) => {
  const { post } = await withWidgets();
  const { status, body } = await post(widgets, widget(spec));
  expect([status, body.message]).toEqual([422, `Widget.example.com "one" is invalid: ${message}`]);
});

test('columns, scale and patch types are those of the definition', async () => {
  const { post, get, patch } = await withWidgets();
  await post(widgets, widget({ size: 3 }));
  await patch(`${widgets}/one/status`, 'merge-patch+json', {
    status: { conditions: [{ type: 'Ready', status: 'True' }] },
  });
  const table = await get(widgets, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' });
  expect(table.body.rows[0].cells).toEqual(['one', 3, 'True']);
  const scale = await patch(`${widgets}/one/scale`, 'merge-patch+json', { spec: { replicas: 4 } });
  expect([scale.status, scale.body.spec.replicas]).toEqual([200, 4]);
  const strategic = await patch(`${widgets}/one`, 'strategic-merge-patch+json', {});
  expect(strategic.status).toBe(415);
  const list = await get(widgets);
  expect([list.body.kind, list.body.items[0].kind]).toEqual(['WidgetList', 'Widget']);
});

test('apply works on custom kinds, by their schema', async () => {
  const { patch } = await withWidgets();
  const path = `${widgets}/one?fieldManager=me`;
  const first = await patch(path, 'apply-patch+yaml', widget({ size: 1, tags: ['a'] }));
  expect([first.status, first.body.spec]).toEqual([201, { size: 1, tags: ['a'], color: 'red' }]);
  const other = await patch(
    `${widgets}/one?fieldManager=you`,
    'apply-patch+yaml',
    widget({ size: 1, tags: ['b'] }),
  );
  expect([other.status, other.body.spec.tags]).toEqual([200, ['a', 'b']]);
});

test('deleting a definition takes its objects with it, and waits for those that are held', async () => {
  const { post, del, get, patch, cluster } = await withWidgets();
  const held = { ...widget({ size: 1 }), metadata: { name: 'one', finalizers: ['test.dev/hold'] } };
  await post(widgets, held);
  await post(widgets, widget({ size: 1 }, 'two'));
  await del(`${definitions}/widgets.example.com`);
  await cluster.settled();
  const { body } = await get(`${definitions}/widgets.example.com`);
  expect(body.status.conditions.find((one: any) => one.type === 'Terminating').reason).toBe(
    'InstanceDeletionInProgress',
  );
  const refused = await post(widgets, widget({ size: 1 }, 'three'));
  expect([refused.status, refused.body.message]).toEqual([
    405,
    'create not allowed while custom resource definition is terminating',
  ]);
  await patch(`${widgets}/one`, 'merge-patch+json', { metadata: { finalizers: null } });
  await cluster.settled();
  expect((await get(`${definitions}/widgets.example.com`)).status).toBe(404);
  expect((await get(widgets)).body).toBe('404 page not found\n');
});

test.each([
  [
    'a name that is not plural.group',
    { group: 'other.com' },
    'metadata.name: Invalid value: "widgets.example.com": must be spec.names.plural+"."+spec.group',
  ],
  [
    'conversion by a webhook without an address',
    { conversion: { strategy: 'Webhook' } },
    'spec.conversion.webhookClientConfig: Required value',
  ],
  ['no version to store', { versions: [] }, 'must have exactly one version marked as storage version'],
])('%s is refused', async (_what, change, message) => {
  const { post } = await talk();
  const { status, body } = await post(definitions, definition(change));
  expect([status, body.message]).toEqual([422, expect.stringContaining(message)]);
});

test('an object must keep the rules of its definition, and a definition is refused for rules that cannot be read', async () => {
  const speak = await talk();
  const ruled = (rule: string) => ({
    openAPIV3Schema: {
      type: 'object',
      properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } },
      'x-kubernetes-validations': [{ rule, message: 'too small' }],
    },
  });
  const refused = await speak.post(definitions, definition({}, { schema: ruled('self.spec.width > 1') }));
  expect([refused.status, refused.body.message]).toEqual([
    422,
    expect.stringContaining("compilation failed: ERROR: <input>:1:10: undefined field 'width'"),
  ]);
  await speak.post(definitions, definition({}, { schema: ruled('self.spec.size > 1') }));
  await speak.cluster.settled();
  const { status, body } = await speak.post(widgets, widget({ size: 1 }));
  expect([status, body.message]).toEqual([422, expect.stringContaining('<nil>: Invalid value: too small')]);
  expect((await speak.post(widgets, widget({ size: 2 }))).status).toBe(201);
});

test('objects are served in every version the definition serves', async () => {
  const speak = await talk();
  const versions = [
    { ...definition().spec.versions[0], name: 'v1', storage: true },
    { ...definition().spec.versions[0], name: 'v1beta1', storage: false },
  ];
  await speak.post(definitions, definition({ versions }));
  await speak.cluster.settled();
  await speak.post(widgets.replace('v1', 'v1beta1'), {
    ...widget({ size: 1 }),
    apiVersion: 'example.com/v1beta1',
  });
  expect((await speak.get(`${widgets}/one`)).body.apiVersion).toBe('example.com/v1');
  const { body } = await speak.get(`${widgets.replace('v1', 'v1beta1')}/one`);
  expect(body.apiVersion).toBe('example.com/v1beta1');
});
