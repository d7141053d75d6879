import {
  clusterFrom,
  type Destination,
  inCluster,
  inClusterName,
  inClusterServer,
  type KubeObject,
  label,
  type RegisteredCluster,
  trimServer,
} from '#base/model';
import { type Ctx, equal, FairleadError, onAbort, Tasks } from '#base/std';
import type { KubeClient } from '#kubernetes/client';
import { Feed } from './change-feed.ts';
import type { ClusterCache, ClusterChange } from './cluster-cache.ts';
import { beat } from './heartbeat.ts';
import { Informer } from './informer.ts';
import { outageMs } from './watch-health.ts';

/** A cluster that is read from its cache and written through its client. */
export type LiveCluster = {
  readonly server: string;
  readonly name: string;
  readonly kube: KubeClient;
  readonly cache: ClusterCache;
  /** As its Secret describes it. */
  readonly record: RegisteredCluster;
};

/** The connection to a registered cluster. */
type OpenedCluster = Pick<LiveCluster, 'kube' | 'cache'> & { close(): void };

export type ClustersOptions = {
  /** The cluster that holds the cluster Secrets. */
  readonly kube: Pick<KubeClient, 'list' | 'watch'>;
  readonly namespace: string;
  /** Throws what is wrong with a record; other clusters are unaffected. */
  open(record: RegisteredCluster): OpenedCluster;
  /** How long a cluster may be silent before an error is reported; left out: it depends on what was reported of it before. */
  readonly timeoutMs?: number;
};

/** A registered cluster, usable or not. */
export type ClusterMember = {
  readonly record: RegisteredCluster;
  readonly live?: LiveCluster | undefined;
  /** Why it cannot be used. */
  readonly problem?: string | undefined;
};
type Member = ClusterMember & {
  readonly task: string;
  readonly live?: LiveCluster & { close(): void };
};

/**
 * The clusters that applications may name as their destination: the one we run in, and those registered by Secrets. They are
 * added, changed and removed while we run; each is read on its own, and one that hangs or fails does not affect the others.
 */
export class Clusters {
  readonly #options: ClustersOptions;
  readonly #secrets: Informer;
  readonly #members = new Map<string, Member>();
  readonly #tasks = new Tasks();
  readonly #changes = new Feed<{ readonly cluster: LiveCluster; readonly change: ClusterChange }>(100_000);
  readonly #turns = new Feed<string>();
  #admitted = 0;

  constructor(options: ClustersOptions) {
    const { kube, namespace } = options;
    this.#options = options;
    const labelSelector = `${label.secretType}=cluster`;
    this.#secrets = new Informer(kube, { apiVersion: 'v1', kind: 'Secret', namespace, labelSelector });
    this.#admit(inCluster);
  }

