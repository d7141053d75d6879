import { gvkOf } from '#base/model';
import { FairleadError, parseJson, printJson } from '#base/std';
import { findType, isObject, type JsonObject } from '#kubernetes/schema';
import { parse } from '#lang/yaml';
import type { ServedRequest } from '../request.ts';
import { badRequest, type StatusError, tooLarge, unsupportedMediaType } from '../status.ts';
import { syntaxError } from './go-json.ts';
import { openEnvelope, readMessage } from './protobuf.ts';

const limit = 3 * 1024 * 1024;
const utf8 = new TextDecoder('utf-8');

/** A body as text; invalid UTF-8 is replaced, as in Go. Throws RequestEntityTooLarge. */
export function textOf(body: Uint8Array | undefined): string {
  if (!body || body.length === 0) return '';
  if (body.length > limit) throw tooLarge(limit);
  return utf8.decode(body);
}

const bodyTypes = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];

/** An object as it was sent. `text` is its source, unless that was no text. */
export type Body = {
  readonly value: JsonObject;
  readonly text?: string | undefined;
  /** Of YAML only: the duplicate keys, as `line 5: key "a" already set in map`. */
  readonly doubled?: readonly string[];
};

type Sent = Pick<ServedRequest, 'body' | 'headers'>;

/**
 * The body of a request as a JSON object. Three formats are decoded: JSON, YAML, protobuf. `kind` is the expected
 * kind; without it the error is the decoder's alone.
 */
