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
import type { SourceRepository, Sources } from '#source';
import { type Ctx, FairleadError, SingleFlight } from '#std';
import type { Store } from '#store';
import { ManifestCache } from './cache.ts';
import { type EngineLimits, Engines, type EngineTools } from './engine.ts';
import { Failures } from './failures.ts';
import type { Output } from './output.ts';
import { type Prepared, prepare } from './render-source.ts';
import type { GeneratedManifests, ManifestRequest, RenderSettings } from './request.ts';
import type { CacheLimits } from './shelf.ts';
import { type Input, inputsOf, rootsOf, type Trace, type Trees } from './trace.ts';
import { webOf } from './web.ts';

export type ManifestLimits = EngineLimits & CacheLimits;

export type ManifestsConfig = {
  /** Belongs to this process alone while it runs. */
  readonly cacheDir: string;
  readonly sources: Pick<Sources, 'resolveRevision' | 'openTree' | 'verify' | 'chartArchive' | 'readUrl'>;
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
  readyBytes: 512 * 1024 * 1024,
  readyFiles: 100_000,
  memory: 256 * 1024 * 1024,
  disk: 1024 * 1024 * 1024,
  entries: 100_000,
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

/** A source at its commit, version or digest. */
type Opened = {
  readonly source: Source;
  readonly revision: string;
  readonly tree: FileTree;
  readonly warnings: readonly string[];
};

/** A commit of which nobody has said yet that it may be used. */
type Unverified = {
  readonly repository: SourceRepository;
  readonly source: Source;
  readonly commit: string;
};

/** What one source contributes. */
type Part = Output & {
  readonly type: SourceType;
  readonly cached: boolean;
  readonly why: string;
  readonly inputs: () => readonly Input[];
};

/** A render that came to an end: objects, or a failure that would come again. */
type Done = { readonly trace: Trace; readonly result: Output | FairleadError };

class Generator {
  readonly #sources: ManifestsConfig['sources'];
  readonly #engines: Engines;
  readonly #cache: ManifestCache;
  readonly #flights = new SingleFlight<Done>();
  readonly #failures = new Failures();

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
      // worked out for the few who ask
      get inputs() {
        return parts.flatMap(({ inputs }) => inputs());
      },
    };
  }

  async close(): Promise<void> {
    await this.#cache.settled();
  }

  async #open(ctx: Ctx, request: Settled, source: Source, at: number): Promise<Opened> {
    const files = request.filesOf?.(source);
    if (files) return { source, revision: source.targetRevision ?? '', tree: files, warnings: [] };
    const repository = repositoryOf(request, source);
    const wanted = request.revisions?.[at] ?? source.targetRevision ?? '';
    const { commit, warnings } = await this.#sources.resolveRevision(ctx, repository, wanted, {
      ...request.refs,
      ...(request.refresh === 'hard' ? { fresh: true } : {}),
      ...(source.tagPrefix ? { tagPrefix: source.tagPrefix } : {}),
    });
    await this.#verify(ctx, request, { repository, source, commit });
    const links = request.settings.allowOutOfBoundsSymlinks ? 'any' : 'inside';
    const told = new Set(warnings);
    const tree = await this.#sources.openTree(ctx, repository, commit, {
      links,
      submodules: request.settings.submodulesEnabled,
      warn: (warning) => told.add(warning),
      fresh: request.refresh === 'hard', // compat CCH-1
    });
    return { source, revision: commit, tree, warnings: [...told] };
  }

  /** compat INT-7: what cannot be trusted is not rendered. */
  async #verify(ctx: Ctx, request: Settled, { repository, source, commit }: Unverified): Promise<void> {
    const demand = request.integrityOf?.(source);
    if (!demand) return;
    if (demand.mode === 'unusable') throw new FairleadError('PolicyFailed', demand.why);
    const { targetRevision: revision = '', tagPrefix } = source;
    const asked = { commit, revision, ...(tagPrefix ? { tagPrefix } : {}) };
    const problems = await this.#sources.verify(ctx, repository, asked, demand);
    if (problems.length > 0) throw new FairleadError('PolicyFailed', problems.join('; '));
  }

  async #part(ctx: Ctx, request: Settled, one: Opened, all: readonly Opened[]): Promise<Part> {
    if (isRefOnly(one.source)) {
      // compat SRC-10: it lends its files and brings no manifests
      return { ...nothing, type: 'Directory', cached: true, why: unchanged, inputs: () => [] };
    }
    const lenders = all.filter(({ source }) => source.ref);
    const trees: Trees = new Map([
      ['', one.tree],
      ...lenders.map(({ source, tree }) => [source.ref ?? '', tree] as const),
    ]);
    const refs = request.multiSource ? lenders.map(({ source }) => source.ref ?? '') : undefined;
    const web = webOf(this.#sources, request);
    const input = { source: one.source, revision: one.revision, trees, refs, web };
    const prepared = await prepare(ctx, this.#engines, request, input);
    const { result, trace, cached, why } = await this.#render(ctx, request, prepared, trees);
    if (result instanceof FairleadError) throw result;
    return {
      ...result,
      warnings: [...prepared.warnings, ...result.warnings],
      type: prepared.type,
      cached,
      why,
      inputs: () => inputsOf(trace, trees),
    };
  }

  async #render(ctx: Ctx, { app, refresh }: Settled, prepared: Prepared, trees: Trees) {
    const { question } = prepared;
    const found = this.#cache.find(ctx, question, trees);
    const isHard = refresh === 'hard';
    if (found.hit && !isHard) return { ...found, cached: true, why: unchanged };
    const why = found.hit ? 'a hard refresh was asked for' : found.why;
    const flight = `${question.key} ${Object.values(rootsOf(trees)).join(' ')}`;
    const standing = isHard ? undefined : this.#failures.standing(ctx, flight);
    if (standing) throw standing;
    const done = await this.#flights.run(ctx, flight, async (shared) => {
      const start = performance.now();
      const rendered = await prepared.render(shared).catch((error: unknown) => {
        this.#failures.note(shared, flight, error);
        throw error;
      });
      this.#failures.clear(flight);
      this.#cache.keep(shared, question, rendered.trace, rendered.result);
      ctx.log.info('rendered manifests', { app: app.name, why, ms: Math.round(performance.now() - start) });
      return rendered;
    });
    return { ...done, cached: false, why };
  }
}

const nothing: Output = { objects: [], commands: [], warnings: [] };
const unchanged = 'nothing it depends on has changed';

function reason(parts: readonly Part[]): string {
  const rendered = parts.filter(({ cached }) => !cached).map(({ why }) => why);
  return rendered.length === 0 ? unchanged : [...new Set(rendered)].join('; ');
}

/** The record of a source's repository, and what the source itself adds to it. */
function repositoryOf(request: Settled, { repoURL, chart, helm }: Source): SourceRepository {
  const record = request.repositoryOf?.(repoURL) ?? { url: repoURL };
  if (!chart) return record;
  return { ...record, chart, passCredentials: helm?.passCredentials ?? false };
}

/** What the sources of this kind need. */
function checked(source: Source): Source {
  const kind = repositoryKind(source);
  if (kind !== 'git' && source.ref) {
    const what = kind === 'helm' ? `chart ${source.chart}` : `artifact ${withoutUserInfo(source.repoURL)}`;
    // compat MS-4
    throw new FairleadError(
      'InvalidSpec',
      `source ${what} has a ref, which only Git repositories can have: leave sources.ref out`,
    );
  }
  if (kind === 'helm') {
    const { path: _path, ...chart } = source; // a chart is rendered as a whole
    return chart;
  }
  if (kind === 'oci') return source;
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
