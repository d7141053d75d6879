import { type Condition, isConditionTrue, type KubeObject } from '#base/model';
import { podRequests } from './pod-requests.ts';

export type InfoItem = { readonly name: string; readonly value: string };

type Ended = { exitCode?: number; signal?: number; reason?: string };
type ContainerStatus = {
  name?: string;
  ready?: boolean;
  started?: boolean;
  restartCount?: number;
  state?: { waiting?: { reason?: string }; running?: unknown; terminated?: Ended };
};
type Container = { name?: string; restartPolicy?: string };
type PodView = KubeObject<
  { nodeName?: string; containers?: Container[]; initContainers?: Container[] },
  {
    phase?: string;
    reason?: string;
    conditions?: Condition[];
    containerStatuses?: ContainerStatus[];
    initContainerStatuses?: ContainerStatus[];
  }
>;

/** compat engine T-11: the status of a Pod as `kubectl get pods` prints it, and its requests, as items of its node. */
export function podInfo(object: KubeObject): InfoItem[] {
  const pod = object as PodView;
  const { spec, status } = pod;
  const begun = beginning(pod);
  const main = begun.reason === undefined || isInitialized(pod) ? running(pod) : undefined;
  const reason = leaving(pod) ?? main?.reason ?? begun.reason ?? waiting(pod);
  const sidecars = (spec?.initContainers ?? []).filter(isSidecar).length;
  const ready = begun.ready + (main?.ready ?? 0);
  const restarts = begun.restarts + (main?.restarts ?? 0);
  const total = (spec?.containers?.length ?? status?.containerStatuses?.length ?? 0) + sidecars;
  return [
    ...(reason ? [{ name: 'Status Reason', value: reason }] : []),
    ...(spec?.nodeName ? [{ name: 'Node', value: spec.nodeName }] : []),
    { name: 'Containers', value: `${ready}/${total}` },
    ...(restarts > 0 ? [{ name: 'Restart Count', value: String(restarts) }] : []),
    ...requestItems(pod),
  ];
}

/** In thousandths; a Pod that has ended requests nothing any more. */
function requestItems(pod: PodView): InfoItem[] {
  if (isOver(pod)) return [];
  const { cpu = 0, memory = 0 } = podRequests(pod);
  return [
    { name: 'cpu', value: String(cpu) },
    { name: 'memory', value: String(memory) },
  ];
}

const isOver = ({ status }: PodView): boolean => status?.phase === 'Succeeded' || status?.phase === 'Failed';

/** The reason of a Pod before its containers report anything. */
function waiting({ status }: PodView): string | undefined {
  const gated = (status?.conditions ?? []).some(
    ({ type, reason }) => type === 'PodScheduled' && reason === 'SchedulingGated',
  );
  return gated ? 'SchedulingGated' : status?.reason || status?.phase;
}

type Part = { readonly reason?: string; readonly ready: number; readonly restarts: number };

const isSidecar = ({ restartPolicy }: Container): boolean => restartPolicy === 'Always';
const isInitialized = ({ status }: PodView): boolean => isConditionTrue(status?.conditions, 'Initialized');

/** compat engine T-11: a Pod that has ended keeps its reason while it is deleted. */
function leaving(pod: PodView): string | undefined {
  if (!pod.metadata.deletionTimestamp) return undefined;
  if (pod.status?.reason === 'NodeLost') return 'Unknown';
  return isOver(pod) ? undefined : 'Terminating';
}

/** The init containers, up to the first that is not through; it gives the reason. */
function beginning({ spec, status }: PodView): Part {
  const sidecars = new Set((spec?.initContainers ?? []).filter(isSidecar).map(({ name }) => name));
  const runsBeside = ({ name, started }: ContainerStatus) => sidecars.has(name) && started === true;
  const all = status?.initContainerStatuses ?? [];
  const at = all.findIndex((one) => one.state?.terminated?.exitCode !== 0 && !runsBeside(one));
  const stuck = all[at];
  const seen = stuck ? all.slice(0, at + 1) : all;
  const through = stuck ? all.slice(0, at) : all;
  const ready = through.filter((one) => one.state?.terminated?.exitCode !== 0 && one.ready).length;
  const reason = stuck && `Init:${initReason(stuck) ?? `${at}/${spec?.initContainers?.length ?? 0}`}`;
  return { ...(reason && { reason }), ready, restarts: restartsOf(seen) };
}

const restartsOf = (all: readonly ContainerStatus[]): number =>
  all.reduce((sum, { restartCount = 0 }) => sum + restartCount, 0);

function initReason({ state }: ContainerStatus): string | undefined {
  if (state?.terminated) return endedBy(state.terminated);
  const waiting = state?.waiting?.reason;
  return waiting && waiting !== 'PodInitializing' ? waiting : undefined;
}

const endedBy = ({ reason, signal, exitCode = 0 }: Ended): string =>
  reason || (signal ? `Signal:${signal}` : `ExitCode:${exitCode}`);

/** The main containers: the first with a reason decides. */
function running({ status }: PodView): Part {
  const all = status?.containerStatuses ?? [];
  const ready = all.filter((one) => said(one) === undefined && one.ready && one.state?.running).length;
  const reason = all.map(said).find((text) => text !== undefined);
  const isBack = reason === 'Completed' && ready > 0;
  return { ...(reason && { reason: isBack ? 'Running' : reason }), ready, restarts: restartsOf(all) };
}

function said({ state }: ContainerStatus): string | undefined {
  if (state?.waiting?.reason) return state.waiting.reason;
  return state?.terminated && endedBy(state.terminated);
}
