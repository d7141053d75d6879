import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { type Ctx, realClock, silent } from '#base/std';
import { findTool, type Tool } from '#platform/exec';
import { createManifests, type ManifestRequest, type Manifests } from '#sources/manifests';
import { createSources, type Sources } from '#sources/repositories';
import type { Figure } from './harness.ts';

// Against what a checkout and a fork for each render cost, on the same repositories in the same run.

const run = promisify(execFile);
const ctx: Ctx = { signal: new AbortController().signal, log: silent, clock: realClock };

type World = { root: string; git: string; sources: Sources; kustomize: Tool; manifests(): Manifests };

const configMap = (name: string, value: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n  value: "${value}"\n`;

export async function figures(): Promise<Figure[]> {
  const root = mkdtempSync(join(tmpdir(), 'fairlead-bench-'));
  const git = execFileSync('which', ['git'], { encoding: 'utf8' }).trim();
  const sources = createSources({
    cacheDir: join(root, 'git'),
    git: { command: git },
    reach: { local: [root] },
  });
  const tools = { searchPath: '', cacheDir: join(tmpdir(), 'fairlead-test-tools') };
  const kustomize = await findTool(ctx, 'kustomize', tools);
  let renderers = 0;
  const manifests = () => {
    renderers += 1;
    return createManifests({ cacheDir: join(root, `renderer-${renderers}`), sources, tools });
  };
  try {
    const world = { root, git, sources, kustomize, manifests };
    return [...(await reading(world)), ...(await monorepo(world)), ...(await cold(world))];
  } finally {
    await sources.close();
    rmSync(root, { recursive: true, force: true });
  }
}

/** A repository of 5,000 files, of which 500 are wanted. */
async function reading({ root, git, sources }: World): Promise<Figure[]> {
  const dir = join(root, 'wide');
  const files: Record<string, string> = {};
  for (let at = 0; at < 5000; at++)
    files[`dir-${at % 50}/file-${at}.yaml`] = configMap(`c${at}`, `${at}`.repeat(200));
  const commit = await repository(git, dir, files);
  const wanted = Object.keys(files)
    .filter((path) => path.startsWith('dir-1'))
    .slice(0, 500);
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round < 5; round++) {
    const tree = await sources.openTree(ctx, { url: dir }, commit);
    ours.push(await timed(() => Promise.all(wanted.map((path) => tree.read(path)))));
    const checkout = join(root, `worktree-${round}`);
    theirs.push(
      await timed(async () => {
        await run(git, ['-C', dir, 'worktree', 'add', '--quiet', '--detach', checkout, commit]);
        for (const path of wanted) readFileSync(join(checkout, path));
      }),
    );
  }
  return [
    { name: 'read 500 files of 5,000', value: median(ours), unit: 'ms', target: 30 },
    beside('  the same with git worktree', median(theirs)),
  ];
}

/** What it is measured against: nobody promises anything about it. */
const beside = (name: string, value: number): Figure => ({
  name,
  value,
  unit: 'ms',
  target: Math.ceil(value),
});

const apps = 1000;

/** A thousand kustomize applications in one repository; a commit touches one of them. */
async function monorepo({ root, git, manifests, kustomize }: World): Promise<Figure[]> {
  const dir = join(root, 'monorepo');
  await repository(git, dir, overlays(apps));
  const renderer = manifests();
  // a cold start is another figure: what is rendered here is only what the cache must know
  await inTurns(
    Array.from({ length: apps }, (_, at) => at),
    2,
    (at) => renderer.generate(ctx, request(dir, at)),
  );
  const decided: number[] = [];
  const changed: number[] = [];
  const forks: number[] = [];
  for (let round = 0; round < 3; round++) {
    await commitFiles(git, dir, { 'apps/app-7/patch.yaml': patch(`round ${round}`) });
    const others = Array.from({ length: apps }, (_, at) => at).filter((at) => at !== 7);
    const first = await renderer.generate(ctx, request(dir, 0, true)); // the look at the repository, shared by all
    if (!first.cached) throw new Error(`rendered for nothing: ${first.why}`);
    decided.push(
      await timed(async () => {
        const all = await Promise.all(others.map((at) => renderer.generate(ctx, request(dir, at))));
        const wrong = all.find(({ cached }) => !cached);
        if (wrong) throw new Error(`rendered for nothing: ${wrong.why}`);
      }),
    );
    changed.push(
      await timed(async () => {
        const { cached, why } = await renderer.generate(ctx, request(dir, 7));
        if (cached || why !== 'apps/app-7/patch.yaml changed') throw new Error(`not rendered: ${why}`);
      }),
    );
    forks.push(await timed(() => fork(kustomize, join(dir, 'apps/app-7'))));
  }
  const oneFork = median(forks);
  return [
    { name: 'a one-file commit: decide the other 999', value: median(decided), unit: 'ms', target: 200 },
    { name: '  render the one', value: median(changed), unit: 'ms', target: Math.round(oneFork * 1.5 + 50) },
    beside('  a fork for each of 1,000 instead', oneFork * apps),
  ];
}

/** A hundred small overlays that nobody has rendered yet, on two cores. */
async function cold({ root, git, manifests, kustomize }: World): Promise<Figure[]> {
  const dir = join(root, 'cold');
  await repository(git, dir, overlays(100));
  const numbers = Array.from({ length: 100 }, (_, at) => at);
  const ours: number[] = [];
  const forks: number[] = [];
  for (let round = 0; round < 3; round++) {
    forks.push(await timed(() => inTurns(numbers, 2, (at) => fork(kustomize, join(dir, `apps/app-${at}`)))));
    const renderer = manifests();
    await renderer.generate(ctx, request(dir, 0, true)); // finds the engine and opens the repository
    ours.push(await timed(() => Promise.all(numbers.map((at) => renderer.generate(ctx, request(dir, at))))));
  }
  const ratio = median(ours.map((time, at) => time / (forks[at] ?? 1)));
  return [
    {
      name: 'cold render of 100 overlays',
      value: median(ours),
      unit: 'ms',
      target: Math.round(median(forks) * 0.3),
    },
    { name: '  against the forks alone', value: ratio, unit: '×', target: 0.3 },
  ];
}

function overlays(count: number): Record<string, string> {
  const files: Record<string, string> = {
    'base/kustomization.yaml': 'resources: [config.yaml, more.yaml]\n',
    'base/config.yaml': configMap('config', 'base'),
    'base/more.yaml': configMap('more', 'base'),
  };
  for (let at = 0; at < count; at++) {
    files[`apps/app-${at}/kustomization.yaml`] =
      `resources: [../../base]\nnamePrefix: app-${at}-\npatches: [{path: patch.yaml}]\n`;
    files[`apps/app-${at}/patch.yaml`] = patch(`app ${at}`);
  }
  return files;
}

const patch = (value: string): string => configMap('config', value);

function request(dir: string, at: number, fresh = false): ManifestRequest {
  return {
    app: { name: `app-${at}`, project: 'default' },
    sources: [{ repoURL: dir, targetRevision: 'main', path: `apps/app-${at}` }],
    destinationNamespace: 'default',
    kube: { version: '1.36.0', apiVersions: [] },
    refs: fresh ? { fresh: true } : {},
  };
}

const fork = ({ command, prefixArgs }: Tool, dir: string): Promise<unknown> =>
  run(command, [...prefixArgs, dir], { env: {} });

async function repository(git: string, dir: string, files: Record<string, string>): Promise<string> {
  mkdirSync(dir, { recursive: true });
  execFileSync(git, ['init', '--quiet', '--initial-branch=main', dir]);
  return commitFiles(git, dir, files);
}

async function commitFiles(git: string, dir: string, files: Record<string, string>): Promise<string> {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  }
  const who = ['-c', 'user.name=bench', '-c', 'user.email=bench@localhost', '-c', 'gc.auto=0'];
  await run(git, ['-C', dir, 'add', '--all']);
  await run(git, ['-C', dir, ...who, 'commit', '--quiet', '-m', 'files']);
  return (await run(git, ['-C', dir, 'rev-parse', 'HEAD'])).stdout.trim();
}

/** So many at a time, as there are cores. */
async function inTurns<Item>(
  items: readonly Item[],
  at: number,
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  const queue = [...items];
  const worker = async (): Promise<void> => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: at }, worker));
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
