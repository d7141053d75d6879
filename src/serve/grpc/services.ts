/**
 * How the table of methods is read. A line is a method: its name, its request, an arrow (`>` one response, `>>` a stream of them,
 * `><` a stream of requests), its response, and the REST call that is the same: `GET /path/{field} body`. Others follow after `|`.
 */
import type { MessageType } from './facts/notation.ts';
import { methodLines } from './facts/services.ts';
import { messages } from './messages.ts';

/** The REST call that a method is the same as (the `google.api.http` of its .proto file). */
export type RestBinding = {
  readonly verb: string;
  /** With `{}` for each field. */
  readonly path: string;
  /** What of the request stands in the path, in order; with dots where it is inside a message. */
  readonly fields: readonly string[];
  /** `*`: the whole request is the body; empty: there is none. */
  readonly body: string;
};

export type GrpcMethod = {
  /** `package.Service/Method`: the path of its calls, without the slash before it. */
  readonly name: string;
  readonly request: MessageType;
  readonly response: MessageType;
  readonly answer: 'one' | 'stream';
  readonly isClientStream: boolean;
  readonly bindings: readonly RestBinding[];
};

function bindingOf(text: string): RestBinding {
  const [verb = '', path = '', body = ''] = text.trim().split(' ');
  const fields = [...path.matchAll(/\{([^}=]+)[^}]*\}/g)].map(([, name = '']) => name);
  return { verb, path: path.replace(/\{[^}]*\}/g, '{}'), fields, body };
}

function methodOf(line: string): GrpcMethod {
  const [name = '', request = '', arrow, response = '', ...rest] = line.split(' ');
  return {
    name,
    request: messages.find(request),
    response: messages.find(response),
    answer: arrow === '>>' ? 'stream' : 'one',
    isClientStream: arrow === '><',
    bindings: rest.join(' ').split('|').map(bindingOf),
  };
}

/** Every method of the API, by its name. */
export const grpcMethods: ReadonlyMap<string, GrpcMethod> = new Map(
  methodLines
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const method = methodOf(line);
      return [method.name, method] as const;
    }),
);
