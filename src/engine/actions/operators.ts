import { type KubeObject, printTime } from '#base/model';
import { FairleadError } from '#base/std';
import { type ActionInput, type BuiltIn, type BuiltIns, replicasFrom } from './action.ts';
import { always, at, edits, icon, onlyIf, read, set, stamp, switchOff, unless } from './edit.ts';

const annotations = 'metadata.annotations';

const annotation = (object: KubeObject, name: string): string | undefined =>
  object.metadata.annotations?.[name];

/** Removes annotations; an object without annotations stays unchanged. */
function unannotate(object: KubeObject, ...names: readonly string[]): void {
  if (!object.metadata.annotations) return;
  const all = at(object, annotations);
  for (const name of names) delete all[name];
}

const isResting = (object: KubeObject): boolean => read(object, 'spec.suspend') === true;

const fluxSwitch: BuiltIns = {
  suspend: edits(unless(isResting), set('spec', 'suspend', true)),
  resume: edits(
    unless((object) => !isResting(object)),
    switchOff('spec', 'suspend'),
  ),
};
const flux: BuiltIns = {
  reconcile: edits(unless(isResting), stamp(annotations, 'reconcile.fluxcd.io/requestedAt')),
  ...fluxSwitch,
};

const never = /^0(?:ns|us|µs|ms|s|m|h)?$/;
const isNeverRefreshed = (object: KubeObject): boolean =>
  never.test(String(read(object, 'spec.refreshInterval') ?? ''));
const forceSync = stamp(annotations, 'force-sync');

const pausedKey = 'autoscaling.keda.sh/paused';
const pausedReplicasKey = 'autoscaling.keda.sh/paused-replicas';
const isPausedByFlag = (object: KubeObject): boolean => annotation(object, pausedKey) === 'true';
const isPaused = (object: KubeObject): boolean =>
  isPausedByFlag(object) || annotation(object, pausedReplicasKey) !== undefined;

function keda(isResting: (object: KubeObject) => boolean): BuiltIns {
  return {
    pause: edits(unless(isResting, { iconClass: icon.pause }), set(annotations, pausedKey, 'true')),
    resume: edits(
      unless((object) => !isResting(object), { iconClass: icon.resume }),
      (object) => unannotate(object, pausedKey, pausedReplicasKey),
    ),
  };
}

const pausedReplicas: BuiltIn = edits(
  (object) => ({
    disabled: isPausedByFlag(object),
    iconClass: icon.pause,
    params: [{ name: 'replicas', default: annotation(object, pausedReplicasKey) ?? '0' }],
  }),
  (object, input) => {
    at(object, annotations)[pausedReplicasKey] = String(replicasFrom(input));
  },
);

const loopKey = 'cnpg.io/reconciliationLoop';
const hibernationKey = 'cnpg.io/hibernation';
const isHalted = (object: KubeObject): boolean => annotation(object, loopKey) === 'disabled';
const isHibernated = (object: KubeObject): boolean => annotation(object, hibernationKey) === 'on';

function healthyInstances(object: KubeObject): readonly string[] {
  const found = read(object, 'status.instancesStatus.healthy');
  return Array.isArray(found) ? found : [];
}

/** `any` is the instance after the primary; a number or a name picks one. It must be healthy. */
function chosenInstance(object: KubeObject, wanted: string): string | undefined {
  const instances = healthyInstances(object);
  if (wanted === 'any') {
    const primary = instances.indexOf(String(read(object, 'status.currentPrimary')));
    return instances[(primary + 1) % Math.max(1, instances.length)];
  }
  const name = /^\d+$/.test(wanted) ? `${object.metadata.name}-${wanted}` : wanted;
  return instances.find((instance) => instance === name);
}

function promote(object: KubeObject, { parameters, now }: ActionInput): void {
  const wanted = parameters.instance ?? 'any';
  const selected = chosenInstance(object, wanted);
  if (!selected) {
    const known = healthyInstances(object).join(', ') || 'none';
    throw new FairleadError(
      'InvalidSpec',
      `parameter instance: "${wanted}" is no healthy instance; healthy are: ${known}`,
    );
  }
  Object.assign(at(object, 'status'), {
    targetPrimary: selected,
    targetPrimaryTimestamp: printTime(now),
    phase: 'Switchover in progress',
    phaseReason: `Switching over to ${selected}`,
  });
}

