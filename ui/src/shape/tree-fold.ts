import type { HealthCode, SyncStatusCode } from '#base/model';
import type { TreeItem } from './resource-forest.ts';
import { healthCodes, worstHealth } from './state.ts';
import type { TreeMatches } from './tree-search.ts';

/** How many of each health, worst first; those without health are not counted. */
type Counts = readonly { readonly health: HealthCode; readonly count: number }[];

/** A box of the tree: a resource, or many alike folded into one. */
export type TreeBox = {
  readonly id: string;
  readonly item?: TreeItem;
  /** The name of the resource that owns it; empty: none does. */
  readonly owner?: string;
  /** The root is the application itself. */
  readonly application?: {
    readonly name: string;
    readonly health: HealthCode;
    readonly sync: SyncStatusCode;
  };
  readonly crowd?: {
    /** By which it is spread out: its owner and its kind. */
    readonly key: string;
    readonly kind: string;
    readonly count: number;
    readonly counts: Counts;
  };
  /** The hidden resources of a closed box, with the worst state among them. */
  readonly hidden?: { readonly count: number; readonly worst?: HealthCode };
  readonly children: readonly TreeBox[];
};

export type Folding = {
  /** Resources whose children the user has closed, by their keys. */
  readonly closed: { has(key: string): boolean };
  /** Crowds that the user has spread out. */
  readonly open: ReadonlySet<string>;
  /** A search: what it found is shown, whatever is folded. */
  readonly found?: TreeMatches | undefined;
};

const many = 20;

/** More than twenty alike siblings become one box with counts, unless the user opened it. */
export function foldTree(items: readonly TreeItem[], folding: Folding, parent = ''): TreeBox[] {
  const kinds = new Map<string, TreeItem[]>();
  for (const item of items) {
    const alike = kinds.get(item.kind);
    if (alike) alike.push(item);
    else kinds.set(item.kind, [item]);
  }
  return [...kinds].flatMap(([kind, alike]) => {
    const key = `${parent.split(' ').at(-1)}*${kind}`;
    if (alike.length <= many || folding.open.has(key))
      return alike.map((item) => boxOf(item, folding, parent));
    const shown = alike.filter((item) => isFound(item, folding));
    const rest = alike.filter((item) => !isFound(item, folding));
    return [
      ...shown.map((item) => boxOf(item, folding, parent)),
      ...(rest.length > 0
        ? [
            {
              id: `${parent}*${kind}`,
              crowd: { key, kind, count: rest.length, counts: countsOf(rest) },
              children: [],
            },
          ]
        : []),
    ];
  });
}

const isFound = (item: TreeItem, { found }: Folding): boolean =>
  found !== undefined && (found.matching.has(item) || found.holding.has(item));

/** A pod that two Services select stands below both: the id of a box has its owner's in front. */
function boxOf(item: TreeItem, folding: Folding, parent: string): TreeBox {
  const id = parent ? `${parent} ${item.key}` : item.key;
  const owner = parent.slice(parent.lastIndexOf('/') + 1);
  const isOpen = !folding.closed.has(item.key) || folding.found?.holding.has(item) === true;
  if (item.children.length === 0 || isOpen) {
    return { id, item, owner, children: foldTree(item.children, folding, id) };
  }
  const inside = [...below(item)];
  const worst = worstHealth(inside.map(({ health }) => health));
  return { id, item, owner, hidden: { count: inside.length, ...(worst && { worst }) }, children: [] };
}

function countsOf(items: readonly TreeItem[]): Counts {
  const states = items.map((item) =>
    worstHealth([item.health, ...[...below(item)].map(({ health }) => health)]),
  );
  return healthCodes.flatMap((health) => {
    const count = states.filter((state) => state === health).length;
    return count > 0 ? [{ health, count }] : [];
  });
}

function* below({ children }: TreeItem): Generator<TreeItem> {
  for (const child of children) {
    yield child;
    yield* below(child);
  }
}
