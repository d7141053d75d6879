import { equal } from '#base/std';
import { setWeightAt, stepIndexOf } from '../canary-replicas.ts';
import type { Draft } from '../pass.ts';
import { canaryOf, isPromoted, rolloutKey, stepsOf } from '../rollout.ts';
import { recordWeights } from '../routers/record-weights.ts';
import { knativeOf } from './settings.ts';
import {
  conditionIn,
  foreignManager,
  isCurrent,
  isReady,
  type KnativeRevision,
  type KnativeServiceView,
  type KnativeTraffic,
} from './view.ts';

/** A pass over the Rollout of a Knative Service, with what it found. */
export type KnativePass = {
  readonly draft: Draft;
  readonly service: KnativeServiceView;
  /** The version that is protected; undefined: there is none yet. */
  readonly stable: KnativeRevision | undefined;
  /** The latest created version, which may be the stable one. */
  readonly latest: KnativeRevision;
};

/** The traffic of one state, with the share of the new version. */
type Split = { readonly weight: number; readonly targets: readonly KnativeTraffic[] };

/** What live traffic goes where, the largest share first. */
export function liveShares({ status }: KnativeServiceView): readonly (readonly [string, number])[] {
  const shares = new Map<string, number>();
  for (const { revisionName = '', percent = 0 } of status?.traffic ?? [])
    if (revisionName && percent > 0) shares.set(revisionName, (shares.get(revisionName) ?? 0) + percent);
  return [...shares].toSorted(([, a], [, b]) => b - a);
}

/** The address of the candidate's tag; undefined: Knative has not assigned it. */
export function candidateUrl(
  { rollout, pass }: Pick<Draft, 'rollout' | 'pass'>,
  revision: string | undefined,
): string | undefined {
  const { tag } = knativeOf(rollout) ?? {};
  const { traffic = [] } = pass.knative?.service?.status ?? {};
  return traffic.find((one) => one.tag === tag && one.revisionName === revision)?.url;
}

const nameOf = (revision: KnativeRevision | undefined): string => revision?.metadata.name ?? '';

/** compat rollouts RK-4: by names of Revisions only. The stable one is named at 0 percent too, so that it is kept. */
function splitOf(pass: KnativePass, weight: number): Split {
  const { tag = '' } = knativeOf(pass.draft.rollout) ?? {};
  return {
    weight,
    targets: [
      { revisionName: nameOf(pass.stable), percent: 100 - weight },
      { revisionName: nameOf(pass.latest), percent: weight, tag },
    ],
  };
}

export const pinned = (name: string): Split => ({
  weight: 0,
  targets: [{ revisionName: name, percent: 100 }],
});

/** The traffic that a person pinned. The stable version is named at 0 percent too, so that it is kept. */
export const pinnedBy = (name: string, stable: string | undefined): readonly KnativeTraffic[] => [
  { revisionName: name, percent: 100 },
  ...(stable === undefined || stable === name ? [] : [{ revisionName: stable, percent: 0 }]),
];

/** Whether this candidate has had its tag: from then on it is judged, and keeps its share while it is not ready. */
export const isBegun = ({ draft, latest }: KnativePass): boolean =>
  draft.rollout.status?.canary?.weights?.canary.podTemplateHash === nameOf(latest) &&
  candidateUrl(draft, nameOf(latest)) !== undefined;

/** compat rollouts RK-6: the traffic of the state; undefined: it stays as it is. */
export function splitFor(pass: KnativePass): Split | undefined {
  const { draft, stable, latest } = pass;
  if (!stable) return isReady(latest) ? pinned(nameOf(latest)) : undefined;
  if (isPromoted(draft.rollout)) return pinned(nameOf(stable));
  if (draft.isAborted) return isReady(latest) && keepsTag(draft) ? splitOf(pass, 0) : pinned(nameOf(stable));
  if (draft.rollout.spec?.paused) return heldSplit(pass);
  if (isReady(latest)) return splitOf(pass, shareOf(draft));
  return isBegun(pass) ? undefined : pinned(nameOf(stable));
}

/** compat rollouts RW-1: while a person pauses the Rollout the candidate keeps the share that it has. */
function heldSplit(pass: KnativePass): Split {
  const { weights } = pass.draft.rollout.status?.canary ?? {};
  const isOfLatest = weights?.canary.podTemplateHash === nameOf(pass.latest);
  const weight = isOfLatest ? (weights?.canary.weight ?? 0) : 0;
  return weight > 0 || isBegun(pass) ? splitOf(pass, weight) : pinned(nameOf(pass.stable));
}

function shareOf({ rollout, skipsSteps }: Draft): number {
  const { length } = stepsOf(rollout);
  const areDone = length === 0 || stepIndexOf(rollout) === length;
  return skipsSteps || areDone ? 100 : setWeightAt(rollout);
}