export function readBody({ body, headers }: Sent, kind?: string): Body {
  const media = (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() || 'application/json';
  if (!bodyTypes.includes(media)) throw unsupportedMediaType(bodyTypes);
  try {
    if (media === 'application/vnd.kubernetes.protobuf') return { value: readProtobuf(body) };
    const text = textOf(body);
    if (media === 'application/json') return { value: headed(parseJsonBody(text)), text };
    const { value, doubled } = parseYaml(text);
    return { value: headed(value), text, doubled };
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    throw kind === undefined ? badRequest(error.message) : unrecognized(error.message, kind, textOf(body));
  }
}

class Unreadable extends Error {}

/** compat cluster 3.14: the error names the expected kind, the reason, and the beginning of the text. */
export const unrecognized = (why: string, kind: string, text: string): StatusError =>
  badRequest(`the object provided is unrecognized (must be of type ${kind}): ${why} (${beginning(text)})`);

const longest = 30;

function beginning(text: string): string {
  if (text === '') return '<empty>';
  const bytes = new TextEncoder().encode(text);
  const shown = bytes.subarray(0, longest);
  const more = bytes.length > longest ? ' ...' : '';
  return `${text.startsWith('{') ? utf8.decode(shown) : Buffer.from(shown).toString('hex')}${more}`;
}

/** compat cluster 2.4: typed Go clients send protobuf and do not fall back to JSON. */
function readProtobuf(body: Uint8Array | undefined): JsonObject {
  if (body && body.length > limit) throw tooLarge(limit);
  const envelope = opened(body ?? new Uint8Array());
  const type = findType(gvkOf(envelope));
  if (!type)
    throw badRequest(`no kind "${envelope.kind}" is registered for version "${envelope.apiVersion}"`);
  return readMessage(envelope, type);
}

function opened(body: Uint8Array): ReturnType<typeof openEnvelope> {
  try {
    return openEnvelope(body);
  } catch (error) {
    throw new Unreadable((error as Error).message);
  }
}

type Yaml = { readonly value: unknown; readonly doubled: readonly string[] };

/** Parses YAML as Kubernetes does, JSON being a part of it; of duplicate keys the last one counts. */
export function readYaml(text: string): Yaml {
  const plain = plainJson(text);
  if (plain !== undefined) return { value: plain, doubled: [] };
  try {
    return { value: parse(text, { duplicateKeys: 'reject' }), doubled: [] };
  } catch (error) {
    const twice = /line (\d+), .*key (".*") is defined twice/.exec((error as Error).message);
    if (!twice) throw error;
    return { value: parse(text), doubled: [`line ${twice[1]}: key ${twice[2]} already set in map`] };
  }
}

/**
 * Most YAML bodies are compact JSON, which parses many times faster as JSON. Undefined unless it prints as the
 * very same text: then there are no duplicate keys, and both formats have the same meaning.
 */
function plainJson(text: string): unknown {
  if (!/^\{[ -~]*\}\n?$/.test(text) || text.split(/[[{]/, mostOpened).length === mostOpened) return undefined;
  if (/\d{16}/.test(text)) return undefined; // the two parse very long integers differently
  try {
    const value = parseJson(text);
    return printJson(value) === text.trimEnd() ? value : undefined;
  } catch {
    return undefined;
  }
}

/** With fewer of them no text exceeds YAML's depth limit. */
const mostOpened = 400;

function parseYaml(text: string): Yaml {
  try {
    const read = readYaml(text);
    if (isMostlyRepeated(text, read.value)) throw new Unreadable(repeated);
    return read;
  } catch (error) {
    const isBomb = FairleadError.from(error).code === 'LimitExceeded' && text.includes('*');
    throw new Unreadable(isBomb ? repeated : (error as Error).message);
  }
}

const repeated = 'yaml: document contains excessive aliasing';

/** compat cluster 3.14: Go's parser limits the ratio of aliased nodes: the more nodes, the smaller the ratio. */
function isMostlyRepeated(text: string, value: unknown): boolean {
  if (!text.includes('&') || !text.includes('*')) return false;
  const places = placesIn(value);
  const surplus = Math.max(0, Math.min(1, (places - 400_000) / 3_600_000));
  return places > 1000 && 1 - wordsIn(text) / places > 0.99 - 0.89 * surplus;
}

/** How many words a text has: at least as many as it has nodes of its own. */
const wordsIn = (text: string): number => text.match(/[^\s,:[\]{}]+|[[{]/g)?.length ?? 0;

/** Values and keys, including all nested ones. */
function placesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  let count = 1 + (Array.isArray(value) ? 0 : Object.keys(value).length);
  for (const item of Object.values(value)) count += placesIn(item);
  return count;
}

const untyped = "couldn't get version/kind; json parse error: ";

const deepest = 10_000;

/** compat cluster 3.14: Go refuses JSON that is nested too deep, even if it is well-formed. */
function isTooDeep(text: string): boolean {
  if (text.length < 2 * deepest) return false;
  let open = 0;
  for (const char of text) if (char === '[' || char === '{') open += 1;
  return open > deepest && syntaxError(text) !== undefined;
}

const halfPair = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** compat cluster 3.14: a lone surrogate is no character; Go replaces it with U+FFFD. */
function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(halfPair, '\ufffd');
  if (Array.isArray(value)) return value.map(wellFormed);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, wellFormed(item)]));
}

function parseJsonBody(text: string): unknown {
  try {
    if (isTooDeep(text)) throw new Error('nested too deep');
    const value = parseJson(text);
    return /\\u[dD][89a-fA-F]/.test(text) ? wellFormed(value) : value;
  } catch (error) {
    throw new Unreadable(`${untyped}${syntaxError(text) ?? (error as Error).message}`);
  }
}

const header =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/** The object, whose kind and version must be texts if present. Null is an object without fields. */
function headed(value: unknown): JsonObject {
  if (value === null || value === undefined) return {};
  if (!isObject(value)) {
    throw new Unreadable(
      `${untyped}json: cannot unmarshal ${jsonKind(value)} into Go value of type ${header}`,
    );
  }
  for (const field of ['apiVersion', 'kind']) {
    const said = value[field] ?? '';
    if (typeof said === 'string') continue;
    const why = `json: cannot unmarshal ${jsonKind(said)} into Go struct field .${field} of type string`;
    throw new Unreadable(`${untyped}${why}`);
  }
  const { apiVersion = '' } = value as { apiVersion?: string };
  if (apiVersion.split('/').length > 2) {
    throw new Unreadable(`unexpected GroupVersion string: ${apiVersion}`);
  }
  return value;
}

export function jsonKind(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'bigint' ? 'number' : typeof value;
}
