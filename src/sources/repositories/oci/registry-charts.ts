import type { FileTree } from '#base/model';
import { type Ctx, FairleadError } from '#base/std';
import { newestWithin, versionNamed } from '../choose-version.ts';
import type { RefAge } from '../git/remote-refs.ts';
import {
  type ChartSource,
  type ChartSourceDeps,
  type ChartSourceOptions,
  chartTree,
  isExact,
  noneWithin,
  type PackedChart,
  PackedCharts,
  type ResolvedChart,
} from '../helm/charts.ts';
import type { SourceRepository } from '../source-repository.ts';
import type { CachedRegistry } from './artifacts.ts';
import { type RegistryRepository, registryRepository, tagOf, versionOf } from './registry-repository.ts';

/** Charts in registries (sources HOC-1). A revision is a version, as for a repository with an index. */
export class RegistryCharts implements ChartSource {
  readonly #deps: ChartSourceDeps;
  readonly #registry: CachedRegistry;
  readonly #packs: PackedCharts;

  constructor(deps: ChartSourceDeps, registry: CachedRegistry) {
    this.#deps = deps;
    this.#packs = new PackedCharts(deps);
    this.#registry = registry;
  }

  async resolve(ctx: Ctx, wanted: SourceRepository, revision: string, age: RefAge): Promise<ResolvedChart> {
    const place = registryRepository(wanted);
    const warnings = hints(wanted);
    if (isExact(revision)) return { commit: revision, warnings };
    const tags = await this.#registry.tags(ctx, place, age);
    const choice = newestWithin(tags.map(versionOf), revision);
    if (!choice) throw noneWithin(wanted.chart ?? '', revision, place.shown);
    return { commit: choice.version, why: choice.why, warnings };
  }

  async open(
    ctx: Ctx,
    wanted: SourceRepository,
    version: string,
    { links = 'inside', fresh = false }: ChartSourceOptions,
  ): Promise<FileTree> {
    const packed = await this.packed(ctx, wanted, version, fresh);
    return chartTree(ctx, this.#deps, { chart: wanted.chart ?? '', ...packed, links });
  }

  /** The archive of a chart, pulled unless it is cached. */
  async packed(ctx: Ctx, wanted: SourceRepository, version: string, fresh: boolean): Promise<PackedChart> {
    const place = registryRepository(wanted);
    const name = `registry chart ${place.identity} ${version}`;
    return this.#packs.get(ctx, name, fresh, (shared) => this.#pull(shared, place, { version, fresh }));
  }

  async #pull(
    ctx: Ctx,
    place: RegistryRepository,
    { version, fresh }: { readonly version: string; readonly fresh: boolean },
  ): Promise<PackedChart> {
    const { digest, exact } = await this.#digest(ctx, place, version);
    const manifest = await this.#registry.manifest(ctx, place, digest);
    await this.#registry.bring(ctx, place, manifest, fresh);
    return { digest: manifest.content.digest, version: exact };
  }

  /** The tag with exactly this text, or the newest version that the text allows: `1.2` is any 1.2. */
  async #digest(
    ctx: Ctx,
    place: RegistryRepository,
    version: string,
  ): Promise<{ digest: string; exact: string }> {
    try {
      return {
        digest: await this.#registry.digest(ctx, place, tagOf(version), { fresh: true }),
        exact: version,
      };
    } catch (error) {
      if (!(error instanceof FairleadError) || error.code !== 'NotFound') throw error;
      const tags = await this.#registry.tags(ctx, place, { fresh: true }).catch(() => []);
      const exact = versionNamed(tags.map(versionOf), version);
      if (exact === undefined || exact === version) throw error;
      return { digest: await this.#registry.digest(ctx, place, tagOf(exact), { fresh: true }), exact };
    }
  }
}

/** dev sources DEV-1: where Argo CD would search for an artifact and find none. */
function hints({ url, chart }: SourceRepository): string[] {
  if (!/^oci:\/\//i.test(url.trim())) return [];
  return [
    `the source names a chart and an oci:// URL together; it is taken as chart ${chart} in that registry. Leave oci:// out, or write the chart's name into repoURL and leave chart out, to have Argo CD read it alike`,
  ];
}
