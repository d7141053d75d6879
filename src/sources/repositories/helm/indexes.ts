import { type Ctx, FairleadError, Lru } from '#base/std';
import type { Blobs, Digest } from '../archive/blobs.ts';
import type { ArchiveLimits } from '../archive/limits.ts';
import type { RefAge } from '../git/remote-refs.ts';
import { retried } from '../git/retry.ts';
import { ResponseCache } from '../response-cache.ts';
import type { HostAccess } from '../source-repository.ts';
import type { Outside } from '../web/request.ts';
import { refusal, visit } from '../web/visit.ts';
import { type IndexEntry, readEntries, readNames } from './index-entry.ts';
import { type IndexTable, IndexTableReader } from './index-table.ts';

/** A cached index. It is on disk; only the byte range of each chart is in memory. */
type Seen = {
  readonly digest: Digest;
  readonly table: IndexTable | undefined;
  readonly etag: string | undefined;
};

export type IndexDeps = {
  readonly blobs: Blobs;
  readonly outside: () => Outside;
  readonly limits: ArchiveLimits & { readonly attempts: number };
};

/** The indexes of chart repositories, fetched once for any number of applications. */
export class Indexes {
  readonly #deps: IndexDeps;
  readonly #seen = new ResponseCache<Seen>(500_000, ({ table }) => (table?.size ?? 0) + 10);
  readonly #entries = new Lru<readonly IndexEntry[]>({ capacity: 500_000, weigh: (list) => list.length + 1 });

  constructor(deps: IndexDeps) {
    this.#deps = deps;
  }

  /** The versions of a chart, in the order of the index; empty when the index does not have the chart. */
  async entries(ctx: Ctx, at: HostAccess, chart: string, age: RefAge): Promise<readonly IndexEntry[]> {
    const index = await this.#index(ctx, at, age);
    const name = `${index.digest} ${chart}`;
    const known = this.#entries.get(name) ?? (await this.#read(index, at, chart));
    this.#entries.set(name, known);
    return known;
  }

  /** The names of the charts in an index, in its order. */
  async names(ctx: Ctx, at: HostAccess, age: RefAge): Promise<readonly string[]> {
    const index = await this.#index(ctx, at, age);
    if (index.table) return [...index.table.keys()];
    const most = this.#deps.limits.oddIndexBytes;
    return readNames(await this.#bytes(index, at), { bytes: most, shown: at.shown });
  }

  #index(ctx: Ctx, at: HostAccess, age: RefAge): Promise<Seen> {
    return this.#seen.get(ctx, at.identity, age, (shared, last) =>
      retried(shared, this.#deps.limits.attempts, () => this.#fetch(shared, at, last)),
    );
  }

  async #fetch(ctx: Ctx, at: HostAccess, known: Seen | undefined): Promise<Seen> {
    const { blobs, outside, limits } = this.#deps;
    const answer = await visit(ctx, outside(), {
      url: indexUrl(at.url),
      authorization: at.bearer ?? at.basic,
      headers: known?.etag ? { 'if-none-match': known.etag } : {},
      terms: at.terms,
      most: limits.indexBytes, // dev sources DEV-7: a larger one is an error, where Argo CD reads half of it
      ms: limits.downloadMs,
    });
    if (answer.status === 304 && known && (await blobs.has(known.digest))) {
      answer.close();
      return known;
    }
    if (answer.status !== 200) {
      answer.close();
      throw refusal(answer.status, `the index of chart repository ${at.shown}`);
    }
    const reader = new IndexTableReader();
    const digest = await blobs.put(ctx, read(answer.body, reader));
    const { etag } = answer.headers;
    return { digest, table: reader.table(), etag: typeof etag === 'string' ? etag : undefined };
  }

  async #read(index: Seen, at: HostAccess, chart: string): Promise<IndexEntry[]> {
    const part = index.table?.get(chart);
    if (index.table && !part) return [];
    const most = this.#deps.limits.oddIndexBytes;
    return readEntries(await this.#bytes(index, at, chart), chart, { bytes: most, shown: at.shown });
  }

  /** The part of one chart; all of an index without a table. */
  async #bytes({ digest, table }: Seen, at: HostAccess, chart = ''): Promise<Uint8Array> {
    const part = table?.get(chart);
    const content = await this.#deps.blobs.open(digest, part);
    if (!content) {
      this.#seen.forget(at.identity);
      throw new FairleadError(
        'Unavailable',
        `the index of ${at.shown} was evicted from the cache while it was read: try again`,
      );
    }
    const most = this.#deps.limits.oddIndexBytes;
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of content) {
      bytes += chunk.length;
      if (bytes > most) {
        throw new FairleadError(
          'LimitExceeded',
          `the index of chart repository ${at.shown} has more than ${most} bytes for ${part ? `chart ${chart}` : 'an index helm did not write'}: write it again with helm repo index`,
        );
      }
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  }
}

async function* read(body: AsyncIterable<Uint8Array>, reader: IndexTableReader): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    reader.add(chunk);
    yield chunk;
  }
}

/** compat sources HRP-1: the query of the repository's URL is added. */
function indexUrl(base: URL): URL {
  const url = new URL(base);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/index.yaml`;
  return url;
}
