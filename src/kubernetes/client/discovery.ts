import { type Ctx, FairleadError, parseJson, SingleFlight } from '#base/std';
import {
  type AggregatedView,
  type ApiResource,
  apiVersionOf,
  type ResourceListView,
  readAggregated,
  readResourceList,
  type ServedVersion,
} from './discovery-document.ts';
import { KubeError } from './errors.ts';
import type { Http } from './http.ts';

/** Names a kind as a manifest does. */
export type KindRef = { readonly apiVersion: string; readonly kind: string };

/** All that a cluster serves, at one moment. */
export type Catalog = {
  readonly resources: readonly ApiResource[];
  /** Group versions whose API server was unreachable: their resources are unknown, not none. */
  readonly stale: ReadonlySet<string>;
};

type Known = Catalog & {
  readonly epoch: number;
  readonly loadedAt: number;
  readonly byKind: ReadonlyMap<string, ApiResource>;
};

const aggregated = ['v2', 'v2beta1'].map(
  (v) => `application/json;g=apidiscovery.k8s.io;v=${v};as=APIGroupDiscoveryList`,
);
const accept = [...aggregated, 'application/json'].join(',');

/**
 * Discovery is refreshed after this time even without a sign of change; an unchanged response costs two small
 * requests.
 */
const maxAgeMs = 10 * 60_000;
/** Group versions requested concurrently, on servers without aggregated discovery. */
const width = 10;

/**
 * The kinds that the cluster serves and their paths. Read once, then cached; read again when a kind is
 * missing, after `invalidate`, and when old. Concurrent callers share one request.
 */
export class Discovery {
  readonly #http: Http;
  readonly #flight = new SingleFlight<Known>();
  readonly #documents = new Map<string, { etag: string; served: readonly ServedVersion[] }>();
  #known: Known | undefined;
  /** Counts the invalidations; reads that began before the last one are stale. */
  #epoch = 0;

  constructor(http: Http) {
    this.#http = http;
  }

  /** Invalidates the cache: a definition was created, changed or deleted. */
  invalidate(): void {
    this.#epoch += 1;
  }

  async catalog(ctx: Ctx): Promise<Catalog> {
    return this.#atLeast(ctx, this.#epoch);
  }

  /** Throws KubeError `NoMatch` when the cluster does not serve this kind, after reading discovery again. */
  async resource(ctx: Ctx, { apiVersion, kind }: KindRef): Promise<ApiResource> {
    const key = keyFor(apiVersion, kind);
    const found = (await this.#atLeast(ctx, this.#epoch)).byKind.get(key);
    if (found) return found;
    this.invalidate();
    const fresh = await this.#atLeast(ctx, this.#epoch);
    const late = fresh.byKind.get(key);
    if (late) return late;
    if (fresh.stale.has(apiVersion)) throw unanswered(apiVersion);
    throw noMatch(apiVersion, kind);
  }

  /**
   * A read that began before the epoch may have missed the caller's change, so this awaits it and does not
   * use it.
   */
  async #atLeast(ctx: Ctx, epoch: number): Promise<Known> {
    const now = ctx.clock.now().getTime();
    let known = this.#known;
    if (known && now - known.loadedAt > maxAgeMs) known = undefined;
    while (!known || known.epoch < epoch) {
      known = await this.#flight.run(ctx, 'catalog', (inner) => this.#load(inner));
    }
    return known;
  }

