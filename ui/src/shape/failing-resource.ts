import type { HealthCode, ResourceKey } from '#base/model';
import { type TreeItem, walkForest } from './resource-forest.ts';

/** The resource that best explains why an application is in the state it is in. */
export type FailingResource = {
  readonly key: ResourceKey;
  readonly kind: string;
  readonly name: string;
  readonly message?: string;
  /** The pods below it, if there are any. */
  readonly pods?: { readonly ready: number; readonly total: number; readonly reason?: string };
  /** How many more are in the same state. */
  readonly others: number;
};

/**
 * The first resource, in the order of waves, whose health is the application's; undefined when there is none.
 */
export function failingResourceOf(
  items: readonly TreeItem[],
  health: HealthCode,
): FailingResource | undefined {
  const guilty = items.filter((item) => item.health === health && !item.isHook);
  const [first] = guilty;
  if (!first) return undefined;
  const pods = podsOf(first);
  return {
    key: first.key,
    kind: first.kind,
    name: first.name,
    ...(first.message && { message: first.message }),
    ...(pods && { pods }),
    others: guilty.length - 1,
  };
}

function podsOf(item: TreeItem): FailingResource['pods'] {
  // the ready pods of an older Revision, which still serves, say nothing about the one that fails
  const failing = [...walkForest(item.children)].filter(isFailingRevision);
  const pods = (failing.length > 0 ? failing : [item]).flatMap((one) => [...podsBelow(one)]);
  if (pods.length === 0) return undefined;
  const sick = pods.filter(({ health }) => health !== 'Healthy');
  const reason = sick.map(reasonOf).find((one) => one !== undefined);
  return { ready: pods.length - sick.length, total: pods.length, ...(reason && { reason }) };
}

const isFailingRevision = ({ kind, group, health }: TreeItem): boolean =>
  kind === 'Revision' && group === 'serving.knative.dev' && health !== 'Healthy';

/** The cluster's own word for it, if it is more than "Running". */
function reasonOf({ info }: TreeItem): string | undefined {
  const reason = info.find(({ name }) => name === 'Status Reason')?.value;
  return reason && reason !== 'Running' ? reason : undefined;
}

function* podsBelow({ children }: TreeItem): Generator<TreeItem> {
  for (const child of children) {
    if (child.kind === 'Pod' && child.group === '') yield child;
    yield* podsBelow(child);
  }
}

/** What the cluster's word is about, such as the image or the Secret, where the health says it after that word. */
export const detailOf = (reason: string, message = ''): string =>
  message.startsWith(`${reason}: `) ? (message.split(' (pod ', 1)[0] ?? reason) : reason;

/** The reasons of a Rollout that waits, in words. */
export const pauses: Readonly<Record<string, string>> = {
  BlueGreenPause: ' waits for its promotion',
  CanaryPauseStep: ' is paused at a step of its canary',
  InconclusiveAnalysisRun: ' is paused, because an analysis was inconclusive',
};
