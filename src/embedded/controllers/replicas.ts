import { controllerOf, type KubeObject, matches, parseTime, type Selector } from '#base/model';
import { podKind } from './kinds.ts';
import { isActive, isReady, type Pod, type PodTemplate, phaseOf } from './pod/view.ts';
import { keyOfObject, type NextPass, nowOf, type SimulationContext, sooner } from './simulation-context.ts';
import { all, change, controllerManager, ownedMeta } from './write.ts';

/** How many of some pods are ready, and how many are available (ready for minReadySeconds). */
export type Readiness = {
  readonly ready: number;
  readonly available: number;
  /** When the next one becomes available without any change. */
  readonly again: NextPass | undefined;
};

export function readinessOf(
  context: SimulationContext,
  pods: readonly KubeObject[],
  minReadySeconds = 0,
): Readiness {
  let ready = 0;
  let available = 0;
  let again: NextPass | undefined;
  for (const pod of pods) {
    if (!isReady(pod)) continue;
    ready += 1;
    const at = availableAt(pod, minReadySeconds);
    if (at <= nowOf(context)) available += 1;
    else again = sooner(again, { at });
  }
  return { ready, available, again };
}

export const isAvailable = (context: SimulationContext, pod: KubeObject, minReadySeconds = 0): boolean =>
  isReady(pod) && availableAt(pod, minReadySeconds) <= nowOf(context);

function availableAt(pod: KubeObject, minReadySeconds: number): number {
  if (minReadySeconds === 0) return 0;
  const since = (pod as Pod).status?.conditions?.find(({ type }) => type === 'Ready')?.lastTransitionTime;
  return (parseTime(since) ?? 0) + minReadySeconds * 1000;
}

/** A pod created from a template for its owner. */
export function podFrom(
  owner: KubeObject,
  template: PodTemplate,
  name: string,
  more: {
    labels?: Record<string, string>;
    spec?: object;
    finalizers?: string[];
    annotations?: Record<string, string>;
    generateName?: string;
  } = {},
): KubeObject {
  const { labels, annotations, finalizers = [] } = template.metadata ?? {};
  const held = [...finalizers, ...(more.finalizers ?? [])];
  const noted = { ...annotations, ...more.annotations };
  return {
    ...podKind,
    metadata: ownedMeta(owner, {
      name,
      generateName: more.generateName ?? `${owner.metadata.name}-`,
      labels: { ...labels, ...more.labels },
      ...(Object.keys(noted).length > 0 && { annotations: noted }),
      ...(held.length > 0 && { finalizers: held }),
    }),
    spec: { ...template.spec, ...more.spec },
  };
}

/** A name for the owner's next pod: not in use, and not one that was used just before. */
export function podName(
  context: SimulationContext,
  owner: KubeObject,
  ordinal: number,
  base?: string,
): string {
  const { namespace, name: owning } = keyOfObject(owner);
  const name = base ?? owning;
  for (let attempt = 0; ; attempt++) {
    const fate = [namespace, name, owner.metadata.uid, nowOf(context), ordinal, attempt].join('/');
    const made = `${name.slice(0, 57)}-${context.chance.suffix(fate, 5)}`;
    if (!context.objects.get({ ...podKind, namespace, name: made })) return made;
  }
}

/** compat: pods that match the selector and have no controller are adopted. */
export async function adopt(
  context: SimulationContext,
  owner: KubeObject,
  selector: Selector,
): Promise<KubeObject[]> {
  const orphans = all(context, podKind, keyOfObject(owner).namespace).filter(
    (pod) => controllerOf(pod) === undefined && isActive(pod) && matches(selector, pod.metadata.labels),
  );
  return Promise.all(
    orphans.map((pod) => {
      const { ownerReferences } = ownedMeta(owner, { name: '' });
      const references = [...(pod.metadata.ownerReferences ?? []), ...ownerReferences];
      return change(context, pod, { metadata: { ownerReferences: references } }, controllerManager);
    }),
  );
}

/** compat: the order in which pods are deleted: not scheduled, pending, not ready, cheap, young. */
export function firstToGo(pods: readonly KubeObject[]): KubeObject[] {
  return pods
    .map((pod) => ({ pod, rank: rankOf(pod) }))
    .sort((a, b) => compare(a.rank, b.rank))
    .map(({ pod }) => pod);
}

type Rank = readonly (number | string)[];

function rankOf(pod: KubeObject): Rank {
  const { spec, metadata } = pod as Pod;
  const cost = Number(metadata.annotations?.['controller.kubernetes.io/pod-deletion-cost'] ?? 0);
  return [
    spec?.nodeName ? 1 : 0,
    phaseOf(pod) === 'Running' ? 1 : 0,
    isReady(pod) ? 1 : 0,
    Number.isFinite(cost) ? cost : 0,
    -(parseTime(metadata.creationTimestamp) ?? 0),
    metadata.name,
  ];
}

function compare(a: Rank, b: Rank): number {
  const index = a.findIndex((value, i) => value !== b[i]);
  const [left, right] = [a[index], b[index]];
  return left === undefined || right === undefined ? 0 : left < right ? -1 : 1;
}
