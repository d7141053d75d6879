import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, relative, resolve, sep } from 'node:path';
import type { Command } from 'commander';
import {
  type Application,
  asApplication,
  asKubeObject,
  effectiveSources,
  hasMultipleSources,
  instanceName,
  isRefOnly,
  type KubeObject,
  projectName,
  RepositoryBook,
  repositorySecretType,
  type Source,
  sameRepo,
} from '#base/model';
import { type Ctx, FairleadError, isObject, printJson, realClock, silent } from '#base/std';
import { parseAll, printAll } from '#lang/yaml';
import { type GeneratedManifests, localTree, type ManifestRequest, type Manifests } from '#sources/manifests';
import type { CliDeps } from '../cli-deps.ts';
import { examples } from '../input/examples.ts';
import { collect } from '../input/lists.ts';
import { readable, withApiVersion } from '../input/readable.ts';
import { workTreeOf } from '../input/work-tree.ts';
import { ExitError, type Io } from '../io.ts';
import { addSourceFlags, hasSourceFlags, type SourceFlags, withSourceFlags } from './app/source-flags.ts';

type Flags = SourceFlags & {
  name?: string;
  destNamespace?: string;
  revision?: string;
  localRepoRoot?: string;
  kubeVersion: string;
  apiVersions?: string[];
  kustomizeBuildOptions?: string;
  plugins?: string;
  repoCreds?: string;
  output: string;
  why?: boolean;
};

/** The render request, before its flags are parsed. */
type Job = Omit<ManifestRequest, 'kube'>;

/** `render`: manifests of a folder or of an Application file, with no cluster and no server. */
export function addRender(render: Command, { io, signal, openManifests }: CliDeps): void {
  addSourceFlags(render.argument('<path>'))
    .option('--name <name>', 'the application: its name for a folder, which one for a file')
    .option('-n, --dest-namespace <namespace>', 'the namespace it is for')
    .option('--revision <rev>', 'branch, tag or commit, instead of what the Application says')
    .option('--local-repo-root <dir>', 'the files of the repository, instead of the repository itself')
    .option('--kube-version <version>', 'the version of the cluster it is for', '1.36.0')
    .option('--api-versions <version>', 'an API the cluster has beyond the usual; may be repeated', collect)
    .option('--kustomize-build-options <options>', 'as kustomize.buildOptions in argocd-cm')
    .option('--plugins <dir>', 'a folder with a plugin.yaml for each config management plugin')
    .option('--repo-creds <file>', 'repository and repo-creds Secrets, as YAML: how repositories are reached')
    .option('-o, --output <format>', 'yaml, json or name', 'yaml')
    .option('--why', 'also print what was run and what the result depends on, on stderr')
    .action(async (path: string, flags: Flags) => {
      const show = printer(flags.output);
      const jobs = await jobsFor(io, path, flags);
      const book = flags.repoCreds === undefined ? undefined : await readBook(flags.repoCreds);
      const ctx = { signal, log: silent, clock: realClock };
      const { manifests, close } = await openManifests(ctx, { plugins: flags.plugins });
      try {
        const rendered: KubeObject[] = [];
        for (const job of jobs) rendered.push(...(await generate(ctx, manifests, job, { flags, io, book })));
        io.out(show(rendered));
      } finally {
        await close();
      }
    });
  examples(
    render,
    'fairlead render ./k8s/overlays/staging',
    'fairlead render application.yaml --revision my-branch -o name',
    'fairlead render ./chart --values values-prod.yaml --helm-set replicas=3',
  );
}

type Telling = { readonly flags: Flags; readonly io: Io; readonly book: RepositoryBook | undefined };

async function generate(ctx: Ctx, manifests: Manifests, job: Job, { flags, io, book }: Telling) {
  const { kubeVersion, apiVersions = [], kustomizeBuildOptions } = flags;
  const request: ManifestRequest = {
    ...job,
    kube: { version: kubeVersion, apiVersions: apiVersions.flatMap((text) => text.split(',')) },
    ...(kustomizeBuildOptions !== undefined && { settings: { kustomizeBuildOptions } }),
    ...(book && credentialsFrom(book, job.app.project ?? 'default')),
  };
  const generated = await manifests.generate(ctx, request).catch((error: unknown) => {
    throw hinted(error, job.app.name, book !== undefined);
  });
  for (const warning of generated.warnings) io.err(`warning: ${warning}\n`);
  if (flags.why) io.err(whyOf(job, generated));
  return generated.objects;
}

/** Adds a hint: credentials come only from a file, and there may be several applications. */
function hinted(error: unknown, name: string, hasBook: boolean): unknown {
  if (!(error instanceof FairleadError)) return error;
  const missing = '; give a clone of it with --local-repo-root, or its Secret with --repo-creds';
  const way = error.code === 'Auth' && !hasBook ? missing : '';
  return new FairleadError(error.code, `${name}: ${error.message}${way}`, error);
}

/** compat sources CRED-10: as the control plane selects them; there is no project here to forbid any of it. */
function credentialsFrom(
  book: RepositoryBook,
  project: string,
): Pick<ManifestRequest, 'repositoryOf' | 'chartRepositories'> {
  return {
    repositoryOf: (url) => book.find(url, project),
    chartRepositories: { list: () => book.charts(project), permits: () => true },
  };
}

