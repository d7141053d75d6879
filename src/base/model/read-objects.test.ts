import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readApplication, readProject } from './read-objects.ts';

const project = (spec: unknown) =>
  readProject({ apiVersion: 'argoproj.io/v1alpha1', kind: 'AppProject', metadata: { name: 'p' }, spec });
const application = (spec: unknown) =>
  readApplication({ apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', metadata: { name: 'a' }, spec });

test('what is well is the very same object', () => {
  const object = {
    apiVersion: 'v',
    kind: 'AppProject',
    metadata: { name: 'p' },
    spec: { sourceRepos: ['*'] },
  };
  expect(readProject(object)).toBe(object);
});

test('nulls are left out, as Go reads them', () => {
  expect(
    project({ syncWindows: [null, { kind: 'deny', applications: [null, '*'] }], roles: null }).spec,
  ).toEqual({
    syncWindows: [{ kind: 'deny', applications: ['*'] }],
  });
  expect(application({ project: null, sources: [null], destination: { name: 'x' } }).spec).toEqual({
    sources: [],
    destination: { name: 'x' },
  });
});

test('a project with a field of another type permits nothing and says which', () => {
  const read = project({ sourceRepos: ['*'], namespaceResourceBlacklist: 'Secret', roles: [{ name: 5 }] });
  expect(read.spec).toEqual({});
  expect(read.unreadable).toEqual([
    'spec.namespaceResourceBlacklist must be a list, not text',
    'spec.roles[0].name must be text, not a number',
  ]);
  expect(project(7).unreadable).toEqual(['spec must be an object, not a number']);
});

test('an application keeps the parts that can be read', () => {
  const read = application({ destination: { name: 'c1' }, source: { repoURL: ['x'] }, syncPolicy: true });
  expect(read.spec).toEqual({ destination: { name: 'c1' } });
  expect(read.unreadable).toEqual([
    'spec.source.repoURL must be text, not a list',
    'spec.syncPolicy must be an object, not true or false',
  ]);
});

type Schema = {
  type?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
};

/** Every place of a schema with a value of another type, as a spec that holds just that. */
function* wrongValues(
  schema: Schema,
  wrap: (value: unknown) => unknown,
  place: string,
): Generator<[string, unknown]> {
  for (const wrong of [5, 'x', true, [{}], { y: 1 }]) if (!fits(schema, wrong)) yield [place, wrap(wrong)];
  for (const [name, inner] of Object.entries(schema.properties ?? {}))
    yield* wrongValues(inner, (value) => wrap({ [name]: value }), `${place}.${name}`);
  if (schema.items) yield* wrongValues(schema.items, (value) => wrap([value]), `${place}[0]`);
}

function fits({ type, items }: Schema, value: unknown): boolean {
  if (type === undefined) return true;
  if (type === 'array') return Array.isArray(value) && items !== undefined && fits(items, value[0]);
  if (type === 'object') return typeof value === 'object' && !Array.isArray(value);
  return typeof value === { string: 'string', boolean: 'boolean', integer: 'number', number: 'number' }[type];
}

const definitions = JSON.parse(
  readFileSync(new URL('../../../deploy/definitions.json', import.meta.url), 'utf8'),
) as { spec: { names: { kind: string }; versions: { schema: { openAPIV3Schema: Schema } }[] } }[];
const specOf = (kind: string): Schema =>
  definitions.find((one) => one.spec.names.kind === kind)?.spec.versions[0]?.schema.openAPIV3Schema.properties
    ?.spec ?? {};

test.each([
  ['AppProject', project],
  ['Application', application],
])('a value of another type anywhere in the spec of an %s is noticed', (kind, read) => {
  const missed = [...wrongValues(specOf(kind), (value) => value, 'spec')]
    .filter(([, spec]) => read(spec).unreadable === undefined)
    .map(([place]) => place);
  // what is not read anyway
  expect(missed.filter((place) => !place.startsWith('spec.destinations') || kind === 'AppProject')).toEqual(
    [],
  );
});
