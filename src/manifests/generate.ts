import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import {
  defaultSettings,
  type FileTree,
  isRefOnly,
  normalizeSource,
  repositoryKind,
  type Source,
  type SourceType,
  withoutUserInfo,
} from '#model';
import type { GitRepository, Sources } from '#source';
import { type Ctx, FairleadError, SingleFlight } from '#std';
import type { Store } from '#store';
import { type CacheLimits, ManifestCache } from './cache.ts';
import { type EngineLimits, Engines, type EngineTools } from './engine.ts';
import type { Output } from './output.ts';
import { type Prepared, prepare } from './render-source.ts';
import type { GeneratedManifests, ManifestRequest, RenderSettings } from './request.ts';
import { rootsOf, type Trees } from './trace.ts';

export type ManifestLimits = EngineLimits & CacheLimits;

export type ManifestsConfig = {
  /** Belongs to this process alone while it runs. */
  readonly cacheDir: string;
  readonly sources: Pick<Sources, 'resolveRevision' | 'openTree'>;
  readonly tools: EngineTools;
  /** Where results survive a restart; left out, they do not. */
  readonly store?: Store;
  readonly limits?: Partial<ManifestLimits>;
};

export type Manifests = {
  /**
   * The target state of an application, from the cache when nothing that a render looked at has changed. Throws with
   * the code that tells what to do about it. Safe to repeat and to run side by side.
   */
  generate(ctx: Ctx, request: ManifestRequest): Promise<GeneratedManifests>;
  /** Resolves when what was rendered is on disk. */
  close(): Promise<void>;
};

const defaults: ManifestLimits = {
  ms: 90_000,
  outputBytes: 64 * 1024 * 1024,
  memoryMb: 2048,
  parallel: availableParallelism(),
  files: 100_000,
  bytes: 1024 * 1024 * 1024,
  memory: 256 * 1024 * 1024,
  disk: 2 * 1024 * 1024 * 1024,
  keepMs: 7 * 24 * 3600 * 1000,
};

/** Builds the renderer of a process. Nothing is started or touched before the first call. */
export function createManifests({
  cacheDir,
  sources,
  tools,
  store,
  limits = {},
}: ManifestsConfig): Manifests {
  const bounds = { ...defaults, ...limits };
  const generator = new Generator(
    sources,
    new Engines(join(cacheDir, 'render'), tools, bounds),
    new ManifestCache(store, bounds),
  );
  return {
    generate: (ctx, request) => generator.generate(ctx, request),
    close: () => generator.close(),
  };
}

/** A request whose settings are complete. */
type Settled = ManifestRequest & { readonly settings: RenderSettings };

/** A source at its commit. */
type Opened = {
  readonly source: Source;
  readonly revision: string;
  readonly tree: FileTree;
  readonly warnings: readonly string[];
};

/** What one source contributes. */
type Part = Output & { readonly type: SourceType; readonly cached: boolean; readonly why: string };

class Generator {
  readonly #sources: ManifestsConfig['sources'];
  readonly #engines: Engines;
  readonly #cache: ManifestCache;
  readonly #flights = new SingleFlight<Output | FairleadError>();

  constructor(sources: ManifestsConfig['sources'], engines: Engines, cache: ManifestCache) {
    this.#sources = sources;
    this.#engines = engines;
    this.#cache = cache;
  }

