import { join } from 'node:path';
import { type Ctx, FairleadError, isObject } from '#base/std';
import { parse } from '#lang/yaml';
import { Archives } from './archive/archives.ts';
import { Blobs } from './archive/blobs.ts';
import type { ArchiveLimits, ArchiveRules } from './archive/limits.ts';
import type { RefAge } from './git/remote-refs.ts';
import {
  type ChartSource,
  type ChartSourceDeps,
  Charts,
  type ChartVersions,
  type PackedChart,
} from './helm/charts.ts';
import type { SourceObserver } from './observe.ts';
import { Artifacts, CachedRegistry } from './oci/artifacts.ts';
import { RegistryCharts } from './oci/registry-charts.ts';
import { registryRepository } from './oci/registry-repository.ts';
import { ResponseCache } from './response-cache.ts';
import { hostAccessAt, type SourceRepository, sourceKind } from './source-repository.ts';
import type { Outside } from './web/request.ts';
import { bodyOf, refusal, visit } from './web/visit.ts';

/** The metadata of a chart. */
export type ChartDetails = {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly home: string;
  /** `name <email>`, as far as they are set. */
  readonly maintainers: readonly string[];
};

/** compat sources OCI-6: the metadata of an artifact; empty where it has none. */
export type ArtifactDetails = {
  readonly createdAt: string;
  readonly authors: string;
  readonly docsUrl: string;
  readonly sourceUrl: string;
  readonly version: string;
  readonly description: string;
};

/** A packed chart. */
export type ChartArchive = { readonly version: string; readonly bytes: Uint8Array };

export type ChartSourcesConfig = {
  readonly cacheDir: string;
  readonly outside: () => Outside;
  readonly limits: ArchiveLimits & { readonly attempts: number };
  readonly rules: () => ArchiveRules;
  readonly observe?: SourceObserver | undefined;
};

/** Provides charts, artifacts and files of URLs, each by its own protocol, all from one cache. */
export class ChartSources {
  readonly #deps: ChartSourceDeps;
  readonly #charts: Charts;
  readonly #registryCharts: RegistryCharts;
  readonly #artifacts: Artifacts;
  readonly #registry: CachedRegistry;
  readonly #files = new ResponseCache<Uint8Array>(64 * 1024 * 1024, (bytes) => bytes.length + 1000);

  constructor({ cacheDir, outside, limits, rules, observe }: ChartSourcesConfig) {
    const blobs = new Blobs(join(cacheDir, 'archives'));
    const archives = new Archives(blobs, limits.archivesBytes);
    this.#deps = { blobs, archives, outside, limits, rules };
    const registry = new CachedRegistry(this.#deps, observe);
    this.#registry = registry;
    this.#charts = new Charts(this.#deps);
    this.#registryCharts = new RegistryCharts(this.#deps, registry);
    this.#artifacts = new Artifacts(this.#deps, registry);
  }

  /** The provider of this source; undefined: it is a Git repository. */
  for(wanted: SourceRepository): ChartSource | undefined {
    const byKind = {
      git: undefined,
      chart: this.#charts,
      'registry-chart': this.#registryCharts,
      artifact: this.#artifacts,
    };
    return byKind[sourceKind(wanted)];
  }

  /** The charts of a repository with an index. */
  list(ctx: Ctx, wanted: SourceRepository, age: RefAge): Promise<readonly ChartVersions[]> {
    return this.#charts.list(ctx, wanted, age);
  }

  /** The tags of a repository in a registry, in the registry's order. */
  tags(ctx: Ctx, wanted: SourceRepository, age: RefAge): Promise<readonly string[]> {
    return this.#registry.tags(ctx, registryRepository(wanted), age);
  }

  /** Whether we are accepted now. Throws why not. A registry of charts has no list that could be read. */
  async probe(ctx: Ctx, wanted: SourceRepository, kind: 'index' | 'registry' | 'artifact'): Promise<void> {
    if (kind === 'index') await this.#charts.probe(ctx, wanted);
    else if (kind === 'artifact') await this.tags(ctx, wanted, { fresh: true });
    else await this.#registry.registry.ping(ctx, registryRepository({ ...wanted, chart: 'probe' }));
  }

  /** The archive of a chart at a version or the newest within a range. */
  async chartArchive(ctx: Ctx, wanted: SourceRepository, revision: string): Promise<ChartArchive> {
    const charts = sourceKind(wanted) === 'chart' ? this.#charts : this.#registryCharts;
    const { commit } = await charts.resolve(ctx, wanted, revision, {});
    const packed: PackedChart = await charts.packed(ctx, wanted, commit, false);
    const content = await this.#deps.blobs.open(packed.digest);
    if (!content)
      throw new FairleadError('Unavailable', `chart ${wanted.chart} was evicted from the cache: try again`);
    const chunks: Uint8Array[] = [];
    for await (const chunk of content) chunks.push(chunk);
    return { version: packed.version, bytes: Buffer.concat(chunks) };
  }

  /** Reads `Chart.yaml`. Throws InvalidSpec when it cannot be read. */
  async describeChart(ctx: Ctx, wanted: SourceRepository, version: string): Promise<ChartDetails> {
    const tree = await this.for(wanted)?.open(ctx, wanted, version, { links: 'any' });
    const chart = parse((await tree?.text('Chart.yaml')) ?? '', { name: 'Chart.yaml' });
    const fields = isObject(chart) ? chart : {};
    const people = Array.isArray(fields.maintainers) ? fields.maintainers.filter(isObject) : [];
    return {
      name: textOf(fields.name),
      version: textOf(fields.version),
      description: textOf(fields.description),
      home: textOf(fields.home),
      maintainers: people.map(({ name, email }) =>
        [textOf(name), textOf(email) && `<${textOf(email)}>`].filter(Boolean).join(' '),
      ),
    };
  }

  async describeArtifact(ctx: Ctx, wanted: SourceRepository, digest: string): Promise<ArtifactDetails> {
    const annotations = await this.#artifacts.annotations(ctx, wanted, digest);
    const about = (name: string): string => annotations[`org.opencontainers.image.${name}`] ?? '';
    return {
      createdAt: about('created'),
      authors: about('authors'),
      docsUrl: about('documentation'),
      sourceUrl: about('source'),
      version: about('version'),
      description: about('description'),
    };
  }

  /** A file of a URL, fetched without credentials (sources PATH-3). */
  async file(ctx: Ctx, url: string, age: RefAge): Promise<Uint8Array> {
    const at = hostAccessAt(url, { url });
    return this.#files.get(ctx, at.identity, age, async (shared) => {
      const answer = await visit(shared, this.#deps.outside(), {
        url: at.url,
        authorization: at.basic,
        most: this.#deps.limits.valuesBytes,
        ms: this.#deps.limits.requestMs,
      });
      if (answer.status >= 200 && answer.status < 300) return bodyOf(answer); // sources KL-6
      answer.close();
      throw refusal(answer.status, `file ${at.shown}`);
    });
  }

  /** Keeps the files on disk within their limits. */
  async sweep(ctx: Ctx): Promise<void> {
    const { archivesBytes: bytes, archiveIdleMs: idleMs } = this.#deps.limits;
    await this.#deps.archives.sweep();
    await this.#deps.blobs.sweep(ctx, { bytes, idleMs });
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
