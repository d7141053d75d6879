import { type Application, printTime } from '#base/model';
import { type Ctx, FairleadError, joined } from '#base/std';
import type { KubeClient } from '#kubernetes/client';
import type { LogEntry, ResourceNode } from '#serve/api';
import type { MethodCall } from '../../../rest/request.ts';
import type { MethodDeps } from '../../deps.ts';
import { findApplication, onApplication } from '../find.ts';
import { grow } from '../tree.ts';
import { invalid } from '../validate.ts';
import { compareTimes, type LogTime, readLogTime, requireLogTime } from './log-time.ts';
import { type LogLine, mergeLogs } from './merge-logs.ts';

/**
 * compat server §2.8: the lines of one pod, or of every pod of the matching resources, sorted by time; the last message has
 * `last`. A pod whose log cannot be read says so in a line of its own.
 */
export async function logs(ctx: Ctx, deps: MethodDeps, call: MethodCall): Promise<AsyncGenerator<LogEntry>> {
  const app = findApplication(deps, call, 'get');
  call.permissions.require({ ...onApplication(deps, app, 'get'), resource: 'logs' });
  const wanted = wantedIn(call.query);
  const pods = await podsOf(ctx, deps, app, call);
  const { maxPodLogs } = deps.context.settings().server;
  if (pods.length > maxPodLogs)
    throw invalid(
      `max pods to view logs are reached (${pods.length} of ${maxPodLogs}): name a pod or a workload, or raise server.maxPodLogsToRender in argocd-cm`,
    );
  const { kube } = deps.context.clusters.resolve(app.spec.destination);
  return entriesOf(ctx, { kube, pods, wanted });
}

type Wanted = {
  readonly options: NonNullable<Parameters<KubeClient['logs']>[2]>;
  readonly isFollowed: boolean;
  readonly since: LogTime | undefined;
  readonly until: LogTime | undefined;
  isShown(text: string): boolean;
};

function wantedIn(query: URLSearchParams): Wanted {
  const [container, sinceTime] = [query.get('container'), query.get('sinceTime')];
  const [sinceSeconds, tailLines] = [countIn(query, 'sinceSeconds'), countIn(query, 'tailLines')];
  const until = query.get('untilTime');
  const isFollowed = query.get('follow') === 'true';
  return {
    options: {
      timestamps: true,
      follow: isFollowed,
      previous: query.get('previous') === 'true',
      ...(container && { container }),
      ...(sinceSeconds > 0 && { sinceSeconds }),
      ...(tailLines > 0 && { tailLines }),
      ...(sinceTime && { sinceTime }),
    },
    isFollowed,
    since: sinceTime ? requireLogTime('sinceTime', sinceTime) : undefined,
    until: until ? requireLogTime('untilTime', until) : undefined,
    isShown: filterOf(query.get('filter') ?? '', query.get('matchCase') === 'true'),
  };
}

function countIn(query: URLSearchParams, name: string): number {
  const text = query.get(name) ?? '';
  if (/^-?\d{0,15}$/.test(text)) return Number(text);
  throw invalid(`type mismatch, parameter: ${name}, error: ${text} is no whole number`);
}

/** compat server §2.8: `x` is contained, `!x` is not; in any case unless matchCase. */
function filterOf(filter: string, isExact: boolean): Wanted['isShown'] {
  const isInverse = filter.startsWith('!');
  const fold = (text: string): string => (isExact ? text : text.toLowerCase());
  const literal = fold(isInverse ? filter.slice(1) : filter);
  return (text) => filter === '' || fold(text).includes(literal) !== isInverse;
}

type PodNode = { readonly name: string; readonly namespace: string };

