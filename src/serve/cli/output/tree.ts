import type { Application } from '#base/model';
import type { ResourceNode, ResourceTree } from '#serve/api';
import { table } from './table.ts';

type TreeOptions = { readonly isDetailed: boolean; readonly now: Date };

const refOf = ({ group = '', kind, namespace = '', name }: Omit<ResourceNode, 'parentRefs'>): string =>
  `${group}/${kind}/${namespace}/${name}`;

/** compat server §8.3: `-o tree` and `-o tree=detailed`: resources under their owners, with status and health. */
export function treeTable(app: Application, tree: ResourceTree, { isDetailed, now }: TreeOptions): string {
  const head = isDetailed
    ? ['KIND/NAME', 'STATUS', 'HEALTH', 'AGE', 'MESSAGE', 'REASON']
    : ['KIND/NAME', 'STATUS', 'HEALTH', 'MESSAGE'];
  const statuses = new Map((app.status?.resources ?? []).map((one) => [refOf(one), one]));
  const rows = linesOf(tree.nodes).map(({ node, indent }) => {
    const own = statuses.get(refOf(node));
    const health = own?.health ?? node.health;
    const label = `${indent}${node.kind}/${node.name}`;
    const cells = [label, own?.status ?? '', health?.status ?? ''];
    if (!isDetailed) return [...cells, health?.message ?? ''];
    const reason = node.info?.find(({ name }) => name === 'Status Reason')?.value ?? '';
    return [...cells, ageOf(node.createdAt, now), health?.message ?? '', reason];
  });
  return table(head, rows);
}

type Line = { readonly node: ResourceNode; readonly indent: string };

/** Every node once, below the first of its owners that is in the tree. */
function linesOf(nodes: readonly ResourceNode[]): Line[] {
  const known = new Set(nodes.map(refOf));
  const children = new Map<string, ResourceNode[]>();
  const roots: ResourceNode[] = [];
  for (const node of nodes) {
    const parent = (node.parentRefs ?? []).map(refOf).find((ref) => known.has(ref) && ref !== refOf(node));
    const siblings = parent === undefined ? roots : (children.get(parent) ?? []);
    siblings.push(node);
    if (parent !== undefined) children.set(parent, siblings);
  }
  const seen = new Set<string>();
  const grow = (node: ResourceNode, indent: string, rest: string): Line[] => {
    if (seen.has(refOf(node))) return [];
    seen.add(refOf(node));
    const below = children.get(refOf(node)) ?? [];
    return [
      { node, indent },
      ...below.flatMap((child, at) => {
        const isLast = at === below.length - 1;
        return grow(child, `${rest}${isLast ? '└─' : '├─'}`, `${rest}${isLast ? '  ' : '│ '}`);
      }),
    ];
  };
  const lines = roots.flatMap((node) => grow(node, '', ''));
  // nodes that own each other in a circle have no root
  return [...lines, ...nodes.flatMap((node) => grow(node, '', ''))];
}

/** `3d`, `5h`, `12m`, `40s`; empty when the time is not known. */
function ageOf(since: string | undefined, now: Date): string {
  const seconds = Math.floor((now.getTime() - Date.parse(since ?? '')) / 1000);
  if (Number.isNaN(seconds)) return '';
  if (seconds < 60) return `${Math.max(seconds, 0)}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`;
  return seconds < 86_400 ? `${Math.floor(seconds / 3600)}h` : `${Math.floor(seconds / 86_400)}d`;
}
