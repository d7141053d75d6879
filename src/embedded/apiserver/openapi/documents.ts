import { FairleadError } from '#base/std';
import { findNamedType, findType, type JsonObject, type SchemaGvk } from '#kubernetes/schema';
import type { ServedResource } from '../kinds.ts';
import { customSchema, standardFields } from './custom.ts';
import { aboutField, aboutStruct } from './descriptions.ts';
import { groupTitle, pathOf, pathsOf, responses, type Spoken, tagOf } from './operations.ts';
import { besides, reference, SchemaWriter } from './schema.ts';

const kubernetes = { title: 'Kubernetes', version: '1.36' };
const metaPrefix = 'io.k8s.apimachinery.pkg.apis.meta.v1';

/** The document of one group version: its paths and the schemas they use. */
export function versionDocument(resources: readonly ServedResource[]): JsonObject {
  const writer = new SchemaWriter();
  const paths = resources.flatMap((resource) => pathsOf(resource, spokenBy(resource, writer)));
  const [first] = resources;
  if (!first?.custom && first) paths.push(listing(first, writer));
  const info = first?.custom ? { title: 'Kubernetes CRD Swagger', version: 'v0.1.0' } : kubernetes;
  return documentOf(info, paths, writer);
}

/** `api`, `apis`, `apis/apps` and `version`: the paths of discovery. */
export function rootDocument(path: string): JsonObject {
  const writer = new SchemaWriter();
  const group = path.split('/')[1];
  const kind = path === 'api' ? 'APIVersions' : group === undefined ? 'APIGroupList' : 'APIGroup';
  const schema = path === 'version' ? { type: 'object' } : metaReference(writer, kind);
  const ids: Readonly<Record<string, string>> = {
    api: 'getCoreAPIVersions',
    apis: 'getAPIVersions',
    version: 'getCodeVersion',
  };
  const operation = {
    tags: [path === 'api' ? 'core' : group === undefined ? path : tagOf(group)],
    operationId: ids[path] ?? `get${groupTitle(group ?? '')}APIGroup`,
    responses: responses(schema, [200]),
  };
  return documentOf(kubernetes, [[`/${path}/`, { get: operation }]], writer);
}

function documentOf(info: JsonObject, paths: [string, JsonObject][], writer: SchemaWriter): JsonObject {
  const byName = ([a]: [string, unknown], [b]: [string, unknown]) => (a < b ? -1 : 1);
  const token = { BearerToken: { type: 'apiKey', name: 'authorization', in: 'header' } };
  return {
    openapi: '3.0.0',
    info,
    paths: Object.fromEntries(paths.toSorted(byName)),
    components: {
      schemas: Object.fromEntries([...writer.components].toSorted(byName)),
      ...(info.title === kubernetes.title && { securitySchemes: token }),
    },
  };
}

function listing(gvk: SchemaGvk, writer: SchemaWriter): [string, JsonObject] {
  const { group, version } = gvk;
  const title = `${groupTitle(group)}${version.charAt(0).toUpperCase()}${version.slice(1)}`;
  const operation = {
    tags: [tagOf(group, version)],
    operationId: `get${title}APIResources`,
    responses: responses(metaReference(writer, 'APIResourceList'), [200]),
  };
  return [`/${pathOf(gvk)}/`, { get: operation }];
}

function spokenBy(resource: ServedResource, writer: SchemaWriter): Spoken {
  const name = schemaName(resource);
  return {
    object: writer.component(name, () => kindSchema(resource, writer)),
    get list() {
      const { group, version, listKind } = resource;
      const listName = name.replace(/[^.]*$/, listKind);
      return writer.component(listName, () =>
        withGvk(listSchema(resource, listName, writer), { group, version, kind: listKind }),
      );
    },
    meta: (kind) => metaReference(writer, kind),
    kind: (gvk) => {
      if (gvk.kind === resource.kind && gvk.group === resource.group) return reference(name);
      const type = findType(gvk);
      return type && writer.component(type.name, () => withGvk(writer.describe(type), gvk));
    },
  };
}

/** Built-in kinds have Kubernetes' names; custom ones are named after their group, reversed. */
function schemaName({ group, version, kind, type, custom }: ServedResource): string {
  return custom ? `${group.split('.').toReversed().join('.')}.${version}.${kind}` : type.name;
}

const withGvk = (schema: JsonObject, { group, version, kind }: SchemaGvk): JsonObject => ({
  ...schema,
  'x-kubernetes-group-version-kind': [{ group, kind, version }],
});

function kindSchema(resource: ServedResource, writer: SchemaWriter): JsonObject {
  const schema = resource.custom
    ? customSchema(resource.custom.schema, metaReference(writer, 'ObjectMeta'))
    : writer.describe(resource.type);
  return withGvk(schema, resource);
}

function listSchema(resource: ServedResource, name: string, writer: SchemaWriter): JsonObject {
  const { custom, kind, plural, listKind } = resource;
  const items = reference(schemaName(resource));
  const metadata = { ...aboutStruct(`${metaPrefix}.ListMeta`), ...(!custom && { default: {} }) };
  const about = custom ? { description: `${listKind} is a list of ${kind}` } : aboutStruct(name);
  return {
    ...about,
    type: 'object',
    required: ['items'],
    properties: {
      ...standardFields({}),
      items: {
        ...(custom ? { description: `List of ${plural}.` } : aboutField(name, 'items')),
        type: 'array',
        items: custom ? items : besides(items, { default: {} }),
      },
      metadata: besides(metaReference(writer, 'ListMeta'), metadata),
    },
  };
}

/** Kinds of meta.v1 that have no group of their own are part of every group. */
const spokenEverywhere = new Set(['APIGroup', 'APIGroupList', 'APIResourceList', 'APIVersions', 'DeleteOptions', 'Status', 'WatchEvent']); // biome-ignore format: a list

function metaReference(writer: SchemaWriter, kind: string): JsonObject {
  if (kind === 'Patch')
    return writer.component(`${metaPrefix}.Patch`, () => ({
      ...aboutStruct(`${metaPrefix}.Patch`),
      type: 'object',
    }));
  const type = findNamedType(`meta/v1/${kind}`);
  if (!type) throw new FairleadError('Internal', `no facts about the type meta.v1.${kind}`);
  if (!spokenEverywhere.has(kind)) return writer.refer(type);
  return writer.component(type.name, () =>
    withGvk(writer.describe(type), { group: '', version: 'v1', kind }),
  );
}
