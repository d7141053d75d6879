import { printTime } from '#base/model';
import type { Clock } from '#base/std';
import type { ClusterOptions, Objects } from '#embedded/apiserver';
import { podKind } from '../kinds.ts';
import type { ContainerStatus, Pod } from './view.ts';

type PodLogs = NonNullable<ClusterOptions['podLogs']>;

/** The cluster's objects; undefined until the cluster exists, which is created with its logs. */
type Source = () => Pick<Objects, 'get'> | undefined;

/**
 * The output of simulated containers: a few lines about their lifecycle. A followed log stays open until the
 * client leaves.
 */
export function createPodLogs(source: Source, clock: Clock): PodLogs {
  return async function* logs(request) {
    const { namespace, pod: name, container, previous, tailLines, timestamps, follow, signal } = request;
    const pod = source()?.get({ ...podKind, namespace, name }) as Pod | undefined;
    const status = [
      ...(pod?.status?.containerStatuses ?? []),
      ...(pod?.status?.initContainerStatuses ?? []),
    ].find((one) => one.name === container);
    const lines = status ? linesOf(status, previous) : [];
    const shown = tailLines === undefined ? lines : lines.slice(Math.max(0, lines.length - tailLines));
    const dated = shown.map(
      ({ at, text }) => `${timestamps ? `${at ?? printTime(clock.now())} ` : ''}${text}\n`,
    );
    if (dated.length > 0) yield dated.join('');
    if (follow && !signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
  };
}

type Line = { readonly at: string | undefined; readonly text: string };

function linesOf(
  { name, image = '', restartCount, state, lastState }: ContainerStatus,
  previous: boolean,
): Line[] {
  const ended = previous
    ? lastState.terminated
    : (state.terminated ?? (state.waiting && lastState.terminated));
  const startedAt = previous
    ? lastState.terminated?.startedAt
    : (state.running?.startedAt ?? ended?.startedAt);
  if (startedAt === undefined) return [];
  const run = previous ? restartCount : restartCount + 1;
  const begin = [
    { at: startedAt, text: `container ${name} of image ${image} has started (run ${run})` },
    { at: startedAt, text: 'this process is simulated: it serves nothing and prints nothing else' },
  ];
  if (!ended) return begin;
  const text =
    ended.exitCode === 0
      ? 'the simulated process is done'
      : (ended.message ?? 'the simulated process failed');
  return [...begin, { at: ended.finishedAt, text }];
}
