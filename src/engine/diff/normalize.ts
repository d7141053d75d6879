import { annotation, compareBytes, encodeBase64Text, isKind, type KubeObject } from '#base/model';
import { printJson } from '#base/std';
import { isObject, type JsonObject, normalizeBuiltin } from '#kubernetes/schema';
import { annotate } from '../annotations.ts';
import { isDefinition, type Tracking } from '../tracking.ts';
import { isSecret } from './ignore.ts';
import { without } from './pointer.ts';

export type NormalizeOptions = { readonly ignoreAggregatedRoles: boolean };

/** compat engine D-4 … D-6: one object in the spelling in which it is compared, both sides alike. */
export function normalize(object: KubeObject, options: NormalizeOptions): KubeObject {
  const canonical = normalizeBuiltin(object as unknown as JsonObject) as unknown as KubeObject;
  return normalizeKind(canonical, options);
}

/**
 * compat engine D-5, D-6: the rules for particular kinds. Nothing else is done to the last applied object:
 * every field in it, empty or not, was declared once.
 */
export function normalizeKind(object: KubeObject, options: NormalizeOptions): KubeObject {
  const undated = withoutServerDates(object);
  if (isSecret(undated)) return normalizeSecret(undated);
  if (isKind(undated, '', 'Endpoints')) return normalizeEndpoints(undated);
  if (isKind(undated, 'apps', 'StatefulSet')) return normalizeStatefulSet(undated);
  return isRole(undated) ? normalizeRole(undated, options) : undated;
}

/** compat engine D-5: the API server writes creationTimestamp and managedFields. */
export function withoutServerDates(object: KubeObject): KubeObject {
  const { creationTimestamp: _created, managedFields: _fields, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** compat engine D-6: what a user writes as stringData the API server stores as data. */
function normalizeSecret(secret: KubeObject): KubeObject {
  const { data, stringData, ...rest } = secret as KubeObject & { data?: unknown; stringData?: unknown };
  if (!isObject(data) && !isObject(stringData)) return rest;
  const fields: JsonObject = {};
  for (const [key, value] of Object.entries(isObject(data) ? data : {})) fields[key] = value ?? '';
  for (const [key, value] of Object.entries(isObject(stringData) ? stringData : {})) {
    fields[key] = typeof value === 'string' ? encodeBase64Text(value) : value;
  }
  return { ...rest, data: fields } as KubeObject;
}

const isRole = (object: KubeObject): boolean =>
  isKind(object, 'rbac.authorization.k8s.io', 'Role') ||
  isKind(object, 'rbac.authorization.k8s.io', 'ClusterRole');

/** compat engine D-6: an aggregated role's rules are written by the cluster, not by Git. */
function normalizeRole(role: KubeObject, { ignoreAggregatedRoles }: NormalizeOptions): KubeObject {
  const { rules, aggregationRule } = role as KubeObject & { rules?: unknown; aggregationRule?: unknown };
  const isEmpty = Array.isArray(rules) && rules.length === 0;
  const isAggregated = ignoreAggregatedRoles && aggregationRule !== undefined && aggregationRule !== null;
  return isEmpty || isAggregated ? ({ ...role, rules: null } as KubeObject) : role;
}

/** compat engine D-6: the port protocol the server fills in, and neither subsets nor what is in them in any order of their own. */
function normalizeEndpoints(endpoints: KubeObject): KubeObject {
  const { subsets } = endpoints as KubeObject & { subsets?: unknown };
  if (!Array.isArray(subsets)) return endpoints;
  const filled = subsets.map((subset) => {
    if (!isObject(subset)) return subset;
    const lists = Object.entries(subset).map(([name, list]) => [name, inOneOrder(list)]);
    return Object.fromEntries(lists) as JsonObject;
  });
  return { ...endpoints, subsets: inOneOrder(filled) } as KubeObject;
}

function inOneOrder(list: unknown): unknown {
  if (!Array.isArray(list)) return list;
  const keyed = list.map(withProtocol).map((item): [string, unknown] => [printJson(sorted(item)), item]);
  return keyed.sort(([a], [b]) => compareBytes(a, b)).map(([, item]) => item);
}

/** Only a port has a number. */
const withProtocol = (item: unknown): unknown =>
  isObject(item) && item.port !== undefined && !item.protocol ? { ...item, protocol: 'TCP' } : item;

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, sorted(value[name])]));
}

/** engine D-28: a claim template is no object of its own; its apiVersion and kind do not count. */
function normalizeStatefulSet(object: KubeObject): KubeObject {
  const spec = object.spec;
  if (!isObject(spec) || !Array.isArray(spec.volumeClaimTemplates)) return object;
  const templates = spec.volumeClaimTemplates.map((template) => {
    if (!isObject(template)) return template;
    const { apiVersion: _version, kind: _kind, ...rest } = template;
    return rest;
  });
  return { ...object, spec: { ...spec, volumeClaimTemplates: templates } };
}

/**
 * compat engine D-3: taking over an object that only carries the label must not count as drift, and neither
 * must a label that is no longer written. A mark that names another Application stays visible.
 */
export function normalizeTracking(live: KubeObject, target: KubeObject, tracking: Tracking): KubeObject {
  const { method, instanceLabelKey } = tracking;
  const label = live.metadata.labels?.[instanceLabelKey];
  if (method === 'label' || label === undefined || isDefinition(target)) return live;
  const mark = target.metadata.annotations?.[annotation.trackingId];
  const marked =
    live.metadata.annotations?.[annotation.trackingId] === undefined && mark !== undefined
      ? annotate(live, annotation.trackingId, mark)
      : live;
  const keepsLabel = target.metadata.labels?.[instanceLabelKey] !== undefined;
  return keepsLabel ? marked : without(marked, ['metadata', 'labels', instanceLabelKey]);
}
