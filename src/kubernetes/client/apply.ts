import type { KubeObject } from '#base/model';
import { type Ctx, printJson } from '#base/std';
import { type Api, refOf, written } from './api.ts';
import { objectPath } from './path.ts';
import { type WriteOptions, writing } from './verbs.ts';

export type ApplyOptions = WriteOptions & {
  /** The owner of the sent fields. */
  readonly fieldManager: string;
  /** Takes fields from other managers instead of refusing with Conflict. */
  readonly force?: boolean;
  readonly subresource?: string;
};

/**
 * Server-side apply: creates the object or merges into it, and owns exactly the fields sent. Safe to repeat. Throws
 * KubeError `Conflict` with one cause per field that another manager owns.
 */
export async function apply(
  ctx: Ctx,
  api: Api,
  object: KubeObject,
  options: ApplyOptions,
): Promise<KubeObject> {
  return written(ctx, api, object, async (resource) => {
    const { query, onWarning } = writing(options);
    const answer = await api.http.json(ctx, {
      method: 'PATCH',
      path: objectPath(resource, { ...refOf(object), subresource: options.subresource }),
      query: { ...query, force: options.force ?? false },
      contentType: 'application/apply-patch+yaml', // JSON is YAML, and no other name is accepted by all versions
      body: printJson(object),
      onWarning,
    });
    return answer as KubeObject;
  });
}
