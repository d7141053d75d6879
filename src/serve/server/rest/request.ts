import type { IncomingMessage } from 'node:http';
import { FairleadError, parseJson } from '#base/std';
import type { PathParams } from '#serve/api';
import { cookieToken } from '../auth/cookies.ts';
import type { SessionUser } from '../auth/tokens.ts';
import type { Permissions } from '../rbac/permissions.ts';
import type { Client } from './client.ts';

/** One call of one method: everything a method may read of the request. */
export type MethodCall<Body = unknown> = {
  readonly params: PathParams;
  readonly query: URLSearchParams;
  readonly body: Body;
  /** Undefined where a method needs no session. */
  readonly user: SessionUser | undefined;
  /** What the caller may do; a method that is not public must check it before it responds. */
  readonly permissions: Permissions;
  readonly client: Client;
  /** The messages after the first, which is the body, of a method that takes a stream of them; not checked yet. */
  readonly more?: AsyncIterable<unknown> | undefined;
  /** The Cookie header. */
  readonly cookie?: string | undefined;
};

/** For an authenticated request, and for one that anyone can send. */
export const maxBodyBytes = 10 * 1024 * 1024;
export const maxPublicBodyBytes = 64 * 1024;

/** The body as JSON; undefined when there is none. Throws LimitExceeded above `most` bytes. */
export async function readBody(request: IncomingMessage, most: number): Promise<unknown> {
  const text = await readText(request, most);
  return text === '' ? undefined : jsonIn(text);
}

type Messages = Required<Pick<MethodCall, 'body' | 'more'>>;

/** The body as lines of JSON: the first, and the rest. Throws LimitExceeded above `most` bytes of all of them. */
export async function readMessages(request: IncomingMessage, most: number): Promise<Messages> {
  const [first, ...rest] = (await readText(request, most)).split('\n').filter((line) => line.trim() !== '');
  const more = async function* (): AsyncGenerator<unknown> {
    for (const line of rest) yield jsonIn(line);
  };
  return { body: first === undefined ? undefined : jsonIn(first), more: more() };
}

async function readText(request: IncomingMessage, most: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > most) throw new FairleadError('LimitExceeded', `request body larger than ${most} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** No object of ours is nested like that; what reads a value goes down in it and needs stack for each level. */
const maxDepth = 1_000;

/** Throws InvalidSpec for a text whose objects and lists are nested too deeply. */
function requireShallow(text: string): void {
  let depth = 0;
  for (let at = 0; text.length > maxDepth && at < text.length; at++) {
    const char = text[at];
    if (char === '"') at = endOfString(text, at);
    else if (char === '[' || char === '{') depth += 1;
    else if (char === ']' || char === '}') depth -= 1;
    if (depth > maxDepth)
      throw new FairleadError('InvalidSpec', `request body is nested deeper than ${maxDepth} levels`);
  }
}

/** Where the string that begins here ends. */
function endOfString(text: string, begin: number): number {
  for (let at = text.indexOf('"', begin + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let escapes = 0;
    while (text[at - 1 - escapes] === '\\') escapes += 1;
    if (escapes % 2 === 0) return at;
  }
  return text.length;
}

function jsonIn(text: string): unknown {
  requireShallow(text);
  try {
    return parseJson(text);
  } catch (error) {
    throw new FairleadError('InvalidSpec', `request body is not JSON: ${(error as Error).message}`, error);
  }
}

/** compat server §4.2: `Authorization: Bearer` with three parts, else the cookie. */
export const tokenIn = (request: IncomingMessage): string | undefined =>
  bearerIn(request) ?? cookieToken(request);

/** The token of the Authorization header, which no page of another site can send. */
export function bearerIn({ headers }: Pick<IncomingMessage, 'headers'>): string | undefined {
  const [scheme, bearer] = (headers.authorization ?? '').split(' ');
  return scheme?.toLowerCase() === 'bearer' && bearer?.split('.').length === 3 ? bearer : undefined;
}

/** compat server §2.2, with only the media type compared. True for requests that change nothing. */
export function isAllowedType({ method, headers }: IncomingMessage): boolean {
  if (method === 'GET' || method === 'HEAD') return true;
  const type = (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase();
  return type === 'application/json';
}

/** The path of a request target, undecoded; a proxy may send it with scheme and host before it. */
export function pathOf(target: string): string {
  const path = target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '').split(/[?#]/, 1)[0] ?? '';
  return path.startsWith('/') ? path : '/';
}
