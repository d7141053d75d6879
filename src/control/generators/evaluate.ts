import { type Application, type ApplicationSet, maskerOf } from '#base/model';
import type { Ctx } from '#base/std';
import {
  ApplicationRenderer,
  applicationSetProblems,
  applicationSetWarnings,
  type Evaluation,
  evaluateGenerators,
  requeueAfterMs,
  type SetParameters,
} from '#engine';
import type { GeneratorDeps, RevisionAge } from './generator-deps.ts';
import { GitSnapshots } from './git-snapshot.ts';
import { type GitCache, type GitSource, producer } from './produce.ts';
import { templateHost } from './template-host.ts';

export type SetEvaluateOptions = {
  /** How old the list of a repository's branches may be. */
  readonly age?: RevisionAge;
  /** compat sources ASN-3: what users evaluate by request may use only Secrets that are labelled for it. */
  readonly isTokenStrict?: boolean;
};

/** What a set generates now. */
export type SetEvaluation = {
  /** One for each application, in generation order; incomplete where there is a problem. */
  readonly parameters: readonly SetParameters[];
  /** In generation order; the very same array as the last time when nothing changed. Empty where there is a problem. */
  readonly applications: readonly Application[];
  /** compat sources AS-2: why nothing may be created, updated or deleted. */
  readonly problem?: EvaluationProblem;
  readonly warnings: readonly string[];
  /** compat sources ASQ-1: when to evaluate it again; undefined: only when something changes. */
  readonly requeueAfterMs: number | undefined;
  /** The repositories that its git generators read. */
  readonly gitSources: readonly GitSource[];
};

/** `generators`: parameters could not be produced; `template`: not rendered. The message contains no secret of the set. */
type EvaluationProblem = { readonly stage: 'generators' | 'template'; readonly message: string };

type Rendered = {
  readonly results: Evaluation['results'];
  readonly applications: readonly Application[];
  readonly warnings: readonly string[];
};
type Memory = {
  readonly renderer: ApplicationRenderer;
  /** Why the set is not evaluated at all (sources AS-4, AS-6). */
  readonly problems: readonly string[];
  git: GitCache;
  rendered?: Rendered;
};

/** Evaluates ApplicationSets, and keeps for each what makes the next evaluation cheap. */
export class SetEvaluator {
  readonly #deps: GeneratorDeps;
  readonly #snapshots: GitSnapshots;
  readonly #memories = new Map<string, Memory>();

  constructor(deps: GeneratorDeps) {
    this.#deps = deps;
    this.#snapshots = new GitSnapshots(deps);
  }

  /** The stored set `key`. One evaluation of a set at a time. */
  async evaluate(
    ctx: Ctx,
    key: string,
    set: ApplicationSet,
    options: SetEvaluateOptions = {},
  ): Promise<SetEvaluation> {
    const known = this.#memories.get(key);
    const memory = known?.renderer.isFor(set) ? known : memoryFor(ctx, set);
    this.#memories.set(key, memory);
    return this.#evaluate(ctx, set, memory, options);
  }

  /** A set that is not stored, or not as it is stored; nothing is kept of it. */
  evaluateOnce(ctx: Ctx, set: ApplicationSet, options: SetEvaluateOptions = {}): Promise<SetEvaluation> {
    return this.#evaluate(ctx, set, memoryFor(ctx, set), options);
  }

  /** Drops what is kept of a deleted set. */
  forget(key: string): void {
    this.#memories.delete(key);
  }

  async #evaluate(
    ctx: Ctx,
    set: ApplicationSet,
    memory: Memory,
    { age = 'cached', isTokenStrict }: SetEvaluateOptions,
  ): Promise<SetEvaluation> {
    const { applicationSet } = this.#deps.settings();
    const { renderer, git: last } = memory;
    const [wrong, ...others] = memory.problems;
    if (wrong) return refused(problemOf(set, 'generators', wrong, others.length));
    const next: GitCache = new Map();
    const gitSources: GitSource[] = [];
    const warnings = new Set<string>();
    const produce = producer(ctx, this.#deps, {
      set,
      renderer: renderer.texts,
      age,
      isTokenStrict: isTokenStrict ?? applicationSet.tokenRefStrict,
      snapshots: this.#snapshots,
      ...{ last, next, gitSources, warnings },
    });
    const { generators } = set.spec;
    const { results, problems } = await evaluateGenerators(generators, { renderer: renderer.texts, produce });
    ctx.signal.throwIfAborted();
    memory.git = next;
    const common = {
      parameters: results.map(({ parameters }) => parameters),
      warnings: [...warnings],
      requeueAfterMs: requeueAfterMs(generators, applicationSet.requeueAfterMs),
      gitSources,
    };
    const [first, ...more] = problems;
    if (first) {
      const message = first.error.message.startsWith(first.path)
        ? first.error.message
        : `${first.path}: ${first.error.message}`;
      return { ...common, applications: [], problem: problemOf(set, 'generators', message, more.length) };
    }
    const { applications, problem, warnings: remarks = [] } = rendered(set, memory, results);
    return { ...common, applications, ...(problem && { problem }), warnings: [...warnings, ...remarks] };
  }
}

const memoryFor = (ctx: Ctx, set: ApplicationSet): Memory => ({
  renderer: new ApplicationRenderer(set, templateHost(ctx)),
  problems: applicationSetProblems(set),
  git: new Map(),
});

/** It waits for a change of the set. */
const refused = (problem: EvaluationProblem): SetEvaluation => ({
  parameters: [],
  applications: [],
  problem,
  warnings: [],
  requeueAfterMs: undefined,
  gitSources: [],
});

/** Nothing is rendered again while the generators return the very same parameters. */
function rendered(
  set: ApplicationSet,
  memory: Memory,
  results: Evaluation['results'],
): Pick<SetEvaluation, 'applications' | 'problem'> & Partial<Pick<SetEvaluation, 'warnings'>> {
  const before = memory.rendered;
  const isSame =
    before?.results.length === results.length &&
    results.every(
      ({ parameters, template }, at) =>
        before.results[at]?.parameters === parameters && before.results[at]?.template === template,
    );
  if (before && isSame) return before;
  const { applications, problems, warnings } = memory.renderer.render(results);
  const [first, ...more] = problems;
  if (first) return { applications: [], problem: problemOf(set, 'template', first, more.length) };
  const isEqual =
    before?.applications.length === applications.length &&
    applications.every((app, at) => app === before.applications[at]);
  const kept = before && isEqual ? before.applications : applications;
  const parameters = results.map((result) => result.parameters);
  memory.rendered = {
    results,
    applications: kept,
    warnings: [...applicationSetWarnings(set, parameters), ...warnings],
  };
  return memory.rendered;
}

function problemOf(
  { spec }: ApplicationSet,
  stage: EvaluationProblem['stage'],
  message: string,
  more: number,
): EvaluationProblem {
  const all = more > 0 ? `${message} (and ${more} more)` : message;
  return { stage, message: maskerOf(spec)(all) };
}
