import { hasReason, refOf } from '#kube';
import { type KubeObject, keyOf } from '#model';
import { atOnce, type Ctx } from '#std';
import type { LiveCluster } from './clusters.ts';

/** Questions at a time: a thousand objects of an old version are no reason to flood a cluster. */
const width = 10;

/** What the server made of an object at another version. What is held is replaced, never changed, so it holds as long. */
const converted = new WeakMap<KubeObject, KubeObject>();

/**
 * compat T-12: a cluster is watched at the version it prefers of each kind; what Git declares at another one is compared,
 * and judged, at that. The server converts it, for nobody else knows how, and is asked again when the object has changed.
 */
export async function atDeclaredVersions(
  ctx: Ctx,
  { kube }: Pick<LiveCluster, 'kube'>,
  live: readonly KubeObject[],
  targets: readonly KubeObject[],
): Promise<readonly KubeObject[]> {
  const known = new Set(targets.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`));
  if (live.every(({ apiVersion, kind }) => known.has(`${apiVersion} ${kind}`))) return live; // nearly always
  const declared = new Map(targets.map((target) => [keyOf(target), target.apiVersion]));
  const others = live.filter((object) => {
    const version = declared.get(keyOf(object));
    return version !== undefined && version !== object.apiVersion;
  });
  if (others.length === 0) return live;
  const asked = await atOnce(width, others, async (object) => {
    const apiVersion = declared.get(keyOf(object)) ?? object.apiVersion;
    const before = converted.get(object);
    if (before?.apiVersion === apiVersion) return before;
    const found = await kube.find(ctx, { ...refOf(object), apiVersion }).catch(passOver);
    if (found) converted.set(object, found);
    return found ?? object;
  });
  const versions = new Map(others.map((object, at) => [object, asked[at] ?? object]));
  return live.map((object) => versions.get(object) ?? object);
}

/** A version that is not served is for the sync to tell of. */
function passOver(error: unknown): undefined {
  if (!hasReason(error, 'NoMatch')) throw error;
}
