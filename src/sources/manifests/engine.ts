import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { mkdir, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { decodeText } from '#base/model';
import { abridge, type Ctx, FairleadError, Lru } from '#base/std';
import { findTool, run, type Tool, type ToolName } from '#platform/exec';
import type { Plugin } from '#sources/render';
import { type ContentLimits, Contents, copying, type Placing } from './contents.ts';
import { networkIsolation, processIsolation } from './isolation.ts';
import { type MaterializeLimits, materialize, type Parts } from './materialize.ts';
import type { RecordedTree } from './output.ts';
import { type OnAcquire, RenderSlots } from './render-slots.ts';

/** Where engines are searched for; see `findTool`. */
export type EngineTools = {
  readonly searchPath: string;
  readonly cacheDir: string;
  readonly helmPath?: string;
  readonly kustomizePath?: string;
  /** Config management plugins, in the order they are tried. */
  readonly plugins?: readonly Plugin[];
};

export type EngineLimits = MaterializeLimits &
  ContentLimits & {
    readonly ms: number;
    readonly outputBytes: number;
    readonly memoryMb: number;
    /** Engines that run concurrently. */
    readonly parallel: number;
  };

/** A folder of its own for one run of an engine. */
export type Workspace = {
  /** Holds the others. */
  readonly root: string;
  /** Where the source's files go. */
  readonly files: string;
  /** Where anything else goes that the run needs. */
  readonly extra: string;
  readonly home: string;
  /** Puts parts of a tree below one of these folders; existing files stay. */
  materialize(tree: RecordedTree, parts: Parts, into: string): Promise<void>;
};

export type EngineRun = {
  readonly tool: Tool;
  readonly args: readonly string[];
  /** Relative to the source's files. */
  readonly dir: string;
  /** The command as the user would type it, without the arguments that we add. */
  readonly shown: string;
};

/**
 * A program that an administrator configured. `words` begin with its name; `env` is added to every program's
 * environment.
 */
export type ForeignRun = Omit<EngineRun, 'tool' | 'args'> & {
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
};

type Execution = Omit<ForeignRun, 'env'> & { readonly env: Record<string, string> };

/**
 * Runs Helm, Kustomize and plugins: each in its own folder, without the machine's environment and network, with a
 * deadline.
 */
export class Engines {
  readonly limits: EngineLimits;
  readonly plugins: readonly Plugin[];
  /** Results of the plugins' discovery programs, by plugin, tree and folder. */
  readonly discoveries = new Lru<boolean>({ capacity: 10_000 });
  readonly #root: string;
  readonly #places: EngineTools;
  readonly #tools = new Map<ToolName, Promise<Tool>>();
  readonly #slots: RenderSlots;
  readonly #contents: Contents;
  #ready: Promise<string> | undefined;
  #isolated: Promise<readonly string[]> | undefined;
  #contained: Promise<readonly string[]> | undefined;

  constructor(root: string, places: EngineTools, limits: EngineLimits, onAcquire?: OnAcquire) {
    this.#root = root;
    this.#places = places;
    this.limits = limits;
    this.plugins = places.plugins ?? [];
    this.#slots = new RenderSlots(limits.parallel, onAcquire);
    this.#contents = new Contents(() => this.#folder(), limits);
  }

  /** Found once; a missing tool is searched for on every call. */
  tool(ctx: Ctx, name: 'helm' | 'kustomize'): Promise<Tool> {
    const known = this.#tools.get(name);
    if (known !== undefined) return known;
    const { searchPath, cacheDir, helmPath, kustomizePath } = this.#places;
    const path = name === 'helm' ? helmPath : kustomizePath;
    const finding = findTool(ctx, name, { searchPath, cacheDir, ...(path ? { path } : {}) });
    this.#tools.set(name, finding);
    finding.catch(() => this.#tools.delete(name));
    return finding;
  }

  /**
   * Creates a folder, runs `work` in it once the concurrency limit allows, and always removes it. If the work wrote to
   * shared files, it runs again on private copies.
   */
  async inWorkspace<Value>(ctx: Ctx, work: (workspace: Workspace) => Promise<Value>): Promise<Value> {
    return this.#slots.run(ctx, async () => {
      const shared = await this.#attempt(work, this.#contents.linking());
      if (shared.isIntact) return shared.value();
      ctx.log.warn('an engine wrote to its input and is run again');
      return (await this.#attempt(work, copying)).value();
    });
  }

  /** The same for a program that may write anywhere: its folder shares no file with other runs. */
  async inOwnWorkspace<Value>(ctx: Ctx, work: (workspace: Workspace) => Promise<Value>): Promise<Value> {
    return this.#slots.run(ctx, async () => (await this.#attempt(work, copying)).value());
  }

  async #attempt<Value>(work: (workspace: Workspace) => Promise<Value>, placing: Placing) {
    const root = join(await this.#folder(), randomUUID());
    const folders = { files: join(root, 'files'), extra: join(root, 'extra'), home: join(root, 'home') };
    for (const dir of Object.values(folders)) mkdirSync(dir, { recursive: true, mode: 0o700 });
    const workspace: Workspace = {
      root,
      ...folders,
      materialize: (tree, parts, into) => materialize(tree, parts, into, { limits: this.limits, placing }),
    };
    try {
      const value = await settled(work(workspace));
      return { value, isIntact: placing.isIntact() };
    } finally {
      await rm(root, { recursive: true, force: true });
    }
  }

  /** The engine's output. Throws RenderFailed with its error output when it fails. */
  async run(ctx: Ctx, workspace: Workspace, { tool, args, dir, shown }: EngineRun): Promise<string> {
    const words = [...(await this.#isolation(ctx)), tool.command, ...tool.prefixArgs, ...args];
    const env = { ...environment(workspace), ...collectingLate(this.limits.memoryMb) };
    return this.#execute(ctx, workspace, { words, dir, shown, env });
  }

  /** The same for a program that an administrator chose: it has other programs and the network, and no credentials. */
  async runForeign(ctx: Ctx, workspace: Workspace, { words, dir, shown, env }: ForeignRun): Promise<string> {
    this.#contained ??= processIsolation(
      { ...ctx, signal: new AbortController().signal },
      await this.#folder(),
    );
    const { home, extra } = workspace;
    const own = { HOME: home, TMPDIR: extra, PATH: this.#places.searchPath, LC_ALL: 'C.UTF-8' };
    const run = { words: [...(await this.#contained), ...words], dir, shown, env: { ...env, ...own } };
    return this.#execute(ctx, workspace, run);
  }

  async #execute(ctx: Ctx, workspace: Workspace, { words, dir, shown, env }: Execution): Promise<string> {
    const { ms, outputBytes, memoryMb } = this.limits;
    const [program = '', ...args] = words;
    const { code, stdout, stderr } = await run(ctx, {
      program,
      args,
      memoryMb: memoryMb + overheadMb,
      cwd: join(workspace.files, dir),
      env,
      limits: { ms, stdoutBytes: outputBytes, stderrBytes: 1024 * 1024 },
    }).catch((error: unknown) => {
      throw renamed(error, shown);
    });
    if (code === 0) return decodeText(stdout);
    throw failure(code, stderr, { shown, memoryMb, workspace });
  }

  async #isolation(ctx: Ctx): Promise<readonly string[]> {
    const folder = await this.#folder();
    this.#isolated ??= networkIsolation({ ...ctx, signal: new AbortController().signal }, folder);
    return this.#isolated;
  }

  /** Folders that a killed process left behind are removed before the first run. */
  #folder(): Promise<string> {
    this.#ready ??= (async () => {
      await rm(this.#root, { recursive: true, force: true });
      await mkdir(this.#root, { recursive: true, mode: 0o700 });
      return realpath(this.#root); // engines print the real path, which `withoutPaths` removes from their output
    })();
    return this.#ready;
  }
}

type Failed = { readonly shown: string; readonly memoryMb: number; readonly workspace: Workspace };

/** RenderFailed where the program would fail again; failures caused by the machine may be transient. */
function failure(code: number, stderr: string, { shown, memoryMb, workspace }: Failed): FairleadError {
  if (/^(runtime: out of memory|fatal error: (runtime: )?out of memory)/m.test(stderr)) {
    return new FairleadError('LimitExceeded', `\`${shown}\` needs more than ${memoryMb} MB of memory`);
  }
  const said = abridge(withoutPaths(stderr, workspace).trim(), longest);
  const isKilled = code === killed || /no space left on device/i.test(stderr);
  return new FairleadError(
    isKilled ? 'Unavailable' : 'RenderFailed',
    `\`${shown}\` failed exit status ${code}: ${said || 'it said nothing'}`,
  );
}

/** 128 + SIGKILL: the kernel was out of memory and killed the program. */
const killed = 137;

/** Settles the work; the returned function returns its value or throws its error. */
function settled<Value>(work: Promise<Value>): Promise<() => Value> {
  return work.then(
    (value) => () => value,
    (error: unknown) => () => {
      throw error;
    },
  );
}

/** Reports an exceeded limit under the engine's name, not that of the program that isolates it. */
function renamed(error: unknown, shown: string): unknown {
  if (!(error instanceof FairleadError) || error.code !== 'LimitExceeded') return error;
  return new FairleadError(error.code, error.message.replace(/^\S+ /, `\`${shown}\` `), error);
}

/** Address space that a Go program reserves at start. */
const overheadMb = 1024;

/** A template that fails a thousand levels deep prints the error a thousand times. */
const longest = 8_000;

/** A proxy address without a listener: an engine cannot fetch anything by itself. */
const nowhere = 'http://127.0.0.1:9';

function environment({ home, extra }: Workspace): Record<string, string> {
  return {
    HOME: home,
    TMPDIR: extra,
    PATH: join(home, 'no-programs'),
    LC_ALL: 'C.UTF-8',
    KUBECONFIG: '/dev/null',
    HTTP_PROXY: nowhere,
    HTTPS_PROXY: nowhere,
    http_proxy: nowhere,
    https_proxy: nowhere,
  };
}

/** Engines are short-lived: their Go runtime collects garbage late, which saves a quarter of the work. */
const collectingLate = (memoryMb: number): Record<string, string> => ({
  GOGC: 'off',
  GOMEMLIMIT: `${Math.ceil(memoryMb / 4)}MiB`,
});

/** An engine's output as if it had run at the root of the repository. */
function withoutPaths(text: string, { files, extra, home }: Workspace): string {
  return text
    .replaceAll(`${files}/`, '')
    .replaceAll(files, '.')
    .replaceAll(`${extra}/`, '') // a file of a \$ref keeps the name that the user gave it
    .replaceAll(extra, '.')
    .replaceAll(home, '~');
}
