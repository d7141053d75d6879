import { isObject, type JsonObject } from '#kubernetes/schema';

/** What the admission plugin DefaultTolerationSeconds appends to the list of every Pod that does not name these taints. */
const appended: ReadonlySet<unknown> = new Set([
  'node.kubernetes.io/not-ready',
  'node.kubernetes.io/unreachable',
]);

/**
 * dev engine D-19a: a live Pod without the tolerations that the API server appended. The list is replaced whole, so a sync would
 * take them out, and the plugin would append them again: the Pod would be OutOfSync for ever. A toleration of these taints that
 * the target declares is compared.
 */
export function withoutAppendedTolerations(live: JsonObject, target: JsonObject): JsonObject {
  const [held, wanted] = [tolerationsOf(live), tolerationsOf(target)];
  if (!held || !wanted || live.kind !== 'Pod' || live.apiVersion !== 'v1') return live;
  const declared = new Set(wanted.map(keyOf));
  const kept = held.filter((item) => declared.has(keyOf(item)) || !isAppended(item));
  return kept.length === held.length
    ? live
    : { ...live, spec: { ...(live.spec as JsonObject), tolerations: kept } };
}

function tolerationsOf({ spec }: JsonObject): readonly unknown[] | undefined {
  return isObject(spec) && Array.isArray(spec.tolerations) ? spec.tolerations : undefined;
}

const keyOf = (toleration: unknown): unknown => (isObject(toleration) ? toleration.key : undefined);

/** Its seconds are a flag of the API server. */
const isAppended = (toleration: unknown): boolean =>
  isObject(toleration) &&
  appended.has(toleration.key) &&
  toleration.operator === 'Exists' &&
  toleration.effect === 'NoExecute';