  all(): readonly LiveCluster[] {
    return [...this.#members.values()].flatMap(({ live }) => live ?? []);
  }

  /** Every registered cluster, also those that cannot be used. */
  members(): readonly ClusterMember[] {
    return [...this.#members.values()];
  }

  /** The records of clusters that belong to a project (engine P-1). */
  scopedTo(project: string): readonly RegisteredCluster[] {
    return [...this.#members.values()].map(({ record }) => record).filter((one) => one.project === project);
  }

  /** The Secrets that register clusters, as they are in the cluster. They hold credentials. */
  secrets(): readonly KubeObject[] {
    return this.#secrets.list();
  }

  /** A Secret that we wrote: the next read has its cluster, before the watch delivers it. */
  put(ctx: Pick<Ctx, 'log'>, secret: KubeObject): void {
    this.#secrets.put(secret);
    this.#update(ctx);
  }

  /** The same for a Secret that we deleted, or that registers no cluster any more. */
  drop(ctx: Pick<Ctx, 'log'>, secret: KubeObject): void {
    this.#secrets.drop(secret);
    this.#update(ctx);
  }

  /** Every change of those Secrets from this call on, until `ctx` stops. */
  secretChanges(ctx: Ctx): AsyncGenerator<unknown> {
    return this.#secrets.changes(ctx);
  }

  /** Every change in every cluster from this call on, until `ctx` stops. */
  changes(ctx: Ctx): AsyncGenerator<{ readonly cluster: LiveCluster; readonly change: ClusterChange }> {
    return this.#changes.follow(ctx);
  }

  /**
   * The server of each cluster that was added, removed or registered again, or became readable or unreachable, until `ctx`
   * stops.
   */
  changedServers(ctx: Ctx): AsyncGenerator<string> {
    return this.#turns.follow(ctx);
  }

  /** Resolves when the registered clusters are listed. */
  async whenSynced(ctx: Ctx): Promise<void> {
    await this.#secrets.whenSynced(ctx);
    this.#update(ctx);
  }

  async run(ctx: Ctx): Promise<void> {
    const changes = this.#secrets.changes(ctx);
    await this.#tasks.run(ctx, async (inner) => {
      for (const member of this.#members.values()) this.#keep(member, startMs);
      await Promise.all([this.#secrets.run(inner), this.#follow(inner, changes)]);
    });
  }

  /** compat engine A-13: throws InvalidSpec unless the destination matches exactly one cluster. */
  resolve(destination: Destination): LiveCluster {
    const { record, live, problem } = this.#find(destination);
    if (live) return live;
    throw invalid(`cluster ${record.name || record.server} cannot be used: ${problem ?? 'it is closed'}`);
  }

  /** Whether any cluster is registered by this name or address, usable or not. */
  knows({ server, name }: Destination): boolean {
    return [...this.#members.values()].some(({ record }) =>
      server ? record.server === trimServer(server) : record.name === name,
    );
  }

  #find({ server, name }: Destination): Member {
    if (server && name) throw invalid('spec.destination has both server and name: remove one of them');
    if (!server && !name) {
      throw invalid(`spec.destination names no cluster: set server, for example ${inClusterServer}, or name`);
    }
    const members = [...this.#members.values()];
    const found = members.filter(({ record }) =>
      server ? record.server === trimServer(server) : record.name === name,
    );
    const [only] = found;
    if (only && found.length === 1) return only;
    const known = members.map(({ record }) => record.name || record.server).join(', ');
    if (only)
      throw invalid(`${found.length} clusters are named ${name}: set spec.destination.server instead`);
    throw invalid(`no cluster ${server ?? name} is registered: known are ${known}`);
  }

  async #follow(ctx: Ctx, changes: AsyncIterable<unknown>): Promise<void> {
    await this.#secrets.whenSynced(ctx);
    this.#update(ctx);
    for await (const _change of changes) this.#update(ctx);
  }

  /** Updates the members to the current Secrets. */
  #update({ log }: Pick<Ctx, 'log'>): void {
    const records = recordsOf(this.#secrets.list(), (server, names) =>
      log.warn('several Secrets register one cluster: the oldest counts', { server, names }),
    );
    for (const member of [...this.#members.values()])
      if (!records.has(member.record.server)) this.#dismiss(member);
    for (const record of records.values()) this.#register(log, record);
  }

  #register(log: Ctx['log'], record: RegisteredCluster): void {
    const known = this.#members.get(record.server);
    if (known && equal(known.record, record)) return;
    const wasRead = known?.live?.cache.isConnected === true;
    if (known) this.#dismiss(known);
    const member = this.#admit(record);
    const { problem } = member;
    if (problem) log.warn('cluster cannot be used', { cluster: record.name, problem });
    this.#keep(member, wasRead ? changedMs : newMs);
  }

  #admit(record: RegisteredCluster): Member {
    const task = `${record.server} ${++this.#admitted}`; // unique: a member that is still stopping does not block the next
    const member = { record, task, ...this.#open(record) };
    this.#members.set(record.server, member);
    this.#turns.publish(record.server);
    return member;
  }

  #open(record: RegisteredCluster): Pick<Member, 'live' | 'problem'> {
    const { server, name, problem } = record;
    if (problem) return { problem };
    try {
      return { live: { server, name, record, ...this.#options.open(record) } };
    } catch (error) {
      return { problem: FairleadError.from(error).message };
    }
  }

  #dismiss({ record, task, live }: Member): void {
    this.#members.delete(record.server);
    this.#tasks.stop(task).catch(() => {});
    live?.close();
    this.#turns.publish(record.server);
  }

  /** Watches a member until it is removed. */
  #keep({ live, task }: Member, timeoutMs: number): void {
    if (!live) return;
    const { server, cache } = live;
    this.#tasks.start(task, async (ctx) => {
      const inner = { ...ctx, log: ctx.log.with({ cluster: server }) };
      const changes = cache.changes(inner);
      const sightings = cache.sightings(inner);
      await Promise.all([
        cache.run(inner),
        this.#announce(inner, live, this.#options.timeoutMs ?? timeoutMs),
        this.#relay(changes, live),
        this.#sight(sightings, live),
        // the outage of the cluster that holds the applications cannot be written to them
        server === inClusterServer ? undefined : beat(inner, live),
      ]);
    });
  }

