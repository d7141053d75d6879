import type { SetGenerator } from '#base/model';
import { FairleadError } from '#base/std';
import { combineMatrix, mergeChildren } from './parameters/combine.ts';
import { interpolateGenerator } from './parameters/interpolate.ts';
import { selectSets } from './parameters/select.ts';
import type { SetParameters } from './parameters/set-parameters.ts';
import type { GeneratorResult } from './template/render-application.ts';
import type { SetRenderer } from './template/set-renderer.ts';

/** compat sources AS-1: the order in which the generators of one item contribute. */
export const generatorKinds = [
  'list',
  'clusters',
  'git',
  'scmProvider',
  'clusterDecisionResource',
  'pullRequest',
  'matrix',
  'merge',
  'plugin',
] as const;
type GeneratorKind = (typeof generatorKinds)[number];
type TerminalKind = Exclude<GeneratorKind, 'matrix' | 'merge'>;

/** One generator that reads facts, already interpolated, and where it stands in the set. */
export type TerminalGenerator = {
  [K in TerminalKind]: {
    readonly kind: K;
    readonly generator: NonNullable<SetGenerator[K]>;
    /** `spec.generators[0].matrix.generators[1].git`. */
    readonly path: string;
  };
}[TerminalKind];

/** Reads the facts of one generator and returns its parameter sets, before the item's selector. */
type ProduceParameters = (generator: TerminalGenerator) => Promise<readonly SetParameters[]>;

type GeneratorProblem = { readonly path: string; readonly error: FairleadError };

export type Evaluation = {
  readonly results: readonly GeneratorResult[];
  /** compat sources AS-2: with any of these nothing is created, updated or deleted. */
  readonly problems: readonly GeneratorProblem[];
};

type EvaluationDeps = {
  readonly renderer: SetRenderer;
  readonly produce: ProduceParameters;
  /** More parameter sets than this are refused (20,000). */
  readonly maxSets?: number;
};

/**
 * compat sources AS-1, AS-2: the results of all generators in order. A generator that fails is reported with its path and
 * the others are evaluated all the same.
 */
export async function evaluateGenerators(
  generators: readonly SetGenerator[],
  deps: EvaluationDeps,
): Promise<Evaluation> {
  const results: GeneratorResult[] = [];
  const problems: GeneratorProblem[] = [];
  for (const [at, item] of generators.entries()) {
    for (const kind of generatorKinds) {
      const own = item[kind];
      if (own === undefined) continue;
      const path = `spec.generators[${at}].${kind}`;
      try {
        const sets = selectSets(await setsOf(item, kind, path, deps), item.selector);
        limit(results.length + sets.length, path, deps);
        for (const parameters of sets) results.push({ parameters, template: own.template });
      } catch (thrown) {
        problems.push({ path, error: FairleadError.from(thrown) });
      }
    }
  }
  return { results, problems };
}

function setsOf(
  item: SetGenerator,
  kind: GeneratorKind,
  path: string,
  deps: EvaluationDeps,
): Promise<readonly SetParameters[]> {
  if (kind === 'matrix') return matrixSets(item.matrix?.generators ?? [], path, deps);
  if (kind === 'merge') return mergeSets(item, path, deps);
  return deps.produce({ kind, generator: item[kind], path } as TerminalGenerator);
}

/** compat sources ASM-1, ASM-2, ASM-5: the second child is evaluated once for each set of the first. */
async function matrixSets(
  children: readonly SetGenerator[],
  path: string,
  deps: EvaluationDeps,
): Promise<readonly SetParameters[]> {
  const [first, second, third] = children;
  if (third)
    throw new FairleadError('InvalidSpec', 'found more than two generators, Matrix support only two');
  if (!first || !second) {
    throw new FairleadError('InvalidSpec', 'found less than two generators, Matrix support only two');
  }
  const { renderer } = deps;
  const combined: SetParameters[] = [];
  for (const a of await childSets(first, `${path}.generators[0]`, deps)) {
    const child = interpolateGenerator(second, a, renderer);
    for (const b of await childSets(child, `${path}.generators[1]`, deps)) {
      combined.push(combineMatrix(a, b, renderer.mode));
    }
    limit(combined.length, path, deps);
  }
  return combined;
}

async function mergeSets(
  item: SetGenerator,
  path: string,
  deps: EvaluationDeps,
): Promise<readonly SetParameters[]> {
  const { generators = [], mergeKeys = [] } = item.merge ?? {};
  if (generators.length < 2) {
    throw new FairleadError('InvalidSpec', 'found less than two generators, Merge requires two or more');
  }
  if (mergeKeys.length === 0) {
    throw new FairleadError('InvalidSpec', 'no merge keys were specified, Merge requires at least one');
  }
  const children: (readonly SetParameters[])[] = [];
  for (const [at, child] of generators.entries()) {
    children.push(await childSets(child, `${path}.generators[${at}]`, deps));
  }
  return mergeChildren(children, mergeKeys, deps.renderer.mode);
}

async function childSets(
  item: SetGenerator,
  path: string,
  deps: EvaluationDeps,
): Promise<readonly SetParameters[]> {
  const [kind, more] = generatorKinds.filter((one) => item[one] !== undefined);
  if (kind === undefined) throw new FairleadError('InvalidSpec', `${path} contains unrecognized generators`);
  if (more) {
    const parent = path.includes('.merge.') ? 'merge' : 'matrix';
    throw new FairleadError('InvalidSpec', `found more than one generator in ${parent}.Generators: ${path}`);
  }
  const sets = selectSets(await setsOf(item, kind, `${path}.${kind}`, deps), item.selector);
  limit(sets.length, path, deps);
  return sets;
}

function limit(count: number, path: string, { maxSets = 20_000 }: EvaluationDeps): void {
  if (count <= maxSets) return;
  throw new FairleadError(
    'LimitExceeded',
    `${path} yields ${count} parameter sets; at most ${maxSets} are allowed: narrow it with a selector, or divide the set`,
  );
}
