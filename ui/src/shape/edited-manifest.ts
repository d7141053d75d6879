import { isObject, parseJson, printJson } from '#base/std';
import { createMergePatch } from '#kubernetes/patch';
import { parse, print } from '#lang/yaml';

/** What a user may change of a live object: all but what the cluster writes itself; `cluster` leaves out its counters, too. */
export function editable(manifest: string, without?: 'cluster'): string {
  const { status: _status, ...object } = objectIn(manifest);
  const { managedFields: _fields, ...metadata } = (object.metadata ?? {}) as Record<string, unknown>;
  if (!without) return print({ ...object, metadata });
  const { generation: _generation, resourceVersion: _version, ...rest } = metadata;
  return print({ ...object, metadata: rest });
}

/** The edit as a merge patch; empty: nothing was changed. Throws when the text is no YAML. */
export function patchOf(manifest: string, edited: string): string {
  const [before, after] = [parse(editable(manifest)), parse(edited)];
  if (!isObject(after)) throw new Error('the manifest is not a mapping of fields');
  const patch = createMergePatch(before, after);
  return isObject(patch) && Object.keys(patch).length === 0 ? '' : printJson(patch);
}

function objectIn(manifest: string): Record<string, unknown> {
  const value = parseJson(manifest);
  return isObject(value) ? value : {};
}
