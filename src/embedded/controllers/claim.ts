import { type KubeObject, printTime } from '#base/model';
import type { JsonObject } from '#kubernetes/schema';
import { claimKind, podKind, storageClassKind, volumeKind } from './kinds.ts';
import type { Pod } from './pod/view.ts';
import type { RecordedEvent } from './recorded-event.ts';
import { type Controller, keyOfObject, type NextPass, type SimulationContext } from './simulation-context.ts';
import {
  all,
  change,
  controllerManager,
  discard,
  isDeleting,
  isReason,
  storedObject,
  writeStatus,
} from './write.ts';

type Claim = KubeObject<
  {
    readonly storageClassName?: string;
    readonly volumeName?: string;
    readonly accessModes?: readonly string[];
    readonly volumeMode?: string;
    readonly resources?: { readonly requests?: JsonObject };
  },
  { readonly phase?: string }
>;
type StorageClass = KubeObject & {
  readonly volumeBindingMode?: string;
  readonly reclaimPolicy?: string;
  readonly provisioner?: string;
};

/** Provisions a volume for every claim whose storage class exists, and deletes the volume with the claim. */
export const claimController: Controller = {
  type: claimKind,
  wakes: [
    {
      type: podKind,
      keys: (_context, { object }) =>
        ((object as Pod).spec?.volumes ?? [])
          .flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? [])
          .map((name) => ({ namespace: object.metadata.namespace ?? '', name })),
    },
    {
      type: storageClassKind,
      keys: (context) =>
        all(context, claimKind)
          .filter((one) => !isBound(one))
          .map(keyOfObject),
    },
  ],
  async reconcile(context, object): Promise<NextPass | undefined> {
    const claim = object as Claim;
    if (isDeleting(claim)) return unprotect(context, claim);
    if (isBound(claim) || claim.metadata.annotations?.['simulate.fairlead.io/outcome'] === 'pending')
      return undefined;
    const { volumeName } = claim.spec ?? {};
    const name = volumeName ?? `pvc-${claim.metadata.uid}`;
    if (volumeName === undefined && !(await provision(context, claim, name))) return undefined;
    const volume = storedObject(context, volumeKind, { namespace: '', name });
    if (volume) await bind(context, claim, volume);
    return undefined;
  },
};

/** compat cluster 5.5: a claim that pods still use keeps its protection finalizer until those pods are deleted. */
async function unprotect(context: SimulationContext, claim: Claim): Promise<undefined> {
  const protection = 'kubernetes.io/pvc-protection';
  const { finalizers = [] } = claim.metadata;
  if (!finalizers.includes(protection) || hasConsumer(context, claim)) return undefined;
  const left = finalizers.filter((one) => one !== protection);
  await change(context, claim, { metadata: { finalizers: left.length > 0 ? left : null } });
  return undefined;
}

const isBound = (claim: KubeObject): boolean => (claim as Claim).status?.phase === 'Bound';

function classOf(context: SimulationContext, { spec }: Claim): StorageClass | undefined {
  const name = spec?.storageClassName;
  return name
    ? (storedObject(context, storageClassKind, { namespace: '', name }) as StorageClass | undefined)
    : undefined;
}

/** False while no provisioner can create the volume, or no pod needs it yet. */
async function provision(context: SimulationContext, claim: Claim, name: string): Promise<boolean> {
  const storageClass = classOf(context, claim);
  if (!storageClass) return recordUnmade(context, claim);
  if (storageClass.volumeBindingMode === 'WaitForFirstConsumer' && !hasConsumer(context, claim)) {
    const message = 'waiting for first consumer to be created before binding';
    return record(context, claim, { type: 'Normal', reason: 'WaitForFirstConsumer', message });
  }
  if (storedObject(context, volumeKind, { namespace: '', name })) return true;
  try {
    await context.objects.create(volumeFor(claim, storageClass, name), controllerManager);
  } catch (error) {
    if (!isReason(error, 'AlreadyExists')) throw error;
  }
  return true;
}

type News = Pick<RecordedEvent, 'type' | 'reason' | 'message'>;

async function record(context: SimulationContext, claim: Claim, news: News): Promise<false> {
  await context.events.record(claim, { ...news, component: 'persistentvolume-controller' });
  return false;
}

