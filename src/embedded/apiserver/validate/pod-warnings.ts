import { compareQuantities, quantityOf, scaledValue } from '#base/model';
import { isObject, type JsonObject } from '#kubernetes/schema';

const objects = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** compat cluster 3.14: node labels that have a new name. */
const oldLabels: Readonly<Record<string, string>> = {
  'beta.kubernetes.io/arch': 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  'beta.kubernetes.io/os': 'deprecated since v1.14; use "kubernetes.io/os" instead',
  'failure-domain.beta.kubernetes.io/region':
    'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  'failure-domain.beta.kubernetes.io/zone':
    'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
};

/** compat cluster 3.14: kinds of volumes that no longer work. */
const oldVolumes: Readonly<Record<string, string>> = {
  cephfs: 'cephfs: deprecated in v1.28, non-functional in v1.31+',
  flocker: 'flocker: deprecated in v1.22, non-functional in v1.25+',
  gitRepo: 'gitRepo: deprecated in v1.11, and disabled by default in v1.33+',
  glusterfs: 'glusterfs: deprecated in v1.25, non-functional in v1.26+',
  photonPersistentDisk: 'photonPersistentDisk: deprecated in v1.11, non-functional in v1.16+',
  quobyte: 'quobyte: deprecated in v1.22, non-functional in v1.25+',
  rbd: 'rbd: deprecated in v1.28, non-functional in v1.31+',
  scaleIO: 'scaleIO: deprecated in v1.16, non-functional in v1.22+',
  storageos: 'storageOS: deprecated in v1.22, non-functional in v1.25+',
};

/** Warnings about the spec of a pod; `path` is the path of the spec. */
export function podWarnings(spec: JsonObject, path: string): string[] {
  return [
    ...labelWarnings(spec, path),
    ...objects(spec.volumes).flatMap((volume, index) =>
      Object.keys(volume).flatMap((source) =>
        oldVolumes[source] === undefined ? [] : [`${path}.volumes[${index}].${oldVolumes[source]}`],
      ),
    ),
    ...repeats(spec.hostAliases, 'ip', `${path}.hostAliases`),
    ...repeats(spec.imagePullSecrets, 'name', `${path}.imagePullSecrets`),
    ...objects(spec.topologySpreadConstraints).flatMap(({ labelSelector }, index) =>
      labelSelector === undefined
        ? [
            `${path}.topologySpreadConstraints[${index}].labelSelector: a null labelSelector results in matching no pod`,
          ]
        : [],
    ),
    ...['initContainers', 'containers'].flatMap((field) =>
      objects(spec[field]).flatMap((one, index) => containerWarnings(one, `${path}.${field}[${index}]`)),
    ),
  ];
}

function labelWarnings({ nodeSelector }: JsonObject, path: string): string[] {
  const keys = isObject(nodeSelector) ? Object.keys(nodeSelector) : [];
  return keys
    .filter((key) => oldLabels[key] !== undefined)
    .map((key) => `${path}.nodeSelector[${key}]: ${oldLabels[key]}`);
}

/** Duplicates in a list that is merged by a key. */
function repeats(list: unknown, key: string, path: string): string[] {
  const seen = new Set<unknown>();
  return objects(list).flatMap((item, index) => {
    const value = item[key] ?? '';
    const isKnown = seen.has(value);
    seen.add(value);
    if (value === '') return [`${path}[${index}].${key}: invalid empty ${key} ""`];
    return isKnown ? [`${path}[${index}].${key}: duplicate ${key} ${JSON.stringify(value)}`] : [];
  });
}

function containerWarnings({ env, ports, resources }: JsonObject, path: string): string[] {
  return [
    ...fractions(resources, `${path}.resources`),
    ...hidden(env, `${path}.env`),
    ...samePorts(ports, `${path}.ports`),
  ];
}

/** compat cluster 3.14: fractional bytes are not possible. */
export function fractions(resources: unknown, path: string): string[] {
  if (!isObject(resources)) return [];
  return ['limits', 'requests'].flatMap((field) => {
    const amounts = isObject(resources[field]) ? resources[field] : {};
    return ['memory', 'ephemeral-storage', 'storage'].flatMap((name) => {
      const amount = quantityOf(amounts[name]);
      if (amount === undefined || compareQuantities(scaledValue(amount), amount) === 0) return [];
      const shown = JSON.stringify(amounts[name]);
      return [`${path}.${field}[${name}]: fractional byte value ${shown} is invalid, must be an integer`];
    });
  });
}

function hidden(env: unknown, path: string): string[] {
  const seen = new Set<unknown>();
  return objects(env).flatMap(({ name }, index) => {
    const isKnown = seen.has(name);
    seen.add(name);
    const what = `hides previous definition of ${JSON.stringify(name)}, which may be dropped when using apply`;
    return isKnown ? [`${path}[${index}]: ${what}`] : [];
  });
}

function samePorts(ports: unknown, path: string): string[] {
  const seen = new Map<string, number>();
  return objects(ports).flatMap(({ containerPort, hostPort, hostIP, protocol = 'TCP' }, index) => {
    const id = [containerPort, hostPort, hostIP, protocol].join('|');
    const first = seen.get(id);
    if (first === undefined) seen.set(id, index);
    return first === undefined ? [] : [`${path}[${index}]: duplicate port definition with ${path}[${first}]`];
  });
}
