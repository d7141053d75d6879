import { type Application, type ApplicationSet, finalizer, type Operation, parseTime } from '#base/model';
import { type Ctx, FairleadError } from '#base/std';
import { factsOf, type RevisionAge, type SetEvaluation } from '#control/generators';
import {
  counted,
  errorRequeueMs,
  hasRollout,
  isOutdated,
  planSet,
  type RolloutPass,
  rolloutPass,
  type SetOutcome,
  type SetPlan,
  type SetPlanInput,
  wantsSetFinalizer,
  withoutAutomation,
} from '#engine';
import { refOf } from '#kubernetes/client';
import type { PassDeps } from './pass-deps.ts';
import { patchSet } from './patch-set.ts';
import { resumedWarnings } from './resumed-applications.ts';
import { saveStatus } from './save-status.ts';
import { keyOfSet } from './triggers/object-changes.ts';
import {
  deleteApplications,
  type FailedWrite,
  type Replan,
  writeApplications,
} from './write-applications.ts';

export type PassInput = { readonly owned: readonly Application[]; readonly age: RevisionAge };

export type PassResult = {
  /** When to run the next pass even if nothing changes; undefined: only when something does. */
  readonly requeueAfterMs: number | undefined;
  /** Something is wrong that a change of a project, a cluster or a credential may mend. */
  readonly isTroubled: boolean;
  /** The generators could not be evaluated: what a push requested is still to be read. */
  readonly isUnread: boolean;
  readonly gitSources: SetEvaluation['gitSources'];
};

/**
 * compat sources 5.5: one pass over a set: evaluates it, plans, writes the applications, deletes those that are no longer
 * generated, reports. An error in a generator or a template ends it before the first write.
 */
export async function reconcile(
  ctx: Ctx,
  deps: PassDeps,
  stored: ApplicationSet,
  { owned, age }: PassInput,
): Promise<PassResult> {
  const settings = deps.generators.settings().applicationSet;
  if (stored.unreadable) return unreadable(ctx, deps, stored, owned);
  const set = settings.dryRun ? stored : await withFinalizer(ctx, deps, stored);
  const evaluation = await deps.evaluator.evaluate(ctx, keyOfSet(set), set, { age });
  const pass = new Pass(deps, set, evaluation, owned);
  if (settings.dryRun) return pass.dryRun(ctx);
  return pass.run(ctx);
}

class Pass {
  readonly #deps: PassDeps;
  readonly #set: ApplicationSet;
  readonly #evaluation: SetEvaluation;
  readonly #owned: readonly Application[];

  constructor(deps: PassDeps, set: ApplicationSet, evaluation: SetEvaluation, owned: readonly Application[]) {
    this.#deps = deps;
    this.#set = set;
    this.#evaluation = evaluation;
    this.#owned = owned;
  }

