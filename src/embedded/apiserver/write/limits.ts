import { addQuantities, canonicalQuantity, compareQuantities, quantityOf, scaledValue } from '#base/model';
import { isObject, type JsonObject } from '#kubernetes/schema';
import { type Item, nameOf, specOf, withField, withMeta } from '../item.ts';
import { forbidden } from '../status.ts';
import type { Writing } from './writing.ts';

type Amounts = Readonly<Record<string, unknown>>;
type Limit = {
  readonly type?: string;
  readonly max?: Amounts;
  readonly min?: Amounts;
  readonly default?: Amounts;
  readonly defaultRequest?: Amounts;
  readonly maxLimitRequestRatio?: Amounts;
};

function limitsOf({ core, namespace }: Writing, type: string): Limit[] {
  const ranges = core.state.collection('/limitranges').list(namespace);
  return ranges
    .flatMap(({ item }) => (specOf(item).limits ?? []) as Limit[])
    .filter((one) => one.type === type);
}

const containersOf = (item: Item, field: string): JsonObject[] =>
  ((specOf(item)[field] ?? []) as unknown[]).filter(isObject);

const amounts = (container: JsonObject, field: 'limits' | 'requests'): Amounts =>
  ((isObject(container.resources) ? container.resources[field] : undefined) ?? {}) as Amounts;

/** compat cluster 3.12: missing requests and limits of a container are set from the LimitRanges of its namespace. */
export function withDefaultLimits(writing: Writing, item: Item): Item {
  const limits = limitsOf(writing, 'Container');
  if (limits.length === 0) return item;
  const defaults = {
    limits: merged(limits.map((one) => one.default)),
    requests: merged(limits.map((one) => one.defaultRequest)),
  };
  const notes: string[] = [];
  const filled = (field: string, word: string) =>
    containersOf(item, field).map((container) => filledContainer(container, defaults, { word, notes }));
  const spec = {
    ...specOf(item),
    containers: filled('containers', 'container'),
    ...(specOf(item).initContainers !== undefined && {
      initContainers: filled('initContainers', 'init container'),
    }),
  };
  if (notes.length === 0) return item;
  const note = { 'kubernetes.io/limit-ranger': `LimitRanger plugin set: ${notes.join('; ')}` };
  const annotations = { ...item.metadata.annotations, ...note };
  return withField(withMeta(item, { annotations }), 'spec', spec);
}

const merged = (all: readonly (Amounts | undefined)[]): Amounts => Object.assign({}, ...all.toReversed());

type Defaults = { readonly limits: Amounts; readonly requests: Amounts };
type Telling = { readonly word: string; readonly notes: string[] };

function filledContainer(container: JsonObject, defaults: Defaults, { word, notes }: Telling): JsonObject {
  const resources: JsonObject = { ...(isObject(container.resources) && container.resources) };
  for (const field of ['requests', 'limits'] as const) {
    const given = amounts(container, field);
    const missing = Object.entries(defaults[field]).filter(([name]) => given[name] === undefined);
    if (missing.length === 0) continue;
    resources[field] = { ...given, ...Object.fromEntries(missing) };
    const names = missing.map(([name]) => name).sort();
    notes.push(`${names.join(', ')} ${field.slice(0, -1)} for ${word} ${String(container.name)}`);
  }
  return { ...container, resources };
}

/** Throws Forbidden when the requests or limits of an object are outside the LimitRanges of its namespace. */
export function refuseBeyondLimits(writing: Writing, item: Item): void {
  const problems =
    writing.resource.collection === '/pods' ? podProblems(writing, item) : claimProblems(writing, item);
  if (problems.length === 0) return;
  const why = problems.length === 1 ? problems[0] : `[${problems.join(', ')}]`;
  throw forbidden(writing.resource, nameOf(item), why ?? '');
}

function podProblems(writing: Writing, item: Item): string[] {
  const containers = [...containersOf(item, 'containers'), ...containersOf(item, 'initContainers')];
  const each = limitsOf(writing, 'Container').flatMap((limit) =>
    containers.flatMap((container) =>
      problems(limit, { limits: amounts(container, 'limits'), requests: amounts(container, 'requests') }),
    ),
  );
  const total = (field: 'limits' | 'requests') =>
    sum(containersOf(item, 'containers').map((container) => amounts(container, field)));
  const whole = limitsOf(writing, 'Pod').flatMap((limit) =>
    problems(limit, { limits: total('limits'), requests: total('requests') }),
  );
  return [...each, ...whole];
}

function claimProblems(writing: Writing, item: Item): string[] {
  const resources = specOf(item).resources as { requests?: Amounts } | undefined;
  const requests = resources?.requests ?? {};
  return limitsOf(writing, 'PersistentVolumeClaim').flatMap((limit) =>
    problems(limit, { limits: requests, requests }).map((text) =>
      text.replace('but limit is', 'but request is'),
    ),
  );
}

function sum(all: readonly Amounts[]): Amounts {
  const result: Record<string, string> = {};
  for (const list of all) {
    for (const [name, value] of Object.entries(list)) {
      result[name] = canonicalQuantity(addQuantities(result[name] ?? 0, quantityOf(value) ?? 0));
    }
  }
  return result;
}

function problems(limit: Limit, amountsOf: Defaults): string[] {
  const { type = '', min = {}, max = {}, maxLimitRequestRatio = {} } = limit;
  return [
    ...Object.entries(min).flatMap(([name, least]) => tooLittle({ type, name, bound: least }, amountsOf)),
    ...Object.entries(max).flatMap(([name, most]) => tooMuch({ type, name, bound: most }, amountsOf)),
    ...Object.entries(maxLimitRequestRatio).flatMap(([name, most]) =>
      tooFarApart({ type, name, bound: most }, amountsOf),
    ),
  ];
}

type Bound = { readonly type: string; readonly name: string; readonly bound: unknown };

const order = (a: unknown, b: unknown): number => compareQuantities(quantityOf(a) ?? 0, quantityOf(b) ?? 0);

function tooLittle({ type, name, bound }: Bound, { requests, limits }: Defaults): string[] {
  const start = `minimum ${name} usage per ${type} is ${String(bound)}`;
  const requested = requests[name];
  if (requested === undefined) return limits[name] === undefined ? [`${start}. No request is specified`] : [];
  return order(requested, bound) < 0 ? [`${start}, but request is ${String(requested)}`] : [];
}

function tooMuch({ type, name, bound }: Bound, { limits }: Defaults): string[] {
  const start = `maximum ${name} usage per ${type} is ${String(bound)}`;
  const most = limits[name];
  if (most === undefined) return [`${start}. No limit is specified`];
  return order(most, bound) > 0 ? [`${start}, but limit is ${String(most)}`] : [];
}

function tooFarApart({ type, name, bound }: Bound, { limits, requests }: Defaults): string[] {
  const ratio = ratioOf(limits[name], requests[name]);
  if (ratio <= Number(bound)) return [];
  return [
    `${name} max limit to request ratio per ${type} is ${String(bound)}, but provided ratio is ${ratio.toFixed(6)}`,
  ];
}

function ratioOf(limit: unknown, request: unknown): number {
  const [most, requested] = [quantityOf(limit), quantityOf(request)];
  if (most === undefined || requested === undefined) return 0;
  return Number(scaledValue(most, -3)) / Number(scaledValue(requested, -3));
}