const cluster: BuiltIns = {
  restart: edits(
    always({ iconClass: 'fa fa-fw fa-recycle', displayName: 'Restart instances' }),
    stamp(annotations, 'kubectl.kubernetes.io/restartedAt'),
  ),
  reload: edits(
    always({ iconClass: 'fa fa-fw fa-rotate-right', displayName: 'Reload configuration' }),
    stamp(annotations, 'cnpg.io/reloadedAt'),
  ),
  promote: edits(
    unless((object) => healthyInstances(object).length < 2, {
      iconClass: 'fa fa-fw fa-angles-up',
      displayName: 'Promote a replica',
      params: [{ name: 'instance', default: 'any' }],
    }),
    promote,
  ),
  suspend: edits(
    onlyIf((object) => !isHalted(object), { iconClass: icon.suspend, displayName: 'Suspend reconciliation' }),
    set(annotations, loopKey, 'disabled'),
  ),
  resume: edits(onlyIf(isHalted, { iconClass: icon.play, displayName: 'Resume reconciliation' }), (object) =>
    unannotate(object, loopKey),
  ),
  hibernate: edits(
    onlyIf((object) => !isHibernated(object), { iconClass: icon.suspend, displayName: 'Hibernate' }),
    set(annotations, hibernationKey, 'on'),
  ),
  rehydrate: edits(
    onlyIf(isHibernated, { iconClass: icon.play, displayName: 'Wake from hibernation' }),
    set(annotations, hibernationKey, 'off'),
  ),
};

const rollingKey = 'strimzi.io/manual-rolling-update';
const isPausedMongo = (object: KubeObject): boolean => read(object, 'spec.pause') === true;

const cordonSwitch: BuiltIns = {
  cordon: edits(
    unless((object) => read(object, 'spec.cordoned') === true, { iconClass: icon.suspend }),
    set('spec', 'cordoned', true),
  ),
  uncordon: edits(
    unless((object) => read(object, 'spec.cordoned') !== true, { iconClass: icon.play }),
    switchOff('spec', 'cordoned'),
  ),
};
const cordonAndReconcile: BuiltIns = {
  ...cordonSwitch,
  reconcile: edits(
    unless((object) => read(object, 'spec.cordoned') === true, { iconClass: 'fa fa-fw fa-rotate-right' }),
    stamp(annotations, 'reconcile.projectcapsule.dev/requestedAt'),
  ),
};

/** The actions for the kinds of third-party operators. */
export const operatorActions: Readonly<Record<string, BuiltIns>> = {
  'capsule.clastix.io/GlobalTenantResource': cordonAndReconcile,
  'capsule.clastix.io/Tenant': cordonSwitch,
  'capsule.clastix.io/TenantResource': cordonAndReconcile,
  'core.strimzi.io/StrimziPodSet': {
    'rolling-update': edits(
      unless((object) => annotation(object, rollingKey) === 'true'),
      set(annotations, rollingKey, 'true'),
    ),
  },
  'external-secrets.io/ExternalSecret': {
    refresh: edits(
      unless((object) => isNeverRefreshed(object) && read(object, 'spec.refreshPolicy') !== 'OnChange'),
      forceSync,
    ),
  },
  'external-secrets.io/PushSecret': { push: edits(unless(isNeverRefreshed), forceSync) },
  'helm.toolkit.fluxcd.io/HelmRelease': flux,
  'image.toolkit.fluxcd.io/ImageRepository': flux,
  'image.toolkit.fluxcd.io/ImageUpdateAutomation': flux,
  'k8s.mariadb.com/MariaDB': {
    suspend: edits(
      onlyIf((object) => !isResting(object), { iconClass: icon.suspend, displayName: 'Suspend' }),
      set('spec', 'suspend', true),
    ),
    resume: edits(
      onlyIf(isResting, { iconClass: icon.play, displayName: 'Resume' }),
      switchOff('spec', 'suspend'),
    ),
  },
  'keda.sh/ScaledJob': keda(isPausedByFlag),
  'keda.sh/ScaledObject': { ...keda(isPaused), 'paused-replicas': pausedReplicas },
  'kustomize.toolkit.fluxcd.io/Kustomization': flux,
  'notification.toolkit.fluxcd.io/Alert': fluxSwitch,
  'notification.toolkit.fluxcd.io/Provider': fluxSwitch,
  'notification.toolkit.fluxcd.io/Receiver': flux,
  'postgresql.cnpg.io/Cluster': cluster,
  'psmdb.percona.com/PerconaServerMongoDB': {
    pause: edits(unless(isPausedMongo, { iconClass: icon.pause }), set('spec', 'pause', true)),
    unpause: edits(
      unless((object) => !isPausedMongo(object), { iconClass: icon.resume }),
      set('spec', 'pause', false),
    ),
  },
  'source.toolkit.fluxcd.io/Bucket': flux,
  'source.toolkit.fluxcd.io/GitRepository': flux,
  'source.toolkit.fluxcd.io/HelmChart': flux,
  'source.toolkit.fluxcd.io/HelmRepository': flux,
  'source.toolkit.fluxcd.io/OCIRepository': flux,
};
