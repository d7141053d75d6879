import { isObject, printJson } from '#base/std';
import type { RestBinding } from './services.ts';

/** A request as its REST call has it. */
export type RestCall = {
  readonly binding: RestBinding;
  /** One for each field of the path, in order; empty where the request does not say. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
  readonly body: unknown;
};

type Json = Readonly<Record<string, unknown>>;

/**
 * The REST call of a request: what the path and the body do not hold is in the query, messages inside with dots in their names. Of
 * several calls it is the first whose path is complete, else the last.
 */
export function restCallOf(bindings: readonly RestBinding[], request: Json): RestCall {
  const isComplete = ({ fields }: RestBinding): boolean =>
    fields.every((field) => textAt(request, field) !== '');
  const binding = bindings.find(isComplete) ?? bindings.at(-1);
  if (!binding) throw new Error('a method has no REST call');
  const { fields, body } = binding;
  const query = new URLSearchParams();
  if (body !== '*')
    for (const [name, value] of Object.entries(request))
      if (name !== body) append(query, { name, value, taken: fields });
  return {
    binding,
    path: fields.map((field) => textAt(request, field)),
    query,
    body: body === '*' ? request : body === '' ? undefined : request[body],
  };
}

function textAt(request: Json, field: string): string {
  let value: unknown = request;
  for (const name of field.split('.'))
    value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return value === undefined || value === null ? '' : String(value);
}

type Parameter = { readonly name: string; readonly value: unknown; readonly taken: readonly string[] };

function append(query: URLSearchParams, { name, value, taken }: Parameter): void {
  if (taken.includes(name)) return;
  if (Array.isArray(value)) for (const item of value) query.append(name, textOf(item));
  else if (isObject(value))
    for (const [inner, one] of Object.entries(value))
      append(query, { name: `${name}.${inner}`, value: one, taken });
  else query.append(name, textOf(value));
}

/** A message in a list has no form in a query of REST; here it is JSON. */
const textOf = (value: unknown): string => (isObject(value) ? printJson(value) : String(value));
