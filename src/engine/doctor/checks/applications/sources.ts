import type { KubeObject } from '#base/model';
import { isObject, type JsonObject } from '#base/std';
import type { FieldPath } from '../../check.ts';
import { listAt, valueAt } from '../../kinds.ts';

/** The sources of an Application, each with its path. */
export function sourcesIn(app: KubeObject): { readonly path: FieldPath; readonly source: JsonObject }[] {
  const one = valueAt(app, ['spec', 'source']);
  const several = listAt(app, ['spec', 'sources']);
  return [
    ...several.map((source, at) => ({ path: ['spec', 'sources', at] as FieldPath, source })),
    ...(several.length === 0 ? [{ path: ['spec', 'source'] as FieldPath, source: one }] : []),
  ].flatMap(({ path, source }) => (isObject(source) ? [{ path, source }] : []));
}
