import {
  type FileTree,
  isRefOnly,
  isWithin,
  type KubeObject,
  normalizePath,
  repositoryKind,
  type Source,
  withoutUserInfo,
} from '#base/model';
import { type Ctx, equal, FairleadError, isObject } from '#base/std';
import { requestFor } from '#control/comparison';
import { sourcesOf } from '#engine';
import { type DeclaredService, isKnativeService, servicesInText } from '#engine/traffic';
import type { GitRepository } from '#sources/repositories';
import { editedTree } from './edited-tree.ts';
import type { AppAtDestination, TrafficDeps } from './traffic-deps.ts';

/** The commit and the branch that an edit is made on. */
type EditBase = {
  readonly repository: GitRepository;
  readonly branch: string;
  readonly commit: string;
  /** The branch is the one that the application tracks. */
  readonly isTracked: boolean;
};

/** An edit of one file that changes one field of the Service, and nothing else that the application renders. */
export type LocatedEdit = EditBase & {
  readonly source: Source;
  readonly file: string;
  readonly before: string;
  readonly after: string;
  readonly executable: boolean;
};

/** What an edit is to bring about. */
export type EditGoal = {
  readonly target: KubeObject;
  /** The field of the spec that changes. */
  readonly field: 'traffic' | 'template';
  readonly branch?: string | undefined;
  /** What a user may do until the edit is made by hand, for messages. */
  readonly meanwhile: string;
  /** The text with the field as it is wanted, in one of its documents. Throws where that is impossible. */
  edit(text: string, at: number): string;
  /** Whether a rendered Service has the field as it is wanted. */
  isReached(object: KubeObject): boolean;
};

/** Renders per request, each of one candidate. */
const mostCandidates = 6;

/**
 * Finds the file to edit, and proves the edit: the application is rendered with it, and must differ in that field of the
 * Service alone. Throws InvalidSpec, naming what to edit by hand, where there is no such file.
 */
export async function locateEdit(
  ctx: Ctx,
  deps: TrafficDeps,
  placed: AppAtDestination,
  goal: EditGoal,
): Promise<LocatedEdit> {
  for (const source of sourcesOf(placed.app)) {
    if (source.chart || isRefOnly(source) || repositoryKind(source) !== 'git') continue;
    const base = await editBase(ctx, deps, placed, { source, branch: goal.branch });
    const trees = await openTrees(ctx, deps, base);
    const rendered = await render(ctx, deps, placed, { source, tree: trees.whole });
    if (!rendered.objects.some((object) => isMeant(object, goal.target))) continue;
    requireEditable(goal, source, rendered.type);
    const found = await editIn(ctx, deps, placed, { source, trees, rendered, goal });
    return { ...base, source, ...found };
  }
  throw byHand(goal, 'no source of the application in Git declares it');
}

type At = { readonly source: Source; readonly branch: string | undefined };

/** The tip of the branch that the application tracks, or of the one that the user names. */
async function editBase(
  ctx: Ctx,
  deps: TrafficDeps,
  { app, destination }: AppAtDestination,
  { source, branch }: At,
): Promise<EditBase> {
  const { context, sources } = deps;
  const request = requestFor(context, { app, destination }, { resolve: 'fresh', hard: false, given: [] });
  const { repoURL, targetRevision = '', tagPrefix } = source;
  if (request.integrityOf?.(source))
    throw new FairleadError(
      'PolicyFailed',
      `the project requires signed commits of ${withoutUserInfo(repoURL)}, and a commit of ours has no signature: commit by hand, or use an override`,
    );
  const repository = request.repositoryOf?.(repoURL) ?? { url: repoURL };
  const options = { fresh: true, ...(tagPrefix && { tagPrefix }) };
  const { commit, ref } = await sources.resolveRevision(ctx, repository, targetRevision, options);
  const tracked = ref?.startsWith(heads) ? ref.slice(heads.length) : undefined;
  if (branch === undefined || branch === tracked) {
    if (tracked === undefined)
      throw new FairleadError(
        'InvalidSpec',
        `targetRevision ${JSON.stringify(targetRevision)} is no branch, so nothing can be committed to it: give a branch to commit to, or let the application track one`,
      );
    return { repository, branch: tracked, commit, isTracked: true };
  }
  const { byName } = await sources.listRefs(ctx, repository, {});
  return { repository, branch, commit: byName.get(`${heads}${branch}`) ?? commit, isTracked: false };
}

const heads = 'refs/heads/';

/** `whole` is what a render reads; `own` is without submodules, which belong to other repositories. */
type Trees = { readonly whole: FileTree; readonly own: FileTree };

async function openTrees(
  ctx: Ctx,
  { context, sources }: TrafficDeps,
  { repository, commit }: EditBase,
): Promise<Trees> {
  const { allowOutOfBoundsSymlinks, submodulesEnabled } = context.settings().render;
  const links = allowOutOfBoundsSymlinks ? ('any' as const) : ('inside' as const);
  const whole = await sources.openTree(ctx, repository, commit, { links, submodules: submodulesEnabled });
  return { whole, own: await sources.openTree(ctx, repository, commit, { links: 'any', submodules: false }) };
}

type Rendered = {
  readonly objects: readonly KubeObject[];
  readonly type: string;
  /** The files that the result depends on. */
  readonly files: readonly string[];
};