/** compat rollouts RK-9: after an abort the tag stays, unless an explicit delay removes it. */
function keepsTag(draft: Draft): boolean {
  const { rollout, pass } = draft;
  const seconds = canaryOf(rollout)?.abortScaleDownDelaySeconds ?? 0;
  if (seconds === 0) return true;
  const since = Date.parse(rollout.status?.abortedAt ?? '') || pass.now.getTime();
  const until = since + seconds * 1000;
  if (until <= pass.now.getTime()) return false;
  draft.wake(until);
  return true;
}

/** compat rollouts RK-3, RT-6: writes the traffic unless the Service has it, and records it. */
export function writeTraffic(pass: KnativePass, { weight, targets }: Split): void {
  const { draft, service, stable, latest } = pass;
  const isWritten = isRequested(service, targets);
  if (!isWritten) correct(draft, service, targets);
  const { name } = service.metadata;
  recordWeights(draft, {
    weight,
    canary: { serviceName: name, podTemplateHash: nameOf(latest) },
    stable: { serviceName: name, podTemplateHash: nameOf(stable ?? latest) },
    isVerified: isWritten && isServed(service, targets),
  });
}

/** Whether the spec of the Service requests all traffic for one Revision, and no tag. */
export const isPinned = (service: KnativeServiceView, revision: string): boolean =>
  isRequested(service, pinned(revision).targets);

const isRequested = ({ spec }: KnativeServiceView, targets: readonly KnativeTraffic[]): boolean =>
  equal((spec?.traffic ?? []).map(plain), targets.map(plain));

const plain = ({ revisionName = '', percent = 0, tag = '', latestRevision }: KnativeTraffic) => ({
  ...{ revisionName, percent, tag, latestRevision: latestRevision === true },
});

function apply(draft: Draft, service: KnativeServiceView, targets: readonly KnativeTraffic[]): void {
  const { apiVersion, kind, metadata } = service;
  const { name, namespace, uid, resourceVersion } = metadata;
  draft.write({
    verb: 'apply',
    object: {
      apiVersion,
      kind,
      metadata: {
        name,
        ...(namespace && { namespace }),
        ...(uid && { uid }),
        ...(resourceVersion && { resourceVersion }),
      },
      spec: { traffic: targets },
    },
  });
}

const correctionMs = 60_000;

/** compat rollouts RT-7: a change by another actor is corrected, once a minute, and reported by its field manager. */
function correct(draft: Draft, service: KnativeServiceView, targets: readonly KnativeTraffic[]): void {
  const { rollout, pass } = draft;
  const manager = rollout.status?.canary?.weights ? foreignManager(service) : undefined;
  const last = Date.parse(rollout.metadata.annotations?.[rolloutKey.trafficCorrected] ?? '') || 0;
  const next = last + correctionMs;
  const isTooSoon = manager !== undefined && next > pass.now.getTime();
  if (isTooSoon) draft.wake(next);
  else apply(draft, service, targets);
  if (manager === undefined) return;
  // after the correction: one that failed is not counted
  if (!isTooSoon)
    draft.patch(rollout, { metadata: { annotations: { [rolloutKey.trafficCorrected]: draft.nowText } } });
  const after = isTooSoon ? 'it is corrected within a minute' : 'it was corrected';
  draft.event(
    'TrafficWeightConflict',
    `${manager} changed spec.traffic of the Knative Service "${service.metadata.name}", which this Rollout owns: ${after}`,
    'Warning',
  );
}

/** compat rollouts RK-5: whether Knative sends the traffic so. */
function isServed(service: KnativeServiceView, targets: readonly KnativeTraffic[]): boolean {
  if (!isCurrent(service) || conditionIn(service, 'RoutesReady')?.status !== 'True') return false;
  const { traffic = [] } = service.status ?? {};
  return targets.every(({ revisionName, percent = 0, tag = '' }) =>
    traffic.some(
      (one) =>
        one.revisionName === revisionName &&
        (one.percent ?? 0) === percent &&
        (one.tag ?? '') === tag &&
        (tag === '' || one.url !== undefined),
    ),
  );
}

/** compat rollouts RK-5: the address of the candidate, where a `fieldRef` finds it. */
export function noteCandidateUrl({ draft, latest }: KnativePass): void {
  const { rollout, pass } = draft;
  const url = isPromoted(rollout) ? undefined : candidateUrl(draft, nameOf(latest));
  if ((url ?? '') === (pass.knative?.recordedUrl ?? '')) return;
  draft.patch(rollout, { metadata: { annotations: { [rolloutKey.candidateUrl]: url ?? null } } });
}
