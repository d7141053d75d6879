import { type HealthCode, type KubeObject, parseTime } from '#base/model';
import {
  asReplicaSet,
  describeRollout,
  type KnativeRevision,
  knativeOf,
  type Rollout,
  type RolloutReplicaSet,
} from '#engine/rollouts';
import { imageTag } from './resource-line.ts';
import { type StepLine, stepLines } from './rollout-steps.ts';
import { counted } from './span.ts';
import { clockTime, duration } from './time.ts';

/** One ReplicaSet of a Rollout, for users. */
export type RolloutRevision = {
  readonly revision: number;
  readonly name: string;
  /** `stable`, `canary`, `active`, `preview`; empty: it is kept to go back to. */
  readonly roles: readonly string[];
  readonly images: readonly string[];
  readonly pods: number;
  readonly available: number;
  readonly createdAt: number | undefined;
  /** It is what the Rollout declares now. */
  readonly isCurrent: boolean;
};

/** A Rollout as its panel shows it. */
export type RolloutProgress = {
  readonly health: HealthCode;
  /** What it is doing, since when, and what it waits for. */
  readonly sentence: string;
  readonly strategy: string;
  /** Of a canary: the share that the new revision has, and the one that the steps want. */
  readonly weights: { readonly actual: number; readonly wanted: number } | undefined;
  readonly steps: readonly StepLine[];
  readonly revisions: readonly RolloutRevision[];
  readonly desired: number;
  readonly available: number;
};

const healths: Readonly<Record<string, HealthCode>> = {
  Healthy: 'Healthy',
  Paused: 'Suspended',
  Progressing: 'Progressing',
  Degraded: 'Degraded',
};

export function rolloutProgress(
  rollout: Rollout,
  sets: readonly RolloutReplicaSet[],
  now: number,
): RolloutProgress {
  const view = describeRollout(rollout, sets);
  const revisions = view.revisions.map((one): RolloutRevision => {
    const set = sets.find(({ metadata }) => metadata.name === one.name);
    return {
      ...one,
      images: imagesIn(set?.spec?.template),
      createdAt: parseTime(set?.metadata.creationTimestamp),
      isCurrent: set?.metadata.labels?.[hashLabel] === rollout.status?.currentPodHash,
    };
  });
  const steps = stepLines(rollout, revisions);
  return {
    health: healths[view.phase] ?? 'Unknown',
    sentence: sentenceOf({ rollout, view, revisions, steps, now }),
    strategy: view.strategy === 'BlueGreen' ? 'blue-green' : 'canary',
    weights:
      view.actualWeight === undefined
        ? undefined
        : { actual: Number(view.actualWeight), wanted: Number(view.setWeight) },
    steps,
    revisions,
    desired: view.desired,
    available: view.available,
  };
}

/** The versions of a Rollout: its ReplicaSets, or the Revisions of its Knative Service. */
export function rolloutVersions(rollout: Rollout, objects: readonly KubeObject[]): RolloutReplicaSet[] {
  if (!knativeOf(rollout)) return objects as RolloutReplicaSet[];
  return (objects as KnativeRevision[]).map((revision) => {
    const set = asReplicaSet(revision);
    return { ...set, spec: { ...set.spec, template: { spec: revision.spec ?? {} } } };
  });
}

const hashLabel = 'rollouts-pod-template-hash';

/** The images of a template's containers. */
function imagesIn(template: { readonly spec?: Record<string, unknown> } | undefined): string[] {
  const { containers } = template?.spec ?? {};
  return Array.isArray(containers) ? containers.map(({ image = '' }: { image?: string }) => image) : [];
}

/** Whether an update is under way: the revision of the current template is not the stable one. */
export const isUpdating = ({ status }: Rollout): boolean =>
  status?.currentPodHash !== undefined && status.currentPodHash !== status.stableRS;

