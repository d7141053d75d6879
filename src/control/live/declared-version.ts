import { type KubeObject, keyOf } from '#base/model';
import type { Ctx } from '#base/std';
import { refOf } from '#kubernetes/client';
import type { LiveCluster } from './clusters.ts';
import { findEach } from './unwatched.ts';

/**
 * Objects that the server converted to another version. A cached object is replaced, never changed, so the result is valid as
 * long.
 */
const converted = new WeakMap<KubeObject, KubeObject>();

/**
 * compat engine T-12: a kind is watched at the cluster's preferred version; an object that Git declares at another version is
 * compared, and its health assessed, at that one. Only the server can convert it; it is fetched again when the object has
 * changed.
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
  /** Undefined: it is cached at the version it is declared at, or is not declared. */
  const wanted = (object: KubeObject): string | undefined => {
    const version = declared.get(keyOf(object));
    return version === object.apiVersion ? undefined : version;
  };
  const requested = live.flatMap((object) => {
    const apiVersion = wanted(object);
    const isKnown = apiVersion === undefined || converted.get(object)?.apiVersion === apiVersion;
    return isKnown ? [] : { object, ref: { ...refOf(object), apiVersion } };
  });
  const refs = requested.map(({ ref }) => ref);
  for (const [at, one] of (await findEach(ctx, cluster, refs)).entries()) {
    const object = requested[at]?.object;
    if (one && object) converted.set(object, one);
  }
  return live.map((object) => {
    const one = converted.get(object);
    return one && one.apiVersion === wanted(object) ? one : object; // the sync reports a version that is not served
  });
}
