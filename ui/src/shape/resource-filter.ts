import { type TreeItem, walkForest } from './resource-forest.ts';
import { healthCodes, syncCodes } from './state.ts';

const fields = ['kind', 'health', 'sync', 'namespace', 'name'] as const;
type Field = (typeof fields)[number];

/** compat server §10.1: `resource=kind:Pod,health:Degraded`. Values of one field are alternatives; of several, each must hold. */
export type ItemFilter = ReadonlyMap<Field, ReadonlySet<string>>;

export function resourceFilterOf(query: URLSearchParams): ItemFilter {
  const filter = new Map<Field, Set<string>>();
  for (const part of (query.get('resource') ?? '').split(',')) {
    const at = part.indexOf(':');
    const field = fields.find((one) => one === part.slice(0, at));
    const value = part.slice(at + 1);
    if (field && value) filter.set(field, (filter.get(field) ?? new Set()).add(value));
  }
  return filter;
}

/** The parameter with one field changed; undefined: nothing is filtered any more. */
export function withField(filter: ItemFilter, field: Field, value: string): string | undefined {
  const next = new Map(filter).set(field, new Set(value ? [value] : []));
  const parts = fields.flatMap((one) => [...(next.get(one) ?? [])].map((wanted) => `${one}:${wanted}`));
  return parts.join(',') || undefined;
}

const textIn = (item: TreeItem, field: Field): string => item[field] ?? '';

function isWanted(item: TreeItem, filter: ItemFilter): boolean {
  return [...filter].every(([field, values]) =>
    field === 'name' ? [...values].some((part) => item.name.includes(part)) : values.has(textIn(item, field)),
  );
}

/** The resources that are wanted, with their owners, so that each stands where it belongs. */
export function filterForest(items: readonly TreeItem[], filter: ItemFilter): readonly TreeItem[] {
  if (filter.size === 0) return items;
  return items.flatMap((item) => {
    const children = filterForest(item.children, filter);
    return children.length > 0 || isWanted(item, filter) ? [{ ...item, children }] : [];
  });
}

/** What can be filtered by, with how many resources each value has; a field with one value offers nothing. */
export type ResourceFacet = {
  readonly field: Field;
  readonly label: string;
  readonly values: readonly { readonly value: string; readonly count: number }[];
};

const labels: Readonly<Partial<Record<Field, string>>> = {
  kind: 'Kind',
  health: 'Health',
  sync: 'Sync',
  namespace: 'Namespace',
};

export function resourceFacets(items: readonly TreeItem[], filter: ItemFilter): ResourceFacet[] {
  const all = [...walkForest(items)];
  return fields.flatMap((field) => {
    const counts = new Map<string, number>([...(filter.get(field) ?? [])].map((value) => [value, 0]));
    for (const value of all.map((item) => textIn(item, field)).filter(Boolean))
      counts.set(value, (counts.get(value) ?? 0) + 1);
    const values = [...counts].map(([value, count]) => ({ value, count })).sort(byRank(field));
    const [label, isChosen] = [labels[field], filter.has(field)];
    return label && (values.length > 1 || isChosen) ? [{ field, label, values }] : [];
  });
}

/** States worst first, names by their letters. */
function byRank(field: Field): (a: { value: string }, b: { value: string }) => number {
  const codes: readonly string[] = field === 'health' ? healthCodes : field === 'sync' ? syncCodes : [];
  return (a, b) => codes.indexOf(a.value) - codes.indexOf(b.value) || (a.value < b.value ? -1 : 1);
}

const orders = ['place', 'name', 'kind', 'namespace', 'sync', 'health', 'wave', 'age'] as const;
export type ResourceOrder = (typeof orders)[number];
export type ResourceSort = { readonly order: ResourceOrder; readonly isReversed: boolean };

/** The order of the list, from the address; at first as the tree has it. */
export function resourceSortOf(query: URLSearchParams): ResourceSort {
  const sort = query.get('sort') ?? '';
  const order = orders.find((one) => one === sort.replace(/^-/, '')) ?? 'place';
  return { order, isReversed: sort.startsWith('-') };
}

/** The parameter that sorts by a column; the current column turns round, then gives way to the order of the tree. */
export function resourceSortFor(order: ResourceOrder, { order: present, isReversed }: ResourceSort) {
  if (order !== present) return order;
  return isReversed ? undefined : `-${order}`;
}

/** The rows of the list: the resources of the application itself, or, with a filter, all that are wanted. */
export function resourceRows(
  items: readonly TreeItem[],
  filter: ItemFilter,
  { order, isReversed }: ResourceSort,
): readonly TreeItem[] {
  const rows = filter.size > 0 ? [...walkForest(items)].filter((item) => isWanted(item, filter)) : items;
  if (order === 'place') return rows;
  const sign = isReversed ? -1 : 1;
  return [...rows].sort((a, b) => sign * comparisons[order](a, b));
}

type Compare = (a: TreeItem, b: TreeItem) => number;
const byText =
  (field: Field): Compare =>
  (a, b) =>
    textIn(a, field) < textIn(b, field) ? -1 : textIn(a, field) > textIn(b, field) ? 1 : 0;
const byCode =
  (field: 'health' | 'sync', codes: readonly string[]): Compare =>
  (a, b) =>
    place(codes, a[field]) - place(codes, b[field]);
/** What has no state comes last. */
const place = (codes: readonly string[], code: string | undefined): number =>
  code === undefined ? codes.length : codes.indexOf(code);

const comparisons: Readonly<Record<Exclude<ResourceOrder, 'place'>, Compare>> = {
  name: byText('name'),
  kind: byText('kind'),
  namespace: byText('namespace'),
  sync: byCode('sync', syncCodes),
  health: byCode('health', healthCodes),
  wave: (a, b) => a.wave - b.wave,
  age: (a, b) => (b.createdAt ?? 0) - (a.createdAt ?? 0), // the youngest first
};
