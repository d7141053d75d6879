import { access, constants, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, isAbsolute, join } from 'node:path';
import { type Ctx, FairleadError } from '#base/std';
import { bundleArchive, bundlePackage, bundlePlatform, unpackTool } from './bundled.ts';
import { run } from './run.ts';

export type ToolName = 'git' | 'helm' | 'kubectl' | 'kustomize';

/** Run `command` with `prefixArgs` first: kustomize is `kustomize build …` or `kubectl kustomize …`. */
export type Tool = {
  readonly command: string;
  readonly prefixArgs: readonly string[];
  readonly version: string;
  readonly origin: 'configured' | 'path' | 'bundled';
};

/** Where to search. `searchPath` is a PATH value: this package reads no environment variables. */
export type ToolPlaces = {
  readonly path?: string;
  readonly searchPath: string;
  readonly cacheDir: string;
  /** Where helm and kubectl come from when the machine has none; by default the installed npm package. */
  readonly bundle?: { readonly archive: string | undefined; readonly platform: string };
};

type Found = Omit<Tool, 'version'>;

/**
 * Finds a program: the configured path, then the search path, then the npm package. A configured path that does not exist is
 * an error, never a reason to search further. Throws NotFound naming what to install.
 */
export async function findTool(ctx: Ctx, name: ToolName, places: ToolPlaces): Promise<Tool> {
  const found =
    (await configured(name, places)) ?? (await onPath(name, places)) ?? (await bundled(ctx, name, places));
  if (!found) throw missing(name, places);
  return { ...found, version: await versionOf(ctx, name, found, places.searchPath) };
}

async function configured(name: ToolName, { path }: ToolPlaces): Promise<Found | undefined> {
  if (!path) return undefined;
  if (!(await isProgram(path))) {
    throw new FairleadError(
      'NotFound',
      `the configured path of ${name} is no executable file: correct it or remove it`,
    );
  }
  const asKustomize = basename(path).startsWith('kubectl') ? 'kustomize' : 'build';
  return { command: path, prefixArgs: name === 'kustomize' ? [asKustomize] : [], origin: 'configured' };
}

async function onPath(name: ToolName, { searchPath }: ToolPlaces): Promise<Found | undefined> {
  const command = await searched(name, searchPath);
  if (!command) return undefined;
  return { command, prefixArgs: name === 'kustomize' ? ['build'] : [], origin: 'path' };
}

async function bundled(ctx: Ctx, name: ToolName, places: ToolPlaces): Promise<Found | undefined> {
  if (name === 'git') return undefined;
  const { archive, platform } = places.bundle ?? {
    archive: bundleArchive(),
    platform: `${process.platform}-${process.arch}`,
  };
  const prefixArgs = name === 'kustomize' ? ['kustomize'] : [];
  if (archive && platform === bundlePlatform) {
    const command = await unpackTool(ctx, name === 'helm' ? 'helm' : 'kubectl', archive, places.cacheDir);
    return { command, prefixArgs, origin: 'bundled' };
  }
  // A kubectl of unknown age may contain a kustomize years older than the package's, so it comes last.
  const kubectl = name === 'kustomize' ? await searched('kubectl', places.searchPath) : undefined;
  return kubectl ? { command: kubectl, prefixArgs, origin: 'path' } : undefined;
}

/** Relative folders on a search path would make the result depend on the working directory; they are skipped. */
async function searched(name: string, searchPath: string): Promise<string | undefined> {
  for (const folder of searchPath.split(':')) {
    if (!isAbsolute(folder)) continue;
    const candidate = join(folder, name);
    if (await isProgram(candidate)) return candidate;
  }
  return undefined;
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

function missing(name: ToolName, { bundle }: ToolPlaces): FairleadError {
  const platform = bundle?.platform ?? `${process.platform}-${process.arch}`;
  if (name === 'git')
    return new FairleadError('NotFound', 'git is missing: install git 2.30 or later and put it on PATH');
  const also = name === 'kustomize' ? 'kustomize (or kubectl)' : name;
  const npm = platform === bundlePlatform ? `, or run npm install ${bundlePackage}` : '';
  return new FairleadError('NotFound', `${name} is missing: put ${also} on PATH, configure its path${npm}`);
}

type Question = { args: readonly string[]; answer: RegExp };

const questions: Record<ToolName, Question> = {
  git: { args: ['--version'], answer: /git version (\S+)/ },
  helm: { args: ['version', '--template', '{{.Version}}'], answer: /(v\d+\.\d+\.\d+\S*)/ },
  kubectl: { args: ['version', '--client', '--output', 'json'], answer: /"gitVersion": *"([^"]+)"/ },
  kustomize: { args: ['version'], answer: /(v\d+\.\d+\.\d+[^\s}]*)/ },
};
const kustomizeInKubectl: Question = {
  args: questions.kubectl.args,
  answer: /"kustomizeVersion": *"([^"]+)"/,
};

/** Reading the version also proves that the program runs on this machine. */
async function versionOf(ctx: Ctx, name: ToolName, found: Found, searchPath: string): Promise<string> {
  const { args, answer } = found.prefixArgs[0] === 'kustomize' ? kustomizeInKubectl : questions[name];
  const { code, stdout } = await run(ctx, {
    program: found.command,
    args,
    cwd: tmpdir(),
    env: { PATH: searchPath, HOME: tmpdir() },
    limits: { ms: 20_000, stdoutBytes: 64 * 1024, stderrBytes: 64 * 1024 },
  });
  const version = answer.exec(new TextDecoder().decode(stdout))?.[1];
  if (code === 0 && version) return version;
  const where = { configured: 'at its configured path', path: 'on PATH', bundled: `from ${bundlePackage}` }[
    found.origin
  ];
  throw new FairleadError(
    'InvalidSpec',
    `${name} ${where} does not print its version: is it really ${name}?`,
  );
}
