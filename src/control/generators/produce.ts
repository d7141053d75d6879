import { type ApplicationSet, type GitGenerator, inClusterName, inClusterServer } from '#base/model';
import { type Ctx, within } from '#base/std';
import {
  type ApplicationRenderer,
  branchParameters,
  clusterFacts,
  clusterParameters,
  decisionParameters,
  directoryParameters,
  type evaluateGenerators,
  fileParameters,
  isDirectoryGenerator,
  listParameters,
  pluginParameters,
  pullRequestParameters,
  type SetParameters,
  selectDirectories,
  selectFiles,
  type TerminalGenerator,
} from '#engine';
import { listPullRequests, listRepositories } from '#sources/scm';
import { readDecisions } from './decision-resources.ts';
import type { GeneratorDeps, RevisionAge } from './generator-deps.ts';
import type { GitSnapshot, GitSnapshots } from './git-snapshot.ts';
import { ParameterBudget } from './parameter-budget.ts';
import { callPlugin } from './plugin.ts';
import { scmAccess } from './scm-access.ts';

type SetRenderer = ApplicationRenderer['texts'];
type ProduceParameters = Parameters<typeof evaluateGenerators>[1]['produce'];

/** A repository and revision that a git generator read. */
export type GitSource = { readonly repoURL: string; readonly revision: string };

/** The parameters of git generators of one set's last evaluation, by what they were produced from. */
export type GitCache = Map<string, CachedGit>;
type CachedGit = {
  readonly id: string;
  readonly sets: readonly SetParameters[];
  /** By path and content. */
  readonly files: ReadonlyMap<string, readonly SetParameters[]>;
};

export type Production = {
  readonly set: ApplicationSet;
  readonly renderer: SetRenderer;
  readonly age: RevisionAge;
  readonly isTokenStrict: boolean;
  readonly snapshots: GitSnapshots;
  /** Of the last evaluation; the next one is filled. */
  readonly last: GitCache;
  readonly next: GitCache;
  readonly gitSources: GitSource[];
  readonly warnings: Set<string>;
};

/** The generators of a Kubernetes cluster are quick, or the cluster is in trouble. */
const kubeMs = 30_000;

/** Produces the parameters of every generator that reads facts. What it throws contains no credential. */
export function producer(ctx: Ctx, deps: GeneratorDeps, production: Production): ProduceParameters {
  const budget = new ParameterBudget();
  return async (terminal) => {
    const sets = await parametersOf(ctx, deps, production, terminal);
    budget.spend(sets);
    return sets;
  };
}

async function parametersOf(
  ctx: Ctx,
  deps: GeneratorDeps,
  production: Production,
  terminal: TerminalGenerator,
): Promise<readonly SetParameters[]> {
  const { set, renderer } = production;
  const rules = {
    isStrict: production.isTokenStrict,
    warn: (message: string) => void production.warnings.add(located(terminal, message)),
  };
  switch (terminal.kind) {
    case 'list':
      return listParameters(terminal.generator, renderer.mode);
    case 'clusters':
      return clusterParameters(terminal.generator, clusterFacts(deps.clusters.secrets()), renderer);
    case 'git':
      return gitParameters(ctx, deps, production, terminal.generator);
    case 'scmProvider': {
      const branches = await listRepositories(ctx, terminal.generator, scmAccess(deps, set, rules));
      return branches.map((branch) => branchParameters(branch, terminal.generator.values, renderer));
    }
    case 'pullRequest': {
      const requests = await listPullRequests(ctx, terminal.generator, scmAccess(deps, set, rules));
      return requests.map((request) => pullRequestParameters(request, terminal.generator.values, renderer));
    }
    case 'clusterDecisionResource':
      return decisionSets(ctx, deps, production, terminal.generator);
    case 'plugin': {
      const { configMapRef, input } = terminal.generator;
      const request = {
        set: set.metadata.name,
        configMapRef: configMapRef.name,
        parameters: input?.parameters ?? {},
      };
      return pluginParameters(terminal.generator, await callPlugin(ctx, deps, request), renderer);
    }
  }
}

