import { clone, equal, FairleadError, printJson } from '#base/std';
import { isObject, type JsonObject } from '#kubernetes/schema';
import { put, read } from './fields.ts';

/** One operation of an `application/json-patch+json` body. */
export type JsonPatchOperation = { op: string; path: string; from?: string; value?: unknown };

const copyLimit = 3 * 1024 * 1024;
const missing = 'missing value';
const outside = 'invalid index referenced';

type Container = JsonObject | unknown[];
type Target = { readonly container: Container; readonly key: string };
/** `copied` counts the bytes that copy operations have added: a small patch may not build a large document. */
type State = { root: unknown; copied: number };

const refuse = (message: string): FairleadError => new FairleadError('InvalidSpec', message);

/**
 * The document after all operations, or InvalidSpec naming the first that failed.
 * compat cluster 3.6: as Kubernetes applies RFC 6902: replace may create a field of an object, test finds null in a missing
 * one, negative indices count from the end.
 */
export function applyJsonPatch(document: unknown, patch: readonly JsonPatchOperation[]): unknown {
  const state: State = { root: clone(document), copied: 0 };
  for (const operation of patch) {
    const apply = operations.get(operation.op);
    if (apply === undefined) throw refuse(`Unexpected kind: ${operation.op ?? 'unknown'}`);
    if (typeof operation.path !== 'string') {
      throw refuse(`${operation.op} operation failed to decode path: ${missing}`);
    }
    apply(state, operation);
  }
  return state.root;
}

type Apply = (state: State, operation: JsonPatchOperation) => void;

const operations: ReadonlyMap<string, Apply> = new Map([
  ['add', add],
  ['remove', remove],
  ['replace', replace],
  ['move', move],
  ['copy', copy],
  ['test', test],
]);

const decode = (token: string): string => token.replace(/~[01]/g, (found) => (found === '~1' ? '/' : '~'));

const isContainer = (value: unknown): value is Container => Array.isArray(value) || isObject(value);

/** The object or list that holds the last token; undefined when the way there is missing. */
function find(state: State, path: string): Target | undefined {
  const tokens = path.split('/');
  const key = tokens.pop();
  // compat cluster 3.6: what stands before the first slash is ignored
  if (tokens.length === 0 || key === undefined) return undefined;
  let at: unknown = state.root;
  for (const token of tokens.slice(1)) at = isContainer(at) ? step(at, decode(token)) : undefined;
  return isContainer(at) ? { container: at, key: decode(key) } : undefined;
}

function step(container: Container, key: string): unknown {
  if (!Array.isArray(container)) return read(container, key);
  return isIndex(key) ? container.at(Number(key)) : undefined;
}

const isIndex = (key: string): boolean => /^[+-]?\d+$/.test(key);
const notANumber = (key: string): string => `strconv.Atoi: parsing ${JSON.stringify(key)}: invalid syntax`;

/** A list position below `length`; negative ones count from the end. */
function indexOf(key: string, length: number): number {
  if (!isIndex(key)) throw refuse(notANumber(key));
  const index = Number(key);
  if (index >= length || index < -length)
    throw refuse(`Unable to access invalid index: ${index}: ${outside}`);
  return index < 0 ? index + length : index;
}

function within<T>(prefix: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw refuse(`${prefix}: ${FairleadError.from(error).message}`);
  }
}

function valueAt({ container, key }: Target): unknown {
  if (!Array.isArray(container)) return read(container, key);
  return container[indexOf(key, container.length)];
}

function insert({ container, key }: Target, value: unknown): void {
  if (!Array.isArray(container)) put(container, key, value);
  else if (key === '-') container.push(value);
  else if (isIndex(key)) container.splice(indexOf(key, container.length + 1), 0, value);
  else throw refuse(`value was not a proper array index: '${key}': ${notANumber(key)}`);
}

function take({ container, key }: Target): void {
  if (Array.isArray(container)) container.splice(indexOf(key, container.length), 1);
  else if (Object.hasOwn(container, key)) delete container[key];
  else throw refuse(`Unable to remove nonexistent key: ${key}: ${missing}`);
}

function add(state: State, { path, value = null }: JsonPatchOperation): void {
  const place = find(state, path);
  if (place === undefined)
    throw refuse(`add operation does not apply: doc is missing path: "${path}": ${missing}`);
  within(`error in add for path: '${path}'`, () => insert(place, clone(value)));
}

function remove(state: State, { path }: JsonPatchOperation): void {
  const place = find(state, path);
  if (place === undefined) {
    throw refuse(`remove operation does not apply: doc is missing path: "${path}": ${missing}`);
  }
  within(`error in remove for path: '${path}'`, () => take(place));
}

function replace(state: State, { path, value = null }: JsonPatchOperation): void {
  if (path === '') {
    if (!isContainer(value)) throw refuse('replace operation value must be object or array');
    state.root = clone(value);
    return;
  }
  const place = find(state, path);
  if (place === undefined) {
    throw refuse(`replace operation does not apply: doc is missing path: ${path}: ${missing}`);
  }
  if (!isPresent(place))
    throw refuse(`replace operation does not apply: doc is missing key: ${path}: ${missing}`);
  overwrite(place, clone(value));
}

const isPresent = ({ container, key }: Target): boolean =>
  !Array.isArray(container) || step(container, key) !== undefined;

function overwrite({ container, key }: Target, value: unknown): void {
  if (Array.isArray(container)) container[indexOf(key, container.length)] = value;
  else put(container, key, value);
}

function source(state: State, { op, from = '' }: JsonPatchOperation): Target {
  const place = find(state, from);
  if (place !== undefined) return place;
  throw refuse(`${op} operation does not apply: doc is missing from path: ${from}: ${missing}`);
}

function land(state: State, { op, path }: JsonPatchOperation, value: unknown): void {
  const place = find(state, path);
  if (place === undefined) {
    throw refuse(`${op} operation does not apply: doc is missing destination path: ${path}: ${missing}`);
  }
  within(`error in ${op} for path: '${path}'`, () => insert(place, value));
}

function move(state: State, operation: JsonPatchOperation): void {
  const place = source(state, operation);
  const value = within(`error in move for path: '${place.key}'`, () => {
    const found = valueAt(place);
    take(place);
    return found;
  });
  land(state, operation, value);
}

function copy(state: State, operation: JsonPatchOperation): void {
  const place = source(state, operation);
  const value = within(`error in copy for from: '${operation.from}'`, () => valueAt(place)) ?? null;
  state.copied += printJson(value).length;
  if (state.copied > copyLimit) {
    const message = `Unable to complete the copy, the accumulated size increase of copy is ${state.copied}, exceeding the limit ${copyLimit}`;
    throw new FairleadError('LimitExceeded', message);
  }
  land(state, operation, clone(value));
}

function test(state: State, { path, value = null }: JsonPatchOperation): void {
  if (!equal(path === '' ? state.root : tested(state, path), value)) {
    throw refuse(`testing value ${path} failed: test failed`);
  }
}

function tested(state: State, path: string): unknown {
  const place = find(state, path);
  if (place === undefined)
    throw refuse(`test operation does not apply: is missing path: ${path}: ${missing}`);
  return within(`error in test for path: '${path}'`, () => valueAt(place)) ?? null;
}
