import { isKind, type KubeObject } from '#base/model';
import { conditionOf } from './verdict.ts';

type Terminated = { exitCode?: number; reason?: string; message?: string };
type ContainerState = {
  waiting?: { reason?: string; message?: string };
  running?: object;
  terminated?: Terminated;
};
type ContainerStatus = {
  name?: string;
  ready?: boolean;
  started?: boolean;
  state?: ContainerState;
  lastState?: ContainerState;
};
type Status = {
  phase?: string;
  reason?: string;
  message?: string;
  initContainerStatuses?: ContainerStatus[];
  containerStatuses?: ContainerStatus[];
};
type Probe = { httpGet?: { path?: string; port?: unknown }; tcpSocket?: { port?: unknown }; exec?: object };
type Container = { name?: string; readinessProbe?: Probe; startupProbe?: Probe };
type PodView = KubeObject<{ restartPolicy?: string; containers?: Container[] }, Status>;

/** The reason why a Pod does not run as it should. */
export type PodProblem = {
  /** The cluster's own word for it, such as `CrashLoopBackOff`; empty where it has none. */
  readonly reason: string;
  /** One line that begins with the reason. It stays the same for as long as the problem does: no counters, no times. */
  readonly text: string;
  /** The larger, the likelier it is the cause. */
  readonly rank: number;
};

const rank = { stuck: 4, failed: 3, unschedulable: 3, restarted: 2, notReady: 1 };

/**
 * Why a Pod does not run as it should; undefined while no problem is found, and for a Pod that is being
 * deleted.
 */
export function podProblem(object: KubeObject): PodProblem | undefined {
  if (!isKind(object, '', 'Pod') || object.metadata.deletionTimestamp) return undefined;
  const { status } = object as PodView;
  if (!status || status.phase === 'Succeeded') return undefined;
  return (
    unschedulable(object) ?? failed(status) ?? worst(containersOf(status).flatMap(stuck)) ?? unready(object)
  );
}

/** The problem that ranks highest; of equals the first. */
export function worst<T extends PodProblem>(problems: readonly T[]): T | undefined {
  return problems.reduce<T | undefined>(
    (found, one) => (found && found.rank >= one.rank ? found : one),
    undefined,
  );
}

/** Containers of every sort; a status that another controller wrote may hold anything. */
function containersOf({ initContainerStatuses, containerStatuses }: Status): ContainerStatus[] {
  return [initContainerStatuses, containerStatuses].flatMap((list) => (Array.isArray(list) ? list : []));
}

function unschedulable(object: KubeObject): PodProblem | undefined {
  const placed = conditionOf(object, 'PodScheduled');
  if (placed?.status !== 'False' || placed.reason !== 'Unschedulable') return undefined;
  return problem('Unschedulable', placed.message, rank.unschedulable);
}

function failed(status: Status): PodProblem | undefined {
  if (status.phase !== 'Failed') return undefined;
  if (status.reason || status.message) return problem(status.reason ?? '', status.message, rank.failed);
  const ended = containersOf(status).find(({ state }) => state?.terminated?.exitCode);
  if (!ended) return undefined;
  const { message } = ended.state?.terminated ?? {};
  return problem('', `${endOf(ended, ended.state?.terminated)}${message ? `: ${message}` : ''}`, rank.failed);
}

/** Waiting for something that does not come by itself, or about to be started again. */
function stuck(container: ContainerStatus): PodProblem[] {
  const { state, lastState, ready } = container;
  const { reason = '', message } = state?.waiting ?? {};
  // the cluster's message counts the seconds of the back-off; the termination reason of the container is more
  // useful
  if (reason === 'CrashLoopBackOff')
    return [problem(reason, endOf(container, lastState?.terminated), rank.stuck)];
  if (isStuck(reason)) return [problem(reason, message ?? `container ${container.name}`, rank.stuck)];
  if (state?.terminated?.exitCode) return [problem('', endOf(container, state.terminated), rank.restarted)];
  if (ready === false && state?.running && lastState?.terminated?.exitCode)
    return [problem('', `${endOf(container, lastState.terminated)} and was restarted`, rank.restarted)];
  return [];
}

const isStuck = (reason: string): boolean =>
  reason.startsWith('Err') ||
  reason.startsWith('Invalid') ||
  reason.endsWith('Error') ||
  reason.endsWith('BackOff');

/** A running container is ready at once unless it has a probe. */
function unready(object: KubeObject): PodProblem | undefined {
  const { spec, status } = object as PodView;
  if (spec?.restartPolicy !== 'Always') return undefined; // what is meant to end need not be ready
  const one = containersOf(status ?? {}).find(({ state, ready }) => state?.running && ready === false);
  if (!one) return undefined;
  const containers = Array.isArray(spec.containers) ? spec.containers : [];
  const declared = containers.find(({ name }) => name === one.name);
  const [which, probe] =
    one.started === false ? ['startup', declared?.startupProbe] : ['readiness', declared?.readinessProbe];
  const text = `container ${one.name} runs and is not ready: its ${which} probe${probeTarget(probe)} does not pass`;
  return problem('', text, rank.notReady);
}

/** ` GET :8080/healthz`; empty where nothing is known of the probe. */
function probeTarget(probe: Probe | undefined): string {
  const { httpGet, tcpSocket, exec } = probe ?? {};
  if (httpGet) return ` (GET :${httpGet.port}${httpGet.path ?? '/'})`;
  if (tcpSocket) return ` (connect to port ${tcpSocket.port})`;
  return exec ? ' (a command)' : '';
}

function endOf({ name }: ContainerStatus, ended: Terminated | undefined): string {
  if (ended?.reason === 'OOMKilled') return `container ${name} exceeded its memory limit (OOMKilled)`;
  if (ended?.exitCode) return `container ${name} exited with code ${ended.exitCode}`;
  return ended ? `container ${name} ended` : `container ${name}`;
}

function problem(reason: string, message: string | undefined, weight: number): PodProblem {
  const line = message?.split('\n', 1)[0]?.trim();
  const text = [reason, line].filter((part) => part).join(': ');
  return { reason, text, rank: weight };
}
