import { z } from 'zod';
import { descriptions } from './descriptions.ts';
import type { Endpoint } from './endpoint.ts';

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

/** compat server §2.9: the API as an OpenAPI 3.1 document, drawn from the table that the router reads. */
export function openApiDocument(services: ServiceTable, version: string, rootPath = ''): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const operation of operationsOf(services)) {
    const path = templateOf(operation.endpoint.path);
    paths[path] = { ...paths[path], [operation.endpoint.method.toLowerCase()]: operationOf(operation) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Fairlead',
      version,
      description:
        'Applications, projects, repositories and clusters, with the paths and payloads of Argo CD.',
    },
    servers: [{ url: rootPath || '/' }],
    security: [{ bearer: [] }, { cookie: [] }],
    tags: Object.keys(services).map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
        cookie: { type: 'apiKey', in: 'cookie', name: 'argocd.token' },
      },
      schemas: { Error: errorSchema },
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

function operationOf({ service, name, endpoint }: DocumentedOperation): Json {
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
      '200': { description: summary, content: { [mediaTypeOf(endpoint)]: {} } },
      default: { description: 'The reason why it was refused.', ...error },
    },
  };
}

const mediaTypeOf = ({ answer }: AnyEndpoint): string =>
  answer === 'stream' ? 'text/event-stream' : 'application/json';

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
