import { groupOf, type KubeObject, type Settings } from '#base/model';
import { isObject } from '#base/std';
import type { Check, FieldPath, Flaw, Inventory, Severity } from './check.ts';
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

/** What an application reports of its targets (`fairlead.doctor.warnings`, decision 58). */
type Reported = Settings['application']['warnings'];

const warningsForAll = forAll.filter(({ onApplication }) => onApplication === 'errors');
const nothingElse = inventoryOf([], { isWhole: true });
/** Prepared targets are frozen, and the very same objects in the next comparison. */
const known = new WeakMap<KubeObject, readonly Warning[]>();

/** A finding as a sentence. */
type Warning = { readonly check: Check; readonly text: string };

/** The sentences of one check that an application shows; a hundred manifests with the same mistake are two and a number. */
const mostOfOne = 2;

/**
 * What the targets of an application will fail at, or do not do as they say: by default the findings of the checks that are
 * warnings on the application (decision 58). In the order of the checks, each sentence once, and the number of those left out.
 * The targets must not be changed afterwards: what an object has by default is computed once.
 */
export function targetWarnings(targets: readonly KubeObject[], reported: Reported = 'errors'): string[] {
  const inventory = reported === 'errors' ? nothingElse : inventoryOf(targets, { isWhole: true });
  const byCheck = new Map<Check, Set<string>>();
  for (const target of targets)
    for (const { check, text } of warningsOf(target, reported, inventory))
      byCheck.set(check, (byCheck.get(check) ?? new Set()).add(text));
  return checks.flatMap((check) => summed(check, [...(byCheck.get(check) ?? [])]));
}

function summed({ id, title }: Check, texts: readonly string[]): readonly string[] {
  const more = texts.length - mostOfOne;
  if (more <= 0) return texts;
  return [...texts.slice(0, mostOfOne), `and ${more} more of the kind: ${title} (${id})`];
}

function warningsOf(object: KubeObject, reported: Reported, inventory: Inventory): readonly Warning[] {
  if (reported !== 'errors') {
    const found = [...examine(object, inventory)].filter(({ check, flaw }) => {
      return reported === 'all' || (flaw.severity ?? check.severity) !== 'note';
    });
    return found.map(({ check, flaw }) => warningOf(object, check, flaw));
  }
  const before = known.get(object);
  if (before) return before;
  const isKnative = groupOf(object) === 'serving.knative.dev';
  const own = (byKind.get(kindKey(object)) ?? []).filter(
    ({ onApplication }) => onApplication === 'errors' || (isKnative && onApplication === 'knative'),
  );
  const found = [...warningsForAll, ...own].flatMap((check) =>
    [...check.find(object, inventory)]
      .filter(({ severity = check.severity }) => isShown(check, severity))
      .map((flaw) => warningOf(object, check, flaw)),
  );
  const warnings = found.length > 0 ? found : none;
  known.set(object, warnings);
  return warnings;
}
const none: readonly Warning[] = [];

const isShown = ({ onApplication }: Check, severity: Severity): boolean =>
  severity === 'error' || (onApplication === 'knative' && severity === 'warning');

const warningOf = (object: KubeObject, check: Check, { message, fix = check.fix }: Flaw): Warning => ({
  check,
  text: `${object.kind} ${object.metadata.name}: ${message}; ${fix}`,
});
