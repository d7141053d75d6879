import type { Health, KubeObject } from '#base/model';
import {
  check,
  describeCondition,
  type HealthRule,
  resting,
  sameFor,
  unconditioned,
  where,
} from '../rules.ts';
import {
  type Checks,
  conditionOf,
  conditionsOf,
  degraded,
  type HealthCheck,
  healthy,
  progressing,
  say,
  suspended,
} from '../verdict.ts';

type Flux = {
  /** Ready has this status while the controller works. */
  readonly busy?: 'Unknown' | 'False';
  /** Reconciling counts as work only for these reasons. */
  readonly reasons?: readonly string[];
  /** Ready alone is not success: one of these must be True as well. */
  readonly also?: readonly string[];
};

/**
 * compat engine §5.7: Ready and Reconciling together mean Progressing; a Ready that is not True is Degraded
 * without Reconciling.
 */
function reconciled({ busy, reasons, also }: Flux): HealthRule {
  return (object) => {
    const ready = conditionOf(object, 'Ready');
    if (busy && ready?.status === busy && isReconciling(object, reasons)) return progressing(say(ready));
    if (ready?.status !== 'True')
      return degraded(ready ? describeCondition(ready) : 'the Ready condition is missing');
    return also ? proven(object, also) : healthy(say(ready));
  };
}

// dev engine §5.7: one proof beside Ready is enough; the peer counts to two and calls a release that was also tested Degraded
function proven(object: KubeObject, also: readonly string[]): Health {
  const proof = conditionsOf(object).find(({ type, status }) => also.includes(type) && status === 'True');
  return proof ? healthy(say(proof)) : degraded(`ready, but ${also.join(' or ')} is not True`);
}

function isReconciling(object: KubeObject, reasons: readonly string[] | undefined): boolean {
  const condition = conditionOf(object, 'Reconciling');
  return condition?.status === 'True' && (!reasons || reasons.includes(condition.reason ?? ''));
}

const flux = (...rules: readonly HealthRule[]): HealthCheck =>
  check(resting('spec.suspend', suspended), ...rules);

const applied = flux(unconditioned, reconciled({ busy: 'Unknown' }));
const fetched = [unconditioned, reconciled({ busy: 'Unknown', also: ['ArtifactInStorage'] })];

/** Flux CD: sources, what is applied from them, images and receivers. */
export const fluxChecks: Checks = {
  'helm.toolkit.fluxcd.io/HelmRelease': flux(
    unconditioned,
    reconciled({ busy: 'Unknown', also: ['Released', 'TestSuccess'] }),
  ),
  'image.toolkit.fluxcd.io/ImagePolicy': check(
    unconditioned,
    reconciled({ busy: 'False', reasons: ['NewGeneration', 'AccessingRepository', 'ApplyingPolicy'] }),
  ),
  'image.toolkit.fluxcd.io/ImageRepository': flux(
    unconditioned,
    reconciled({ busy: 'False', reasons: ['NewGeneration', 'Scanning'] }),
  ),
  'image.toolkit.fluxcd.io/ImageUpdateAutomation': applied,
  'kustomize.toolkit.fluxcd.io/Kustomization': applied,
  'notification.toolkit.fluxcd.io/Receiver': flux(unconditioned, reconciled({})),
  ...sameFor(
    'source.toolkit.fluxcd.io',
    ['Bucket', 'GitRepository', 'HelmChart', 'OCIRepository'],
    flux(...fetched),
  ),
  'source.toolkit.fluxcd.io/HelmRepository': flux(
    where('spec.type', 'oci', healthy, 'an OCI repository has nothing to fetch'),
    ...fetched,
  ),
};