  async #relay(changes: AsyncIterable<ClusterChange>, cluster: LiveCluster): Promise<void> {
    for await (const change of changes) this.#changes.publish({ cluster, change });
  }

  /**
   * When the cluster is reachable again, its applications are refreshed without waiting for their backoff; a lasting outage
   * is reported.
   */
  async #sight(sightings: AsyncIterable<boolean>, live: LiveCluster): Promise<void> {
    for await (const isSeen of sightings) {
      if (isSeen) this.#turns.publish(live.server);
      else this.#tasks.start(`${live.server} outage ${++this.#admitted}`, (ctx) => this.#lost(ctx, live));
    }
  }

  async #lost(ctx: Ctx, { server, cache }: LiveCluster): Promise<void> {
    await ctx.clock.sleep(outageMs, ctx.signal).catch(() => {});
    if (!ctx.signal.aborted && cache.outage(ctx)) this.#turns.publish(server);
  }

  /** Publishes the server when the cluster becomes readable, or unreadable for another reason than before. */
  async #announce(ctx: Ctx, { server, cache, record }: LiveCluster, timeoutMs: number): Promise<void> {
    const forget = onAbort(AbortSignal.timeout(timeoutMs), () => cache.doubt(silence(record)));
    for (let known = ''; !ctx.signal.aborted; ) {
      const problem = await cache.whenSynced(ctx).then(
        () => undefined,
        (error: unknown) => FairleadError.from(error).message,
      );
      if (ctx.signal.aborted) break;
      if (problem !== known) this.#turns.publish(server);
      if (problem === undefined) break;
      known = problem;
      await ctx.clock.sleep(retryMs, ctx.signal).catch(() => {});
    }
    forget();
  }
}

/** The status of applications from before a start, or from while their cluster was readable, is likely still valid. */
const startMs = 15_000;
const changedMs = 5_000;
/** The reported status of a cluster that could not be used is outdated. */
const newMs = 1_000;

function silence({ config }: RegisteredCluster): FairleadError {
  const plugin = config.execProviderConfig?.command?.split('/').at(-1);
  const other = plugin ? `, or from its credential plugin ${plugin}` : '';
  return new FairleadError('Unavailable', `no answer yet from it${other}`);
}

/** How often an unreadable cluster is checked again; the check sends no request. */
const retryMs = 1_000;

const invalid = (message: string): FairleadError => new FairleadError('InvalidSpec', message);

/** dev server §1.7: of several Secrets for one server the oldest counts. A Secret may describe the cluster we run in. */
function recordsOf(
  secrets: readonly KubeObject[],
  onSeveral: (server: string, names: readonly string[]) => void,
): Map<string, RegisteredCluster> {
  const records = new Map([[inClusterServer, inCluster]]);
  const byServer = new Map<string, KubeObject[]>();
  for (const secret of secrets.toSorted(byAge)) {
    const { server } = clusterFrom(secret);
    byServer.set(server, [...(byServer.get(server) ?? []), secret]);
  }
  for (const [server, same] of byServer) {
    const [oldest] = same;
    if (!oldest || server === '') continue;
    if (same.length > 1)
      onSeveral(
        server,
        same.map(({ metadata }) => metadata.name),
      );
    const record = clusterFrom(oldest);
    const name = record.name || (server === inClusterServer ? inClusterName : server);
    records.set(server, { ...record, name });
  }
  return records;
}

function byAge({ metadata: a }: KubeObject, { metadata: b }: KubeObject): number {
  const [first, second] = [a, b].map(({ creationTimestamp = '', name }) => `${creationTimestamp} ${name}`);
  return (first ?? '') < (second ?? '') ? -1 : 1;
}
