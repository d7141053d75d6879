import { compareBytes, printSelector, selectorOf } from '#base/model';
import { isObject } from '#kubernetes/schema';
import type { Item } from '../item.ts';

/** One column of `kubectl get`; `wide` ones show with `-o wide` only. */
export type Column = {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly format?: string;
  readonly description: string;
  readonly priority: number;
  readonly cell: (item: Item, now: number) => unknown;
};

type Cell = (item: Item, now: number) => unknown;

const column =
  (priority: number, type: Column['type']) =>
  (name: string, cell: Cell, description = ''): Column => ({ name, type, description, priority, cell });

export const text = column(0, 'string');
export const wide = column(1, 'string');
export const integer = column(0, 'integer');
export const boolean = column(0, 'boolean');

export const name: Column = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description: 'Name must be unique within a namespace.',
  priority: 0,
  cell: (item) => item.metadata.name ?? '',
};

/** How long ago a time was, as Kubernetes abbreviates it. */
export function since(time: unknown, now: number): string {
  const at = typeof time === 'string' ? Date.parse(time) : Number.NaN;
  return Number.isNaN(at) ? '<unknown>' : shortDuration(now - at);
}

/** 90s, 5m30s, 45m, 3h5m, 26h, 3d4h, 100d, 2y10d: two units at most, fewer as it grows. */
export function shortDuration(ms: number): string {
  const seconds = Math.trunc(ms / 1000);
  if (seconds < -1) return '<invalid>';
  if (seconds <= 0) return '0s';
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.trunc(seconds / 60);
  if (minutes < 10) return pair(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.trunc(minutes / 60);
  if (hours < 8) return pair(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  return days(hours);
}

function days(hours: number): string {
  const all = Math.trunc(hours / 24);
  if (all < 8) return pair(all, 'd', hours % 24, 'h');
  if (all < 730) return `${all}d`;
  return all < 2920 ? pair(Math.trunc(all / 365), 'y', all % 365, 'd') : `${Math.trunc(all / 365)}y`;
}

const pair = (large: number, unit: string, small: number, smallUnit: string): string =>
  small === 0 ? `${large}${unit}` : `${large}${unit}${small}${smallUnit}`;

/** compat cluster appendix B: some kinds print the time itself, not how long ago. */
export const createdAt: Column = {
  name: 'Created At',
  type: 'date',
  description: 'When the object was created, by the clock of the server.',
  priority: 0,
  cell: (item) => item.metadata.creationTimestamp ?? null,
};

export const age: Column = text(
  'Age',
  (item, now) => since(item.metadata.creationTimestamp, now),
  'CreationTimestamp is a timestamp representing the server time when this object was created.',
);

/** An object with unknown fields. */
export type ColumnInput = { readonly [field: string]: unknown };

export const view = (value: unknown): ColumnInput => (isObject(value) ? value : {});
export const list = (value: unknown): readonly ColumnInput[] => (Array.isArray(value) ? value.map(view) : []);
export const strings = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);
export const spec = (item: Item): ColumnInput => view(item.spec);
export const status = (item: Item): ColumnInput => view(item.status);
export const str = (value: unknown): string => (value === undefined || value === null ? '' : String(value));
export const num = (value: unknown): number => (typeof value === 'number' ? value : Number(value ?? 0));
export const orNone = (value: unknown): string => str(value) || '<none>';
export const size = (value: unknown): number => Object.keys(view(value)).length;

/** A label selector in kubectl's syntax. */
function selectorText(value: unknown): string {
  try {
    return printSelector(selectorOf(view(value))) || '<none>';
  } catch {
    return '<error>'; // as kubectl prints for a selector that cannot be parsed
  }
}

const mapPairs = (value: unknown): string[] =>
  Object.entries(view(value))
    .sort(([a], [b]) => compareBytes(a, b))
    .map(([key, item]) => `${key}=${str(item)}`);

export const mapText = (value: unknown): string => mapPairs(value).join(',') || '<none>';

const podSpecOf = (item: Item): ColumnInput => view(view(spec(item).template).spec);
export const containers = wide('Containers', (item) => names(list(podSpecOf(item).containers), 'name'));
export const images = wide('Images', (item) => names(list(podSpecOf(item).containers), 'image'));
export const selector = wide('Selector', (item) => selectorText(spec(item).selector));

export const names = (items: readonly ColumnInput[], field: string): string =>
  items.map((item) => str(item[field])).join(',');
