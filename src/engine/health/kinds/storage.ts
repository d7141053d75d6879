import type { Health, KubeObject } from '#base/model';
import { check, conditions, type HealthRule, on, otherwise, phases, sameFor } from '../rules.ts';
import { type Checks, degraded, healthy, progressing, suspended, unknown } from '../verdict.ts';

type SnapshotView = KubeObject<unknown, { readyToUse?: boolean; error?: { message?: string } }>;

function snapshotHealth(object: KubeObject): Health | undefined {
  const { readyToUse, error } = (object as SnapshotView).status ?? {};
  if (readyToUse) return healthy();
  return error ? degraded(error.message ?? 'the snapshot failed') : undefined;
}

type ReplicationView = KubeObject<unknown, { lastSyncTime?: string; latestImage?: unknown }>;

/** engine H-30: VolSync has no Ready: a source is good once it has synced, a destination once it has an image. */
function replicationSource(object: KubeObject): Health {
  const { lastSyncTime } = (object as ReplicationView).status ?? {};
  return lastSyncTime ? healthy(`last synced ${lastSyncTime}`) : progressing('waiting for the first sync');
}

function replicationDestination(object: KubeObject): Health {
  return (object as ReplicationView).status?.latestImage
    ? healthy()
    : progressing('waiting for the first image');
}

type CephView = KubeObject<
  unknown,
  {
    state?: string;
    message?: string;
    ceph?: { health?: string; details?: Record<string, { message?: string }> };
  }
>;

const cephStates = phases(
  'status.state',
  { Created: healthy, Connected: healthy, Error: degraded },
  progressing,
);

/** Ceph's own health comes first; only for a healthy cluster does Rook's progress count. */
function cephHealth(object: KubeObject): Health | undefined {
  const { ceph } = (object as CephView).status ?? {};
  if (ceph?.health === 'HEALTH_ERR' || ceph?.health === 'HEALTH_WARN') {
    return degraded(cephDetails(ceph.health, ceph.details));
  }
  return ceph?.health === 'HEALTH_OK' ? (cephStates(object) ?? healthy('HEALTH_OK')) : undefined;
}

function cephDetails(health: string, details: Record<string, { message?: string }> = {}): string {
  const reported = Object.keys(details)
    .sort()
    .flatMap((name) => details[name]?.message ?? []);
  return reported.length > 0 ? `${health}: ${reported.join('; ')}` : health;
}

const finished = phases(
  'status.phase',
  {
    Completed: healthy,
    Failed: degraded,
    FailedValidation: degraded,
    FinalizingPartiallyFailed: degraded,
    PartiallyFailed: degraded,
    WaitingForPluginOperationsPartiallyFailed: degraded,
  },
  progressing,
);

type TridentView = KubeObject<unknown, { phase?: string; lastOperationStatus?: string; message?: string }>;

function tridentBackend(object: KubeObject): Health | undefined {
  const { phase, lastOperationStatus, message } = (object as TridentView).status ?? {};
  if (phase === 'Bound' && lastOperationStatus === 'Success') return healthy();
  return lastOperationStatus === 'Failed' ? degraded(message ?? 'the last operation failed') : undefined;
}

/** MinIO reports its state in sentences; these are the ones that need an administrator. */
const minioTrouble: HealthRule = phases('status.currentState', {
  Initialized: healthy,
  'Statefulset not controlled by operator': degraded,
  'Another MinIO Tenant already exists in the namespace': degraded,
  'Tenant credentials are not set properly': degraded,
  'Different versions across MinIO Pools': degraded,
  'Pool Decommissioning Not Allowed': degraded,
});
const minioState: HealthRule = phases('status.currentState', {}, progressing);

const astraRun = check(phases('status.state', { Completed: healthy, Running: progressing }, degraded));

export const storage: Checks = {
  'astra.netapp.io/AppVault': check(
    phases('status.state', { available: healthy, Available: healthy, failed: degraded, Failed: degraded }),
  ),
  'astra.netapp.io/Application': check(
    conditions(on('Ready', 'True', healthy), on('Ready', 'False', degraded)),
  ),
  ...sameFor(
    'astra.netapp.io',
    ['Backup', 'ExecHooksRun', 'ResourceBackup', 'ResticVolumeBackup', 'Snapshot'],
    astraRun,
  ),
  'astra.netapp.io/ExecHook': check(phases('spec.enabled', { true: healthy, false: suspended })),
  'astra.netapp.io/Schedule': check(otherwise(healthy)),
  'ceph.rook.io/CephCluster': check(cephHealth),
  'ceph.rook.io/CephObjectStore': check(
    phases('status.phase', { Ready: healthy, Failure: degraded }, progressing),
  ),
  'minio.min.io/Tenant': check(minioTrouble, minioState),
  'objectbucket.io/ObjectBucketClaim': check(
    phases('status.phase', { Bound: healthy, Failed: degraded }, progressing),
  ),
  'ocs.openshift.io/StorageCluster': check(
    conditions(on('Degraded', 'True', degraded)),
    conditions(on('Progressing', 'True', progressing)),
    conditions(on('Available', 'True', healthy)),
    otherwise(unknown, 'none of its conditions is True'),
  ),
  ...sameFor('snapshot.storage.k8s.io', ['VolumeSnapshot', 'VolumeSnapshotContent'], check(snapshotHealth)),
  'trident.netapp.io/TridentBackendConfig': check(tridentBackend),
  'trident.netapp.io/TridentOrchestrator': check(
    phases('status.status', { Installed: healthy, Failed: degraded, Error: degraded }),
  ),
  ...sameFor('velero.io', ['Backup', 'Restore'], check(finished)),
  'velero.io/Schedule': check(
    phases('status.phase', { Enabled: healthy, FailedValidation: degraded }, progressing),
  ),
  'volsync.backube/ReplicationDestination': replicationDestination,
  'volsync.backube/ReplicationSource': replicationSource,
};
