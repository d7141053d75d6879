import { knativeOf, type Rollout } from '#engine/rollouts';
import type { ResourceAction } from '#serve/api';
import { imageTag } from './resource-line.ts';
import {
  clearCommand,
  isOverridden,
  isUpdating,
  type RolloutProgress,
  type RolloutRevision,
  revisionText,
} from './rollout-progress.ts';
import { counted } from './span.ts';

/** Something that a person decides about an update; done by an action of its kind. */
export type RolloutVerb = {
  readonly label: string;
  /** The name of the action, as policies have it. */
  readonly action: string;
  readonly variant: 'plain' | 'act' | 'danger';
  /** What will happen. */
  readonly does: string;
  /** Why it cannot be done now. */
  readonly why?: string;
};

type Draft = Omit<RolloutVerb, 'why'> & { readonly why: string | undefined };

/** What can be done to a Rollout now; what cannot says why. */
export function rolloutVerbs(
  rollout: Rollout,
  progress: RolloutProgress,
  actions: readonly ResourceAction[],
): RolloutVerb[] {
  const isAborted = rollout.status?.abort === true;
  const drafts: Draft[] = [
    promote(rollout, progress),
    promoteFull(rollout, progress),
    isAborted ? retry(progress) : abort(rollout, progress),
    rollout.spec?.paused ? resume : pause(rollout),
    restart(rollout, progress),
  ];
  return drafts.map(({ why: first, ...verb }) => {
    const why = first ?? unavailable(actions, verb.action);
    return { ...verb, ...(why && { why }) };
  });
}

/** compat engine H-32: actions that an installation configures replace all that are built in. */
function unavailable(actions: readonly ResourceAction[], name: string): string | undefined {
  const found = actions.find((one) => one.name === name);
  if (!found) return `The action ${name} is not among those that resource.customizations configures.`;
  return found.disabled ? 'It makes no sense in the present state.' : undefined;
}

function whyNotNow(rollout: Rollout): string | undefined {
  if (isOverridden(rollout))
    return `A person has pinned the traffic: end that first, with ${clearCommand(rollout)}.`;
  if (!isUpdating(rollout)) return 'No update is under way.';
  return rollout.status?.abort ? 'The update was aborted: retry it first.' : undefined;
}

const currentOf = ({ revisions }: RolloutProgress): string => {
  const found = revisions.find(({ isCurrent }) => isCurrent);
  return found ? revisionText(found) : 'the new revision';
};

/** compat rollouts RW-3: lifts a pause, or goes on to the next step. */
function promote(rollout: Rollout, { steps }: RolloutProgress): Draft {
  const { pauseConditions = [] } = rollout.status ?? {};
  const isInconclusive = pauseConditions.some(({ reason }) => reason === 'InconclusiveAnalysisRun');
  const isPaused = pauseConditions.length > 0 || rollout.spec?.paused === true;
  const isBlueGreen = rollout.spec?.strategy?.blueGreen !== undefined;
  const at = steps.findIndex(({ state }) => state === 'current');
  const next = steps[at + 1]?.title;
  const isLifted = isPaused && !(isInconclusive && !isBlueGreen);
  const onward = next ? `the update goes on with step ${at + 2}: ${next}` : 'the update is finished';
  const nothing = isBlueGreen && !isPaused ? 'It waits for nothing that a person decides.' : undefined;
  return {
    label: 'Promote',
    action: isLifted ? 'resume' : 'skip-current-step',
    variant: 'act',
    does: isLifted
      ? `The pause ends, and ${onward}.`
      : `The step “${steps[at]?.title ?? ''}” is skipped, and ${onward}.`,
    why: whyNotNow(rollout) ?? nothing,
  };
}

function promoteFull(rollout: Rollout, progress: RolloutProgress): Draft {
  const left = progress.steps.filter(({ state }) => state !== 'done').length;
  return {
    label: 'Promote fully',
    action: 'promote-full',
    variant: 'plain',
    does: `${currentOf(progress)} gets everything at once. ${counted(left, 'step')} with pauses and analysis ${left === 1 ? 'is' : 'are'} skipped.`,
    why: whyNotNow(rollout),
  };
}

function abort(rollout: Rollout, { revisions }: RolloutProgress): Draft {
  const stable = revisions.find(({ roles }) => roles.includes('stable'));
  const back = stable ? revisionText(stable) : 'the stable revision';
  return {
    label: 'Abort',
    action: 'abort',
    variant: 'danger',
    does: `Everything returns to ${back}. Git still declares the new one, so the application is Degraded until the update is retried or Git changes.`,
    why: whyNotNow(rollout),
  };
}

const retry = (progress: RolloutProgress): Draft => ({
  label: 'Retry',
  action: 'retry',
  variant: 'plain',
  does: `The update to ${currentOf(progress)} begins again with its first step.`,
  why: undefined,
});

const resume: Draft = {
  label: 'Resume',
  action: 'resume',
  variant: 'plain',
  does: 'The controller goes on where it was paused.',
  why: undefined,
};

const pause = (rollout: Rollout): Draft => ({
  label: 'Pause',
  action: 'pause',
  variant: 'plain',
  does: 'Nothing is scaled, switched or measured until it is resumed.',
  why: whyNotNow(rollout),
});

const restart = (rollout: Rollout, { available }: RolloutProgress): Draft => ({
  label: 'Restart',
  action: 'restart',
  variant: 'plain',
  does: `${counted(available, 'pod')} ${available === 1 ? 'is' : 'are'} evicted and created again, as many at once as may be unavailable. Nothing else changes.`,
  why: knativeOf(rollout) ? 'It has no pods of its own: Knative scales those of its Service.' : undefined,
});

/** Why a Rollout cannot go back to a revision. */
export function whyNotBackTo({ spec }: Rollout): string | undefined {
  const { kind, name } = spec?.workloadRef ?? {};
  return name ? `Its template stands in ${kind} ${name}: roll that back.` : undefined;
}

/** What a return to a revision changes in the images: `web:2 → web:1`. */
export function imageChanges(from: RolloutRevision | undefined, to: RolloutRevision): string[] {
  return to.images.flatMap((image, at) => {
    const before = from?.images[at];
    return before === image
      ? []
      : [`${before === undefined ? 'none' : imageTag(before)} → ${imageTag(image)}`];
  });
}
