import type { ApplicationRollout, ApplicationSet, RolloutStep } from '#base/model';
import { selectorText } from './set-generators.ts';
import { counted } from './span.ts';

/** One step of a progressive sync, with the applications in it. */
export type RolloutLane = {
  /** Counted from one; undefined: the applications that no step selects. */
  readonly step?: number;
  readonly title: string;
  /** Which applications belong to it, and how many at once. */
  readonly selects: string;
  readonly state: 'done' | 'current' | 'blocked';
  /** The unfinished first, each by name. */
  readonly entries: readonly ApplicationRollout[];
};

const order: readonly ApplicationRollout['status'][] = ['Progressing', 'Pending', 'Waiting', 'Healthy'];

export const isRolling = ({ spec }: ApplicationSet): boolean => spec.strategy?.type === 'RollingSync';

/** compat sources ASY-4, ASY-6: the steps as lanes; the first with an unfinished application is the current one. */
export function rolloutLanes({ spec, status }: ApplicationSet): RolloutLane[] {
  const steps = spec.strategy?.rollingSync?.steps ?? [];
  const entries = (status?.applicationStatus ?? []).toSorted(
    (a, b) => order.indexOf(a.status) - order.indexOf(b.status) || (a.application < b.application ? -1 : 1),
  );
  const inStep = (step: number) => entries.filter((entry) => Number(entry.step) === step);
  const isDone = (step: number) => inStep(step).every((entry) => entry.status === 'Healthy');
  const current = steps.findIndex((_, at) => !isDone(at + 1));
  const lanes = steps.map((step, at): RolloutLane => {
    const isPast = current < 0 || at < current;
    return {
      step: at + 1,
      title: `Step ${at + 1}`,
      selects: stepText(step),
      state: isPast ? 'done' : at === current ? 'current' : 'blocked',
      entries: inStep(at + 1),
    };
  });
  const others = entries.filter(({ step }) => !(Number(step) >= 1 && Number(step) <= steps.length));
  if (others.length === 0) return lanes;
  const selects = 'selected by no step: the set updates these and never syncs them';
  return [...lanes, { title: 'No step', selects, state: 'blocked', entries: others }];
}

/** The step that applications wait in, and its number of how many; undefined: the rollout is complete. */
export function currentStep(set: ApplicationSet): (RolloutLane & { readonly step: number }) | undefined {
  const lane = rolloutLanes(set).find(({ state }) => state === 'current');
  return lane?.step === undefined ? undefined : { ...lane, step: lane.step };
}

export const unfinished = ({ entries }: RolloutLane): ApplicationRollout[] =>
  entries.filter(({ status }) => status !== 'Healthy');

function stepText({ matchExpressions = [], maxUpdate }: RolloutStep): string {
  const which = selectorText({ matchExpressions }) || 'every application';
  if (maxUpdate === undefined) return which;
  const isNone = maxUpdate === 0 || maxUpdate === '0' || maxUpdate === '0%';
  return `${which}; ${isNone ? 'none by itself: sync each by hand' : `${maxUpdate} at once`}`;
}

/** What a lane has, in few words: `2 of 5 healthy`. */
export function laneTally({ entries }: RolloutLane): string {
  if (entries.length === 0) return 'no application';
  const healthy = entries.filter(({ status }) => status === 'Healthy').length;
  return healthy === entries.length
    ? `${counted(healthy, 'application')}, all healthy`
    : `${healthy} of ${entries.length} healthy`;
}
