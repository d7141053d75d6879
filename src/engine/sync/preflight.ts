import type { ResourceResult } from '#base/model';
import { listed, spoken } from './naming.ts';
import { newResult } from './observe.ts';
import { known, merge, outcomeResult, settled, skippedPrune } from './results.ts';
import { isDue, type Moment, nameOf, type SyncPlan, type SyncStep, type SyncTask } from './task.ts';

/** compat engine S-2, S-3, S-6: reasons not to begin, checked in every pass. */
export function refuse(plan: SyncPlan, { conditions = [] }: Moment): SyncStep | undefined {
  const described = (type: string): string[] =>
    conditions.filter((condition) => condition.type === type).map(({ message }) => message);
  const shared = plan.options.failOnSharedResource ? described('SharedResourceWarning') : [];
  if (shared.length > 0) return end(plan, 'Failed', `FailOnSharedResource: ${shared.join('; ')}`);

  const broken = [...described('ComparisonError'), ...described('InvalidSpecError')];
  if (broken.length > 0) return end(plan, 'Error', broken.join('; '));

  const invalid = plan.tasks.filter(({ problem }) => problem !== undefined);
  if (invalid.length === 0) return undefined;
  const failed = invalid.map((task) =>
    newResult(task, { status: 'SyncFailed', message: task.problem ?? '' }),
  );
  const reasons = invalid.map((task) => `${nameOf(task)}: ${task.problem}`);
  return end(plan, 'Failed', `nothing was applied: ${listed(reasons)}`, failed);
}

/** compat engine S-24: everything is tried without writing; undefined when there is nothing to try or nothing failed. */
export function validate(plan: SyncPlan, { dryRun }: Moment): SyncStep | undefined {
  if (!dryRun) return dryRunOf(plan);
  const failed = dryRun.filter(({ ok }) => !ok);
  if (failed.length === 0) return undefined;
  return end(
    plan,
    'Failed',
    `nothing was applied: the dry run failed for ${listed(failed.map(spoken))}`,
    failed.map(outcomeResult),
  );
}

// dev engine S-24: a prune that waits for its confirmation keeps nothing from being validated
function dryRunOf(plan: SyncPlan): SyncStep | undefined {
  const tasks = plan.tasks.filter((task) => task.target && !task.skipDryRun && isDue(task));
  return tasks.length > 0 ? { do: 'dry-run', tasks, results: known(plan) } : undefined;
}

/** compat engine S-25: an operation that only rehearses records every result and ends. */
export function rehearse(plan: SyncPlan, { dryRun }: Moment): SyncStep {
  const first = dryRun ? undefined : dryRunOf(plan);
  if (first) return first;
  const outcomes = dryRun ?? [];
  const applied = outcomes.map((outcome): ResourceResult => {
    const result = outcomeResult(outcome);
    return outcome.ok ? { ...result, hookPhase: 'Succeeded' } : result;
  });
  const pruned = plan.tasks.filter(({ target }) => !target).map(prunePreview);
  const failed = outcomes.filter(({ ok }) => !ok);
  const message =
    failed.length > 0
      ? `the dry run failed for ${listed(failed.map(spoken))}`
      : (nothingMatched(plan) ?? 'dry run: nothing was written');
  return end(plan, failed.length > 0 ? 'Failed' : 'Succeeded', message, [...applied, ...pruned]);
}

function prunePreview(task: SyncTask): ResourceResult {
  if (task.prune.do === 'skip') return skippedPrune(task);
  return newResult(task, { status: 'Pruned', hookPhase: 'Succeeded', message: 'would be pruned (dry run)' });
}

/** dev engine S-5: a selection that matches nothing succeeds, and the message names the selection. */
export const nothingMatched = ({ unmatched }: SyncPlan): string | undefined =>
  unmatched && `nothing was synced: the application has no ${unmatched}; see its status.resources`;

/** The end of an attempt; `more` are results that only the ending brings. */
export function end(
  plan: SyncPlan,
  phase: 'Succeeded' | 'Failed' | 'Error',
  message: string,
  more: readonly ResourceResult[] = [],
): SyncStep {
  return { do: 'finish', phase, message, results: merge(settled(plan), more) };
}
