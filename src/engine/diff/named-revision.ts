import { groupOf, type KubeObject } from '#base/model';
import { anyType, isObject, type JsonObject } from '#kubernetes/schema';
import { covers } from './covers.ts';
import { knownTypes, normalizeKnownTypes } from './known-types.ts';

type Templated = KubeObject<JsonObject & { template?: JsonObject & { metadata?: { name?: unknown } } }>;

/**
 * A Knative revision that Git names is immutable, and Knative does not default a template whose revision
 * exists: applying the template without the first defaults is rejected, though only the traffic changed.
 * Returns the target with the lists of the live template, which every way of applying replaces whole, where
 * the target declares no more than the live object has, and no less than was last applied (`applied`); else
 * the target itself.
 */
export function keepNamedRevision(
  target: KubeObject,
  live: KubeObject,
  applied?: KubeObject | undefined,
): KubeObject {
  if (groupOf(target) !== 'serving.knative.dev') return target;
  const [wanted, held] = [templateOf(target), templateOf(live)];
  const name = nameOf(wanted);
  if (name === undefined || name !== nameOf(held)) return target;
  const before = applied && templateOf(applied);
  const isSame = isWithin(wanted, held) && (before === undefined || isWithin(before, wanted));
  if (!isSame || !isObject(target.spec)) return target;
  const template = withListsOf((live as Templated).spec?.template, (target as Templated).spec?.template);
  return { ...target, spec: { ...target.spec, template } } as KubeObject;
}

function withListsOf(live: unknown, target: unknown): unknown {
  if (Array.isArray(target)) return live;
  if (!isObject(target) || !isObject(live)) return target;
  return Object.fromEntries(
    Object.entries(target).map(([name, value]) => [name, withListsOf(live[name], value)]),
  );
}

const known = knownTypes({});

/** With quantities as Kubernetes prints them: 1000m is 1. */
function templateOf(object: KubeObject): JsonObject | undefined {
  const template = (normalizeKnownTypes(object, known) as Templated).spec?.template;
  return isObject(template) ? template : undefined;
}

function nameOf(template: JsonObject | undefined): string | undefined {
  const { metadata } = template ?? {};
  return isObject(metadata) && typeof metadata.name === 'string' && metadata.name !== ''
    ? metadata.name
    : undefined;
}

const isWithin = (narrow: unknown, wide: unknown): boolean => covers(narrow, wide, anyType, 'plain');
