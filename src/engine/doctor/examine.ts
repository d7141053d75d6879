import type { KubeObject } from '#base/model';
import { isObject } from '#base/std';
import type { Check, FieldPath, Flaw, Inventory } from './check.ts';
import { checks } from './checks.ts';
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

/**
 * What the targets of an application will fail at, or do not do as they say: the errors of the checks that are warnings on the
 * application (decision 58). One sentence for each fault.
 */
export function targetWarnings(targets: readonly KubeObject[], inventory: Inventory): string[] {
  return targets.flatMap((object) => {
    const own = (byKind.get(kindKey(object)) ?? []).filter(({ onApplication }) => onApplication);
    return own.flatMap((check) =>
      [...check.find(object, inventory)]
        .filter(({ severity = check.severity }) => severity === 'error')
        .map(({ message, fix = check.fix }) => `${object.kind} ${object.metadata.name}: ${message}; ${fix}`),
    );
  });
}
