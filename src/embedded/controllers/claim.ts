import { type KubeObject, printTime } from '#base/model';
import type { JsonObject } from '#kubernetes/schema';
import type { Happening } from './happening.ts';
import { claimKind, podKind, storageClassKind, volumeKind } from './kinds.ts';
import type { Pod } from './pod/view.ts';
import { type Controller, keyOfObject, type NextPass, type SimulationContext } from './simulation-context.ts';
import { all, change, controllerManager, discard, isDeleting, isReason, look, writeStatus } from './write.ts';

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
      keys: (_world, { object }) =>
        ((object as Pod).spec?.volumes ?? [])
          .flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? [])
          .map((name) => ({ namespace: object.metadata.namespace ?? '', name })),
    },
    {
      type: storageClassKind,
      keys: (world) =>
        all(world, claimKind)
          .filter((one) => !isBound(one))
          .map(keyOfObject),
    },
  ],
  async reconcile(world, object): Promise<NextPass | undefined> {
    const claim = object as Claim;
    if (isDeleting(claim)) return unprotect(world, claim);
    if (isBound(claim) || claim.metadata.annotations?.['simulate.fairlead.io/outcome'] === 'pending')
      return undefined;
    const { volumeName } = claim.spec ?? {};
    const name = volumeName ?? `pvc-${claim.metadata.uid}`;
    if (volumeName === undefined && !(await provision(world, claim, name))) return undefined;
    const volume = look(world, volumeKind, { namespace: '', name });
    if (volume) await bind(world, claim, volume);
    return undefined;
  },
};

/** compat cluster 5.5: a claim that pods still use keeps its protection finalizer until those pods are deleted. */
async function unprotect(world: SimulationContext, claim: Claim): Promise<undefined> {
  const protection = 'kubernetes.io/pvc-protection';
  const { finalizers = [] } = claim.metadata;
  if (!finalizers.includes(protection) || hasConsumer(world, claim)) return undefined;
  const left = finalizers.filter((one) => one !== protection);
  await change(world, claim, { metadata: { finalizers: left.length > 0 ? left : null } });
  return undefined;
}

const isBound = (claim: KubeObject): boolean => (claim as Claim).status?.phase === 'Bound';

function classOf(world: SimulationContext, { spec }: Claim): StorageClass | undefined {
  const name = spec?.storageClassName;
  return name
    ? (look(world, storageClassKind, { namespace: '', name }) as StorageClass | undefined)
    : undefined;
}

/** False while no provisioner can create the volume, or no pod needs it yet. */
async function provision(world: SimulationContext, claim: Claim, name: string): Promise<boolean> {
  const storageClass = classOf(world, claim);
  if (!storageClass) return tellUnmade(world, claim);
  if (storageClass.volumeBindingMode === 'WaitForFirstConsumer' && !hasConsumer(world, claim)) {
    const message = 'waiting for first consumer to be created before binding';
    return tell(world, claim, { type: 'Normal', reason: 'WaitForFirstConsumer', message });
  }
  if (look(world, volumeKind, { namespace: '', name })) return true;
  try {
    await world.objects.create(volumeFor(claim, storageClass, name), controllerManager);
  } catch (error) {
    if (!isReason(error, 'AlreadyExists')) throw error;
  }
  return true;
}

type News = Pick<Happening, 'type' | 'reason' | 'message'>;

async function tell(world: SimulationContext, claim: Claim, news: News): Promise<false> {
  await world.events.tell(claim, { ...news, component: 'persistentvolume-controller' });
  return false;
}

/** compat cluster 5.5: no volume is provisioned for a claim without a class, or whose class does not exist. */
function tellUnmade(world: SimulationContext, claim: Claim): Promise<false> {
  const name = claim.spec?.storageClassName;
  if (name) {
    const message = `storageclass.storage.k8s.io "${name}" not found`;
    return tell(world, claim, { type: 'Warning', reason: 'ProvisioningFailed', message });
  }
  const message = 'no persistent volumes available for this claim and no storage class is set';
  return tell(world, claim, { type: 'Normal', reason: 'FailedBinding', message });
}

const hasConsumer = (world: SimulationContext, claim: Claim): boolean =>
  (all(world, podKind, keyOfObject(claim).namespace) as readonly Pod[]).some(({ spec }) =>
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

async function bind(world: SimulationContext, claim: Claim, volume: KubeObject): Promise<void> {
  const { capacity, accessModes } = (volume.spec ?? {}) as JsonObject;
  await writeStatus(world, volume, phased(world, volume, 'Bound'));
  const annotations = {
    'pv.kubernetes.io/bind-completed': 'yes',
    'pv.kubernetes.io/bound-by-controller': 'yes',
  };
  const named = await change(world, claim, {
    metadata: { annotations },
    spec: { volumeName: volume.metadata.name },
  });
  await writeStatus(world, named, { phase: 'Bound', accessModes, capacity });
}

/** A volume's status in a phase, and since when it is in it. */
function phased(world: SimulationContext, { status }: KubeObject, phase: string): JsonObject {
  const known = (status ?? {}) as JsonObject;
  if (known.phase === phase) return known;
  return { phase, lastPhaseTransitionTime: printTime(world.clock.now()) };
}

/** A volume whose claim is deleted is deleted too if its reclaim policy is Delete, else it becomes Released. */
export const volumeController: Controller = {
  type: volumeKind,
  wakes: [
    {
      type: claimKind,
      keys: (_world, { object }) => {
        const name = (object as Claim).spec?.volumeName;
        return name === undefined ? [] : [{ namespace: '', name }];
      },
    },
  ],
  async reconcile(world, volume): Promise<NextPass | undefined> {
    const { claimRef, persistentVolumeReclaimPolicy } = (volume.spec ?? {}) as VolumeSpec;
    const { namespace = '', name = '', uid } = claimRef ?? {};
    const claim = claimRef ? look(world, claimKind, { namespace, name }) : undefined;
    const isOrphan = claimRef !== undefined && uid !== undefined && claim?.metadata.uid !== uid;
    if (isDeleting(volume)) return letGo(world, volume);
    if (!claimRef) await writeStatus(world, volume, phased(world, volume, 'Available'));
    if (!isOrphan) return undefined;
    if (persistentVolumeReclaimPolicy === 'Delete') await discard(world, volume);
    else await writeStatus(world, volume, phased(world, volume, 'Released'));
    return undefined;
  },
};

type VolumeSpec = {
  readonly claimRef?: { readonly namespace?: string; readonly name?: string; readonly uid?: string };
  readonly persistentVolumeReclaimPolicy?: string;
};

async function letGo(world: SimulationContext, volume: KubeObject): Promise<undefined> {
  const left = (volume.metadata.finalizers ?? []).filter((one) => one !== 'kubernetes.io/pv-protection');
  await change(world, volume, { metadata: { finalizers: left.length > 0 ? left : null } });
  return undefined;
}