type Facts = {
  readonly rollout: Rollout;
  readonly view: ReturnType<typeof describeRollout>;
  readonly revisions: readonly RolloutRevision[];
  readonly steps: readonly StepLine[];
  readonly now: number;
};

/** `revision 3 (web:2)`. */
export function revisionText({ revision, images }: RolloutRevision): string {
  const tags = images.map(imageTag).join(', ');
  return tags ? `revision ${revision} (${tags})` : `revision ${revision}`;
}

/** compat rollouts RK-14: whether a person has pinned the traffic, so that no update goes on. */
export const isOverridden = ({ status }: Rollout): boolean =>
  (status?.conditions ?? []).some((one) => one.type === 'ManualTraffic' && one.status === 'True');

/** How such an override is ended. */
export const clearCommand = ({ metadata }: Rollout): string =>
  `fairlead rollouts undo ${metadata.name} -n ${metadata.namespace ?? ''} --clear`;

function sentenceOf({ rollout, view, revisions, steps, now }: Facts): string {
  const current = revisions.find(({ isCurrent }) => isCurrent);
  const what = current ? revisionText(current) : 'the new revision';
  const at = steps.findIndex(({ state }) => state === 'current');
  const where = at < 0 ? '' : ` at step ${at + 1} of ${steps.length}`;
  switch (view.phase) {
    case 'Healthy':
      if (knativeOf(rollout)) return `Healthy: ${what} has all requests.`;
      return `Healthy: ${what} has ${counted(view.available, 'pod')} of ${view.desired}.`;
    case 'Paused':
      if (isOverridden(rollout)) return `Paused: ${view.message}. It ends with ${clearCommand(rollout)}.`;
      return `Paused: ${what} waits${where}${pauseText(rollout, now)}.`;
    case 'Degraded':
      return `Degraded: ${withoutReason(view.message)}.`;
    default:
      return `Progressing: ${what}${where}, ${view.message || 'the controller has not reported yet'}.`;
  }
}

/** `RolloutAborted: Rollout aborted update to revision 2: Metric …`: the reason is in the words already. */
const withoutReason = (message: string): string => message.replace(/^\w+: /, '').replace(/\.$/, '');

function pauseText(rollout: Rollout, now: number): string {
  if (rollout.spec?.paused) return ' because it was paused by hand; it goes on when it is resumed';
  const [first] = rollout.status?.pauseConditions ?? [];
  const began = parseTime(first?.startTime);
  const since = began === undefined ? '' : ` since ${clockTime(began, now)}`;
  if (first?.reason === 'InconclusiveAnalysisRun')
    return `${since}: its analysis came to no verdict, so a person promotes or aborts`;
  const ms = pauseMs(rollout);
  if (ms === undefined || began === undefined) return `${since}, until a person promotes it`;
  const left = began + ms - now;
  return left > 0 ? `${since}, and goes on in ${duration(left)}` : `${since}, and is about to go on`;
}

/** How long the present pause lasts; undefined: until a person promotes. */
function pauseMs({ spec, status }: Rollout): number | undefined {
  const { canary, blueGreen } = spec?.strategy ?? {};
  if (blueGreen) {
    const { autoPromotionEnabled = true, autoPromotionSeconds = 0 } = blueGreen;
    return autoPromotionEnabled && autoPromotionSeconds > 0 ? autoPromotionSeconds * 1000 : undefined;
  }
  const text = canary?.steps?.[status?.currentStepIndex ?? 0]?.pause?.duration;
  return text === undefined ? undefined : spanMs(String(text));
}

const units: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };

/** compat rollouts §2: seconds as a number or digits, or a duration as Go writes it; undefined: neither. */
export function spanMs(text: string): number | undefined {
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|h|m|s)/g)];
  if (parts.length === 0 || parts.map(([all]) => all).join('') !== text) return undefined;
  return parts.reduce((sum, [, amount, unit = 's']) => sum + Number(amount) * (units[unit] ?? 0), 0);
}