/** compat cluster 5.5: no volume is provisioned for a claim without a class, or whose class does not exist. */
function recordUnmade(context: SimulationContext, claim: Claim): Promise<false> {
  const name = claim.spec?.storageClassName;
  if (name) {
    const message = `storageclass.storage.k8s.io "${name}" not found`;
    return record(context, claim, { type: 'Warning', reason: 'ProvisioningFailed', message });
  }
  const message = 'no persistent volumes available for this claim and no storage class is set';
  return record(context, claim, { type: 'Normal', reason: 'FailedBinding', message });
}

const hasConsumer = (context: SimulationContext, claim: Claim): boolean =>
  (all(context, podKind, keyOfObject(claim).namespace) as readonly Pod[]).some(({ spec }) =>
    spec?.volumes?.some((volume) => volume.persistentVolumeClaim?.claimName === claim.metadata.name),
  );

function volumeFor(claim: Claim, storageClass: StorageClass, name: string): KubeObject {
  const { namespace } = keyOfObject(claim);
  const { accessModes = ['ReadWriteOnce'], volumeMode = 'Filesystem', resources } = claim.spec ?? {};
  return {
    ...volumeKind,
    metadata: {
      name,
      annotations: { 'pv.kubernetes.io/provisioned-by': storageClass.provisioner ?? '' },
      finalizers: ['kubernetes.io/pv-protection'],
    },
    spec: {
      accessModes,
      volumeMode,
      capacity: { storage: resources?.requests?.storage ?? '1Gi' },
      claimRef: { ...claimKind, namespace, name: claim.metadata.name, uid: claim.metadata.uid },
      hostPath: { path: `/embedded/${name}`, type: '' },
      persistentVolumeReclaimPolicy: storageClass.reclaimPolicy ?? 'Delete',
      storageClassName: storageClass.metadata.name,
    },
  };
}

async function bind(context: SimulationContext, claim: Claim, volume: KubeObject): Promise<void> {
  const { capacity, accessModes } = (volume.spec ?? {}) as JsonObject;
  await writeStatus(context, volume, phased(context, volume, 'Bound'));
  const annotations = {
    'pv.kubernetes.io/bind-completed': 'yes',
    'pv.kubernetes.io/bound-by-controller': 'yes',
  };
  const named = await change(context, claim, {
    metadata: { annotations },
    spec: { volumeName: volume.metadata.name },
  });
  await writeStatus(context, named, { phase: 'Bound', accessModes, capacity });
}

/** A volume's status in a phase, and since when it is in it. */
function phased(context: SimulationContext, { status }: KubeObject, phase: string): JsonObject {
  const known = (status ?? {}) as JsonObject;
  if (known.phase === phase) return known;
  return { phase, lastPhaseTransitionTime: printTime(context.clock.now()) };
}

/** A volume whose claim is deleted is deleted too if its reclaim policy is Delete, else it becomes Released. */
export const volumeController: Controller = {
  type: volumeKind,
  wakes: [
    {
      type: claimKind,
      keys: (_context, { object }) => {
        const name = (object as Claim).spec?.volumeName;
        return name === undefined ? [] : [{ namespace: '', name }];
      },
    },
  ],
  async reconcile(context, volume): Promise<NextPass | undefined> {
    const { claimRef, persistentVolumeReclaimPolicy } = (volume.spec ?? {}) as VolumeSpec;
    const { namespace = '', name = '', uid } = claimRef ?? {};
    const claim = claimRef ? storedObject(context, claimKind, { namespace, name }) : undefined;
    const isOrphan = claimRef !== undefined && uid !== undefined && claim?.metadata.uid !== uid;
    if (isDeleting(volume)) return letGo(context, volume);
    if (!claimRef) await writeStatus(context, volume, phased(context, volume, 'Available'));
    if (!isOrphan) return undefined;
    if (persistentVolumeReclaimPolicy === 'Delete') await discard(context, volume);
    else await writeStatus(context, volume, phased(context, volume, 'Released'));
    return undefined;
  },
};

type VolumeSpec = {
  readonly claimRef?: { readonly namespace?: string; readonly name?: string; readonly uid?: string };
  readonly persistentVolumeReclaimPolicy?: string;
};

async function letGo(context: SimulationContext, volume: KubeObject): Promise<undefined> {
  const left = (volume.metadata.finalizers ?? []).filter((one) => one !== 'kubernetes.io/pv-protection');
  await change(context, volume, { metadata: { finalizers: left.length > 0 ? left : null } });
  return undefined;
}
