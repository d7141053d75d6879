import { cp, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Application } from '#base/model';
import { type Ctx, FairleadError } from '#base/std';
import { run } from '#platform/exec';

type Options = {
  readonly from: string;
  /** Further examples, by the name of their folder in the repository. */
  readonly more: Readonly<Record<string, string>>;
  readonly to: string;
  readonly git: string;
};

const placeholder = 'DEMO_REPOSITORY';

/**
 * Creates the demo repository: an ordinary work tree that a user edits and commits to. It appears whole or not at all, and an
 * existing one is left alone.
 */
export async function makeDemo(ctx: Ctx, { from, more, to, git }: Options): Promise<string> {
  const url = pathToFileURL(to).href;
  if (await isThere(to)) return url;
  const fresh = `${to}.new`;
  await rm(fresh, { recursive: true, force: true });
  await mkdir(join(to, '..'), { recursive: true });
  await cp(from, fresh, { recursive: true });
  for (const [name, folder] of Object.entries(more)) await cp(folder, join(fresh, name), { recursive: true });
  await fillIn(join(fresh, 'apps'), url);
  const config = [
    '-c',
    'user.name=Fairlead demo',
    '-c',
    'user.email=demo@localhost',
    '-c',
    'commit.gpgsign=false',
  ];
  for (const args of [
    ['init', '--quiet', '--initial-branch=main'],
    ['config', 'user.name', 'Fairlead demo'],
    ['config', 'user.email', 'demo@localhost'],
    // so that a commit from the program reaches the work tree that the user sees
    ['config', 'receive.denyCurrentBranch', 'updateInstead'],
    ['add', '--all'],
    [...config, 'commit', '--quiet', '--message', 'the demo applications'],
  ]) {
    await runGit(ctx, git, fresh, args);
  }
  await rename(fresh, to);
  return url;
}

async function fillIn(folder: string, url: string): Promise<void> {
  for (const file of await readdir(folder)) {
    const path = join(folder, file);
    const text = await readFile(path, 'utf8');
    if (text.includes(placeholder)) await writeFile(path, text.replaceAll(placeholder, url));
  }
}

async function runGit(ctx: Ctx, program: string, cwd: string, args: readonly string[]): Promise<void> {
  const env = { GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', HOME: cwd };
  const limits = { ms: 60_000, stdoutBytes: 1_000_000, stderrBytes: 1_000_000 };
  const { code, stderr } = await run(ctx, { program, args, cwd, env, limits });
  if (code !== 0) throw new FairleadError('Internal', `git ${args.at(0)} failed: ${stderr}`);
}

/** The root application that creates the others. */
export function demoApplication(url: string, namespace: string): Application {
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name: 'demo', namespace, finalizers: ['resources-finalizer.argocd.argoproj.io'] },
    spec: {
      project: 'default',
      source: { repoURL: url, path: 'apps', targetRevision: 'HEAD' },
      destination: { server: 'https://kubernetes.default.svc', namespace },
      syncPolicy: { automated: { prune: true, selfHeal: true } },
    },
  };
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
