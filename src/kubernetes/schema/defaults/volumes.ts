import type { JsonObject } from '../type-node.ts';
import { type DefaultingStep, each, fill, inside, steps } from './fill.ts';
import { roundUpResources } from './resources.ts';

/** 0644, as JSON writes it. */
const readable = { defaultMode: 420 };

const fieldRefs: DefaultingStep = (part) =>
  each(part, 'items', (item) => inside(item, 'fieldRef', apiVersionV1));
const apiVersionV1: DefaultingStep = (fieldRef) => fill(fieldRef, { apiVersion: 'v1' });

/** compat cluster 3.12: an image without a tag is `latest`, one pinned by digest has no tag at all. */
const reference =
  /^(?:[a-zA-Z0-9][a-zA-Z0-9.-]*(?::\d+)?\/)?[a-z0-9]+(?:(?:\.|_{1,2}|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|_{1,2}|-+)[a-z0-9]+)*)*(?::\w[\w.-]{0,127})?$/;

export function pullPolicyOf(image: unknown): string {
  const [name = '', digest] = String(image ?? '').split('@');
  // compat cluster 3.12: a name that is no image reference has no latest tag
  if (!reference.test(name)) return 'IfNotPresent';
  const afterSlash = name.slice(name.lastIndexOf('/') + 1);
  const colon = afterSlash.indexOf(':');
  if (colon >= 0) return afterSlash.slice(colon + 1) === 'latest' ? 'Always' : 'IfNotPresent';
  return digest === undefined && name !== '' ? 'Always' : 'IfNotPresent';
}

/** compat cluster 3.12: what a volume source of each type gets. */
const sources: Record<string, DefaultingStep> = {
  secret: (source) => fill(source, readable),
  configMap: (source) => fill(source, readable),
  downwardAPI: (source) => fieldRefs(fill(source, readable)),
  projected: (source) => each(fill(source, readable), 'sources', defaultProjection),
  hostPath: (source) =>
    source.type === undefined || source.type === null ? { ...source, type: '' } : source,
  image: (source) => fill(source, { pullPolicy: pullPolicyOf(source.reference) }),
  iscsi: (source) => fill(source, { iscsiInterface: 'default' }),
  rbd: (source) => fill(source, { pool: 'rbd', user: 'admin', keyring: '/etc/ceph/keyring' }),
  azureDisk: (source) =>
    fill(source, { cachingMode: 'ReadWrite', kind: 'Shared', fsType: 'ext4', readOnly: false }),
  scaleIO: (source) => fill(source, { storageMode: 'ThinProvisioned', fsType: 'xfs' }),
  ephemeral: (source) =>
    inside(source, 'volumeClaimTemplate', (template) => inside(template, 'spec', defaultClaimSpec)),
};

function defaultProjection(projection: JsonObject): JsonObject {
  const token = inside(projection, 'serviceAccountToken', (source) =>
    fill(source, { expirationSeconds: 3600 }),
  );
  return inside(token, 'downwardAPI', fieldRefs);
}

/** The spec of a claim, its own or inside a template. */
export const defaultClaimSpec: DefaultingStep = steps(
  (spec) => fill(spec, { volumeMode: 'Filesystem' }),
  (spec) => inside(spec, 'resources', roundUpResources),
);

/** The type-specific part of a volume, of a pod or of a PersistentVolume. */
export function defaultSources(volume: JsonObject): JsonObject {
  let filled = volume;
  for (const name of Object.keys(volume)) {
    const step = sources[name];
    if (step !== undefined) filled = inside(filled, name, step);
  }
  return filled;
}

/** A pod's volume; one with nothing but a name is an emptyDir. */
export function defaultVolume(volume: JsonObject): JsonObject {
  const isBare = Object.entries(volume).every(([name, value]) => name === 'name' || value === null);
  return isBare ? { ...volume, emptyDir: {} } : defaultSources(volume);
}
