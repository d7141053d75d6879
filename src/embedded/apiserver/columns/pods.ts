import type { Item } from '../item.ts';
import {
  age,
  type Column,
  type ColumnInput,
  list,
  name,
  num,
  orNone,
  shortDuration,
  spec,
  status,
  str,
  text,
  view,
  wide,
} from './column.ts';

type Tally = {
  readonly reason: string;
  readonly restarts: number;
  readonly lastRestart: number;
  readonly ready: number;
};

/** The columns of `kubectl get pods`; Status is derived from phase, conditions and container states. */
export const podColumns: readonly Column[] = [
  name,
  text('Ready', (pod) => `${tally(pod).ready}/${containersOf(pod).length}`),
  text('Status', (pod) => tally(pod).reason),
  text('Restarts', restarts),
  age,
  wide('IP', (pod) => orNone(list(status(pod).podIPs)[0]?.ip ?? status(pod).podIP)),
  wide('Node', (pod) => orNone(spec(pod).nodeName)),
  wide('Nominated Node', (pod) => orNone(status(pod).nominatedNodeName)),
  wide('Readiness Gates', readinessGates),
];

const isSidecar = (container: ColumnInput): boolean => container.restartPolicy === 'Always';
const containersOf = (pod: Item): readonly ColumnInput[] => [
  ...list(spec(pod).initContainers).filter(isSidecar),
  ...list(spec(pod).containers),
];

function restarts(pod: Item, now: number): string {
  const { restarts: count, lastRestart } = tally(pod);
  return count === 0 || lastRestart === 0
    ? String(count)
    : `${count} (${shortDuration(now - lastRestart)} ago)`;
}

function readinessGates(pod: Item): string {
  const gates = list(spec(pod).readinessGates);
  if (gates.length === 0) return '<none>';
  const conditions = list(status(pod).conditions);
  const isTrue = (type: unknown) => conditions.some((c) => c.type === type && c.status === 'True');
  return `${gates.filter((gate) => isTrue(gate.conditionType)).length}/${gates.length}`;
}

function tally(pod: Item): Tally {
  const initial = { reason: str(status(pod).reason) || str(status(pod).phase), ...noRestarts };
  const gated =
    list(status(pod).conditions).find((c) => c.type === 'PodScheduled')?.reason === 'SchedulingGated';
  const started = gated ? { ...initial, reason: 'SchedulingGated' } : initial;
  const init = initTally(pod, started);
  const all = init.initializing ? init : mainTally(pod, init);
  return view(pod.metadata).deletionTimestamp === undefined
    ? all
    : { ...all, reason: terminating(pod, all.reason) };
}

const noRestarts = { restarts: 0, lastRestart: 0, ready: 0 };

function terminating(pod: Item, reason: string): string {
  if (status(pod).reason === 'NodeLost') return 'Unknown';
  const phase = status(pod).phase;
  return phase === 'Succeeded' || phase === 'Failed' ? reason : 'Terminating';
}

function initTally(pod: Item, start: Tally): Tally & { readonly initializing: boolean } {
  const specs = new Map(list(spec(pod).initContainers).map((container) => [container.name, container]));
  let result = start;
  for (const [index, container] of list(status(pod).initContainerStatuses).entries()) {
    const sidecar = isSidecar(specs.get(container.name) ?? {});
    result = counted(result, container, sidecar && container.ready === true && container.started === true);
    const { terminated, waiting } = view(container.state);
    if (terminated !== undefined && num(view(terminated).exitCode) === 0) continue;
    if (sidecar && container.started === true) continue;
    return {
      ...result,
      reason: initReason(view(terminated), view(waiting), index, specs.size),
      initializing: true,
    };
  }
  return { ...result, initializing: false };
}

function initReason(terminated: ColumnInput, waiting: ColumnInput, index: number, count: number): string {
  if (terminated.exitCode !== undefined) {
    if (str(terminated.reason) !== '') return `Init:${str(terminated.reason)}`;
    return num(terminated.signal) !== 0
      ? `Init:Signal:${str(terminated.signal)}`
      : `Init:ExitCode:${str(terminated.exitCode)}`;
  }
  const reason = str(waiting.reason);
  return reason !== '' && reason !== 'PodInitializing' ? `Init:${reason}` : `Init:${index}/${count}`;
}

function mainTally(pod: Item, start: Tally): Tally {
  let result = start;
  let running = false;
  for (const container of list(status(pod).containerStatuses).toReversed()) {
    const { running: runs, waiting, terminated } = view(container.state);
    const ready = container.ready === true && runs !== undefined;
    running ||= ready;
    const reason = containerReason(view(waiting), view(terminated));
    result = { ...counted(result, container, ready), reason: reason ?? result.reason };
  }
  if (result.reason !== 'Completed' || !running) return result;
  const isReady = list(status(pod).conditions).some((c) => c.type === 'Ready' && c.status === 'True');
  return { ...result, reason: isReady ? 'Running' : 'NotReady' };
}

function containerReason(waiting: ColumnInput, terminated: ColumnInput): string | undefined {
  if (str(waiting.reason) !== '') return str(waiting.reason);
  if (terminated.exitCode === undefined) return undefined;
  if (str(terminated.reason) !== '') return str(terminated.reason);
  return num(terminated.signal) !== 0
    ? `Signal:${str(terminated.signal)}`
    : `ExitCode:${str(terminated.exitCode)}`;
}

function counted(result: Tally, container: ColumnInput, ready: boolean): Tally {
  const finished = Date.parse(str(view(view(container.lastState).terminated).finishedAt)) || 0;
  return {
    ...result,
    restarts: result.restarts + num(container.restartCount),
    lastRestart: Math.max(result.lastRestart, finished),
    ready: result.ready + (ready ? 1 : 0),
  };
}