/** The Secrets of a file. One that is no repository's is an error: otherwise it would be ignored silently. */
async function readBook(path: string): Promise<RepositoryBook> {
  const text = await readFile(path, 'utf8').catch(() => {
    throw new ExitError(20, `--repo-creds ${path} cannot be read`);
  });
  const secrets = objectsIn(text, path).map((value) => asKubeObject(value, path));
  for (const secret of secrets) {
    if (secret.kind === 'Secret' && repositorySecretType(secret)) continue;
    throw new ExitError(
      20,
      `${secret.kind} ${secret.metadata.name} in ${path} is no repository Secret: label it argocd.argoproj.io/secret-type: repository, or repo-creds`,
    );
  }
  return new RepositoryBook(secrets);
}

function whyOf(
  { app }: Job,
  { sourceTypes, revisions, commands, inputs, objects }: GeneratedManifests,
): string {
  const words = {
    file: '',
    folder: ' (all of it)',
    names: ' (the names in it)',
    absent: ' (that it is not there)',
  };
  return [
    `${app.name}: ${objects.length} objects, ${sourceTypes.join(', ')}`,
    ...revisions.filter((revision) => revision !== '').map((revision) => `  at ${revision}`),
    ...commands.map((command) => `  ran ${command}`),
    ...inputs.map(({ path, is }) => `  depends on ${path}${words[is]}`),
    '',
  ].join('\n');
}

async function jobsFor(io: Io, path: string, flags: Flags): Promise<Job[]> {
  const kind = statSync(path, { throwIfNoEntry: false });
  if (!kind)
    throw new ExitError(20, `there is nothing at ${path}: give a folder, or a file with an Application`);
  if (kind.isDirectory()) return [folderJob(resolve(path), flags)];
  const apps = applicationsIn(io, await readFile(path, 'utf8'), path);
  const wanted = apps.filter(({ metadata }) => flags.name === undefined || metadata.name === flags.name);
  if (wanted.length > 0) return wanted.map((app) => applicationJob(app, flags));
  const known = apps.map(({ metadata }) => metadata.name).join(', ');
  throw new ExitError(
    20,
    `${path} holds no Application named ${flags.name}: there ${apps.length > 1 ? 'are' : 'is'} ${known}`,
  );
}

/** A folder on disk, uncommitted changes included. */
function folderJob(folder: string, flags: Flags): Job {
  const root = flags.localRepoRoot === undefined ? workTreeOf(folder) : resolve(flags.localRepoRoot);
  const path = relative(root, folder);
  if (path === '..' || path.startsWith(`..${sep}`)) {
    throw new ExitError(20, `${folder} is not inside ${root}: give another --local-repo-root`);
  }
  if (flags.revision !== undefined) {
    throw new ExitError(20, 'a folder is rendered as it is: --revision is for an Application');
  }
  const files = localTree(root);
  const source: Source = { repoURL: root, path: path === '' ? '.' : path.split(sep).join('/') };
  return {
    app: { name: flags.name ?? basename(folder), project: 'default' },
    sources: [withSourceFlags(source, flags)],
    destinationNamespace: flags.destNamespace ?? 'default',
    filesOf: () => files,
  };
}

/** The documents of a file, with lists replaced by their items. */
function objectsIn(text: string, path: string): unknown[] {
  const documents = parseAll(text, { name: path }).map(({ value }) => value);
  return documents.flatMap((value) =>
    isObject(value) && Array.isArray(value.items) ? value.items : [value],
  );
}

function applicationsIn(io: Io, text: string, path: string): Application[] {
  const objects = objectsIn(text, path);
  const apps = objects.filter((value) => isObject(value) && value.kind === 'Application') as Application[];
  if (apps.length > 0) return apps.map((app) => readable(asApplication(withApiVersion(io, app), path)));
  const isSet = objects.some((value) => isObject(value) && value.kind === 'ApplicationSet');
  throw new ExitError(
    20,
    isSet
      ? `${path} holds an ApplicationSet, which is not rendered yet: give one of its Applications`
      : `${path} holds no Application: give a folder, or a file with an Application`,
  );
}

function applicationJob(app: Application, flags: Flags): Job {
  const sources = effectiveSources(app.spec);
  const main = sources.findIndex((source) => !isRefOnly(source));
  if (sources.length > 1 && hasSourceFlags(flags)) {
    throw new ExitError(20, `${app.metadata.name} has several sources: put parameters into its file`);
  }
  const revised = sources.map((source, at) => (at === main ? withSourceFlags(source, flags) : source));
  const { localRepoRoot: root, revision } = flags;
  const files = root === undefined ? undefined : localTree(resolve(root));
  const own = sources[main]?.repoURL ?? '';
  return {
    app: { name: app.metadata.name, instance: instanceName(app, 'argocd'), project: projectName(app) },
    sources: revised,
    multiSource: hasMultipleSources(app.spec),
    destinationNamespace: flags.destNamespace ?? app.spec.destination.namespace ?? '',
    ...(revision !== undefined && {
      revisions: sources.map((_, at) => (at === main ? revision : undefined)),
    }),
    // local files replace the repository of the application, wherever it is named
    ...(files && { filesOf: ({ repoURL }) => (sameRepo(repoURL, own) ? files : undefined) }),
  };
}

function printer(format: string): (objects: readonly KubeObject[]) => string {
  if (format === 'yaml') return (objects) => printAll(objects);
  if (format === 'json')
    return (objects) => `${printJson({ apiVersion: 'v1', kind: 'List', items: objects }, 2)}\n`;
  if (format === 'name') return (objects) => objects.map((object) => `${nameOf(object)}\n`).join('');
  throw new ExitError(20, `unknown output format ${format}: use yaml, json or name`);
}

/** As kubectl prints names: `deployment.apps/web`. */
function nameOf({ apiVersion, kind, metadata }: KubeObject): string {
  const group = apiVersion.includes('/') ? `.${apiVersion.split('/')[0]}` : '';
  return `${kind.toLowerCase()}${group}/${metadata.name}`;
}
