import { type Health, isKind, type KubeObject } from '#base/model';
import { type PodProblem, podProblem, worst } from './pod-problem.ts';
import { waitingForSpec } from './verdict.ts';

/** The Pods that an object owns, directly or through others. */
export type PodsOf = (object: KubeObject) => readonly KubeObject[];

/**
 * The same health, its message naming why a Pod of the object does not run. The status code is never another (compat engine
 * H-1, H-11): what a Pod lacks explains its owner's health and does not decide it.
 */
export function explained(object: KubeObject, health: Health, podsOf: PodsOf | undefined): Health {
  if (!podsOf || (health.status !== 'Progressing' && health.status !== 'Degraded')) return health;
  if (isKind(object, '', 'Pod')) {
    const text = podProblem(object)?.text;
    return text ? { ...health, message: text } : health;
  }
  if (health.message === waitingForSpec) return health; // its pods are still those of the spec before
  const found = worstOf(podsOf(object));
  if (!found || isNamed(health.message, found)) return health;
  const cause = `${found.text} (pod ${found.pod})`;
  // a Job has nothing to add to what keeps its pod
  const own = isKind(object, 'batch', 'Job') && health.status === 'Progressing' ? undefined : health.message;
  return { ...health, message: own ? `${cause}; ${own}` : cause };
}

type Found = PodProblem & { readonly pod: string };

/** The newest Pod of those that are worst off, so that what an earlier version left behind does not hide it. */
function worstOf(pods: readonly KubeObject[]): Found | undefined {
  const troubled = pods.flatMap((pod) => {
    const found = podProblem(pod);
    return found ? [{ ...found, pod: pod.metadata.name, at: pod.metadata.creationTimestamp ?? '' }] : [];
  });
  return worst(troubled.sort((a, b) => compare(b.at, a.at) || compare(a.pod, b.pod)));
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Whether the owner's own message already names the problem, as a Knative Revision's does. */
function isNamed(message: string | undefined, { reason, text }: PodProblem): boolean {
  return message !== undefined && (message.includes(text) || (reason !== '' && message.includes(reason)));
}
