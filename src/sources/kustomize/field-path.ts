import { isObject } from '#base/std';
import { decline } from './decline.ts';
import type { KustomizeResource } from './resource.ts';

/** A field of some kinds that a step of the build reads or changes (sources KT-1). Lists on the way are traversed. */
export type FieldSpec = {
  readonly group?: string;
  readonly version?: string;
  readonly kind?: string;
  readonly path: readonly string[];
  /** Missing maps on the way are created. */
  readonly create: boolean;
};

export type PartialGvk = { readonly group?: string; readonly version?: string; readonly kind?: string };

/** The parts of a path as it is configured; `\\/` is a slash within a name. compat: it may begin with a slash. */
export function pathOf(text: string): string[] {
  const parts: string[] = [];
  const pieces = text.split('/');
  if (pieces.length > 1 && pieces[0] === '') pieces.shift();
  for (const piece of pieces) {
    const last = parts.at(-1);
    if (last?.endsWith('\\')) parts[parts.length - 1] = `${last.slice(0, -1)}/${piece}`;
    else parts.push(piece);
  }
  return parts;
}

/** Whether a kind is one that a spec names; omitted parts match any. */
export const isSelected = (
  { group, version, kind }: { readonly group: string; readonly version: string; readonly kind: string },
  spec: PartialGvk,
): boolean =>
  (!spec.group || spec.group === group) &&
  (!spec.version || spec.version === version) &&
  (!spec.kind || spec.kind === kind);

/** `path|path` of kinds; `+` in front creates what is missing. */
export function specs(kinds: readonly PartialGvk[], paths: string): FieldSpec[] {
  return paths.split(' ').flatMap((text) => {
    const create = text.startsWith('+');
    const path = text.slice(create ? 1 : 0).split('/');
    return kinds.map((kind) => ({ ...kind, path, create }));
  });
}

/** Where a found field stands: a map and a key, or a list and an index. */
export type FieldLocation = {
  readonly holder: Record<string | number, unknown>;
  readonly key: string | number;
};

type Visit = {
  readonly path: readonly string[];
  /** The value to create when the last field is missing; undefined: none is created. */
  readonly create: 'map' | 'text' | undefined;
  readonly found: (place: FieldLocation) => void;
};

/** Calls `found` with every location in an object that a path leads to. */
export function visitField({ object }: KustomizeResource, visit: Visit): void {
  inside(object, visit, 0);
}

function at({ holder, key }: FieldLocation, visit: Visit, depth: number): void {
  if (depth === visit.path.length) visit.found({ holder, key });
  else inside(holder[key], visit, depth);
}

function inside(value: unknown, visit: Visit, depth: number): void {
  if (value === null || value === undefined) return;
  if (Array.isArray(value)) {
    const holder = value as unknown as Record<number, unknown>;
    for (const key of value.keys()) at({ holder, key }, visit, depth);
  } else if (isObject(value)) field(value, visit, depth);
  else decline(`a value where ${visit.path.join('/')} expects a map`); // compat: kustomize reports an error
}

function field(holder: Record<string, unknown>, visit: Visit, depth: number): void {
  const name = visit.path[depth] ?? '';
  const key = name.endsWith('[]') ? name.slice(0, -2) : name;
  const isListed = key !== name;
  const value = holder[key];
  if (value === null && isListed) decline('null where a list is expected');
  const create = isListed ? undefined : visit.create;
  if (value === undefined && create === undefined) return;
  const isLast = depth + 1 === visit.path.length;
  if ((value ?? null) === null && create !== undefined && !(isLast && create === 'text')) holder[key] = {};
  at({ holder, key }, visit, depth + 1);
}
