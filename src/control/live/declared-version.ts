import { type KubeObject, keyOf } from '#base/model';
import type { Ctx } from '#base/std';
import { refOf } from '#kubernetes/client';
import type { LiveCluster } from './clusters.ts';
import { findEach } from './unwatched.ts';

/** What the server made of an object at another version. What is held is replaced, never changed, so it holds as long. */
const converted = new WeakMap<KubeObject, KubeObject>();

/**
 * compat T-12: a cluster is watched at the version it prefers of each kind; what Git declares at another one is compared,
 * and judged, at that. The server converts it, for nobody else knows how, and is asked again when the object has changed.
 */
export async function atDeclaredVersions(
  ctx: Ctx,
  cluster: Pick<LiveCluster, 'kube'>,
  live: readonly KubeObject[],
  targets: readonly KubeObject[],
): Promise<readonly KubeObject[]> {
  const known = new Set(targets.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`));
  if (live.every(({ apiVersion, kind }) => known.has(`${apiVersion} ${kind}`))) return live; // nearly always
  const declared = new Map(targets.map((target) => [keyOf(target), target.apiVersion]));
  /** Undefined: it is held at the version it is declared at, or is not declared. */
  const wanted = (object: KubeObject): string | undefined => {
    const version = declared.get(keyOf(object));
    return version === object.apiVersion ? undefined : version;
  };
  const asked = live.flatMap((object) => {
    const apiVersion = wanted(object);
    const isKnown = apiVersion === undefined || converted.get(object)?.apiVersion === apiVersion;
    return isKnown ? [] : { object, ref: { ...refOf(object), apiVersion } };
  });
  const refs = asked.map(({ ref }) => ref);
  for (const [at, one] of (await findEach(ctx, cluster, refs)).entries()) {
    const object = asked[at]?.object;
    if (one && object) converted.set(object, one);
  }
  return live.map((object) => {
    const one = converted.get(object);
    return one && one.apiVersion === wanted(object) ? one : object; // what is not served is for the sync to tell of
  });
}
