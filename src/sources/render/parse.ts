import { asKubeObject, type KubeObject } from '#base/model';
import { FairleadError, isObject, parseJson } from '#base/std';
import { readDocuments, type YamlLimits } from '#lang/yaml';
import { expanded } from './after.ts';

/**
 * The objects in an engine's output: YAML documents or JSON objects, one after another. `name` is the name of the text
 * in errors. Throws RenderFailed with document and line.
 */
export function parseManifests(text: string, name: string, limits: Partial<YamlLimits> = {}): KubeObject[] {
  const steps = readManifests(text, name, limits);
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

/** The same, one document at a time: an engine may print thousands, and the thread has other work. */
export function* readManifests(
  text: string,
  name: string,
  limits: Partial<YamlLimits> = {},
): Generator<void, KubeObject[]> {
  const objects: KubeObject[] = [];
  try {
    for (const { value, line } of readDocuments(text, { limits })) {
      objects.push(...objectsOf(value, `${name}, line ${line}`));
      yield;
    }
  } catch (error) {
    if (!(error instanceof FairleadError) || error.message.startsWith(name)) throw error;
    throw new FairleadError(error.code, `${name}: ${error.message}`, error); // text that is not YAML has no object name
  }
  return objects;
}

/** A document's objects; lists are expanded, null is dropped. Throws RenderFailed, which names `where`. */
export function objectsOf(value: unknown, where: string): KubeObject[] {
  return expanded(withKind(value, where), where).map((item) => asObject(item, where));
}

/** compat sources DIR-10: a value without a kind is no object. A list must have its own kind too. */
function withKind(value: unknown, where: string): unknown {
  if (value === null) return null;
  if (isObject(value) && typeof value.kind === 'string' && value.kind !== '') return value;
  throw new FairleadError(
    'RenderFailed',
    isObject(value)
      ? `${where}: Object 'Kind' is missing: add apiVersion and kind`
      : `${where}: a manifest must be a map with apiVersion, kind and metadata`,
  );
}

function asObject(value: unknown, where: string): KubeObject {
  try {
    return asKubeObject(value, where);
  } catch (error) {
    if (error instanceof FairleadError) throw new FairleadError('RenderFailed', error.message, error);
    throw error;
  }
}

/**
 * The objects of one file of a directory source, by the rules for files that may not be manifests at all, one document
 * at a time.
 */
export function* readFile(
  text: string,
  file: string,
  limits: Partial<YamlLimits> = {},
): Generator<void, KubeObject[]> {
  return file.endsWith('.json') ? parseJsonFile(text, file) : yield* readYamlFile(text, file, limits);
}

function* readYamlFile(
  text: string,
  file: string,
  limits: Partial<YamlLimits>,
): Generator<void, KubeObject[]> {
  const objects: KubeObject[] = [];
  try {
    for (const { value, line } of readDocuments(text, { limits })) {
      objects.push(...objectsOf(value, `line ${line}`));
      yield;
    }
  } catch (error) {
    // compat sources DIR-11, DIR-12: a file that does not resemble a manifest is ignored
    if (objects.length === 0 && !isLikeManifest(text)) return [];
    throw unmarshalFailure(file, error);
  }
  return objects;
}

const isLikeManifest = (text: string): boolean =>
  text.includes('apiVersion:') && text.includes('kind:') && text.includes('metadata:');

function unmarshalFailure(file: string, error: unknown): FairleadError {
  const { code, message } = FairleadError.from(error);
  const kept = code === 'LimitExceeded' ? code : 'RenderFailed';
  return new FairleadError(kept, `Failed to unmarshal "${file}": ${message}`, error); // compat sources DIR-11
}

/** compat sources DIR-8: exactly one value. */
function parseJsonFile(text: string, file: string): KubeObject[] {
  const value = oneJsonValue(text, file);
  const kind = isObject(value) ? value.kind : undefined;
  // dev sources DEV-14: a file that decodes as an OCI image manifest is no error and yields nothing
  if (isObject(value) && (typeof kind !== 'string' || kind === '') && isOciManifest(value)) return [];
  try {
    return objectsOf(value, 'line 1');
  } catch (error) {
    throw unmarshalFailure(file, error);
  }
}

function oneJsonValue(text: string, file: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (holdsSeveral(text)) {
      throw new FairleadError(
        'RenderFailed',
        `Found multiple objects in "${file}". Only single objects are allowed in JSON files.`,
      );
    }
    const reason = error instanceof Error ? error.message.replace(/,? ?".*$/s, '') : 'it is not JSON';
    throw new FairleadError('RenderFailed', `Failed to unmarshal "${file}": ${placed(reason, text)}`);
  }
}

/** Converts the parser's offset to a line number. */
function placed(reason: string, text: string): string {
  const position = /at position (\d+)/.exec(reason)?.[1];
  if (position === undefined) return reason;
  const line = text.slice(0, Number(position)).split('\n').length;
  return `line ${line}: ${reason.replace(/ in JSON at position.*$/, '')}`;
}

function holdsSeveral(text: string): boolean {
  try {
    return /^\s*\{/.test(text) && [...readDocuments(text)].length > 1;
  } catch {
    return false;
  }
}

/** Go decodes it when no known field has another type; unknown fields do not matter. */
function isOciManifest(value: Record<string, unknown>): boolean {
  const isText = (field: unknown): boolean => typeof field === 'string';
  const checks: [field: string, test: (field: unknown) => boolean][] = [
    ['schemaVersion', (field) => typeof field === 'number'],
    ['mediaType', isText],
    ['artifactType', isText],
    ['config', isObject],
    ['subject', isObject],
    ['layers', (field) => Array.isArray(field) && field.every(isObject)],
    ['annotations', (field) => isObject(field) && Object.values(field).every(isText)],
  ];
  return checks.every(
    ([field, test]) => value[field] === undefined || value[field] === null || test(value[field]),
  );
}
