import { escapingLink, type FileTree } from '#base/model';
import { atOnce, type Ctx, FairleadError, SingleFlight } from '#base/std';
import type { Archives } from '../archive/archives.ts';
import type { Blobs, Digest } from '../archive/blobs.ts';
import { type ArchiveLimits, type ArchiveRules, lower } from '../archive/limits.ts';
import { newestWithin, versionNamed } from '../choose-version.ts';
import type { RefAge } from '../git/remote-refs.ts';
import { retried } from '../git/retry.ts';
import { parseVersion } from '../semver.ts';
import { type HostAccess, hostAccessAt, type SourceRepository } from '../source-repository.ts';
import type { Outside } from '../web/request.ts';
import { refusal, visit } from '../web/visit.ts';
import type { IndexEntry } from './index-entry.ts';
import { Indexes } from './indexes.ts';

export type ChartSourceDeps = {
  readonly blobs: Blobs;
  readonly archives: Archives;
  readonly outside: () => Outside;
  readonly limits: ArchiveLimits & { readonly attempts: number };
  readonly rules: () => ArchiveRules;
};

/** A resolved revision: a version or a digest, the reason for the choice, and warnings for the user. */
export type ResolvedChart = {
  readonly commit: string;
  readonly why?: string;
  readonly warnings: readonly string[];
};

export type ChartSourceOptions = { readonly links?: 'inside' | 'any'; readonly fresh?: boolean };

/** A provider of sources that are no Git repositories. All three kinds have this interface. */
export type ChartSource = {
  resolve(ctx: Ctx, wanted: SourceRepository, revision: string, age: RefAge): Promise<ResolvedChart>;
  open(ctx: Ctx, wanted: SourceRepository, revision: string, options: ChartSourceOptions): Promise<FileTree>;
};

/** A chart of a repository with an index, and its versions in the order of the index. */
export type ChartVersions = { readonly name: string; readonly versions: readonly string[] };

/** A packed chart: the digest of its archive, and the version in it. */
export type PackedChart = { readonly digest: Digest; readonly version: string };

/** compat sources HRP-4: the folder of a chart whose name has slashes is its last part. */
const chartFolder = (chart: string): string => chart.split('/').at(-1) ?? chart;

/** Charts of repositories that have an index (sources 1.7). */
export class Charts implements ChartSource {
  readonly #deps: ChartSourceDeps;
  readonly #indexes: Indexes;
  readonly #packs: PackedCharts;

  constructor(deps: ChartSourceDeps) {
    this.#deps = deps;
    this.#packs = new PackedCharts(deps);
    this.#indexes = new Indexes(deps);
  }

  /** compat sources HRP-2: an exact version is used without reading the index. */
  async resolve(ctx: Ctx, wanted: SourceRepository, revision: string, age: RefAge): Promise<ResolvedChart> {
    const { chart, at } = placeOf(wanted);
    if (isExact(revision)) return { commit: revision, warnings: [] };
    const entries = await this.#indexes.entries(ctx, at, chart, age);
    if (entries.length === 0) throw absent(chart, at);
    const choice = newestWithin(
      entries.map(({ version }) => version),
      revision,
    );
    if (!choice) throw noneWithin(chart, revision, at.shown);
    return { commit: choice.version, why: choice.why, warnings: [] };
  }

  /** The charts of the index with their versions, in its order. */
  async list(ctx: Ctx, wanted: SourceRepository, age: RefAge): Promise<readonly ChartVersions[]> {
    const at = hostAccessAt(wanted.url, wanted);
    const names = await this.#indexes.names(ctx, at, age);
    return atOnce(8, names, async (name) => {
      const entries = await this.#indexes.entries(ctx, at, name, {});
      return { name, versions: entries.map(({ version }) => version) };
    });
  }

  /** Fetches the index again. Throws why it cannot be read. */
  async probe(ctx: Ctx, wanted: SourceRepository): Promise<void> {
    await this.#indexes.names(ctx, hostAccessAt(wanted.url, wanted), { fresh: true });
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

  /** The archive of a chart, downloaded unless it is cached. */
  async packed(ctx: Ctx, wanted: SourceRepository, version: string, fresh: boolean): Promise<PackedChart> {
    const { chart, at } = placeOf(wanted);
    const name = `chart ${at.identity} ${Boolean(wanted.passCredentials)} ${chart} ${version}`;
    return this.#packs.get(ctx, name, fresh, async (shared) => {
      const entry = await this.#entry(shared, at, chart, { version, fresh });
      return { digest: await this.#download(shared, wanted, at, entry), version: entry.version };
    });
  }