async function render(
  ctx: Ctx,
  { context }: TrafficDeps,
  { app, destination }: AppAtDestination,
  { source, tree }: { readonly source: Source; readonly tree: FileTree },
): Promise<Rendered> {
  const options = {
    sources: [source],
    isMultiple: false,
    resolve: 'cached',
    hard: false,
    given: [],
  } as const;
  const request = requestFor(context, { app, destination }, options);
  const generated = await context.manifests.generate(ctx, { ...request, filesOf: () => tree });
  const { objects, sourceTypes, inputs } = generated;
  const files = inputs
    .filter(({ is, path }) => is === 'file' && !path.startsWith('$'))
    .map(({ path }) => path);
  return { objects, type: sourceTypes[0] ?? '', files };
}

/** The object of a render; its namespace may be filled in only later. */
const isMeant = (object: KubeObject, { metadata }: KubeObject): boolean =>
  isKnativeService(object) &&
  object.metadata.name === metadata.name &&
  (object.metadata.namespace ?? metadata.namespace) === metadata.namespace;

const editable: ReadonlySet<string> = new Set(['Directory', 'Kustomize']);

function requireEditable(goal: EditGoal, source: Source, type: string): void {
  if (editable.has(type)) return;
  const where = `${withoutUserInfo(source.repoURL)}${source.path ? `, ${source.path}` : ''}`;
  const what =
    type === 'Helm' ? 'the values or the template of the Helm chart' : `the input of the ${type} source`;
  throw byHand(goal, `it is generated; set spec.${goal.field} in ${what} (${where})`);
}

const byHand = ({ target, field, meanwhile }: EditGoal, why: string): FairleadError =>
  new FairleadError(
    'InvalidSpec',
    `the ${field} of Service ${target.metadata.name} cannot be committed for you: ${why}, or ${meanwhile} until then`,
  );

type Editing = {
  readonly source: Source;
  readonly trees: Trees;
  readonly rendered: Rendered;
  readonly goal: EditGoal;
};

async function editIn(
  ctx: Ctx,
  deps: TrafficDeps,
  placed: AppAtDestination,
  { source, trees, rendered, goal }: Editing,
): Promise<Pick<LocatedEdit, 'file' | 'before' | 'after' | 'executable'>> {
  const candidates = await candidatesIn(trees, rendered, { source, goal });
  const own = candidates.filter(({ isOwn }) => isOwn);
  for (const { file, text, service } of own.slice(0, mostCandidates)) {
    const after = edited(text, service, goal);
    if (after === undefined) continue;
    const result = await render(ctx, deps, placed, {
      source,
      tree: editedTree(trees.whole, file, after),
    }).catch(() => undefined);
    if (!result || !isProven(rendered.objects, result.objects, goal)) continue;
    return { file, before: text, after, executable: trees.own.isExecutable(file) };
  }
  throw byHand(goal, refusalFor(candidates, source, goal));
}

function refusalFor(candidates: readonly Candidate[], { path = '' }: Source, { field }: EditGoal): string {
  const [own, shared] = [true, false].map((isOwn) => candidates.find((one) => one.isOwn === isOwn));
  if (own)
    return `an edit of ${own.file} would change more than the ${field}, or nothing; edit spec.${field} by hand`;
  if (shared)
    return `${shared.file} declares it outside ${path || 'the folder of the application'}, where others may share it; add a patch with spec.${field} below ${path || 'that folder'}`;
  return 'no plain YAML file declares it; edit what generates it by hand';
}

type Candidate = {
  readonly file: string;
  readonly text: string;
  readonly service: DeclaredService;
  /** Below the folder of the application: a base outside it may be shared with others. */
  readonly isOwn: boolean;
};

/** The documents that may declare it, those that declare the field first. */
async function candidatesIn(
  { own }: Trees,
  { files }: Rendered,
  { source, goal }: { readonly source: Source; readonly goal: EditGoal },
): Promise<readonly Candidate[]> {
  const folder = normalizePath(source.path ?? '');
  const found: Candidate[] = [];
  for (const file of files) {
    // no links and no submodules: the commit would change something else
    const isPlain = /\.ya?ml$/.test(file) && own.kind(file) === 'file' && own.resolve(file) === file;
    if (!isPlain || (own.size(file) ?? 0) > 1024 * 1024) continue;
    const text = await own.text(file);
    // a prefix or suffix of a kustomization changes names
    for (const service of servicesInText(text))
      if (goal.target.metadata.name.includes(service.name))
        found.push({ file, text, service, isOwn: isWithin(file, folder) });
  }
  const rank = ({ service }: Candidate): number =>
    (goal.field === 'traffic' ? service.declaresTraffic : service.declaresTemplate) ? 0 : 1;
  return found.sort((a, b) => rank(a) - rank(b));
}

function edited(text: string, { at }: DeclaredService, goal: EditGoal): string | undefined {
  try {
    return goal.edit(text, at);
  } catch {
    return undefined;
  }
}

/** Every object is rendered as before, but for the field of the one. */
function isProven(before: readonly KubeObject[], after: readonly KubeObject[], goal: EditGoal): boolean {
  if (before.length !== after.length) return false;
  return before.every((one, at) => {
    const other = after[at];
    if (!other) return false;
    if (!isMeant(one, goal.target)) return equal(one, other);
    return goal.isReached(other) && equal(bare(one, goal), bare(other, goal));
  });
}

function bare(object: KubeObject, { field }: EditGoal): unknown {
  if (!isObject(object.spec)) return object;
  const { [field]: _changed, ...spec } = object.spec;
  return { ...object, spec };
}
