import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseAll } from '#lang/yaml';
import { blake2b64 } from './blake2b.ts';
import { assignShards, isMine, type ShardedCluster, shardingAlgorithmNamed } from './sharding.ts';

type Table = {
  replicas: number;
  clusters: [id: string, apps: number, legacy: number, consistent: number][];
}[];
const text = readFileSync(new URL('./testdata/peer.yaml', import.meta.url), 'utf8');
const table = parseAll(text, { name: 'peer.yaml' })[0]?.value as Table;

test.each(table)(
  '$replicas replicas divide clusters as the peer divides them (server §9)',
  ({ replicas, clusters }) => {
    const all = clusters.map(([id]) => ({ id, server: `https://${id}` })).toReversed();
    const apps = new Map(clusters.map(([id, count]) => [`https://${id}`, count]));
    const shards = (algorithm: string) => {
      const assigned = assignShards(all, {
        algorithm: shardingAlgorithmNamed(algorithm),
        replicas,
        applicationsOn: (server) => apps.get(server) ?? 0,
      });
      return clusters.map(([id]) => assigned.get(`https://${id}`));
    };
    expect(shards('legacy')).toEqual(clusters.map(([, , legacy]) => legacy));
    expect(shards('something else')).toEqual(clusters.map(([, , legacy]) => legacy));
    expect(shards('round-robin')).toEqual(clusters.map((_, rank) => rank % replicas));
    expect(shards('consistent-hashing')).toEqual(clusters.map(([, , , consistent]) => consistent));
  },
);

test('the hash is the one of the standard', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 128 }), (bytes) => {
      const digest = createHash('blake2b512').update(bytes).digest();
      expect(blake2b64(bytes)).toBe(digest.readBigUInt64LE(0));
    }),
  );
  expect(() => blake2b64(new Uint8Array(129))).toThrow(RangeError);
});

const clusters: ShardedCluster[] = [
  { server: 'https://a', id: 'a', shard: 2 },
  { server: 'https://b', id: 'b', shard: 9 },
  { server: 'https://kubernetes.default.svc', id: '' },
];

test.each(['legacy', 'round-robin', 'consistent-hashing'] as const)(
  'with %s the shard a Secret names wins while there is one, and no Secret means the first (server §9)',
  (algorithm) => {
    const assigned = assignShards(clusters, { algorithm, replicas: 3 });
    expect(assigned.get('https://a')).toBe(2);
    expect(assigned.get('https://b')).toBeLessThan(3);
    expect(assigned.get('https://kubernetes.default.svc')).toBe(0);
    expect(assignShards(clusters, { algorithm, replicas: 0 }).size).toBe(0);
  },
);

test('every cluster is assigned, evenly, and most stay when a replica is added (server §9)', () => {
  const many = Array.from({ length: 60 }, (_, i) => ({ server: `https://${i}`, id: `uid-${i}` }));
  const assign = (replicas: number) =>
    assignShards(many, { algorithm: 'consistent-hashing', replicas, applicationsOn: () => 10 });
  const [four, five] = [assign(4), assign(5)];
  const counts = [0, 1, 2, 3].map((shard) => [...four.values()].filter((one) => one === shard).length);
  expect(Math.max(...counts)).toBeLessThanOrEqual(Math.ceil((60 / 4) * 1.25));
  const moved = many.filter(({ server }) => four.get(server) !== five.get(server)).length;
  expect(moved).toBeLessThan(40);
  // the twelfth shard and the second share places on the ring
  expect(assign(12).size).toBe(60);
});

test('an application is looked after by the owner of its cluster (R-3)', () => {
  const assigned = new Map([['https://a', 1]]);
  const cluster = { server: 'https://a', id: 'a' };
  expect([0, 1].map((shard) => isMine(cluster, shard, assigned))).toEqual([false, true]);
  expect([0, 1].map((shard) => isMine(undefined, shard, assigned))).toEqual([true, true]);
  expect([0, 1].map((shard) => isMine({ ...cluster, skipReconcile: true }, shard, assigned))).toEqual([
    false,
    false,
  ]);
  expect([0, 1].map((shard) => isMine({ ...cluster, server: 'https://new' }, shard, assigned))).toEqual([
    true,
    false,
  ]);
});
