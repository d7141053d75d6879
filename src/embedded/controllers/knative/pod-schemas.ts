import type { JsonObject } from '#kubernetes/schema';
import {
  atom,
  atomicList,
  either,
  flag,
  int32,
  int64,
  keyReference,
  listOf,
  listOfMap,
  mapOf,
  object,
  open,
  optionalReference,
  text,
} from './structural.ts';

/** compat cluster 5.6: the fields of containers and volumes in Knative's definitions. */

const quantity: JsonObject = {
  ...either,
  pattern:
    '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
};
const openAtom = atom(open);
const texts = atomicList(text);

const probe = object({
  exec: object({ command: texts }),
  failureThreshold: int32,
  grpc: object({ port: int32, service: { type: 'string', default: '' } }),
  httpGet: object({
    host: text,
    httpHeaders: atomicList(object({ name: text, value: text }, ['name', 'value'])),
    path: text,
    port: either,
    scheme: text,
  }),
  initialDelaySeconds: int32,
  periodSeconds: int32,
  successThreshold: int32,
  tcpSocket: object({ host: text, port: either }),
  timeoutSeconds: int32,
});

const variable = object(
  {
    name: text,
    value: text,
    valueFrom: object({
      configMapKeyRef: keyReference,
      fieldRef: openAtom,
      resourceFieldRef: openAtom,
      secretKeyRef: keyReference,
    }),
  },
  ['name'],
);

const security = object({
  allowPrivilegeEscalation: flag,
  capabilities: object({ add: texts, drop: texts }),
  privileged: flag,
  readOnlyRootFilesystem: flag,
  runAsGroup: int64,
  runAsNonRoot: flag,
  runAsUser: int64,
  seccompProfile: object({ localhostProfile: text, type: text }, ['type']),
});

const mount = object({ mountPath: text, mountPropagation: text, name: text, readOnly: flag, subPath: text }, [
  'mountPath',
  'name',
]);

export const containerSchema = object({
  args: texts,
  command: texts,
  env: listOfMap(['name'], variable),
  envFrom: atomicList(
    object({ configMapRef: optionalReference, prefix: text, secretRef: optionalReference }),
  ),
  image: text,
  imagePullPolicy: text,
  livenessProbe: probe,
  name: text,
  ports: listOf(object({ containerPort: int32, name: text, protocol: { type: 'string', default: 'TCP' } })),
  readinessProbe: probe,
  resources: object({ limits: mapOf(quantity), requests: mapOf(quantity) }),
  securityContext: security,
  startupProbe: probe,
  terminationMessagePath: text,
  terminationMessagePolicy: text,
  volumeMounts: listOfMap(['mountPath'], mount),
  workingDir: text,
});

const items = atomicList(object({ key: text, mode: int32, path: text }, ['key', 'path']));
const { properties: named } = optionalReference as { properties: Record<string, JsonObject> };
const entries = atom(object({ items, ...named }));

const downward = object(
  {
    fieldRef: atom(object({ apiVersion: text, fieldPath: text }, ['fieldPath'])),
    mode: int32,
    path: text,
    resourceFieldRef: atom(object({ containerName: text, divisor: quantity, resource: text }, ['resource'])),
  },
  ['path'],
);

const projection = object({
  configMap: entries,
  downwardAPI: object({ items: atomicList(downward) }),
  secret: entries,
  serviceAccountToken: object({ audience: text, expirationSeconds: int64, path: text }, ['path']),
});

export const volumeSchema = object(
  {
    configMap: atom(object({ defaultMode: int32, items, ...named })),
    csi: open,
    emptyDir: open,
    ephemeral: open,
    hostPath: open,
    image: open,
    name: text,
    persistentVolumeClaim: open,
    projected: object({ defaultMode: int32, sources: atomicList(projection) }),
    secret: object({ defaultMode: int32, items, optional: flag, secretName: text }),
  },
  ['name'],
);
