import { encodeBase64Text } from '#base/model';
import { isObject, type JsonObject } from '../type-node.ts';
import { type DefaultingStep, each, fill, fillZeros, inside, insideAlways, steps } from './fill.ts';
import { roundUp } from './resources.ts';
import { defaultSources } from './volumes.ts';
import { defaultClaim } from './workloads.ts';

const rbacGroup = 'rbac.authorization.k8s.io';

const subject: DefaultingStep = (part) =>
  part.kind === 'User' || part.kind === 'Group' ? fill(part, { apiGroup: rbacGroup }) : part;

const binding: DefaultingStep = steps(
  (object) => inside(object, 'roleRef', (reference) => fill(reference, { apiGroup: rbacGroup })),
  (object) => each(object, 'subjects', subject),
);

const persistentVolume: DefaultingStep = steps(
  (object) => insideAlways(object, 'status', (status) => fill(status, { phase: 'Pending' })),
  (object) =>
    insideAlways(object, 'spec', (spec) =>
      defaultSources(
        roundUp('capacity')(
          fill(spec, { persistentVolumeReclaimPolicy: 'Retain', volumeMode: 'Filesystem' }),
        ),
      ),
    ),
);

/** compat cluster 3.12: every namespace can be selected by its name. */
function namespace(object: JsonObject): JsonObject {
  const labelled = inside(object, 'metadata', (metadata) => {
    if (typeof metadata.name !== 'string' || metadata.name === '') return metadata;
    const { name } = metadata;
    return insideAlways(metadata, 'labels', (labels) =>
      labels['kubernetes.io/metadata.name'] === undefined
        ? { ...labels, 'kubernetes.io/metadata.name': name }
        : labels,
    );
  });
  return insideAlways(labelled, 'status', (status) => fill(status, { phase: 'Active' }));
}

const lists = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'];

/**
 * compat cluster 3.12: a container's default limit is its maximum, and its default request is the default
 * limit, or else its minimum.
 */
function limits(item: JsonObject): JsonObject {
  const rounded = lists.reduce((state, name) => roundUp(name)(state), item);
  if (rounded.type !== 'Container') return rounded;
  const defaulted = complete(rounded, 'default', rounded.max);
  return complete(complete(defaulted, 'defaultRequest', defaulted.default), 'defaultRequest', rounded.min);
}

function complete(item: JsonObject, name: string, from: unknown): JsonObject {
  if (!isObject(from)) return item;
  const present = isObject(item[name]) ? item[name] : {};
  return { ...item, [name]: { ...from, ...present } };
}

const csiDriver: DefaultingStep = (spec) =>
  fill(spec, {
    attachRequired: true,
    fsGroupPolicy: 'ReadWriteOnceWithFSType',
    podInfoOnMount: false,
    requiresRepublish: false,
    seLinuxMount: false,
    storageCapacity: false,
    ...(Array.isArray(spec.volumeLifecycleModes) && spec.volumeLifecycleModes.length > 0
      ? {}
      : { volumeLifecycleModes: ['Persistent'] }),
  });

const exactly: DefaultingStep = (request) => {
  const moded = fill(request, { allocationMode: 'ExactCount' });
  return moded.allocationMode === 'ExactCount' ? fillZeros(moded, { count: 1 }) : moded;
};

const deviceRequest: DefaultingStep = steps(
  (request) => inside(request, 'exactly', exactly),
  (request) => each(request, 'firstAvailable', exactly),
);

const claimSpec: DefaultingStep = (spec) =>
  inside(spec, 'devices', (devices) => each(devices, 'requests', deviceRequest));

/** compat cluster 3.12: the wire has both spellings, the store only one. */
function secret(object: JsonObject): JsonObject {
  const { stringData, ...rest } = fill(object, { type: 'Opaque' });
  if (!isObject(stringData)) return stringData === undefined ? rest : { ...rest, stringData };
  const folded = Object.entries(stringData).map(([name, value]) => [
    name,
    encodeBase64Text(String(value ?? '')),
  ]);
  return { ...rest, data: { ...(isObject(rest.data) ? rest.data : {}), ...Object.fromEntries(folded) } };
}

const queuing: DefaultingStep = (part) => fillZeros(part, { queues: 64, handSize: 8, queueLengthLimit: 50 });

const priorityLevel: DefaultingStep = steps(
  (spec) =>
    inside(spec, 'limited', (part) => fill(part, { nominalConcurrencyShares: 30, lendablePercent: 0 })),
  (spec) =>
    inside(spec, 'limited', (part) =>
      inside(part, 'limitResponse', (response) => inside(response, 'queuing', queuing)),
    ),
  (spec) => inside(spec, 'exempt', (part) => fill(part, { nominalConcurrencyShares: 0, lendablePercent: 0 })),
);

const nodeStatus: DefaultingStep = steps(roundUp('capacity'), roundUp('allocatable'), (status) =>
  isObject(status.capacity) ? fill(status, { allocatable: status.capacity }) : status,
);

/** compat cluster 3.12: the first of a node's pod CIDRs is repeated in podCIDR. */
const nodeSpec: DefaultingStep = (spec) =>
  spec.podCIDR && spec.podCIDRs === undefined ? { ...spec, podCIDRs: [spec.podCIDR] } : spec;

export const clusterDefaults: Record<string, DefaultingStep> = {
  'v1/Namespace': namespace,
  'v1/Node': (object) => inside(inside(object, 'status', nodeStatus), 'spec', nodeSpec),
  'v1/Secret': secret,
  'v1/PersistentVolume': persistentVolume,
  'v1/PersistentVolumeClaim': defaultClaim,
  'v1/LimitRange': (object) => inside(object, 'spec', (spec) => each(spec, 'limits', limits)),
  'v1/ResourceQuota': steps(
    (object) => inside(object, 'spec', roundUp('hard')),
    (object) => inside(object, 'status', steps(roundUp('hard'), roundUp('used'))),
  ),
  [`${rbacGroup}/v1/RoleBinding`]: binding,
  [`${rbacGroup}/v1/ClusterRoleBinding`]: binding,
  'storage.k8s.io/v1/StorageClass': (object) =>
    fill(object, { reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' }),
  'storage.k8s.io/v1/CSIDriver': (object) => insideAlways(object, 'spec', csiDriver),
  'scheduling.k8s.io/v1/PriorityClass': (object) =>
    fill(object, { preemptionPolicy: 'PreemptLowerPriority' }),
  'flowcontrol.apiserver.k8s.io/v1/FlowSchema': (object) =>
    insideAlways(object, 'spec', (spec) => fillZeros(spec, { matchingPrecedence: 1000 })),
  'flowcontrol.apiserver.k8s.io/v1/PriorityLevelConfiguration': (object) =>
    inside(object, 'spec', priorityLevel),
  'resource.k8s.io/v1/ResourceClaim': (object) => inside(object, 'spec', claimSpec),
  'resource.k8s.io/v1/ResourceClaimTemplate': (object) =>
    inside(object, 'spec', (template) => inside(template, 'spec', claimSpec)),
  'node.k8s.io/v1/RuntimeClass': (object) => inside(object, 'overhead', roundUp('podFixed')),
};
