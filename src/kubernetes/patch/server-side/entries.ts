import { compareBytes, type ManagedFieldsEntry } from '#base/model';
import { FairleadError, Lru } from '#base/std';
import { isObject, type JsonObject } from '#kubernetes/schema';
import { FieldSet } from './field-set.ts';
import type { FieldOwner, Owners } from './ownership.ts';

/** The fields of every manager and when each last took one. Times outlive the order of the list. */
export type FieldOwners = { readonly owners: Owners; readonly times: ReadonlyMap<string, string> };

export const unmanaged: FieldOwners = { owners: new Map(), times: new Map() };

type Operation = 'Apply' | 'Update';
type Identity = {
  readonly manager: string;
  readonly operation: Operation;
  readonly apiVersion?: string;
  readonly subresource?: string;
};

/**
 * compat cluster 3.9: the manager of an entry. An applier is the same in every version, an updater is another
 * one in each. The order of the keys is fixed, so the text sorts as Kubernetes sorts it.
 */
export function identityOf(entry: ManagedFieldsEntry): string {
  const { manager = '', operation = '', apiVersion = '', subresource = '' } = entry;
  // written out by hand: every write needs a few of these
  const who = manager === '' ? '' : `"manager":${JSON.stringify(manager)},`;
  const version = operation === 'Apply' ? '' : `,"apiVersion":${JSON.stringify(apiVersion)}`;
  const through = subresource === '' ? '' : `,"subresource":${JSON.stringify(subresource)}`;
  return `{${who}"operation":${JSON.stringify(operation)}${version}${through}}`;
}

const identities = new Lru<Identity>({ capacity: 256 });

function readIdentity(id: string): Identity {
  const known = identities.get(id);
  if (known !== undefined) return known;
  const identity = JSON.parse(id) as Identity;
  identities.set(id, identity);
  return identity;
}

/** `"hpa" with subresource "scale" using apps/v1` */
export function describeOwner(id: string): string {
  const { manager = '', operation, apiVersion = '', subresource } = readIdentity(id);
  const through = subresource === undefined ? '' : ` with subresource ${JSON.stringify(subresource)}`;
  const name = JSON.stringify(manager) + through;
  return operation === 'Update' ? `${name} using ${apiVersion}` : name;
}

const refuse = (message: string): FairleadError => new FairleadError('InvalidSpec', message);

function readOwner(entry: ManagedFieldsEntry, index: number): FieldOwner {
  const { operation, apiVersion = '', fieldsType = '' } = entry;
  if (operation !== 'Apply' && operation !== 'Update') throw refuse('operation must be `Apply` or `Update`');
  if (apiVersion === '') throw refuse('apiVersion must not be empty');
  if (fieldsType === '') throw refuse(`missing fieldsType in managed fields entry ${index}`);
  if (fieldsType !== 'FieldsV1') {
    throw refuse(`invalid fieldsType ${JSON.stringify(fieldsType)} in managed fields entry ${index}`);
  }
  return { set: FieldSet.parse(entry.fieldsV1), apiVersion, applied: operation === 'Apply' };
}

/** Reads metadata.managedFields. Throws InvalidSpec when an entry makes no sense. */
export function readManaged(entries: readonly ManagedFieldsEntry[]): FieldOwners {
  const owners = new Map<string, FieldOwner>();
  const times = new Map<string, string>();
  for (const [index, entry] of entries.entries()) {
    const id = identityOf(entry);
    owners.set(id, readOwner(entry, index));
    if (entry.time !== undefined) times.set(id, entry.time);
  }
  return { owners, times };
}

const compareText = (a = '', b = ''): number => compareBytes(a, b);

/** compat cluster 3.9: Apply before Update, then time, manager, version, subresource. Times are all UTC to the second. */
function compareEntries(a: ManagedFieldsEntry, b: ManagedFieldsEntry): number {
  return (
    compareText(a.operation, b.operation) ||
    compareText(a.time, b.time) ||
    compareText(a.manager, b.manager) ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.subresource, b.subresource)
  );
}

/** Prints metadata.managedFields; [] when no manager owns anything. */
export function printManaged({ owners, times }: FieldOwners): ManagedFieldsEntry[] {
  const entries = [...owners].map(([id, { set, apiVersion, applied }]): ManagedFieldsEntry => {
    const { manager = '', operation, subresource } = readIdentity(id);
    const time = times.get(id);
    return {
      manager,
      operation: applied ? 'Apply' : operation,
      apiVersion,
      ...(time === undefined ? {} : { time }),
      fieldsType: 'FieldsV1',
      fieldsV1: set.print(),
      ...(subresource === undefined ? {} : { subresource }),
    };
  });
  return entries.sort(compareEntries);
}

/** The entries an object carries, or undefined when it has no such list. */
export function entriesOf(object: JsonObject): ManagedFieldsEntry[] | undefined {
  const { metadata } = object;
  const entries = isObject(metadata) ? metadata.managedFields : undefined;
  return Array.isArray(entries) ? (entries as ManagedFieldsEntry[]) : undefined;
}

/** The object with these entries, or without any when there are none. */
export function withEntries(object: JsonObject, entries: readonly ManagedFieldsEntry[]): JsonObject {
  const { metadata } = object;
  if (!isObject(metadata) || (entries.length === 0 && metadata.managedFields === undefined)) return object;
  const { managedFields: _, ...rest } = metadata;
  return { ...object, metadata: entries.length === 0 ? rest : { ...rest, managedFields: entries } };
}
