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
} from '#base/model';
import { type Ctx, FairleadError, SingleFlight } from '#base/std';
import type { Store } from '#platform/store';
import type { SourceRepository, Sources } from '#sources/repositories';
import { ManifestCache } from './cache.ts';
import { mayDiffer, type SourceAtRevision } from './changed-since.ts';
import { type EngineLimits, Engines, type EngineTools } from './engine.ts';
import { Failures } from './failures.ts';
import { localManifests } from './local-manifests.ts';
import type { Output } from './output.ts';
import type { RemoteTree } from './remote-tree.ts';
import type { OnAcquire } from './render-slots.ts';
import { type Prepared, prepare } from './render-source.ts';
import type { CacheLimits } from './render-store.ts';
import type { GeneratedManifests, ManifestRequest, RenderSettings } from './request.ts';
import { type Input, inputsOf, rootsOf, type Trace, type Trees } from './trace.ts';
import { verify } from './verify.ts';
import { type Web, webOf } from './web.ts';

export type ManifestLimits = EngineLimits & CacheLimits;

export type ManifestsConfig = {
  /** Belongs to this process alone while it runs. */
  readonly cacheDir: string;
  readonly sources: Pick<
    Sources,
    'resolveRevision' | 'openTree' | 'verify' | 'chartArchive' | 'readUrl' | 'changedFiles'
  >;
  readonly tools: EngineTools;
  /** Where results survive a restart; left out: they do not. */
  readonly store?: Store;
  readonly limits?: Partial<ManifestLimits>;
  /** Called with the time each run of an engine waited for the concurrency limit; left out: not measured. */
  readonly onAcquire?: OnAcquire;
};