/** A message that begins with the generator's name goes on from its path. */
const located = ({ kind, path }: TerminalGenerator, message: string): string =>
  message.startsWith(`${kind}.`) ? `${path}${message.slice(kind.length)}` : `${path}: ${message}`;

async function decisionSets(
  ctx: Ctx,
  deps: GeneratorDeps,
  { renderer, warnings }: Production,
  generator: Extract<TerminalGenerator, { kind: 'clusterDecisionResource' }>['generator'],
): Promise<readonly SetParameters[]> {
  const facts = await readDecisions(within(ctx, kubeMs), deps, generator);
  const registered = clusterFacts(deps.clusters.secrets());
  const hasLocal = registered.some(({ server }) => server === inClusterServer);
  const clusters = hasLocal ? registered : [...registered, { name: inClusterName, server: inClusterServer }];
  const { sets, skipped } = decisionParameters({ ...facts, clusters }, generator.values, renderer.mode);
  if (skipped.length > 0)
    warnings.add(
      `no cluster is registered for the decisions ${skipped.slice(0, 10).join(', ')}: they are skipped`,
    );
  return sets;
}

/** The same array as in the last evaluation where the files are the same, and the same sets for the same files. */
async function gitParameters(
  ctx: Ctx,
  deps: GeneratorDeps,
  production: Production,
  generator: GitGenerator,
): Promise<readonly SetParameters[]> {
  const { repoURL, revision = '' } = generator;
  production.gitSources.push({ repoURL, revision });
  const project = projectOf(production.set);
  const snapshot = await production.snapshots.open(ctx, { repoURL, revision, project, age: production.age });
  for (const warning of snapshot.warnings) production.warnings.add(warning);
  const { applicationSet, render } = deps.settings();
  const globbing = {
    isDoublestar: applicationSet.newGitFileGlobbing,
    withHidden: render.includeHiddenDirectories,
  };
  const { template: _template, ...read } = generator;
  const key = JSON.stringify([read, globbing]);
  const known = production.next.get(key) ?? production.last.get(key);
  if (known?.id === snapshot.id) {
    production.next.set(key, known);
    return known.sets;
  }
  const found = isDirectoryGenerator(generator)
    ? inDirectories(generator, snapshot, globbing, production.renderer)
    : await inFiles(generator, snapshot, globbing, { renderer: production.renderer, known });
  const isSame =
    known?.sets.length === found.sets.length && known.sets.every((set, at) => set === found.sets[at]);
  production.next.set(key, { id: snapshot.id, ...found, ...(isSame && { sets: known.sets }) });
  return isSame ? known.sets : found.sets;
}

type Globbing = NonNullable<Parameters<typeof selectFiles>[2]>;

function inDirectories(
  generator: GitGenerator,
  snapshot: GitSnapshot,
  globbing: Globbing,
  renderer: SetRenderer,
): Omit<CachedGit, 'id'> {
  const selected = selectDirectories(generator.directories ?? [], snapshot.directories, globbing);
  return { sets: directoryParameters(generator, selected, renderer), files: new Map() };
}

async function inFiles(
  generator: GitGenerator,
  snapshot: GitSnapshot,
  globbing: Globbing,
  { renderer, known }: { readonly renderer: SetRenderer; readonly known: CachedGit | undefined },
): Promise<Omit<CachedGit, 'id'>> {
  const selected = selectFiles(generator.files ?? [], snapshot.files, globbing);
  const keyOf = (path: string): string => `${snapshot.hashOf(path)} ${path}`;
  const changed = selected.filter((path) => !known?.files.has(keyOf(path)));
  const texts = await snapshot.read(changed);
  const textOf = new Map(changed.map((path, at) => [path, texts[at] ?? '']));
  const files = new Map<string, readonly SetParameters[]>();
  for (const path of selected) {
    const key = keyOf(path);
    files.set(
      key,
      known?.files.get(key) ?? fileParameters(generator, { path, text: textOf.get(path) ?? '' }, renderer),
    );
  }
  return { sets: [...files.values()].flat(), files };
}

/** compat sources ASG-2: undefined where the project is itself a template. */
function projectOf({ spec }: ApplicationSet): string | undefined {
  const { project = 'default' } = spec.template.spec ?? {};
  return project.includes('{{') ? undefined : project || 'default';
}
