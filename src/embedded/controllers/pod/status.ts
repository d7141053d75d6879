import { type KubeObject, printTime } from '#base/model';
import type { JsonObject } from '#kubernetes/schema';
import type { ContainerStatus, Pod, PodCondition, PodSpec, PodStatus } from './view.ts';

export type Containers = {
  readonly init: readonly ContainerStatus[];
  readonly main: readonly ContainerStatus[];
};

/** compat cluster 5.1: the status a kubelet reports for containers in these states. */
export function podStatus(pod: Pod, { init, main }: Containers, now: number): PodStatus {
  const phase = phaseFrom(pod.spec ?? {}, init, main);
  return {
    ...pod.status,
    phase,
    qosClass: pod.status?.qosClass ?? qosClassOf(pod.spec ?? {}),
    conditions: conditionsFor(pod, phase, { init, main }, now),
    ...(init.length > 0 && { initContainerStatuses: init }),
    containerStatuses: main,
  };
}

const isSidecar = (spec: PodSpec, name: string): boolean =>
  spec.initContainers?.some((one) => one.name === name && one.restartPolicy === 'Always') === true;

/** Whether later containers may start: it has succeeded, or it is a running sidecar. */
export function isInitialized(spec: PodSpec, status: ContainerStatus): boolean {
  if (isSidecar(spec, status.name)) return status.state.running !== undefined;
  return status.state.terminated?.exitCode === 0;
}

function phaseFrom(
  spec: PodSpec,
  init: readonly ContainerStatus[],
  main: readonly ContainerStatus[],
): string {
  const failedInit = init.some(({ state }) => (state.terminated?.exitCode ?? 0) !== 0);
  if (failedInit && spec.restartPolicy === 'Never') return 'Failed';
  if (!init.every((status) => isInitialized(spec, status))) return 'Pending';
  if (main.some(({ state, lastState }) => state.waiting && !lastState.terminated)) return 'Pending';
  if (!main.every(({ state }) => state.terminated)) return 'Running';
  const failed = main.some(({ state }) => state.terminated?.exitCode !== 0);
  if (spec.restartPolicy === 'Always') return 'Running';
  if (!failed) return 'Succeeded';
  return spec.restartPolicy === 'Never' ? 'Failed' : 'Running';
}

type Judgement = { readonly status: 'True' | 'False'; readonly reason?: string; readonly message?: string };
const yes: Judgement = { status: 'True' };
const no = (reason: string, message?: string): Judgement => ({
  status: 'False',
  reason,
  ...(message !== undefined && { message }),
});

function conditionsFor(pod: Pod, phase: string, { init, main }: Containers, now: number): PodCondition[] {
  const spec = pod.spec ?? {};
  const over = phase === 'Succeeded' ? no('PodCompleted') : phase === 'Failed' ? no('PodFailed') : undefined;
  const undone = init.filter((status) => !isInitialized(spec, status)).map(({ name }) => name);
  const unready = main.filter(({ ready }) => !ready).map(({ name }) => name);
  const containersReady =
    over ??
    (unready.length === 0
      ? yes
      : no('ContainersNotReady', `containers with unready status: [${unready.join(' ')}]`));
  const initialized =
    undone.length === 0
      ? over
        ? { ...yes, ...(phase === 'Succeeded' && { reason: 'PodCompleted' }) }
        : yes
      : no('ContainersNotInitialized', `containers with incomplete status: [${undone.join(' ')}]`);
  return withConditions(pod, now, {
    PodReadyToStartContainers: over ? { status: 'False' } : yes,
    Initialized: initialized,
    Ready: containersReady.status === 'True' ? gates(pod) : containersReady,
    ContainersReady: containersReady,
    PodScheduled: yes,
  });
}

/** compat: a pod with readiness gates is ready only when their conditions are true, too. */
function gates(pod: Pod): Judgement {
  const closed = (pod.spec?.readinessGates ?? []).filter(
    ({ conditionType }) =>
      !pod.status?.conditions?.some(({ type, status }) => type === conditionType && status === 'True'),
  );
  if (closed.length === 0) return yes;
  const name = closed[0]?.conditionType ?? '';
  return no(
    'ReadinessGatesNotReady',
    `corresponding condition of pod readiness gate "${name}" does not exist.`,
  );
}

/** The pod's conditions with these in front, each dated by its own last change; those of other managers follow. */
export function withConditions(
  pod: KubeObject,
  now: number,
  judged: Readonly<Record<string, Judgement>>,
): PodCondition[] {
  const before = (pod as Pod).status?.conditions ?? [];
  const { generation } = pod.metadata;
  const mine = Object.entries(judged).map(([type, judgement]) => {
    const old = before.find((condition) => condition.type === type);
    const time = old?.status === judgement.status ? old.lastTransitionTime : undefined;
    return {
      type,
      ...judgement,
      lastProbeTime: null,
      lastTransitionTime: time ?? printTime(new Date(now)),
      ...(generation !== undefined && { observedGeneration: generation }),
    };
  });
  return [...mine, ...before.filter(({ type }) => !Object.hasOwn(judged, type))];
}

/** Guaranteed, Burstable or BestEffort, from the resource requests of the containers. */
export function qosClassOf({ containers = [], initContainers = [] }: PodSpec): string {
  const everyone = [...containers, ...initContainers];
  const needs = (list: JsonObject | undefined) =>
    ['cpu', 'memory'].filter((name) => list?.[name] !== undefined);
  const lists = everyone.map(({ resources }) => ({
    requests: needs(resources?.requests),
    limits: needs(resources?.limits),
    same: ['cpu', 'memory'].every((name) => {
      const limit = resources?.limits?.[name];
      return (resources?.requests?.[name] ?? limit) === limit;
    }),
  }));
  if (lists.every(({ requests, limits }) => requests.length + limits.length === 0)) return 'BestEffort';
  return lists.every(({ limits, same }) => limits.length === 2 && same) ? 'Guaranteed' : 'Burstable';
}