/** The pods of the tree that match the query themselves, or one of the resources they belong to does. */
async function podsOf(
  ctx: Ctx,
  deps: MethodDeps,
  app: Application,
  { params, query }: MethodCall,
): Promise<PodNode[]> {
  const { nodes } = await grow(ctx, deps, app);
  const pod = params.pod ?? query.get('podName') ?? '';
  const [name, kind] = pod ? [pod, 'Pod'] : [query.get('resourceName') ?? '', query.get('kind') ?? ''];
  const [group, namespace] = [query.get('group') ?? '', query.get('namespace') ?? ''];
  const isNamed = (node: ResourceNode): boolean =>
    (!name || node.name === name) &&
    (!kind || node.kind === kind) &&
    (!group || node.group === group) &&
    (!namespace || node.namespace === namespace);
  const belongs = memberOf(nodes, isNamed);
  return nodes
    .filter((node) => node.kind === 'Pod' && !node.group && node.uid && belongs(node))
    .map((node) => ({ name: node.name, namespace: node.namespace ?? '' }));
}

/** Whether a node or one of its ancestors is named; each is decided once, circles are no members. */
function memberOf(
  nodes: readonly ResourceNode[],
  isNamed: (node: ResourceNode) => boolean,
): (node: ResourceNode) => boolean {
  const idOf = ({ group = '', kind, namespace = '', name }: Omit<ResourceNode, 'parentRefs'>): string =>
    `${group}/${kind}/${namespace}/${name}`;
  const byId = new Map(nodes.map((node) => [idOf(node), node]));
  const known = new Map<ResourceNode, boolean>();
  const belongs = (node: ResourceNode): boolean => {
    const decided = known.get(node);
    if (decided !== undefined) return decided;
    known.set(node, false);
    const isMember =
      isNamed(node) ||
      (node.parentRefs ?? []).some((ref) => {
        const parent = byId.get(idOf(ref));
        return parent !== undefined && belongs(parent);
      });
    known.set(node, isMember);
    return isMember;
  };
  return belongs;
}

type Reading = {
  readonly kube: Pick<KubeClient, 'logs'>;
  readonly pods: readonly PodNode[];
  readonly wanted: Wanted;
};

async function* entriesOf(ctx: Ctx, { kube, pods, wanted }: Reading): AsyncGenerator<LogEntry> {
  const stopped = new AbortController();
  const { signal, release } = joined(ctx.signal, stopped.signal);
  const inner = { ...ctx, signal };
  const { until, since, isShown } = wanted;
  try {
    const all = pods.map((pod) => linesOf(inner, kube, pod, wanted));
    for await (const line of mergeLogs(inner, all, wanted)) {
      if ((since && compareTimes(line.time, since) < 0) || !isShown(line.text)) continue;
      const isLast = until !== undefined && compareTimes(line.time, until) > 0;
      yield entryOf(line, isLast);
      if (isLast) return;
    }
    const stamp = ctx.clock.now().toISOString();
    if (pods.length > 0 && !ctx.signal.aborted) yield { ...lastOf(stamp), last: true };
  } finally {
    stopped.abort();
    release();
  }
}

const lastOf = (stamp: string) => ({
  content: '',
  timeStamp: printTime(new Date(stamp)),
  timeStampStr: stamp,
  podName: '',
});

const entryOf = ({ pod, text, stamp, time }: LogLine, last: boolean): LogEntry => ({
  content: text,
  timeStamp: printTime(new Date(time.ms)),
  last,
  timeStampStr: stamp,
  podName: pod,
});

async function* linesOf(
  ctx: Ctx,
  kube: Pick<KubeClient, 'logs'>,
  pod: PodNode,
  { options }: Wanted,
): AsyncGenerator<LogLine> {
  try {
    for await (const line of kube.logs(ctx, pod, options)) yield readLine(ctx, pod.name, line);
  } catch (error) {
    if (ctx.signal.aborted) return;
    yield readLine(ctx, pod.name, FairleadError.from(error).message);
  }
}

/** The cluster writes its time before each line; a line without one is dated now. */
function readLine({ clock }: Ctx, pod: string, line: string): LogLine {
  const end = line.indexOf(' ');
  const stamp = end < 0 ? line : line.slice(0, end);
  const time = readLogTime(stamp);
  if (time) return { pod, text: end < 0 ? '' : line.slice(end + 1), stamp, time };
  const now = clock.now();
  return { pod, text: line, stamp: now.toISOString(), time: { ms: now.getTime(), nanos: 0 } };
}
