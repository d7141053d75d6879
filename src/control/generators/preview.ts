import type { Application, ApplicationSet } from '#base/model';
import type { Ctx } from '#base/std';
import { isOwnedBySet, planSet, previewSet } from '#engine';
import type { SetEvaluateOptions, SetEvaluation, SetEvaluator } from './evaluate.ts';
import { factsOf } from './facts.ts';
import type { GeneratorDeps } from './generator-deps.ts';

type PreviewDeps = Pick<GeneratorDeps, 'settings' | 'projects' | 'clusters' | 'namespace'> & {
  readonly evaluator: Pick<SetEvaluator, 'evaluateOnce'>;
  readonly apps: { list(): readonly Application[] };
};

/** What storing a set would bring about. */
export type SetPreview = {
  readonly changes: ReturnType<typeof previewSet>;
  /** How many applications are as the set wants them. */
  readonly unchanged: number;
  /** In generation order. */
  readonly applications: SetEvaluation['applications'];
  readonly parameters: SetEvaluation['parameters'];
  readonly warnings: readonly string[];
  /** Applications that would be neither created nor updated, and why. */
  readonly invalid: ReturnType<typeof planSet>['invalid'];
  /** Why nothing at all would happen: a generator, a template or the guard against deletions. */
  readonly problem?: string;
};

/** dev sources ASN-5: evaluates a set as it is given, stored or not, and compares it with the live applications. Writes nothing. */
export async function previewApplicationSet(
  ctx: Ctx,
  deps: PreviewDeps,
  given: ApplicationSet,
  options: SetEvaluateOptions = {},
): Promise<SetPreview> {
  const { namespace = deps.namespace } = given.metadata;
  const set = { ...given, metadata: { ...given.metadata, namespace } };
  const { applications, parameters, warnings, problem } = await deps.evaluator.evaluateOnce(
    ctx,
    set,
    options,
  );
  const names = new Set(applications.map(({ metadata }) => metadata.name));
  const live = deps.apps
    .list()
    .filter(
      (app) =>
        app.metadata.namespace === namespace && (isOwnedBySet(app, set) || names.has(app.metadata.name)),
    );
  const plan = planSet({
    set,
    settings: deps.settings().applicationSet,
    generated: applications,
    failures: problem ? [problem.message] : [],
    live,
    ...factsOf(deps),
  });
  return {
    changes: previewSet(plan),
    unchanged: plan.unchanged,
    applications,
    parameters,
    warnings,
    invalid: plan.invalid,
    ...(plan.blocked !== undefined && { problem: plan.blocked }),
  };
}
