import type { Health, KubeObject } from '#base/model';
import { check, type HealthRule, phases, reader } from '../rules.ts';
import {
  type Checks,
  conditionOf,
  conditionsOf,
  degraded,
  healthy,
  progressing,
  say,
  suspended,
  unknown,
  waitingForSpec,
} from '../verdict.ts';

// the operator's own phase texts; a phase that needs an administrator is Suspended, so that no wave fails
// because of it
const clusterPhases = {
  'Cluster in healthy state': healthy,
  'Setting up primary': progressing,
  'Creating a new replica': progressing,
  'Upgrading cluster': progressing,
  'Waiting for the instances to become active': progressing,
  'Promoting to primary cluster': progressing,
  'Switchover in progress': degraded,
  'Failing over': degraded,
  'Upgrading Postgres major version': degraded,
  'Cluster upgrade delayed': degraded,
  'Waiting for user action': degraded,
  'Primary instance is being restarted in-place': degraded,
  'Primary instance is being restarted without a switchover': degraded,
  'Cluster cannot execute instance online upgrade due to missing architecture binary': degraded,
  'Online upgrade in progress': degraded,
  'Applying configuration': degraded,
  'Unable to create required cluster objects': suspended,
  'Cluster cannot proceed to reconciliation due to an unknown plugin being required': suspended,
  'Cluster has incomplete or invalid image catalog': suspended,
  'Cluster is unrecoverable and needs manual intervention': suspended,
};

const halted: HealthRule = ({ metadata }) =>
  metadata.annotations?.['cnpg.io/reconciliationLoop'] === 'disabled'
    ? suspended('reconciliation is switched off by annotation')
    : undefined;

/** A cluster on its way into or out of hibernation does not serve. */
const hibernating: HealthRule = (object) => {
  const condition = conditionOf(object, 'cnpg.io/hibernation');
  if (!condition) return undefined;
  return condition.status === 'True' ? suspended(say(condition)) : degraded(say(condition));
};

const unphased: HealthRule = (object) =>
  conditionsOf(object).length > 0 ? unknown('no phase is reported') : undefined;

const applied = reader('status.applied');
const observed = reader('status.observedGeneration');
const detail = reader('status.message');

function databaseHealth(object: KubeObject): Health | undefined {
  const { generation } = object.metadata;
  if (object.status && generation !== undefined && observed(object) !== generation)
    return progressing(waitingForSpec);
  const said = detail(object);
  const message = typeof said === 'string' ? said : undefined;
  if (applied(object) === true) return healthy(message);
  return applied(object) === false ? degraded(message) : undefined;
}

export const cloudNativePg: Checks = {
  'postgresql.cnpg.io/Backup': check(
    phases(
      'status.phase',
      {
        completed: healthy,
        failed: degraded,
        walArchivingFailing: degraded,
        'invalid backup definition': degraded,
      },
      progressing,
    ),
  ),
  'postgresql.cnpg.io/Cluster': check(
    halted,
    hibernating,
    phases('status.phase', clusterPhases, unknown),
    unphased,
  ),
  'postgresql.cnpg.io/Database': check(databaseHealth),
};
