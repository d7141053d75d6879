import type { Health, KubeObject } from '#base/model';
import { check, conditions, describeCondition, type HealthRule, on, phases, sameFor } from '../rules.ts';
import { type Checks, conditionOf, degraded, healthy, progressing, suspended, unknown } from '../verdict.ts';

const strimziParts = [
  'KafkaBridge',
  'KafkaConnect',
  'KafkaConnector',
  'KafkaMirrorMaker2',
  'KafkaNodePool',
  'KafkaRebalance',
  'KafkaTopic',
  'KafkaUser',
];

type Broker = { configurationState?: string; gracefulActionState?: { cruiseControlState?: string } };
type KafkaClusterView = KubeObject<
  unknown,
  { state?: string; cruiseControlTopicStatus?: string; brokersState?: Record<string, Broker> }
>;

function banzaiHealth(object: KubeObject): Health | undefined {
  const { state, cruiseControlTopicStatus, brokersState } = (object as KafkaClusterView).status ?? {};
  if (!brokersState || state === 'ClusterRollingUpgrading') return undefined;
  const adrift = Object.entries(brokersState).find(([, broker]) => !isSettled(broker));
  if (adrift) return degraded(`broker ${adrift[0]} is out of sync or not balanced`);
  const isRunning = cruiseControlTopicStatus === 'CruiseControlTopicReady' && state === 'ClusterRunning';
  return isRunning ? healthy() : undefined;
}

function isSettled({ configurationState, gracefulActionState }: Broker): boolean {
  const action = gracefulActionState?.cruiseControlState;
  return configurationState === 'ConfigInSync' && /^Graceful(?:Up|Down)scaleSucceeded$/.test(action ?? '');
}

type ConnectorView = KubeObject<
  unknown,
  { state?: string; connectorState?: string; failedTasksCount?: number; conditions?: { message?: string }[] }
>;

function connectorHealth(object: KubeObject): Health | undefined {
  const {
    state,
    connectorState,
    failedTasksCount,
    conditions: list,
  } = (object as ConnectorView).status ?? {};
  if (state === 'ERROR') return degraded(list?.[0]?.message ?? 'the connector is in state ERROR');
  if (failedTasksCount) return degraded(`${failedTasksCount} tasks have failed`);
  return state === 'CREATED' && connectorState === 'RUNNING' && failedTasksCount === undefined
    ? healthy()
    : undefined;
}

type RabbitView = KubeObject<{ replicas?: number }>;

function rabbitHealth(object: KubeObject): Health | undefined {
  const available = conditionOf(object, 'ClusterAvailable');
  const replicas = conditionOf(object, 'AllReplicasReady');
  const open = [available, replicas].find((condition) => condition?.status === 'Unknown');
  if (open) return progressing(describeCondition(open));
  const isZero = replicas?.reason === 'ScaledToZero' && replicas.status === 'False';
  if (isZero && (object as RabbitView).spec?.replicas === 0) return suspended('scaled to zero');
  const waiting = [available, replicas].find((condition) => condition?.status === 'False');
  if (waiting) return progressing(describeCondition(waiting));
  return available?.status === 'True' && replicas?.status === 'True' ? healthy() : undefined;
}

/** compat engine §5.6: the topology operator reports in one of two ways, or not at all. */
const topology: HealthRule = conditions(
  on('Ready', 'True', healthy, ['SuccessfulCreateOrUpdate']),
  on('Ready', 'False', degraded, ['FailedCreateOrUpdate']),
);

const confluent = check(phases('status.phase', { RUNNING: healthy, PROVISIONING: progressing }));

export const messaging: Checks = {
  'kafka.banzaicloud.io/KafkaCluster': check(banzaiHealth),
  'kafka.strimzi.io/Kafka': check(
    conditions(
      (condition, object) =>
        condition.reason === 'Creating' ? undefined : on('NotReady', 'True', degraded)(condition, object),
      on('Ready', 'True', healthy),
    ),
  ),
  ...sameFor(
    'kafka.strimzi.io',
    strimziParts,
    check(conditions(on('NotReady', 'True', degraded), on('Ready', 'True', healthy))),
  ),
  ...sameFor(
    'platform.confluent.io',
    ['Connect', 'ControlCenter', 'Kafka', 'KsqlDB', 'SchemaRegistry', 'Zookeeper'],
    confluent,
  ),
  'platform.confluent.io/Connector': check(connectorHealth),
  ...sameFor(
    'rabbitmq.com',
    ['Binding', 'Exchange', 'Permission', 'Policy', 'Queue', 'Shovel', 'User', 'Vhost'],
    check(topology, () => unknown('the topology operator has not answered yet')),
  ),
  'rabbitmq.com/RabbitmqCluster': check(conditions(on('ReconcileSuccess', 'False', degraded)), rabbitHealth),
};
