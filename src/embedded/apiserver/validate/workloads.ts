import { dnsLabelProblems, matches, type Selector, selectorOf } from '#base/model';
import { equal, FairleadError, type JsonObject } from '#base/std';
import type { FieldCheck } from './check.ts';
import { checkPodSpec } from './pod-spec.ts';
import { checkLabels, checkSelectorFields } from './selector.ts';
import { atMostAll, checkPortion, isZero } from './text.ts';

/** The name of a controller in its errors, and whether its selector is optional. */
type Kind = {
  readonly word: string;
  readonly name: string;
  readonly needsSelector: boolean;
  /** The error for an invalid selector; some kinds have none. */
  readonly unreadable?: string;
};

const kinds = {
  deployment: {
    word: 'deployment',
    name: 'ReplicaSet',
    needsSelector: true,
    unreadable: 'invalid label selector',
  },
  replicaSet: {
    word: 'deployment',
    name: 'ReplicaSet',
    needsSelector: true,
    unreadable: 'invalid label selector',
  },
  statefulSet: { word: 'statefulset', name: 'StatefulSet', needsSelector: true, unreadable: '' },
  daemonSet: { word: 'daemonset', name: 'DaemonSet', needsSelector: false },
} as const satisfies Record<string, Kind>;

export function checkDeployment(object: FieldCheck): void {
  const spec = object.field('spec');
  spec.field('replicas').notNegative();
  checkTemplate(spec, kinds.deployment);
  checkStrategy(spec.field('strategy'));
  spec.field('minReadySeconds').notNegative();
  spec.field('revisionHistoryLimit').notNegative();
  const deadline = spec.field('progressDeadlineSeconds');
  deadline.notNegative();
  if (Number(deadline.value ?? 600) <= Number(spec.field('minReadySeconds').value ?? 0)) {
    deadline.invalid('must be greater than minReadySeconds');
  }
}

function checkStrategy(strategy: FieldCheck): void {
  const type = strategy.field('type').text;
  const rolling = strategy.field('rollingUpdate');
  if (type === 'Recreate') {
    if (rolling.isSet) rolling.forbidden("may not be specified when strategy `type` is 'Recreate'");
  } else if (type !== 'RollingUpdate') {
    strategy.unsupported(['Recreate', 'RollingUpdate'], inGo(type, rolling));
  } else checkRolling(rolling);
}

/** A strategy in the spelling of Go's structs. */
function inGo(type: string, rolling: FieldCheck): JsonObject {
  const { maxUnavailable = 0, maxSurge = 0 } = rolling.object;
  return {
    Type: type,
    RollingUpdate: rolling.isSet ? { MaxUnavailable: maxUnavailable, MaxSurge: maxSurge } : null,
  };
}

function checkRolling(rolling: FieldCheck): void {
  const [unavailable, surge] = [rolling.field('maxUnavailable'), rolling.field('maxSurge')];
  checkPortion(unavailable);
  checkPortion(surge);
  if (isZero(unavailable.value) && isZero(surge.value)) {
    unavailable.invalid('may not be 0 when `maxSurge` is 0', unavailable.value ?? 0);
  }
  atMostAll(unavailable);
}

export function checkReplicaSet(object: FieldCheck): void {
  const spec = object.field('spec');
  spec.field('replicas').notNegative();
  spec.field('minReadySeconds').notNegative();
  checkTemplate(spec, kinds.replicaSet);
}

export function checkStatefulSet(object: FieldCheck): void {
  const spec = object.field('spec');
  const policy = spec.field('podManagementPolicy');
  if (!['OrderedReady', 'Parallel'].includes(policy.text)) {
    policy.invalid("must be 'OrderedReady' or 'Parallel'");
  }
  checkSetUpdates(spec.field('updateStrategy'));
  spec.field('replicas').notNegative();
  spec.field('minReadySeconds').notNegative();
  spec.field('ordinals').field('start').notNegative();
  const service = spec.field('serviceName');
  if (service.isSet) service.problems(dnsLabelProblems(service.text));
  checkTemplate(spec, kinds.statefulSet);
}

function checkSetUpdates(strategy: FieldCheck): void {
  const { type, rollingUpdate } = strategy.object as { type?: string; rollingUpdate?: RollingSet };
  if (type === 'RollingUpdate') strategy.field('rollingUpdate').field('partition').notNegative();
  else if (type !== 'OnDelete') {
    const rolling = rollingUpdate && {
      Partition: rollingUpdate.partition ?? null,
      MaxUnavailable: rollingUpdate.maxUnavailable ?? null,
    };
    strategy.invalid("must be 'RollingUpdate' or 'OnDelete'", { Type: type, RollingUpdate: rolling ?? null });
  }
}

type RollingSet = { partition?: number; maxUnavailable?: unknown };

export function checkDaemonSet(object: FieldCheck): void {
  const spec = object.field('spec');
  checkTemplate(spec, kinds.daemonSet);
  spec.field('minReadySeconds').notNegative();
  const strategy = spec.field('updateStrategy');
  const type = strategy.field('type').text;
  if (type === 'RollingUpdate') checkDaemonRolling(strategy.field('rollingUpdate'));
  else if (type !== 'OnDelete') {
    strategy.unsupported(['RollingUpdate', 'OnDelete'], inGo(type, strategy.field('rollingUpdate')));
  }
  spec.field('revisionHistoryLimit').notNegative();
}

