import type { Health, KubeObject } from '#base/model';
import {
  type ConditionRule,
  check,
  conditions,
  type HealthRule,
  isOutdated,
  on,
  otherwise,
  sameFor,
} from '../rules.ts';
import {
  type Checks,
  conditionsOf,
  degraded,
  type HealthCheck,
  healthy,
  progressing,
  waitingForSpec,
} from '../verdict.ts';

const group = 'promoter.argoproj.io';

/** A condition of the reconciliation that is stale or failed decides; without one nothing is known yet. */
function reconciled(types: readonly string[], ...more: readonly ConditionRule[]): HealthRule {
  const failed = conditions(
    (condition, object) =>
      types.includes(condition.type) && isOutdated(condition, object)
        ? progressing(waitingForSpec)
        : undefined,
    ...types.map((type) => on(type, 'False', degraded)),
    ...more,
  );
  return (object) => {
    if (!object.status) return progressing('waiting for the first status');
    const isReported = conditionsOf(object).some(({ type }) => types.includes(type));
    return failed(object) ?? (isReported ? undefined : progressing('waiting for the Ready condition'));
  };
}

const ready = reconciled(['Ready']);
const readyForSure = reconciled(['Ready'], on('Ready', 'Unknown', progressing));

type CommitStatuses = { key?: string; phase?: string }[] | null;
type Branch = { dry?: { sha?: string }; commitStatuses?: CommitStatuses };
type Environment = {
  branch?: string;
  active?: Branch;
  proposed?: Branch & { note?: { drySha?: string } };
};
type StrategyView = KubeObject<unknown, { environments?: Environment[] | null }>;
type PolicyView = KubeObject<unknown, Environment>;
type GateView = KubeObject<unknown, { environments?: { branch?: string; phase?: string }[] | null }>;
type SelectionView = KubeObject<unknown, { applicationsSelected?: unknown[] | null }>;

const short = (sha: string): string => sha.slice(0, 7);

/** The commit that an environment is to get: the hydrator's note, where there is one, is ahead of the branch. */
const proposedOf = ({ proposed }: Environment): string | undefined =>
  proposed?.note?.drySha || proposed?.dry?.sha || undefined;

const keysIn = (list: CommitStatuses | undefined, phase: string): string[] =>
  (list ?? []).filter((one) => one.phase === phase).map(({ key }) => key ?? '?');

/** `waiting for lint; failed: e2e`, or nothing where every check passed. */
function openChecks(list: CommitStatuses | undefined): string {
  const [pending, failed] = [keysIn(list, 'pending'), keysIn(list, 'failure')];
  const parts = [
    ...(pending.length > 0 ? [`waiting for ${pending.join(', ')}`] : []),
    ...(failed.length > 0 ? [`failed: ${failed.join(', ')}`] : []),
  ];
  return parts.join('; ');
}

const withChecks = (text: string, checks: string): string => (checks === '' ? text : `${text}; ${checks}`);

/** The promotion that an environment is in the middle of, if any. */
function promotion(environment: Environment): Health | undefined {
  const from = environment.active?.dry?.sha ?? '';
  const to = environment.proposed?.dry?.sha ?? '';
  if (from === to) return undefined;
  const where = environment.branch ? ` of ${environment.branch}` : '';
  const text = `promotion${where} from ${short(from)} to ${short(to)}`;
  return progressing(withChecks(text, openChecks(environment.proposed?.commitStatuses)));
}

const missingCommit = (which: string, branch: string | undefined): Health =>
  progressing(`the ${which} commit${branch ? ` of ${branch}` : ''} is not known yet`);

function strategy(object: KubeObject): Health {
  const environments = (object as StrategyView).status?.environments ?? [];
  const [first] = environments;
  if (!first) return degraded('the promotion strategy has no environments');
  for (const one of environments) {
    if (!one.active?.dry?.sha) return missingCommit('active', one.branch);
    if (!proposedOf(one)) return missingCommit('proposed', one.branch);
  }
  if (environments.some((one) => proposedOf(one) !== proposedOf(first)))
    return progressing('the environments are not proposed the same commit yet');
  for (const one of environments) {
    const found = promotion(one);
    if (found) return found;
  }
  const open = environments.flatMap((one) => {
    const checks = openChecks(one.active?.commitStatuses);
    return checks === '' ? [] : [`${one.branch ?? '?'}: ${checks}`];
  });
  return healthy(
    withChecks(`all environments are at ${short(first.active?.dry?.sha ?? '')}`, open.join('; ')),
  );
}

function policy(object: KubeObject): Health {
  const environment = (object as PolicyView).status ?? {};
  if (!environment.active?.dry?.sha) return missingCommit('active', undefined);
  if (!environment.proposed?.dry?.sha) return missingCommit('proposed', undefined);
  const at = `the environment is at ${short(environment.active.dry.sha)}`;
  return promotion(environment) ?? healthy(withChecks(at, openChecks(environment.active.commitStatuses)));
}

/** A check that is made for each environment: one that failed decides, then one that is not through. */
function gate(object: KubeObject): Health {
  const environments = (object as GateView).status?.environments ?? [];
  const inPhase = (accepts: (phase: string) => boolean): string =>
    environments
      .filter(({ phase = 'pending' }) => accepts(phase))
      .map(({ branch = '?' }) => branch)
      .join(', ');
  const failed = inPhase((phase) => phase === 'failure');
  if (failed !== '') return degraded(`failed for ${failed}`);
  const pending = inPhase((phase) => phase !== 'success');
  return pending === '' ? healthy() : progressing(`waiting for ${pending}`);
}

function selection(object: KubeObject): Health {
  const count = (object as SelectionView).status?.applicationsSelected?.length ?? 0;
  return count > 0 ? healthy(`${count} applications are followed`) : degraded('no application is selected');
}

const settled: HealthCheck = check(readyForSure, otherwise(healthy));

/** GitOps Promoter. */
export const promoter: Checks = {
  [`${group}/ArgoCDCommitStatus`]: check(ready, selection),
  [`${group}/ChangeTransferPolicy`]: check(ready, policy),
  [`${group}/CommitStatus`]: check(ready, otherwise(healthy)),
  [`${group}/PromotionStrategy`]: check(ready, strategy),
  [`${group}/PullRequest`]: check(reconciled(['Reconciled', 'Ready']), otherwise(healthy)),
  ...sameFor(group, ['ClusterScmProvider', 'GitRepository', 'ScmProvider'], settled),
  ...sameFor(
    group,
    ['GitCommitStatus', 'TimedCommitStatus', 'WebRequestCommitStatus'],
    check(readyForSure, gate),
  ),
};