  /** The index entry of a version; the index is fetched again when the cached one does not have it. */
  async #entry(
    ctx: Ctx,
    at: HostAccess,
    chart: string,
    { version, fresh }: { readonly version: string; readonly fresh: boolean },
  ): Promise<IndexEntry> {
    let entries: readonly IndexEntry[] = [];
    for (const age of fresh ? [{ fresh }] : [{}, { fresh: true }]) {
      entries = await this.#indexes.entries(ctx, at, chart, age);
      const found = versionNamed(
        entries.map((entry) => entry.version),
        version,
      );
      const entry = entries.find((one) => one.version === found);
      if (entry) return entry;
    }
    throw entries.length === 0 ? absent(chart, at) : noneWithin(chart, version, at.shown);
  }

  async #download(ctx: Ctx, wanted: SourceRepository, at: HostAccess, entry: IndexEntry): Promise<Digest> {
    const what = `chart ${wanted.chart} ${entry.version} of ${at.shown}`;
    const url = archiveUrl(at.url, entry.urls[0], what);
    // compat sources HRP-3: credentials are for the repository, and for other hosts only where the source allows it
    const isHome = url.origin === at.url.origin || Boolean(wanted.passCredentials);
    const { certificate: _certificate, ...others } = at.terms;
    return retried(ctx, this.#deps.limits.attempts, async () => {
      const answer = await visit(ctx, this.#deps.outside(), {
        url,
        authorization: isHome ? (at.bearer ?? at.basic) : undefined,
        terms: isHome ? at.terms : others,
        most: this.#deps.limits.archiveBytes,
        ms: this.#deps.limits.downloadMs,
      });
      if (answer.status !== 200) {
        answer.close();
        throw refusal(answer.status, what);
      }
      return this.#deps.blobs.put(ctx, answer.body, entry.digest).catch((error: unknown) => {
        throw named(error, what);
      });
    });
  }
}

function placeOf(wanted: SourceRepository): { chart: string; at: HostAccess } {
  return { chart: wanted.chart ?? '', at: hostAccessAt(wanted.url, wanted) };
}

/** compat sources SRC-4, HRP-2. */
export function isExact(revision: string): boolean {
  if (revision !== '') return parseVersion(revision) !== undefined;
  throw new FairleadError(
    'InvalidSpec',
    'spec.source.targetRevision is required if the manifest source is a helm chart',
  );
}

/** compat sources HRP-2. */
const absent = (chart: string, { shown }: HostAccess): FairleadError =>
  new FairleadError('NotFound', `chart '${chart}' not found in index of ${shown}: check chart and repoURL`);

export const noneWithin = (chart: string, revision: string, shown: string): FairleadError =>
  new FairleadError(
    'NotFound',
    `chart ${chart} has no version ${revision} in ${shown}: check targetRevision against the versions there`,
  );

/** Error messages about a blob begin with `its`; replaces that with its name. */
export function named(error: unknown, what: string): unknown {
  if (!(error instanceof FairleadError) || error.code !== 'PolicyFailed') return error;
  return new FairleadError(error.code, `${what} is not what it should be: ${error.message}`, error);
}

/** Archives of charts by name: each is downloaded once for all callers, and cached as long as it is valid. */
export class PackedCharts {
  readonly #deps: Pick<ChartSourceDeps, 'blobs' | 'limits'>;
  readonly #flights = new SingleFlight<PackedChart>();

  constructor(deps: Pick<ChartSourceDeps, 'blobs' | 'limits'>) {
    this.#deps = deps;
  }

  async get(
    ctx: Ctx,
    name: string,
    fresh: boolean,
    bring: (shared: Ctx) => Promise<PackedChart>,
  ): Promise<PackedChart> {
    if (fresh) await this.#flights.settled(ctx, name);
    else {
      const known = await this.#known(ctx, name);
      if (known) return known;
    }
    return this.#flights.run(ctx, name, async (shared) => {
      const packed = await bring(shared);
      await this.#deps.blobs.setNote(shared, name, packed);
      return packed;
    });
  }

  /** The cached archive of this name, if it is still valid and on disk. */
  async #known(ctx: Ctx, name: string): Promise<PackedChart | undefined> {
    const { blobs, limits } = this.#deps;
    const note = (await blobs.note(ctx, name, limits.chartAgeMs)) as PackedChart | undefined;
    return note && (await blobs.has(note.digest)) ? note : undefined;
  }
}

/** The files of a packed chart, without its top folder. */
export async function chartTree(
  ctx: Ctx,
  { archives, limits, rules }: Pick<ChartSourceDeps, 'archives' | 'limits' | 'rules'>,
  {
    chart,
    digest,
    version,
    links,
  }: PackedChart & { readonly chart: string; readonly links: 'inside' | 'any' },
): Promise<FileTree> {
  const what = `chart ${chart} ${version}`;
  const { chartBytes, chartFileBytes: fileBytes, archiveEntries: entries } = limits;
  const bytes = lower(chartBytes, rules().chartBytes);
  const opening = { what, root: chartFolder(chart), limits: { bytes, fileBytes, entries } };
  const tree = await archives.tree(ctx, digest, opening);
  if (!tree)
    throw new FairleadError(
      'Unavailable',
      `${what} was evicted from the cache before it was read: try again`,
    );
  if (links === 'inside') refuseEscape(tree, 'chart');
  return tree;
}

/** compat sources VFT-5. */
export function refuseEscape(tree: FileTree, what: 'chart' | 'oci image'): void {
  const link = escapingLink(tree);
  if (link === undefined) return;
  throw new FairleadError('InvalidSpec', `${what} contains out-of-bounds symlinks. file: ${link}`);
}

/** compat sources HRP-3: relative to the repository, whose query is then added. */
function archiveUrl(base: URL, text: string | undefined, what: string): URL {
  const folder = new URL(base);
  folder.pathname = `${folder.pathname.replace(/\/+$/, '')}/`;
  const url = text === undefined ? undefined : resolved(text, folder);
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new FairleadError(
      'InvalidSpec',
      `the index lists ${what} without a URL over http or https: correct the index`,
    );
  }
  if (!/^[a-z][a-z0-9+.-]*:/i.test(text ?? '') && url.search === '') url.search = base.search;
  url.username = '';
  url.password = '';
  return url;
}

function resolved(text: string, base: URL): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