function checkDaemonRolling(rolling: FieldCheck): void {
  const [unavailable, surge] = [rolling.field('maxUnavailable'), rolling.field('maxSurge')];
  checkPortion(unavailable);
  checkPortion(surge);
  atMostAll(unavailable);
  atMostAll(surge);
  if (isZero(unavailable.value) && isZero(surge.value)) unavailable.lacking('cannot be 0 when maxSurge is 0');
}

/** compat cluster 3.13: a template is validated only when the selector is valid. */
function checkTemplate(spec: FieldCheck, kind: Kind): void {
  const selector = spec.field('selector');
  const template = spec.field('template');
  checkSelector(selector, kind);
  const wanted = readSelector(selector, kind.unreadable);
  if (!wanted) return;
  const labels = template.field('metadata').field('labels');
  if (!selector.isSet || (wanted.length > 0 && !matches(wanted, labels.object as Record<string, string>))) {
    labels.invalid('`selector` does not match template `labels`', labels.value ?? null);
  }
  checkPodTemplate(template);
  checkLasting(template.field('spec'), kind.name);
}

/** Pods of these controllers must have the restart policy Always. */
function checkLasting(spec: FieldCheck, kind: string): void {
  const policy = spec.field('restartPolicy');
  if (policy.isSet && policy.value !== 'Always') policy.unsupported(['Always']);
  const deadline = spec.field('activeDeadlineSeconds');
  if (deadline.isSet) deadline.forbidden(`activeDeadlineSeconds in ${kind} is not Supported`);
}

function checkSelector(selector: FieldCheck, { needsSelector, word }: Kind): void {
  if (!selector.isSet) {
    if (needsSelector) selector.lacking();
    return;
  }
  checkSelectorFields(selector);
  if (Object.keys(selector.object).length === 0) selector.invalid(`empty selector is invalid for ${word}`);
}

function readSelector(selector: FieldCheck, unreadable: string | undefined): Selector | undefined {
  try {
    return selectorOf(selector.object);
  } catch (error) {
    if (!(error instanceof FairleadError)) throw error;
    if (unreadable !== undefined) selector.invalid(unreadable);
    return undefined;
  }
}

/** The requirements for every pod template, whatever its controller. */
export function checkPodTemplate(template: FieldCheck): void {
  const { labels } = template.field('metadata').object;
  checkLabels(template.at('.labels', labels));
  checkPodSpec(template.field('spec'));
}

export function checkReplicationController(object: FieldCheck): void {
  const spec = object.field('spec');
  const selector = spec.field('selector');
  spec.field('minReadySeconds').notNegative();
  if (Object.keys(selector.object).length === 0) selector.lacking();
  spec.field('replicas').notNegative();
  const template = spec.field('template');
  if (!template.isSet) {
    template.lacking();
    return;
  }
  const labels = template.field('metadata').field('labels');
  const isMatched = Object.entries(selector.object).every(([key, value]) => labels.object[key] === value);
  if (!isMatched) labels.invalid('`selector` does not match template `labels`', labels.value ?? null);
  checkPodTemplate(template);
  checkLasting(template.field('spec'), 'ReplicationController');
}

/** compat cluster 3.13: Deployment, DaemonSet, ReplicaSet. */
export function keepSelector(next: FieldCheck, live: FieldCheck): void {
  next.field('spec').field('selector').immutable(live.field('spec').field('selector').value);
}

export function checkControllerRevision(object: FieldCheck): void {
  if (!object.field('data').isSet) object.field('data').lacking('data is mandatory');
}

const statefulSetMayChange = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
];

export function keepStatefulSet(next: FieldCheck, live: FieldCheck): void {
  const fixed = (check: FieldCheck) =>
    Object.fromEntries(
      Object.entries(check.field('spec').object).filter(([key]) => !statefulSetMayChange.includes(key)),
    );
  if (equal(fixed(next), fixed(live))) return;
  const quoted = statefulSetMayChange.map((field) => `'${field}'`);
  const names = `${quoted.slice(0, -1).join(', ')} and ${quoted.at(-1)}`;
  next.field('spec').forbidden(`updates to statefulset spec for fields other than ${names} are forbidden`);
}

/** compat cluster 3.13: the replica counts that a controller reports must be consistent. */
export function checkReplicaStatus(object: FieldCheck): void {
  const status = object.field('status');
  const count = (field: string) => Number(status.field(field).value ?? 0);
  const all = ['replicas', 'updatedReplicas', 'readyReplicas', 'availableReplicas', 'unavailableReplicas'];
  for (const field of all) status.field(field).notNegative();
  for (const field of ['updatedReplicas', 'readyReplicas', 'availableReplicas']) {
    if (count(field) > count('replicas')) {
      status.field(field).invalid('cannot be greater than status.replicas', count(field));
    }
  }
  if (count('availableReplicas') > count('readyReplicas')) {
    status.field('availableReplicas').invalid('cannot be greater than readyReplicas');
  }
}
