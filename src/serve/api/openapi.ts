import * as z from 'zod';
import { descriptions } from './descriptions.ts';
import type { Endpoint } from './endpoint.ts';
import { documentedKinds, responseSchemas } from './responses.ts';
import { services } from './services.ts';

/** What a table of services has: endpoints by service and by name. */
type ServiceTable = Readonly<Record<string, Readonly<Record<string, unknown>>>>;
type AnyEndpoint = Endpoint<unknown, unknown>;
type Json = Readonly<Record<string, unknown>>;

/** An operation of the document, with its endpoint. */
export type DocumentedOperation = {
  readonly service: string;
  readonly name: string;
  readonly endpoint: AnyEndpoint;
};

export const operationsOf = (services: ServiceTable): readonly DocumentedOperation[] =>
  Object.entries(services).flatMap(([service, endpoints]) =>
    Object.entries(endpoints).map(([name, endpoint]) => ({
      service,
      name,
      endpoint: endpoint as AnyEndpoint,
    })),
  );

/** One line about an endpoint. */
export const summaryOf = ({ method, path, summary }: AnyEndpoint): string =>
  summary || (descriptions[`${method} ${path}`] ?? '');

/** The schema of each of our kinds, by its name: that of its definition. */
export type KindSchemas = Readonly<Record<(typeof documentedKinds)[number], unknown>>;

/**
 * compat server §2.9: the API as an OpenAPI 3.1 document, drawn from the table that the router reads. `basePath` is the path at which
 * a client sees the server: `/`, or `/argo-cd/`.
 */
export function openApiDocument(version: string, kinds: KindSchemas, basePath: string): Json {
  const paths: Record<string, Record<string, Json>> = {};
  const responses = documentedResponses(kinds);
  for (const operation of operationsOf(services)) {
    const path = templateOf(operation.endpoint.path);
    const method = operation.endpoint.method.toLowerCase();
    paths[path] = { ...paths[path], [method]: operationOf(operation, responses.of(operation)) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Fairlead',
      version,
      description:
        'Applications, projects, repositories and clusters, with the paths and payloads of Argo CD.',
    },
    // the paths begin with a slash of their own
    servers: [{ url: basePath.replace(/(?<=.)\/$/, '') }],
    security: [{ bearer: [] }, { cookie: [] }],
    tags: Object.keys(services).map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
        cookie: { type: 'apiKey', in: 'cookie', name: 'argocd.token' },
      },
      schemas: { ...responses.named, Error: errorSchema },
    },
  };
}

const errorSchema = {
  type: 'object',
  required: ['error', 'code', 'message'],
  properties: { error: { type: 'string' }, code: { type: 'integer' }, message: { type: 'string' } },
} as const;

/** `:name` and `*name` become `{name}`. */
export const templateOf = (path: string): string => path.replace(/[:*]([a-zA-Z]+)/g, '{$1}');

function operationOf({ service, name, endpoint }: DocumentedOperation, content: Json): Json {
  const summary = summaryOf(endpoint);
  const error = { content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } } };
  return {
    operationId: `${service}_${name}`,
    tags: [service],
    summary,
    // a session is made by the one, and the others say what is public to anyone
    ...(service === 'session' && { security: [] }),
    parameters: [...pathParameters(endpoint), ...queryParameters(endpoint)],
    ...(endpoint.body && {
      requestBody: { required: true, content: { 'application/json': { schema: schemaOf(endpoint.body) } } },
    }),
    responses: {
      '200': { description: summary, content },
      default: { description: 'The reason why it was refused.', ...error },
    },
  };
}

/** What each operation responds with, and the schemas that these refer to by name. */
function documentedResponses(kinds: KindSchemas) {
  const { byMethod, named: registry } = responseSchemas();
  const named: Record<string, unknown> = {};
  const schemas = byMethod as Readonly<Record<string, Readonly<Record<string, z.ZodType>>>>;
  const of = ({ service, name, endpoint }: DocumentedOperation): Json => {
    const result = schemas[service]?.[name] ?? z.unknown();
    const options = { metadata: registry, unrepresentable: 'any', override: withoutId } as const;
    const wrapped = z.toJSONSchema(z.object({ result }), options);
    const { $schema: _dialect, $defs, ...message } = pointed(wrapped) as Json;
    Object.assign(named, $defs);
    // of a stream: each of its messages; it is one object a line for clients that accept no events
    if (endpoint.answer === 'stream')
      return { 'text/event-stream': { schema: message }, 'application/json': { schema: message } };
    return { 'application/json': { schema: (message.properties as Json).result } };
  };
  const kindsByName = Object.fromEntries(documentedKinds.map((kind) => [kind, kinds[kind]]));
  return {
    of,
    get named(): Json {
      return { ...named, KubeObject: objectSchema, ...kindsByName, ...partsOf(kinds) };
    },
  };
}

/** The parts of our kinds that are answers of their own. */
function partsOf({ Application, AppProject }: KindSchemas): Json {
  const below = (schema: unknown, ...path: readonly string[]): unknown =>
    path.reduce<unknown>((value, key) => (value as Json | undefined)?.[key], schema) ?? {};
  return {
    ApplicationSpec: below(Application, 'properties', 'spec'),
    SyncWindow: below(AppProject, 'properties', 'spec', 'properties', 'syncWindows', 'items'),
  };
}

/** An object of Kubernetes of any kind, such as an Event. */
const objectSchema = { type: 'object', required: ['metadata'], properties: { metadata: { type: 'object' } } };

const withoutId = ({ jsonSchema }: { jsonSchema: { id?: string | undefined } }): void => {
  delete jsonSchema.id;
};

/** With references to the schemas of the document. */
const pointed = (schema: unknown): unknown =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'));

const pathParameters = ({ path }: AnyEndpoint): Json[] =>
  [...path.matchAll(/[:*]([a-zA-Z]+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));

function queryParameters({ query, fields }: AnyEndpoint): Json[] {
  const all = {
    ...query,
    ...(fields && { fields: 'the fields to return, with commas between; after a minus, those to leave out' }),
  };
  return Object.entries(all).map(([name, description]) => ({
    name,
    in: 'query',
    description,
    schema: { type: 'string' },
  }));
}

/** What a schema cannot express, such as an object of Kubernetes, is any value. */
function schemaOf(body: z.ZodType): unknown {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(body, { unrepresentable: 'any', io: 'input' });
  return schema;
}
