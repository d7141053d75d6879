import type { Health, KubeObject } from '#base/model';
import {
  check,
  conditions,
  describeCondition,
  type HealthRule,
  on,
  otherwise,
  phases,
  reader,
  sameFor,
} from '../rules.ts';
import {
  type Checks,
  conditionOf,
  conditionsOf,
  degraded,
  type HealthCheck,
  type HealthOf,
  healthy,
  progressing,
  suspended,
  unknown,
} from '../verdict.ts';

/** MariaDB's operator lists one condition per concern; the first that is False sets the severity. */
const mariadb = (failed: HealthRule): HealthCheck =>
  check(
    failed,
    conditions((condition) =>
      condition.status === 'False' ? progressing(describeCondition(condition)) : undefined,
    ),
    (object) => (conditionsOf(object).length > 0 ? healthy() : undefined),
  );

const instanceFailed = firstFalse(({ reason }) => reason === 'Failed');
const backupFailed = firstFalse(
  ({ reason, message }) => reason === 'CronJobScheduled' && message === 'Failed',
);

function firstFalse(isFailure: (condition: { reason?: string; message?: string }) => boolean): HealthRule {
  return (object) => {
    const first = conditionsOf(object).find(({ status }) => status === 'False');
    return first && isFailure(first) ? degraded(describeCondition(first)) : undefined;
  };
}

const granted = check(
  conditions(on('Ready', 'True', healthy), (condition) =>
    condition.type === 'Ready' ? degraded(describeCondition(condition)) : undefined,
  ),
);

const sqlJob = check(
  conditions((condition) => {
    if (condition.status !== 'True') return undefined;
    if (condition.reason === 'JobComplete') return healthy();
    return condition.reason === 'JobFailed' ? degraded(describeCondition(condition)) : undefined;
  }),
);

const clickhouse = check(phases('status.status', { Completed: healthy, InProgress: progressing }, degraded));

type RacksView = KubeObject<unknown, { racks?: Record<string, { members?: number; readyMembers?: number }> }>;

function cassandraHealth(object: KubeObject): Health | undefined {
  const { racks } = (object as RacksView).status ?? {};
  if (!racks) return undefined;
  const behind = Object.entries(racks).find(
    ([, { members, readyMembers }]) =>
      members !== undefined && readyMembers !== undefined && members !== readyMembers,
  );
  if (!behind) return healthy();
  const [rack, { members, readyMembers }] = behind;
  return progressing(`rack ${rack} has ${readyMembers} of ${members} members ready`);
}

type SolrView = KubeObject<unknown, { solrNodes?: { name?: string; ready?: boolean }[] }>;

function solrHealth(object: KubeObject): Health | undefined {
  const nodes = (object as SolrView).status?.solrNodes;
  if (!nodes) return undefined;
  const waiting = nodes.find(({ ready }) => !ready);
  return waiting ? progressing(`node ${waiting.name} is not ready`) : healthy();
}

type ZookeeperView = KubeObject<unknown, { readyReplicas?: number; replicas?: number }>;

function zookeeperHealth(object: KubeObject): Health | undefined {
  const { readyReplicas, replicas } = (object as ZookeeperView).status ?? {};
  if (readyReplicas === undefined) return undefined;
  if (readyReplicas !== 0 && readyReplicas === replicas) return healthy();
  return progressing(`${readyReplicas} of ${replicas} replicas are ready`);
}

/** Atlas: a Ready that is not True is Progressing as long as the given field matches. */
const atlas = (isWork: (ready: { reason?: string; message?: string }) => boolean): HealthCheck =>
  check((object) => {
    const ready = conditionOf(object, 'Ready');
    if (!ready) return undefined;
    if (ready.status === 'True') return healthy();
    return isWork(ready) ? progressing(describeCondition(ready)) : degraded(describeCondition(ready));
  });

const available = reader('status.availableNodes');
const declared = reader('spec.nodeSets');
const colours = { green: healthy, yellow: progressing, red: degraded };

