import type { KubeObject } from '#base/model';
import { isObject } from '#base/std';
import type { Check, FieldPath, Flaw, Inventory } from './check.ts';
import { checks } from './checks.ts';
import { inventoryOf } from './inventory.ts';
import { application, applicationSet, kindKey } from './kinds.ts';

/** A fault of one object. */
export type Found = { readonly check: Check; readonly flaw: Flaw; readonly object: KubeObject };

const byKind = new Map<string, Check[]>();
for (const check of checks)
  for (const kind of check.reads) byKind.set(kind, [...(byKind.get(kind) ?? []), check]);
const forAll = byKind.get('*') ?? [];

/** Every fault of one object, in the order of the checks. Never throws for what a user wrote. */
export function* examine(object: KubeObject, inventory: Inventory): Generator<Found> {
  const key = kindKey(object);
  for (const check of forAll) yield* found(check, object, inventory);
  for (const check of byKind.get(key) ?? []) yield* found(check, object, inventory);
  if (key === applicationSet) yield* template(object, inventory);
}

/** An ApplicationSet writes Applications: what is wrong with its template is wrong with all of them. */
function* template(set: KubeObject, inventory: Inventory): Generator<Found> {
  const { template: given } = isObject(set.spec) ? set.spec : {};
  if (!isObject(given)) return;
  const metadata = { ...(isObject(given.metadata) ? given.metadata : {}), name: set.metadata.name };
  const app = { apiVersion: set.apiVersion, kind: 'Application', metadata, spec: given.spec } as KubeObject;
  for (const check of byKind.get(application) ?? []) {
    for (const { flaw } of found(check, app, inventory))
      yield { check, flaw: below(flaw, ['spec', 'template']), object: set };
  }
}

const below = (flaw: Flaw, above: FieldPath): Flaw => ({
  ...flaw,
  at: [...above, ...flaw.at],
  ...(flaw.mend && { mend: { ...flaw.mend, path: [...above, ...flaw.mend.path] } }),
});

function* found(check: Check, object: KubeObject, inventory: Inventory): Generator<Found> {
  for (const flaw of check.find(object, inventory)) yield { check, flaw, object };
}

const onApplication = (list: readonly Check[]): readonly Check[] =>
  list.filter((check) => check.onApplication);
const warningsForAll = onApplication(forAll);
const nothingElse = inventoryOf([]);
/** Prepared targets are frozen, and the very same objects in the next comparison. */
const known = new WeakMap<KubeObject, readonly string[]>();

/**
 * What the targets of an application will fail at, or do not do as they say: the errors of the checks that are warnings on the
 * application (decision 58). Each sentence once. The targets must not be changed afterwards: what an object has is computed once.
 */
export function targetWarnings(targets: readonly KubeObject[]): string[] {
  return [...new Set(targets.flatMap(warningsOf))];
}

function warningsOf(object: KubeObject): readonly string[] {
  const before = known.get(object);
  if (before) return before;
  const own = [...warningsForAll, ...onApplication(byKind.get(kindKey(object)) ?? [])];
  const found = own.flatMap((check) =>
    [...check.find(object, nothingElse)]
      .filter(({ severity = check.severity }) => severity === 'error')
      .map(({ message, fix = check.fix }) => `${object.kind} ${object.metadata.name}: ${message}; ${fix}`),
  );
  const warnings = found.length > 0 ? found : none;
  known.set(object, warnings);
  return warnings;
}
const none: readonly string[] = [];