  async run(ctx: Ctx): Promise<PassResult> {
    const { problem } = this.#evaluation;
    if (problem) {
      const reason =
        problem.stage === 'generators' ? 'ApplicationGenerationFromParamsError' : 'RenderTemplateParamsError';
      return this.#failed(ctx, { is: 'failed', reason, message: problem.message });
    }
    const settings = this.#settings;
    if (!hasRollout(this.#set, settings)) return this.#apply(ctx, this.#input(this.#evaluation.applications));
    const { steps = [] } = this.#set.spec.strategy?.rollingSync ?? {};
    if (steps.length === 0) {
      // compat sources ASY-1
      const message = 'No steps defined for rollout: add steps to spec.strategy.rollingSync';
      return this.#failed(ctx, { is: 'failed', reason: 'ApplicationSetRolloutError', message });
    }
    return this.#roll(ctx);
  }

  /** compat sources ASA-16: everything is evaluated, nothing written. */
  async dryRun(ctx: Ctx): Promise<PassResult> {
    const { problem, applications } = this.#evaluation;
    if (problem) ctx.log.warn('dry run: the set cannot be evaluated', { problem: problem.message });
    else {
      const { writes, deletions } = planSet(this.#input(applications));
      ctx.log.info('dry run: nothing is written', { writes: writes.length, deletions: deletions.length });
    }
    return this.#result({ isTroubled: problem !== undefined });
  }

  /** compat sources 5.6: the entries of the status are written before the syncs that they announce. */
  async #roll(ctx: Ctx): Promise<PassResult> {
    const { applications } = this.#evaluation;
    const input = this.#input(applications.map(withoutAutomation));
    const targets = new Map(applications.map((app) => [app.metadata.name, app]));
    const isChanged = (live: Application): boolean | undefined => {
      const target = targets.get(live.metadata.name);
      return target ? isOutdated(live, target, input) : false;
    };
    const rollout = rolloutPass({
      set: this.#set,
      generated: applications,
      owned: this.#owned,
      isChanged,
      now: ctx.clock.now(),
    });
    const operations = dueOperations(rollout, this.#owned);
    if (operations.size > 0) {
      const { applicationStatus } = rollout;
      await patchSet(ctx, this.#deps.kube, this.#set, { status: { applicationStatus } });
    }
    return this.#apply(ctx, { ...input, operations }, rollout);
  }

  async #apply(ctx: Ctx, input: SetPlanInput, rollout?: RolloutPass): Promise<PassResult> {
    const plan = planSet(input);
    if (plan.blocked !== undefined)
      return this.#failed(
        ctx,
        { is: 'failed', reason: 'DeleteApplicationError', message: plan.blocked },
        rollout,
      );
    const failure = await this.#write(ctx, input, plan);
    const outcome = outcomeOf(plan, failure);
    const { warnings, requeueAfterMs } = this.#evaluation;
    const remarks = [...warnings, ...(rollout?.warnings ?? []), ...resumedWarnings(this.#set, plan)];
    await this.#save(ctx, outcome, remarks, rollout);
    if (failure && !failure.error.terminal) throw failure.error;
    if (outcome.is === 'up to date') return this.#result({ isTroubled: false });
    return this.#result({ isTroubled: true, requeueAfterMs: requeueAfterMs ?? errorRequeueMs });
  }

  async #write(ctx: Ctx, input: SetPlanInput, plan: SetPlan): Promise<FailedWrite | undefined> {
    const { writes, deletions } = plan;
    if (writes.length === 0 && deletions.length === 0) return undefined;
    const deps = this.#deps;
    return deps.writes.run(ctx, async () => {
      const failure = await writeApplications(ctx, deps, this.#set, { writes, replan: replanner(input) });
      return failure ?? deleteApplications(ctx, deps, this.#set, deletions);
    });
  }

  #input(generated: readonly Application[]): SetPlanInput {
    const { apps, generators } = this.#deps;
    const namespace = this.#set.metadata.namespace ?? '';
    const live = new Map(this.#owned.map((app) => [app.metadata.name, app]));
    for (const { metadata } of generated) {
      const found = live.has(metadata.name) ? undefined : apps.get(namespace, metadata.name);
      if (found) live.set(metadata.name, found);
    }
    return {
      set: this.#set,
      settings: this.#settings,
      generated,
      failures: [],
      live: [...live.values()],
      ...factsOf(generators),
    };
  }

  get #settings() {
    return this.#deps.generators.settings().applicationSet;
  }

  async #failed(ctx: Ctx, outcome: SetOutcome, rollout?: RolloutPass): Promise<PassResult> {
    if (outcome.is === 'failed') {
      const { reason, message: problem } = outcome;
      const isNews = this.#deps.failures.isNews(keyOfSet(this.#set), `${reason} ${problem}`, ctx.clock.now());
      ctx.log[isNews ? 'warn' : 'debug']('applicationset not applied', { reason, problem });
    }
    await this.#save(ctx, outcome, this.#evaluation.warnings, rollout);
    return this.#result({ isTroubled: true, requeueAfterMs: errorRequeueMs });
  }

  async #save(
    ctx: Ctx,
    outcome: SetOutcome,
    warnings: readonly string[],
    rollout: RolloutPass | undefined,
  ): Promise<void> {
    const owned = (): readonly Application[] => this.#deps.ownedBy(keyOfSet(this.#set));
    await saveStatus(ctx, this.#deps, this.#set, { outcome, warnings, rollout, owned });
  }

  #result(result: Pick<PassResult, 'isTroubled'> & Partial<PassResult>): PassResult {
    const { requeueAfterMs, gitSources, problem } = this.#evaluation;
    return { requeueAfterMs, isUnread: problem !== undefined, gitSources, ...result };
  }
}

/** An application whose state was outdated is planned again by itself, from the newest state. */
function replanner(input: SetPlanInput): Replan {
  return (name, live) => {
    const generated = input.generated.filter(({ metadata }) => metadata.name === name);
    const { writes, invalid } = planSet({ ...input, generated, live: live ? [live] : [] });
    const [problem] = invalid;
    if (problem) throw new FairleadError('InvalidSpec', problem.message);
    return writes[0];
  };
}

/** A sync that began since its application became pending is not started again before the controller has reported it. */
function dueOperations(
  { operations, applicationStatus }: RolloutPass,
  owned: readonly Application[],
): ReadonlyMap<string, Operation> {
  const since = new Map(
    applicationStatus.map((entry) => [entry.application, parseTime(entry.lastTransitionTime)]),
  );
  const begun = new Set(
    owned
      .filter(({ metadata, status }) => {
        const started = parseTime(status?.operationState?.startedAt);
        return started !== undefined && started >= (since.get(metadata.name) ?? Number.POSITIVE_INFINITY);
      })
      .map(({ metadata }) => metadata.name),
  );
  return new Map([...operations].filter(([name]) => !begun.has(name)));
}

const failureReasons = {
  create: 'CreateApplicationError',
  update: 'UpdateApplicationError',
  delete: 'DeleteApplicationError',
} as const;

/** compat sources ASA-1, ASA-2. */
function outcomeOf({ invalid }: SetPlan, failure: FailedWrite | undefined): SetOutcome {
  if (failure) return { is: 'failed', reason: failureReasons[failure.do], message: failure.error.message };
  const last = invalid.at(-1);
  if (!last) return { is: 'up to date' };
  const message = counted(last.message, invalid.length - 1);
  return { is: 'failed', reason: 'ApplicationValidationError', message };
}

/** dev sources DEV-24, compat sources ASY-11: where the controller must see the end of the set, before it has any application. */
async function withFinalizer(ctx: Ctx, { kube, sets, generators }: PassDeps, set: ApplicationSet) {
  const { finalizers = [], resourceVersion } = set.metadata;
  const settings = generators.settings().applicationSet;
  if (finalizers.includes(finalizer.resources) || !wantsSetFinalizer(set, settings)) return set;
  const body = { metadata: { finalizers: [...finalizers, finalizer.resources], resourceVersion } };
  const written = (await kube.patch(ctx, refOf(set), { type: 'merge', body })) as ApplicationSet;
  sets.put(written);
  return { ...set, metadata: written.metadata };
}

/** Half a generator is another generator: a set with a field of another type is reported, and nothing else is done. */
async function unreadable(
  ctx: Ctx,
  deps: PassDeps,
  set: ApplicationSet,
  owned: readonly Application[],
): Promise<PassResult> {
  await saveStatus(ctx, deps, set, {
    outcome: {
      is: 'failed',
      reason: 'ErrorOccurred',
      message: `the set cannot be read, so nothing was changed: ${set.unreadable?.join('; ')}`,
    },
    warnings: [],
    rollout: undefined,
    owned: () => owned,
  });
  return { requeueAfterMs: undefined, isTroubled: false, isUnread: false, gitSources: [] };
}
