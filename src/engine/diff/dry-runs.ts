import { type Application, annotation, annotationList, type KubeObject, type ResourceKey } from '#base/model';
import type { FairleadError } from '#base/std';
import type { IgnoreRules } from './ignore.ts';
import { lastAppliedOf } from './last-applied.ts';
import { keepNamedRevision } from './named-revision.ts';
import type { TypeOf } from './predict-server.ts';
import { respectIgnored } from './respect.ts';

/** A target that the server should dry-run for a comparison (compat engine D-23). */
export type DryRun = { readonly key: ResourceKey; readonly target: KubeObject };

/** The API server's result of each dry run, or its error. */
export type DryRunAnswers = ReadonlyMap<ResourceKey, KubeObject | FairleadError>;

type SendOptions = {
  /** The fields to leave as they are in the cluster: RespectIgnoreDifferences=true. */
  readonly rules?: IgnoreRules;
  readonly serverSide: boolean;
  readonly typeOf: TypeOf | undefined;
};

/**
 * A target as a sync would send it. A bare target may be refused where the sync is not: it would take back a field that we
 * own because a sync respected it, or name a Knative revision again without the defaults that Knative once gave it.
 */
export function dryRunTarget(
  target: KubeObject,
  live: KubeObject,
  { rules, serverSide, typeOf }: SendOptions,
): KubeObject {
  const wanted = rules ? respectIgnored(target, live, rules, typeOf) : target;
  const applied = serverSide ? undefined : (lastAppliedOf(live) as KubeObject | undefined);
  return keepNamedRevision(wanted, live, applied);
}

/** compat engine §3.5: on for the installation or the Application, unless the Application turns it off. */
export function serverSideDiffWanted(
  app: Application,
  { serverSideDiff }: { readonly serverSideDiff: boolean },
): boolean {
  const options = annotationList(app, annotation.compareOptions);
  if (options.includes('ServerSideDiff=false')) return false;
  return serverSideDiff || options.includes('ServerSideDiff=true');
}

/** compat engine D-24 */
export const includesWebhooks = (app: Application): boolean =>
  annotationList(app, annotation.compareOptions).includes('IncludeMutationWebhook=true');
