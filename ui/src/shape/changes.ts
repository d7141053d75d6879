import {
  type Application,
  asKubeObject,
  keyFrom,
  optionValue,
  parseTime,
  type ResourceKey,
  syncOptionsOf,
} from '#base/model';
import { parseJson, printJson } from '#base/std';
import { print } from '#lang/yaml';
import type { ChangedField, ManagedResource } from '#serve/api';

/**
 * The effect of a sync on a resource; `keep`: none, though it is no longer in Git (Prune=false). A set deletes
 * applications.
 */
type Deed = 'create' | 'change' | 'prune' | 'keep' | 'delete';

export type Change = {
  readonly key: ResourceKey;
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly deed: Deed;
  readonly fields: readonly FieldChange[];
  /** Values were replaced by plus signs before they left the server; different lengths mean different values. */
  readonly isMasked: boolean;
  /** JSON texts of what is and what would be; empty where there is none. */
  readonly before: string;
  readonly after: string;
};

export type FieldChange = {
  readonly path: string;
  readonly target?: string;
  readonly live?: string;
  readonly writer?: string;
  readonly writtenAt?: number;
};

const deeds: readonly Deed[] = ['create', 'change', 'prune', 'keep'];

/** Everything that differs, creations first, then changes, then prunes, then what stays. Hooks are not differences. */
export function changesOf(items: readonly ManagedResource[], app?: Pick<Application, 'spec'>): Change[] {
  const options = app?.spec.syncPolicy?.syncOptions ?? [];
  const changes = items.flatMap((item) => {
    const deed = deedOf(item, options);
    return deed && !item.hook ? [changeOf(item, deed)] : [];
  });
  return changes.sort((a, b) => deeds.indexOf(a.deed) - deeds.indexOf(b.deed));
}

/** Hooks that a full sync would run. */
export function hooksIn(items: readonly ManagedResource[]): number {
  return items.filter(({ hook, targetState }) => hook && exists(targetState)).length;
}

const exists = (state: string | undefined): boolean => Boolean(state) && state !== 'null';

function deedOf(item: ManagedResource, options: readonly string[]): Deed | undefined {
  const hasTarget = exists(item.targetState);
  if (!exists(item.liveState)) return hasTarget ? 'create' : undefined;
  if (!hasTarget) return isKept(item, options) ? 'keep' : 'prune';
  const differs = item.modified ?? item.normalizedLiveState !== item.predictedLiveState;
  return differs ? 'change' : undefined;
}

/** compat engine S-37: the live object's option overrides the application's. */
function isKept({ liveState }: ManagedResource, options: readonly string[]): boolean {
  return (optionValue(ownOptions(liveState), 'Prune') ?? optionValue(options, 'Prune')) === 'false';
}

function ownOptions(liveState: string): readonly string[] {
  if (!liveState.includes('Prune=')) return [];
  try {
    return syncOptionsOf(asKubeObject(parseJson(liveState), 'the live object'));
  } catch {
    return [];
  }
}

function changeOf(item: ManagedResource, deed: Deed): Change {
  const { group = '', kind, namespace = '', name } = item;
  return {
    key: keyFrom({ group, kind, namespace, name }),
    group,
    kind,
    namespace,
    name,
    deed,
    fields: (item.fields ?? []).map(fieldOf),
    isMasked: kind === 'Secret' && group === '',
    before: deed === 'create' ? '' : item.normalizedLiveState || item.liveState,
    after: deed === 'prune' ? '' : deed === 'create' ? item.targetState : item.predictedLiveState,
  };
}

function fieldOf({ path, target, live, manager, time }: ChangedField): FieldChange {
  const writtenAt = parseTime(time);
  return {
    path: readablePath(path),
    ...(target !== undefined && { target: valueText(target) }),
    ...(live !== undefined && { live: valueText(live) }),
    ...(manager && { writer: manager }),
    ...(writtenAt !== undefined && { writtenAt }),
  };
}

/** A JSON pointer as people write paths: `spec.containers[0].image`, `annotations["a.b/c"]`. */
export function readablePath(pointer: string): string {
  const steps = pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  return steps.reduce((path, step) => {
    if (/^\d+$/.test(step)) return `${path}[${step}]`;
    if (!/^[\w-]+$/.test(step)) return `${path}["${step}"]`;
    return path === '' ? step : `${path}.${step}`;
  }, '');
}

function valueText(value: unknown): string {
  if (typeof value === 'string') return value === '' ? '""' : value;
  if (typeof value !== 'object' || value === null) return String(value);
  return printJson(value, 2);
}

/** A JSON text as YAML without managedFields; empty for none. Text that is no JSON is shown as it is. */
export function yamlOf(json: string): string {
  if (!exists(json)) return '';
  try {
    return print(withoutBookkeeping(parseJson(json)));
  } catch {
    return json;
  }
}

export function withoutBookkeeping(object: unknown): unknown {
  if (typeof object !== 'object' || object === null || !('metadata' in object)) return object;
  const { managedFields: _, ...metadata } = object.metadata as Record<string, unknown>;
  return { ...object, metadata };
}
