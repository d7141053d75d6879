import { createHash } from 'node:crypto';
import type { JsonObject } from '#schema';
import { printJson } from '#std';
import { apiVersionOf, type Kinds, type Resource } from './kinds.ts';
import { type Components, describe } from './openapi/schema.ts';
import type { ApiResponse } from './request.ts';
import { version } from './version.ts';

/** Descriptions of the served kinds, as far as kubectl and helm read them; made on demand, kept until they change. */
export class OpenApi {
  readonly #kinds: Kinds;
  readonly #documents = new Map<string, { readonly text: string; readonly hash: string }>();
  #revision = -1;

  constructor(kinds: Kinds) {
    this.#kinds = kinds;
  }

  /** `/openapi/v3` and below, `/openapi/v2`; undefined for anything else. */
  answer(segments: readonly string[], accept: string): ApiResponse | undefined {
    if (segments[1] === 'v2' && segments.length === 2) return versionTwo(accept);
    if (segments[1] !== 'v3') return undefined;
    if (segments.length === 2) return json(printJson({ paths: this.#index() }));
    const document = this.#document(segments.slice(2).join('/'));
    return document && json(document.text);
  }

  #index(): JsonObject {
    const paths = new Set(this.#kinds.all().map(pathOf));
    const entries = [...paths].map((path) => {
      const hash = this.#document(path)?.hash ?? '';
      return [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` }];
    });
    return Object.fromEntries(entries);
  }

  #document(path: string) {
    if (this.#revision !== this.#kinds.revision) {
      this.#documents.clear();
      this.#revision = this.#kinds.revision;
    }
    const known = this.#documents.get(path);
    if (known) return known;
    const resources = this.#kinds.all().filter((resource) => pathOf(resource) === path);
    if (resources.length === 0) return undefined;
    const text = printJson(documentOf(resources));
    const made = { text, hash: createHash('sha256').update(text).digest('hex').slice(0, 32).toUpperCase() };
    this.#documents.set(path, made);
    return made;
  }
}

const json = (body: string): ApiResponse => ({
  status: 200,
  headers: { 'content-type': 'application/json', vary: 'Accept' },
  body,
});

const pathOf = (resource: Resource): string =>
  resource.group === '' ? `api/${resource.version}` : `apis/${apiVersionOf(resource)}`;

function documentOf(resources: readonly Resource[]): JsonObject {
  const components: Components = new Map();
  const paths = resources.flatMap((resource) => pathsOf(resource));
  for (const resource of resources) components.set(schemaName(resource), kindSchema(resource, components));
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version },
    paths: Object.fromEntries(paths),
    components: { schemas: Object.fromEntries(components) },
  };
}

/** Built-in kinds keep Kubernetes' names; custom ones are named like their group, turned round. */
function schemaName({ group, version: at, kind, type, custom }: Resource): string {
  return custom ? `${group.split('.').toReversed().join('.')}.${at}.${kind}` : type.name;
}

function kindSchema(resource: Resource, components: Components): JsonObject {
  const schema = resource.custom ? customSchema(resource.custom.schema) : describe(resource.type, components);
  return { ...schema, 'x-kubernetes-group-version-kind': [gvkOf(resource)] };
}

const gvkOf = ({ group, version: at, kind }: Resource): JsonObject => ({ group, kind, version: at });

function customSchema(schema: JsonObject | undefined): JsonObject {
  const { properties, ...rest } = (schema ?? { type: 'object' }) as { properties?: JsonObject };
  const standard = { apiVersion: { type: 'string' }, kind: { type: 'string' }, metadata: { type: 'object' } };
  return { ...rest, properties: { ...properties, ...standard } };
}

const query = (name: string): JsonObject => ({
  name,
  in: 'query',
  schema: { type: 'string', uniqueItems: true },
});
const parameters = ['dryRun', 'fieldManager', 'fieldValidation', 'force'].map(query);

/** compat 2.2: kubectl looks for the PATCH operation of a kind, its query parameters and its media types. */
function pathsOf(resource: Resource): [string, JsonObject][] {
  const root = `/${pathOf(resource)}${resource.namespaced ? '/namespaces/{namespace}' : ''}/${resource.plural}`;
  const gvk = { 'x-kubernetes-group-version-kind': gvkOf(resource) };
  const body = { schema: { $ref: `#/components/schemas/${schemaName(resource)}` } };
  const media = ['json-patch+json', 'merge-patch+json', 'apply-patch+yaml'].map((type) => [
    `application/${type}`,
    {},
  ]);
  const content = Object.fromEntries(
    resource.custom ? media : [...media, ['application/strategic-merge-patch+json', {}]],
  );
  const responses = { 200: { description: 'OK', content: { 'application/json': body } } };
  const operation = (action: string, more: JsonObject = {}) => ({
    'x-kubernetes-action': action,
    ...gvk,
    responses,
    ...more,
  });
  return [
    [
      root,
      {
        get: operation('list'),
        post: operation('post', { parameters, requestBody: { content: { '*/*': body } } }),
      },
    ],
    [
      `${root}/{name}`,
      {
        get: operation('get'),
        put: operation('put', { parameters, requestBody: { content: { '*/*': body } } }),
        patch: operation('patch', { parameters, requestBody: { content } }),
        delete: operation('delete'),
      },
    ],
  ];
}

/** compat 2.2: enough of the old description that clients ask the new one; its type has a dot where Accept has an at sign. */
function versionTwo(accept: string): ApiResponse {
  if (!accept.includes('protobuf')) {
    return json(
      printJson({ swagger: '2.0', info: { title: 'Kubernetes', version }, paths: {}, definitions: {} }),
    );
  }
  const text = (field: number, value: string) => [field * 8 + 2, value.length, ...Buffer.from(value)];
  const info = [...text(1, 'Kubernetes'), ...text(2, version)];
  const body = Uint8Array.from([
    ...text(1, '2.0'),
    2 * 8 + 2,
    info.length,
    ...info,
    8 * 8 + 2,
    0,
    9 * 8 + 2,
    0,
  ]);
  return {
    status: 200,
    headers: { 'content-type': 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf', vary: 'Accept' },
    body,
  };
}
