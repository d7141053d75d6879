import { encodeText } from '#base/model';
import { blake2b64 } from './blake2b.ts';

export type ShardingAlgorithm = 'legacy' | 'round-robin' | 'consistent-hashing';

/** A cluster as sharding knows it. `id` is the uid of its Secret; the cluster we run in may have none. */
export type ShardedCluster = {
  readonly server: string;
  readonly id: string;
  /** The `shard` key of its Secret. */
  readonly shard?: number;
  readonly skipReconcile?: boolean;
};

export type ShardingOptions = {
  readonly algorithm: ShardingAlgorithm;
  readonly replicas: number;
  /** How many applications deploy to a server; what consistent hashing weighs clusters by. */
  applicationsOn?(server: string): number;
};

/** compat server §9: any other word means legacy, as in the peer. */
export const shardingAlgorithmNamed = (name: string): ShardingAlgorithm =>
  name === 'round-robin' || name === 'consistent-hashing' ? name : 'legacy';

/** compat server §9: which replica looks after which cluster, by server. Empty when there is no replica. */
export function assignShards(
  clusters: readonly ShardedCluster[],
  options: ShardingOptions,
): ReadonlyMap<string, number> {
  const { replicas, algorithm } = options;
  if (replicas < 1) return new Map();
  // compat: in the order of their ids, which is what makes every replica count alike
  const ranked = clusters.toSorted((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
  const choose = choosers[algorithm](options, ranked);
  return new Map(ranked.map((cluster) => [cluster.server, fixedShard(cluster, replicas) ?? choose(cluster)]));
}

/** compat server §9: the Secret's own choice wins while there is such a replica; without a Secret it is the first. */
function fixedShard({ shard, id }: ShardedCluster, replicas: number): number | undefined {
  if (shard !== undefined && shard < replicas) return shard;
  return id === '' ? 0 : undefined;
}

type Chooser = (cluster: ShardedCluster) => number;
type MakeChooser = (options: ShardingOptions, ranked: readonly ShardedCluster[]) => Chooser;

const choosers: Readonly<Record<ShardingAlgorithm, MakeChooser>> = {
  legacy:
    ({ replicas }) =>
    ({ id }) =>
      fnv32a(id) % replicas,
  'round-robin': ({ replicas }, ranked) => {
    const ranks = new Map(ranked.map(({ id }, rank) => [id, rank % replicas]));
    return ({ id }) => ranks.get(id) ?? 0;
  },
  'consistent-hashing': (options, ranked) => {
    const chosen = balance(options, ranked);
    return ({ id }) => chosen.get(id) ?? 0;
  },
};

function fnv32a(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of encodeText(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}

type Point = { readonly value: bigint; readonly shard: number };

const pointsPerShard = 1000;
/** compat: how much more than its share a shard may carry. */
const slack = 1.25;

/** compat server §9: each cluster goes to the next shard on the ring that is not full yet, in the order of their ids. */
function balance(
  { replicas, applicationsOn = () => 0 }: ShardingOptions,
  ranked: readonly ShardedCluster[],
): ReadonlyMap<string, number> {
  const ring = ringOf(replicas);
  const loads = new Array<number>(replicas).fill(0);
  let total = 0;
  const chosen = new Map<string, number>();
  for (const { id, server } of ranked) {
    const share = Math.floor((total + 1) / replicas) || 1;
    const most = Math.ceil(share * slack);
    const shard = nextOnRing(ring, hashOf(id), (one) => (loads[one] ?? 0) + 1 <= most);
    const weight = applicationsOn(server);
    loads[shard] = (loads[shard] ?? 0) + weight;
    total += weight;
    chosen.set(id, shard);
  }
  return chosen;
}

const rings = new Map<number, readonly Point[]>();
const rememberedRings = 8;

function ringOf(replicas: number): readonly Point[] {
  const known = rings.get(replicas);
  if (known) return known;
  const points = Array.from({ length: replicas * pointsPerShard }, (_, i): Point => {
    const shard = Math.floor(i / pointsPerShard);
    return { value: hashOf(`${shard}${i % pointsPerShard}`), shard };
  });
  // two shards may be hashed to one place (shard 1 at 11 and shard 11 at 1): the later one has it
  const places = new Map(points.map((point) => [point.value, point]));
  const ring = [...places.values()].sort((a, b) => (a.value < b.value ? -1 : 1));
  if (rings.size >= rememberedRings) rings.clear();
  rings.set(replicas, ring);
  return ring;
}

const hashOf = (text: string): bigint => blake2b64(encodeText(text).subarray(0, 128));

function nextOnRing(ring: readonly Point[], hash: bigint, hasRoom: (shard: number) => boolean): number {
  const first = firstAfter(ring, hash);
  for (let step = 0; step < ring.length; step++) {
    const shard = ring[(first + step) % ring.length]?.shard ?? 0;
    if (hasRoom(shard)) return shard;
  }
  return ring[first % ring.length]?.shard ?? 0;
}

function firstAfter(ring: readonly Point[], hash: bigint): number {
  let [low, high] = [0, ring.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ring[middle]?.value ?? 0n) > hash) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * compat R-3: whether a replica looks after the applications of a cluster. A destination that cannot be resolved is
 * everybody's, so that somebody says so; a cluster that is to be skipped is nobody's.
 */
export function isMine(
  cluster: ShardedCluster | undefined,
  shard: number,
  assigned: ReadonlyMap<string, number>,
): boolean {
  if (!cluster) return true;
  return cluster.skipReconcile !== true && (assigned.get(cluster.server) ?? 0) === shard;
}
