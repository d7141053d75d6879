import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { Lru } from '#base/std';
import { type Labels, OwnedSeries } from './owned-series.ts';
import type { MetricsPage } from './page.ts';

/** The metrics of requests to repositories; `repo` contains no user-info. */
export type SourceMetrics = {
  /** A request begins; the returned function is called when it ends. */
  request(repo: string, type: string): () => void;
  failed(repo: string, type: string, revision: string): void;
  /** A caller waits for a fetch; the returned function is called when it no longer does. */
  waiting(repo: string): () => void;
  /** A render waited this long for the concurrency limit. */
  waited(ms: number): void;
};

/**
 * Repositories reported at the same time. Those in use are queried every few minutes, so the least recently used was
 * removed.
 */
const mostRepositories = 5_000;
/** Revisions of one repository that failures are reported by; those beyond are reported together. */
const mostRevisions = 20;

/** compat server §7.2: of Argo CD's repo-server */
const buckets = [0.1, 0.25, 0.5, 1, 2, 4, 10, 20];

type Failure = readonly [name: string, help: string, by: 'revision' | 'repo'];

/** compat server §7.2: the failures of each kind of request, and their labels. */
const failures: Readonly<Record<string, Failure>> = {
  'ls-remote': ['argocd_git_lsremote_fail_total', 'Revisions that a Git host did not resolve.', 'revision'],
  fetch: ['argocd_git_fetch_fail_total', 'Commits that could not be fetched.', 'revision'],
  'resolve-revision': [
    'argocd_oci_resolve_revision_fail_total',
    'Tags that a registry did not resolve.',
    'revision',
  ],
  'digest-metadata': [
    'argocd_oci_digest_metadata_fail_total',
    'Manifests that a registry did not give.',
    'revision',
  ],
  extract: ['argocd_oci_extract_fail_total', 'Contents that a registry did not give.', 'revision'],
  'get-tags': ['argocd_oci_get_tags_fail_total', 'Lists of tags that a registry did not give.', 'repo'],
};

/** compat server §7.2: the metrics of a repo-server. */
export function createSourceMetrics({ registry }: MetricsPage): SourceMetrics {
  const git = new Requests(registry, 'argocd_git_request', 'Git hosts');
  const oci = new Requests(registry, 'argocd_oci_request', 'registries');
  const failed = new Map(
    Object.entries(failures).map(([type, failure]) => [type, new Failed(registry, failure)]),
  );
  const waiting = new Waiting(registry);
  const turns = new Histogram({
    name: 'argocd_repo_parallelism_wait_duration_seconds',
    help: 'How long renders with a program waited for others to end, in seconds.',
    buckets: [...buckets, 60, 120],
    registers: [registry],
  });
  const families = [git, oci, waiting, ...failed.values()];
  const repositories = new Lru<true>({
    capacity: mostRepositories,
    onEvict: (repo) => {
      for (const family of families) family.forget(repo);
    },
  });
  const seen = (repo: string): void => {
    if (!repositories.get(repo)) repositories.set(repo, true);
  };
  return {
    request: (repo, type) => {
      seen(repo);
      return (type === 'fetch' || type === 'ls-remote' ? git : oci).begin(repo, type);
    },
    failed: (repo, type, revision) => {
      seen(repo);
      failed.get(type)?.inc(repo, revision);
    },
    waiting: (repo) => {
      seen(repo);
      return waiting.begin(repo);
    },
    waited: (ms) => turns.observe(ms / 1000),
  };
}

/** Their number, and how long they took. */
class Requests {
  readonly #total: Counter;
  readonly #duration: Histogram;
  readonly #series: OwnedSeries;

  constructor(registry: Registry, name: string, whom: string) {
    const more = { labelNames: ['repo', 'request_type'], registers: [registry] };
    this.#total = new Counter({ name: `${name}_total`, help: `Requests to ${whom}.`, ...more });
    const help = `How long requests to ${whom} took, in seconds.`;
    this.#duration = new Histogram({ name: `${name}_duration_seconds`, help, buckets, ...more });
    const remove = (labels: Labels) => {
      this.#total.remove(labels);
      this.#duration.remove(labels);
    };
    this.#series = new OwnedSeries({ remove }, { open: ['request_type'], most: 10 });
  }

  begin(repo: string, type: string): () => void {
    const began = performance.now();
    this.#total.inc(this.#series.of(repo, { repo, request_type: type }));
    return () => {
      const labels = this.#series.of(repo, { repo, request_type: type });
      this.#duration.observe(labels, (performance.now() - began) / 1000);
    };
  }

  forget(repo: string): void {
    this.#series.forget(repo);
  }
}

class Failed {
  readonly #counter: Counter;
  readonly #series: OwnedSeries;
  readonly #isByRevision: boolean;

  constructor(registry: Registry, [name, help, by]: Failure) {
    this.#isByRevision = by === 'revision';
    const labelNames = ['repo', ...(this.#isByRevision ? ['revision'] : [])];
    this.#counter = new Counter({ name, help, labelNames, registers: [registry] });
    this.#series = new OwnedSeries(this.#counter, { open: ['revision'], most: mostRevisions });
  }

  inc(repo: string, revision: string): void {
    this.#counter.inc(this.#series.of(repo, this.#isByRevision ? { repo, revision } : { repo }));
  }

  forget(repo: string): void {
    this.#series.forget(repo);
  }
}

class Waiting {
  readonly #gauge: Gauge;
  readonly #counts = new Map<string, number>();

  constructor(registry: Registry) {
    this.#gauge = new Gauge({
      name: 'argocd_repo_pending_request_total',
      help: 'Requests that wait for something to be fetched from a repository.',
      labelNames: ['repo'],
      registers: [registry],
    });
  }

  begin(repo: string): () => void {
    this.#set(repo, (this.#counts.get(repo) ?? 0) + 1);
    return () => {
      const count = this.#counts.get(repo);
      if (count !== undefined) this.#set(repo, count - 1); // else evicted meanwhile
    };
  }

  forget(repo: string): void {
    this.#counts.delete(repo);
    this.#gauge.remove({ repo });
  }

  #set(repo: string, count: number): void {
    this.#counts.set(repo, count);
    this.#gauge.set({ repo }, count);
  }
}