  async #load(ctx: Ctx): Promise<Known> {
    const epoch = this.#epoch;
    const loadedAt = ctx.clock.now().getTime();
    const served = (await Promise.all([this.#read(ctx, '/api'), this.#read(ctx, '/apis')])).flat();
    this.#known = { ...catalogOf(served), epoch, loadedAt };
    return this.#known;
  }

  async #read(ctx: Ctx, path: string): Promise<readonly ServedVersion[]> {
    const before = this.#documents.get(path);
    const headers = before && { 'if-none-match': before.etag };
    const answer = await this.#http.text(ctx, { method: 'GET', path, accept, ...(headers && { headers }) });
    if (answer.status === 304 && before) return before.served;
    const document = parseJson(answer.text) as AggregatedView & LegacyView;
    if (document.kind !== 'APIGroupDiscoveryList') return this.#readEach(ctx, path, document);
    const served = readAggregated(document);
    if (answer.headers.etag) this.#documents.set(path, { etag: answer.headers.etag, served });
    return served;
  }

  /** Servers before 1.26 list only the group versions; each is then requested separately. */
  async #readEach(ctx: Ctx, path: string, document: LegacyView): Promise<ServedVersion[]> {
    const versions = legacyVersions(document);
    const served: ServedVersion[] = [];
    for (let from = 0; from < versions.length; from += width) {
      const some = versions.slice(from, from + width);
      served.push(...(await Promise.all(some.map((one) => this.#readOne(ctx, path, one)))));
    }
    return served;
  }

  async #readOne(ctx: Ctx, path: string, { group, version }: GroupVersion): Promise<ServedVersion> {
    try {
      const at = `${path}/${apiVersionOf(group, version)}`;
      const document = await this.#http.json(ctx, { method: 'GET', path: at });
      return readResourceList(group, version, document as ResourceListView);
    } catch (error) {
      // one broken extension server must not blind us to the rest
      if (ctx.signal.aborted || FairleadError.from(error).code === 'Auth') throw error;
      ctx.log.warn('discovery failed', { group, version, error });
      return { group, version, resources: [], stale: true };
    }
  }
}

type GroupVersion = { readonly group: string; readonly version: string };
type LegacyView = {
  readonly versions?: readonly string[];
  readonly groups?: readonly {
    readonly name?: string;
    readonly versions?: readonly { readonly version?: string }[];
    readonly preferredVersion?: { readonly version?: string };
  }[];
};

function legacyVersions({ versions = [], groups = [] }: LegacyView): GroupVersion[] {
  return [
    ...versions.map((version) => ({ group: '', version })),
    ...groups.flatMap(({ name: group = '', versions: all = [], preferredVersion }) => {
      const first = preferredVersion?.version;
      const others = all.flatMap(({ version }) => (version && version !== first ? [version] : []));
      return [...(first ? [first] : []), ...others].map((version) => ({ group, version }));
    }),
  ];
}

/** The first version of its group that serves a kind is the preferred one of that kind. */
function catalogOf(served: readonly ServedVersion[]): Catalog & Pick<Known, 'byKind'> {
  const resources: ApiResource[] = [];
  const byKind = new Map<string, ApiResource>();
  const seen = new Set<string>();
  for (const version of served) {
    for (const entry of version.resources) {
      const groupKind = `${entry.group}/${entry.kind}`;
      const resource: ApiResource = { ...entry, preferred: !seen.has(groupKind) };
      seen.add(groupKind);
      resources.push(resource);
      const key = keyFor(resource.apiVersion, resource.kind);
      if (!byKind.has(key)) byKind.set(key, resource);
    }
  }
  const stale = served.filter((version) => version.stale);
  return {
    resources,
    byKind,
    stale: new Set(stale.map(({ group, version }) => apiVersionOf(group, version))),
  };
}

const keyFor = (apiVersion: string, kind: string): string => `${apiVersion} ${kind}`;

function noMatch(apiVersion: string, kind: string): KubeError {
  const message = `the cluster does not serve ${kind} in ${apiVersion}: install its CustomResourceDefinition, or correct the apiVersion`;
  return new KubeError({ code: 404, reason: 'NoMatch', message });
}

function unanswered(apiVersion: string): KubeError {
  const message = `the server behind ${apiVersion} does not answer, so its kinds are unknown`;
  return new KubeError({ code: 503, reason: 'ServiceUnavailable', message });
}