export type Manifests = {
  /**
   * The target state of an application, from the cache when no input of a render has changed. Throws an error whose
   * code says how to handle it. Idempotent and safe to call concurrently.
   */
  generate(ctx: Ctx, request: ManifestRequest): Promise<GeneratedManifests>;
  /** Resolves when the rendered manifests are on disk. */
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

/** Builds the renderer of a process. Starts and touches nothing before the first call. */
export function createManifests({
  cacheDir,
  sources,
  tools,
  store,
  limits = {},
  onAcquire,
}: ManifestsConfig): Manifests {
  const bounds = { ...defaults, ...limits };
  const generator = new Generator(
    sources,
    new Engines(join(cacheDir, 'render'), tools, bounds, onAcquire),
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
type Opened = SourceAtRevision & {
  readonly tree: FileTree;
  readonly warnings: readonly string[];
};

/** What one source contributes. */
type Part = Output & {
  readonly type: SourceType;
  readonly cached: boolean;
  readonly why: string;
  readonly inputs: () => readonly Input[];
};

/** A finished render: objects, or a failure that the same inputs would repeat. */
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
    if (given.given) return localManifests(given, given.given);
    const request: Settled = { ...given, settings: { ...defaultSettings.render, ...given.settings } };
    const sources = request.sources.map((source) => checked(normalizeSource(source)));
    checkRefs(sources);
    const opened = await Promise.all(sources.map((source, at) => this.#open(ctx, request, source, at)));
    const differing = await this.#differing(ctx, request, opened);
    const parts = await Promise.all(
      opened.map(async (one) => {
        const kept = differing.has(one) ? undefined : await this.#kept(ctx, request, one, opened);
        return kept ?? this.#part(ctx, request, one, opened);
      }),
    );
    return {
      objects: parts.flatMap(({ objects }) => objects),
      revisions: opened.map(({ revision }) => revision),
      sourceTypes: parts.map(({ type }) => type),
      commands: parts.flatMap(({ commands }) => commands),
      mayHaveChanges: differing.size > 0,
      cached: parts.every(({ cached }) => cached),
      why: reason(parts),
      warnings: [...opened, ...parts].flatMap(({ warnings }) => warnings),
      // computed only when a caller reads it
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
    await verify(ctx, this.#sources, request, { repository, source, commit });
    const links = request.settings.allowOutOfBoundsSymlinks ? 'any' : 'inside';
    const reported = new Set(warnings);
    const tree = await this.#sources.openTree(ctx, repository, commit, {
      links,
      submodules: request.settings.submodulesEnabled,
      warn: (warning) => reported.add(warning),
      fresh: request.refresh === 'hard', // compat sources CCH-1
    });
    return { source, repository, revision: commit, tree, warnings: [...reported] };
  }

  /** The sources with changes that concern them: all, unless the request allows to exclude some. */
  async #differing(
    ctx: Ctx,
    { since, refresh }: Settled,
    all: readonly Opened[],
  ): Promise<ReadonlySet<Opened>> {
    if (!since || refresh === 'hard') return new Set(all);
    const may = await Promise.all(all.map((one) => mayDiffer(ctx, this.#sources, { one, all, since })));
    return new Set(all.filter((_one, at) => may[at]));
  }

  /** compat sources MGP-4: the manifests rendered at the previous revision are reused; undefined: not cached. */
  async #kept(ctx: Ctx, request: Settled, one: Opened, all: readonly Opened[]): Promise<Part | undefined> {
    const { revisions = [] } = request.since ?? {};
    if (isRefOnly(one.source) || all.every(({ revision }, at) => revisions[at]?.[0] === revision)) return;
    const before = await Promise.all(
      all.map((other, at) => this.#before(ctx, request, other, revisions[at])),
    );
    const own = before[all.indexOf(one)];
    if (!own) return undefined;
    const { prepared, trees: local, web } = await this.#prepared(ctx, request, own, before);
    const trees = await this.#withRemotes(ctx, prepared, local, web);
    const found = await this.#cache.find(ctx, prepared.question, trees);
    if (!found.hit || found.result instanceof FairleadError) return undefined;
    return {
      ...partOf(found.result, { prepared, trees, trace: found.trace }),
      cached: true,
      why: irrelevant,
    };
  }

  /** A source at its previous revision; at the current one where that cannot be opened. */
  async #before(
    ctx: Ctx,
    { settings }: Settled,
    now: Opened,
    [revision]: readonly string[] = [],
  ): Promise<Opened> {
    if (revision === undefined || revision === now.revision || !now.repository) return now;
    const links = settings.allowOutOfBoundsSymlinks ? 'any' : 'inside';
    const options = { links, submodules: settings.submodulesEnabled } as const;
    try {
      return { ...now, revision, tree: await this.#sources.openTree(ctx, now.repository, revision, options) };
    } catch (error) {
      if (error instanceof FairleadError && error.code === 'NotFound') return now;
      throw error;
    }
  }

  async #part(ctx: Ctx, request: Settled, one: Opened, all: readonly Opened[]): Promise<Part> {
    if (isRefOnly(one.source)) {
      // compat sources SRC-10: it provides files and renders no manifests
      return { ...nothing, type: 'Directory', cached: true, why: unchanged, inputs: () => [] };
    }
    const { prepared, trees: local, web } = await this.#prepared(ctx, request, one, all);
    const before = await this.#withRemotes(ctx, prepared, local, web);
    const { result, trace, cached, why } = await this.#render(ctx, request, prepared, before);
    // the cached result may come from an application that may read more than this one
    const seen = cached ? [] : Object.values(trace.remotes ?? {});
    const trees = joined(before, await Promise.all(seen.map((pointer) => web.elsewhere(ctx, pointer))));
    if (result instanceof FairleadError) throw result;
    return { ...partOf(result, { prepared, trees, trace }), cached, why };
  }

  async #prepared(ctx: Ctx, request: Settled, one: Opened, all: readonly Opened[]) {
    const lenders = all.filter(({ source }) => source.ref);
    const trees: Trees = new Map([
      ['', one.tree],
      ...lenders.map(({ source, tree }) => [source.ref ?? '', tree] as const),
    ]);
    const refs = request.multiSource ? lenders.map(({ source }) => source.ref ?? '') : undefined;
    const web = webOf(this.#sources, request, one.repository);
    const input = { source: one.source, revision: one.revision, trees, refs, web };
    return { prepared: await prepare(ctx, this.#engines, request, input), trees, web };
  }

  /**
   * Adds the current trees of the remote bases that cached results read; if one cannot be opened, no cached result
   * fits.
   */
  async #withRemotes(ctx: Ctx, { question }: Prepared, trees: Trees, web: Web): Promise<Trees> {
    const pointers = await this.#cache.pointers(ctx, question, trees);
    const found = pointers.map(async (pointer) => {
      return web.elsewhere(ctx, pointer).catch((error: unknown) => {
        if (!(error instanceof FairleadError)) throw error;
        return undefined;
      });
    });
    return joined(trees, await Promise.all(found));
  }

  async #render(ctx: Ctx, { app, refresh }: Settled, prepared: Prepared, trees: Trees) {
    const { question } = prepared;
    const found = await this.#cache.find(ctx, question, trees);
    const isHard = refresh === 'hard';
    if (found.hit && !isHard) return { ...found, cached: true, why: unchanged };
    const why = found.hit ? 'a hard refresh was requested' : found.why;
    const flight = `${question.key} ${Object.values(rootsOf(trees)).join(' ')}`;
    const standing = isHard ? undefined : this.#failures.standing(ctx, flight);
    if (standing) throw standing;
    const done = await this.#flights.run(ctx, flight, async (shared) => {
      const start = performance.now();
      const rendered = await prepared.render(shared).catch((error: unknown) => {
        if (!isRefusal(error)) this.#failures.note(shared, flight, error);
        throw error;
      });
      this.#failures.clear(flight);
      await this.#cache.keep(shared, question, rendered.trace, rendered.result);
      ctx.log.info('rendered manifests', { app: app.name, why, ms: Math.round(performance.now() - start) });
      return rendered;
    });
    return { ...done, cached: false, why };
  }
}

/** The trees of a render with those that its files name. */
function joined(trees: Trees, found: readonly (RemoteTree | undefined)[]): Trees {
  const named = found.flatMap((one) => (one ? [[one.name, one.tree] as const] : []));
  return named.length === 0 ? trees : new Map([...trees, ...named]);
}

/** Refusing again is cheap, and another application may be permitted. */
const isRefusal = (error: unknown): boolean =>
  error instanceof FairleadError && error.code === 'PermissionDenied';

const nothing: Output = { objects: [], commands: [], warnings: [] };
const unchanged = 'nothing it depends on has changed';
const irrelevant = 'no path that manifest-generate-paths names has changed';

type Origin = { readonly prepared: Prepared; readonly trees: Trees; readonly trace: Trace };

function partOf(result: Output, { prepared, trees, trace }: Origin): Omit<Part, 'cached' | 'why'> {
  return {
    ...result,
    warnings: [...prepared.warnings, ...result.warnings],
    type: prepared.type,
    inputs: () => inputsOf(trace, trees),
  };
}

function reason(parts: readonly Part[]): string {
  const rendered = parts.filter(({ cached }) => !cached).map(({ why }) => why);
  const kept = parts.some(({ why }) => why === irrelevant) ? irrelevant : unchanged;
  return rendered.length === 0 ? kept : [...new Set(rendered)].join('; ');
}

/** The record of a source's repository, and the settings that the source adds to it. */
function repositoryOf(request: Settled, { repoURL, chart, helm }: Source): SourceRepository {
  const record = request.repositoryOf?.(repoURL) ?? { url: repoURL };
  if (!chart) return record;
  return { ...record, chart, passCredentials: helm?.passCredentials ?? false };
}

/** Validates the fields that a source of its kind requires. */
function checked(source: Source): Source {
  const kind = repositoryKind(source);
  if (kind !== 'git' && source.ref) {
    const what = kind === 'helm' ? `chart ${source.chart}` : `artifact ${withoutUserInfo(source.repoURL)}`;
    // compat sources MS-4
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
      'spec.source.repoURL and either spec.source.path or spec.source.chart are required', // compat sources SRC-2
    );
  }
  return source;
}

/** compat sources MS-2. */
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
