import type { KubeObject } from '#base/model';
import { FairleadError } from '#base/std';
import { compareFields, FieldSet, removeFields } from '#kubernetes/patch';
import type { JsonObject, TypeNode } from '#kubernetes/schema';

type Pair = { readonly target: KubeObject; readonly live: KubeObject };

/**
 * compat engine D-14: both sides without the fields that differ and that a trusted manager wrote. List items
 * that the type cannot identify stay as they are; returns the same pair when there is nothing to leave out.
 */
export function withoutTrusted<T extends Pair>(pair: T, managers: readonly string[], type: TypeNode): T {
  const trusted = (pair.live.metadata.managedFields ?? []).filter(
    ({ manager }) => manager !== undefined && managers.includes(manager),
  );
  if (trusted.length === 0) return pair;
  try {
    const [target, live] = [pair.target, pair.live].map((side) => side as unknown as JsonObject);
    const { modified } = compareFields(live, target, type);
    const written = trusted.reduce(
      (all, { fieldsV1 }) => all.union(FieldSet.parse(fieldsV1)),
      FieldSet.empty,
    );
    const fields = written.intersect(modified);
    if (fields.isEmpty) return pair;
    const rest = (side: unknown): KubeObject => removeFields(side, type, fields) as KubeObject;
    return { ...pair, target: rest(target), live: rest(live) };
  } catch (thrown) {
    // compat engine D-18: a value that cannot be normalised is compared unchanged
    if (thrown instanceof FairleadError) return pair;
    throw thrown;
  }
}