  async generate(ctx: Ctx, given: ManifestRequest): Promise<GeneratedManifests> {
    const request: Settled = { ...given, settings: { ...defaultSettings.render, ...given.settings } };
    const sources = request.sources.map((source) => checked(normalizeSource(source)));
    checkRefs(sources);
    const opened = await Promise.all(sources.map((source, at) => this.#open(ctx, request, source, at)));
    const parts = await Promise.all(opened.map((one) => this.#part(ctx, request, one, opened)));
    return {
      objects: parts.flatMap(({ objects }) => objects),
      revisions: opened.map(({ revision }) => revision),
      sourceTypes: parts.map(({ type }) => type),
      commands: parts.flatMap(({ commands }) => commands),
      cached: parts.every(({ cached }) => cached),
      why: reason(parts),
      warnings: [...opened, ...parts].flatMap(({ warnings }) => warnings),
    };
  }

  async close(): Promise<void> {
    await this.#cache.settled();
  }

  async #open(ctx: Ctx, request: Settled, source: Source, at: number): Promise<Opened> {
    const repository: GitRepository = request.repositoryOf?.(source.repoURL) ?? { url: source.repoURL };
    const wanted = request.revisions?.[at] ?? source.targetRevision ?? '';
    const { commit, warnings } = await this.#sources.resolveRevision(ctx, repository, wanted, {
      ...request.refs,
      ...(request.refresh === 'hard' ? { fresh: true } : {}),
      ...(source.tagPrefix ? { tagPrefix: source.tagPrefix } : {}),
    });
    const links = request.settings.allowOutOfBoundsSymlinks ? 'any' : 'inside';
    const tree = await this.#sources.openTree(ctx, repository, commit, { links });
    return { source, revision: commit, tree, warnings };
  }

  async #part(ctx: Ctx, request: Settled, one: Opened, all: readonly Opened[]): Promise<Part> {
    if (isRefOnly(one.source)) {
      // compat SRC-10: it lends its files and brings no manifests
      return { objects: [], commands: [], warnings: [], type: 'Directory', cached: true, why: unchanged };
    }
    const lenders = all.filter(({ source }) => source.ref);
    const trees: Trees = new Map([
      ['', one.tree],
      ...lenders.map(({ source, tree }) => [source.ref ?? '', tree] as const),
    ]);
    const refs = request.multiSource ? lenders.map(({ source }) => source.ref ?? '') : undefined;
    const input = { source: one.source, revision: one.revision, trees, refs };
    const prepared = await prepare(ctx, this.#engines, request, input);
    const { result, cached, why } = await this.#render(ctx, prepared, trees, request.refresh ?? 'normal');
    if (result instanceof FairleadError) throw result;
    return {
      ...result,
      warnings: [...prepared.warnings, ...result.warnings],
      type: prepared.type,
      cached,
      why,
    };
  }

  async #render(ctx: Ctx, prepared: Prepared, trees: Trees, refresh: 'normal' | 'hard') {
    const { key } = prepared;
    const found = this.#cache.find(ctx, key, trees);
    if (found.hit && refresh === 'normal') return { result: found.result, cached: true, why: unchanged };
    const flight = `${key} ${Object.values(rootsOf(trees)).join(' ')}`;
    const result = await this.#flights.run(ctx, flight, async (shared) => {
      const rendered = await prepared.render(shared);
      this.#cache.keep(shared, key, rendered.trace, rendered.result);
      return rendered.result;
    });
    return { result, cached: false, why: found.hit ? 'a hard refresh was asked for' : found.why };
  }
}

const unchanged = 'nothing it depends on has changed';

function reason(parts: readonly Part[]): string {
  const rendered = parts.filter(({ cached }) => !cached).map(({ why }) => why);
  return rendered.length === 0 ? unchanged : [...new Set(rendered)].join('; ');
}

/** What the sources of this kind need, and which kinds there are. */
function checked(source: Source): Source {
  const shown = withoutUserInfo(source.repoURL);
  const kind = repositoryKind(source);
  if (kind !== 'git') {
    const what = kind === 'helm' ? `chart ${source.chart} from repository ${shown}` : `artifact ${shown}`;
    throw new FairleadError('InvalidSpec', `not supported yet: ${what}; use a Git repository that holds it`);
  }
  if (!source.path && !source.ref) {
    throw new FairleadError(
      'InvalidSpec',
      'spec.source.repoURL and either spec.source.path or spec.source.chart are required', // compat SRC-2
    );
  }
  return source;
}

/** compat MS-2. */
function checkRefs(sources: readonly Source[]): void {
  const seen = new Set<string>();
  for (const { ref } of sources) {
    if (!ref) continue;
    if (!/^[a-zA-Z0-9_-]+$/.test(ref)) {
      throw new FairleadError(
        'InvalidSpec',
        `sources.ref ${ref} cannot contain any special characters except '_' and '-'`,
      );
    }
    if (seen.has(ref)) {
      throw new FairleadError('InvalidSpec', 'invalid sources: multiple sources had the same `ref` key');
    }
    seen.add(ref);
  }
}
