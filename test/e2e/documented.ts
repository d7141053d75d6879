import { parseJson } from '#base/std';
import { type Endpoint, matchPath, openApiDocument, operationsOf, services, templateOf } from '#serve/api';
import { shipped } from '../../src/main/config.ts';
import { readKindSchemas } from '../../src/main/kind-schemas.ts';
import { schemaProblems } from '../json-schema.ts';

type Operation = {
  readonly responses: Readonly<
    Record<string, { readonly content: Readonly<Record<string, { schema: object }>> }>
  >;
};
type ApiDocument = { readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> };

const document = openApiDocument('v1', readKindSchemas(shipped.definitions), '/') as unknown as ApiDocument;
const endpoints = operationsOf(services).map(({ endpoint }) => endpoint);

/** The first endpoint that matches, as the router finds it. */
const endpointOf = (method: string, path: string): Endpoint<unknown, unknown> | undefined =>
  endpoints.find((one) => one.method === method && matchPath(one.path, path) !== undefined);

/**
 * What of a successful answer the document of the API does not say, each with its path. Answers with chosen fields, and those of no
 * endpoint, have none.
 */
export function undocumentedIn(method: string, pathAndQuery: string, text: string): string[] {
  const { pathname, searchParams } = new URL(pathAndQuery, 'http://localhost');
  const endpoint = endpointOf(method, pathname);
  if (!endpoint || searchParams.has('fields') || searchParams.has('download')) return [];
  const operation = document.paths[templateOf(endpoint.path)]?.[method.toLowerCase()];
  const schema = operation?.responses['200']?.content['application/json']?.schema;
  if (!schema) return [`${method} ${endpoint.path} has no schema`];
  const messages = endpoint.answer === 'stream' ? text.split('\n').filter((line) => line !== '') : [text];
  return messages.flatMap((one) =>
    schemaProblems(
      parseJson(one),
      schema as Readonly<Record<string, unknown>>,
      document,
      `${endpoint.path}: `,
    ),
  );
}