/** compat engine §5.7: too few nodes is Progressing; only with all of them the colour of a Ready cluster counts. */
function elasticsearchHealth(object: KubeObject): Health {
  const sets = declared(object);
  const wanted = Array.isArray(sets) ? sets.reduce((sum: number, { count = 0 }) => sum + count, 0) : 0;
  const nodes = available(object);
  if (typeof nodes !== 'number') return unknown('the number of nodes is not reported');
  if (nodes < wanted) return progressing(`${nodes} of ${wanted} nodes are available`);
  if (nodes > wanted) return unknown(`${nodes} nodes are available, but only ${wanted} are declared`);
  return elasticPhase(object) ?? unknown('the phase and the health are not both reported');
}

const elasticWork = phases('status.phase', {
  ApplyingChanges: progressing,
  MigratingData: progressing,
  Invalid: degraded,
});

function elasticPhase(object: KubeObject): Health | undefined {
  const { phase, health } = (object as KubeObject<unknown, { phase?: string; health?: string }>).status ?? {};
  if (phase === undefined || health === undefined) return undefined;
  if (phase === 'Ready') {
    return Object.hasOwn(colours, health)
      ? colours[health as keyof typeof colours](`cluster is ${health}`)
      : undefined;
  }
  return elasticWork(object);
}

type BeatView = KubeObject<unknown, { health?: string; availableNodes?: number; expectedNodes?: number }>;

function beatHealth(object: KubeObject): Health {
  const { health, availableNodes, expectedNodes } = (object as BeatView).status ?? {};
  if (health === undefined && expectedNodes === undefined) return unknown('nothing is reported yet');
  const nodes =
    expectedNodes === undefined
      ? undefined
      : `${availableNodes ?? 0} of ${expectedNodes} nodes are available`;
  if (health === undefined) return progressing(nodes);
  const verdict: HealthOf = Object.hasOwn(colours, health)
    ? colours[health as keyof typeof colours]
    : unknown;
  return verdict(nodes);
}

export const databases: Checks = {
  'acid.zalan.do/postgresql': check(
    phases(
      'status.PostgresClusterStatus',
      { Running: healthy, Creating: progressing, Updating: progressing },
      degraded,
    ),
  ),
  'beat.k8s.elastic.co/Beat': beatHealth,
  'cassandra.rook.io/Cluster': check(cassandraHealth),
  'clickhouse-keeper.altinity.com/ClickHouseKeeperInstallation': clickhouse,
  'clickhouse.altinity.com/ClickHouseInstallation': clickhouse,
  'db.atlasgo.io/AtlasMigration': atlas(({ reason }) => reason === 'Reconciling'),
  'db.atlasgo.io/AtlasSchema': atlas(
    ({ message }) => message === 'Reconciling' || message === 'GettingDevDB',
  ),
  'elasticsearch.k8s.elastic.co/Elasticsearch': elasticsearchHealth,
  'k8s.mariadb.com/Backup': mariadb(backupFailed),
  ...sameFor('k8s.mariadb.com', ['Database', 'Grant', 'User'], granted),
  'k8s.mariadb.com/MariaDB': mariadb(instanceFailed),
  'k8s.mariadb.com/SqlJob': sqlJob,
  'logstash.k8s.elastic.co/Logstash': check(phases('status.health', colours)),
  'mariadb.mmontes.io/MariaDB': mariadb(instanceFailed),
  'psmdb.percona.com/PerconaServerMongoDB': check(
    phases(
      'status.state',
      {
        initializing: progressing,
        stopping: progressing,
        ready: healthy,
        error: degraded,
        paused: suspended,
      },
      unknown,
    ),
    otherwise(unknown, 'the state is not reported yet'),
  ),
  'pxc.percona.com/PerconaXtraDBCluster': check(
    phases(
      'status.state',
      { initializing: progressing, ready: healthy, paused: unknown, stopping: degraded, error: degraded },
      unknown,
    ),
    otherwise(unknown, 'the state is not reported yet'),
  ),
  'solr.apache.org/SolrCloud': check(solrHealth),
  'zookeeper.pravega.io/ZookeeperCluster': check(zookeeperHealth),
};
