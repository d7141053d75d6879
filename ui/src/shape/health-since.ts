import { type HealthCode, type KubeObject, parseTime } from '#base/model';
import { clockTime } from './time.ts';

/** Since when an object is in its state, in milliseconds, by its own status. */
export type TroubleSince = {
  readonly at: number;
  /** It restarts, and was in this state before as well. */
  readonly isLeast: boolean;
};

type Condition = { type?: string; status?: string; lastTransitionTime?: string };
type StatusView = {
  status?: {
    conditions?: readonly Condition[];
    containerStatuses?: readonly { ready?: boolean; restartCount?: number }[];
  };
};

/** What is wrong while it is True, and what is wrong while it is not. */
const troubles: readonly string[] = ['Failed', 'ReplicaFailure', 'Stalled', 'Degraded'];
const virtues: readonly string[] = ['Ready', 'Available', 'Healthy'];

/**
 * Since when an object is not as it should be, as far as its conditions say; undefined: they do not. The application's own time is
 * none of it: another of its resources may have been the first.
 */
export function healthSince(object: KubeObject, health: HealthCode): TroubleSince | undefined {
  if (health !== 'Degraded' && health !== 'Progressing') return undefined;
  const { conditions = [], containerStatuses = [] } = (object as StatusView).status ?? {};
  const isTrouble = ({ type = '', status }: Condition): boolean => {
    if (type === 'Progressing') return health === 'Degraded' && status === 'False';
    return troubles.includes(type) ? status === 'True' : virtues.includes(type) && status !== 'True';
  };
  const times = conditions
    .filter(isTrouble)
    .flatMap(({ lastTransitionTime }) => parseTime(lastTransitionTime) ?? []);
  if (times.length === 0) return undefined;
  const isLeast = containerStatuses.some(({ ready, restartCount = 0 }) => ready !== true && restartCount > 0);
  return { at: Math.min(...times), isLeast };
}

/** The time in words, with nothing claimed that is not known. */
export const sinceWords = ({ at, isLeast }: TroubleSince, now: number, zone?: string): string =>
  ` since ${isLeast ? 'at least ' : ''}${clockTime(at, now, zone)}`;
