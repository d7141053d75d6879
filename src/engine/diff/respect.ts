import type { KubeObject } from '#base/model';
import { equal, FairleadError } from '#base/std';
import {
  applyMergePatch,
  applyStrategicPatch,
  createMergePatch,
  createStrategicPatch,
} from '#kubernetes/patch';
import { anyType, isObject, type JsonObject, type TypeNode } from '#kubernetes/schema';
import { type IgnoreRules, ignore, ignoredIn } from './ignore.ts';
import { withoutTrusted } from './managers.ts';
import { without } from './pointer.ts';
import { describedType, type TypeOf } from './predict-server.ts';

/**
 * compat engine D-30, for RespectIgnoreDifferences=true: the target with the live object's content wherever a rule ignores it,
 * so that applying it leaves those fields alone. Status is never copied. Throws InvalidSpec when a rule cannot be read.
 */
export function respectIgnored(
  target: KubeObject,
  live: KubeObject,
  rules: IgnoreRules,
  typeOf?: TypeOf,
): KubeObject {
  if (rules.problem !== undefined) throw new FairleadError('InvalidSpec', rules.problem);
  const ignored = ignoredIn(live, rules);
  const type = describedType(target, typeOf);
  const known = withoutTrusted({ target, live }, ignored.managers, type ?? anyType);
  const [narrowTarget, narrowLive] = [ignore(known.target, ignored), ignore(known.live, ignored)].map(
    fieldsOf,
  );
  if (!narrowTarget || !narrowLive) return target;
  const held = fieldsOf(without(live, ['status']));
  const rest = fieldsOf(without(ignore(known.live, ignored), ['status']));
  // status is not copied, but a status that Git declares is not dropped either
  if (equal(rest, held) && equal(without(narrowTarget, ['status']), without(target, ['status'])))
    return target;
  const patched = patchOnto(narrowTarget, { from: rest, to: held }, type);
  const sides = { patched, declared: target, narrow: narrowTarget, live: rest };
  return restored({ ...sides, type: type ?? anyType }) as KubeObject;
}

type Change = { readonly from: JsonObject; readonly to: JsonObject };

/**
 * The ignored content is what the rules removed from the live object; the kind's own merge rules patch it in.
 */
function patchOnto(object: JsonObject, { from, to }: Change, type: TypeNode | undefined): JsonObject {
  if (!type) return applyMergePatch(object, createMergePatch(from, to)) as JsonObject;
  return applyStrategicPatch(object, createStrategicPatch(from, to, type), type);
}

/**
 * One path in four objects: the patched one, the target, and the target and the live object without ignored
 * fields.
 */
type IgnoredField = {
  readonly patched: unknown;
  readonly declared: unknown;
  readonly narrow: unknown;
  readonly live: unknown;
  readonly type: TypeNode;
  /** The merge key of the list, where the kind has one. */
  readonly mergeKey?: string | undefined;
};

/**
 * Undoes what came along with ignored content because it lies in something that is only replaced whole: a field no rule
 * touched is as Git declares it, and one that Git does not declare stays out.
 */
function restored(place: IgnoredField): unknown {
  const { patched, declared, narrow, live } = place;
  if (isObject(patched) && isObject(declared) && isObject(narrow)) return restoredFields(patched, place);
  // what the rules took out of the live object alone is ignored as well
  const isIgnored = patched !== undefined && live === undefined;
  if (!isIgnored && narrow !== undefined && equal(narrow, declared)) return declared;
  const isSameList = Array.isArray(patched) && Array.isArray(declared) && Array.isArray(narrow);
  if (!isSameList) return patched;
  return place.mergeKey === undefined ? restoredItems(patched, place) : restoredByKey(patched, place);
}

function restoredFields(patched: JsonObject, place: IgnoredField): JsonObject {
  const [declared, narrow, live] = [fieldsIn(place.declared), fieldsIn(place.narrow), fieldsIn(place.live)];
  const names = new Set([...Object.keys(patched), ...Object.keys(narrow)]);
  const kept = [...names].flatMap((name): [string, unknown][] => {
    const isLiveOnly = !Object.hasOwn(declared, name) && Object.hasOwn(live, name);
    if (isLiveOnly) return liveOnly(name, patched[name], live[name]);
    const sides = { patched: own(patched, name), declared: own(declared, name), narrow: own(narrow, name) };
    return [[name, restored({ ...sides, live: own(live, name), ...below(place.type, name) })]];
  });
  return Object.fromEntries(kept.filter(([, value]) => value !== undefined));
}

/** Of what only the live object has, the ignored part: what the rules took out of it. */
function liveOnly(name: string, patched: unknown, live: unknown): [string, unknown][] {
  if (!isObject(patched) || !isObject(live)) return [];
  const kept = restoredFields(patched, { patched, declared: {}, narrow: {}, live, type: anyType });
  return Object.keys(kept).length > 0 ? [[name, kept]] : [];
}

function below(type: TypeNode, name: string): Pick<IgnoredField, 'type' | 'mergeKey'> {
  const field = type.kind === 'struct' ? type.fields.get(name) : undefined;
  if (!field) return { type: type.kind === 'map' ? type.values : anyType };
  const isMerged = field.patch === 'merge' && field.mergeKey !== undefined;
  return { type: field.type, mergeKey: isMerged ? field.mergeKey : undefined };
}

/**
 * dev engine D-30: a list that is replaced whole is put right item by item, as long as the rules left its items where they were.
 * Upstream such a list comes from the live object altogether, and a change to it in Git is never applied.
 */
function restoredItems(patched: readonly unknown[], place: IgnoredField): readonly unknown[] {
  const [wanted, left, held] = [listIn(place.declared), listIn(place.narrow), listIn(place.live)];
  if (wanted.length !== left.length || held.length !== patched.length) return patched;
  const type = itemsOf(place.type);
  return wanted.map((item, at) =>
    at < patched.length
      ? restored({ patched: patched[at], declared: item, narrow: left[at], live: held[at], type })
      : item,
  );
}

/** Items that are merged by a key were merged already; only what is replaced inside of them may have suffered. */
function restoredByKey(patched: readonly unknown[], place: IgnoredField): readonly unknown[] {
  const { mergeKey = '' } = place;
  const keyed = (list: unknown): Map<unknown, unknown> =>
    new Map(listIn(list).map((item) => [fieldsIn(item)[mergeKey], item]));
  const [wanted, left, held] = [keyed(place.declared), keyed(place.narrow), keyed(place.live)];
  const type = itemsOf(place.type);
  return patched.map((item) => {
    const key = fieldsIn(item)[mergeKey];
    if (!wanted.has(key)) return item;
    return restored({
      patched: item,
      declared: wanted.get(key),
      narrow: left.get(key),
      live: held.get(key),
      type,
    });
  });
}

const itemsOf = (type: TypeNode): TypeNode => (type.kind === 'list' ? type.items : anyType);
const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const fieldsIn = (value: unknown): JsonObject => (isObject(value) ? value : {});
const own = (fields: JsonObject, name: string): unknown =>
  Object.hasOwn(fields, name) ? fields[name] : undefined;
const fieldsOf = (object: KubeObject): JsonObject => object as unknown as JsonObject;
