import { keyFrom } from '#base/model';
import type { ResourceNode, ResourceTree } from '#serve/api';
import type { TreeItem } from './resource-forest.ts';
import { walkForest } from './resource-forest.ts';

/**
 * The way of a request through an application: what is reached from outside first, then the Services, then the pods that
 * they select. What nothing leads to and that leads nowhere is left out.
 */
export function networkOf(items: readonly TreeItem[], tree: ResourceTree | undefined): TreeItem[] {
  const known = new Map([...walkForest(items)].map((item) => [item.key as string, item]));
  const nodes = tree?.nodes ?? [];
  const targets = new Map(nodes.map((node) => [nodeKey(node), targetsOf(node, nodes)]));
  const reached = new Set([...targets.values()].flat());
  const grow = (key: string, path: readonly string[]): TreeItem[] => {
    const item = known.get(key);
    if (!item || path.includes(key)) return []; // a ring ends where it began
    const children = (targets.get(key) ?? []).flatMap((one) => grow(one, [...path, key]));
    return [{ ...item, children }];
  };
  return [...targets]
    .filter(([key, ways]) => ways.length > 0 && !reached.has(key))
    .flatMap(([key]) => grow(key, []));
}

const nodeKey = (node: Pick<ResourceNode, 'group' | 'kind' | 'namespace' | 'name'>): string =>
  keyFrom({ group: '', ...node });

function targetsOf({ networkingInfo, namespace }: ResourceNode, nodes: readonly ResourceNode[]): string[] {
  const { targetRefs = [], targetLabels } = networkingInfo ?? {};
  const named = targetRefs.map((ref) => nodeKey(ref as ResourceNode));
  if (!targetLabels || Object.keys(targetLabels).length === 0) return named;
  const selected = nodes.filter(
    (node) => node.namespace === namespace && hasLabels(node.networkingInfo?.labels, targetLabels),
  );
  return [...named, ...selected.map(nodeKey)];
}

const hasLabels = (
  labels: Readonly<Record<string, string>> | undefined,
  wanted: Readonly<Record<string, string>>,
): boolean => labels !== undefined && Object.entries(wanted).every(([name, value]) => labels[name] === value);
