import { Counter, Gauge, Histogram } from 'prom-client';
import { Lru } from '#base/std';
import type { SetName } from './application-sets.ts';
import { type Labels, OwnedSeries } from './owned-series.ts';
import type { MetricsPage } from './page.ts';

/** One request to GitHub's API. */
type GithubReading = {
  readonly method: string;
  readonly path: string;
  /** Undefined: there was no response. */
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly ms: number;
  /** When the response arrived, in milliseconds since 1970. */
  readonly at: number;
};

/** The metrics of requests that the generators of ApplicationSets send to GitHub. */
export type GithubMetrics = {
  requested(set: SetName, reading: GithubReading): void;
  /** The set was deleted: removes its series. */
  gone(set: SetName): void;
};

/** Sets reported at the same time: also sets that are only previewed send requests. */
const mostSets = 1_000;
/** Endpoints of one set; those beyond are reported together. */
const mostEndpoints = 100;

/** compat server §7.2: the gauge, the header it is read from, and its value. */
const limits: readonly [name: string, help: string, header: string, since?: true][] = [
  ['remaining', 'Requests that GitHub still accepts before its limit is reset.', 'x-ratelimit-remaining'],
  ['limit', 'Requests that GitHub accepts in an hour.', 'x-ratelimit-limit'],
  ['reset_seconds', 'Seconds until GitHub resets its limit.', 'x-ratelimit-reset', true],
  ['used', 'Requests that count against the limit of GitHub.', 'x-ratelimit-used'],
];

const ofSet = ['appset_namespace', 'appset_name'] as const;

/** compat server §7.2 */
export function createGithubMetrics({ registry }: MetricsPage): GithubMetrics {
  const registers = [registry];
  const total = new Counter({
    name: 'argocd_github_api_requests_total',
    help: 'Requests to the API of GitHub.',
    labelNames: ['method', 'endpoint', 'status', ...ofSet],
    registers,
  });
  const duration = new Histogram({
    name: 'argocd_github_api_request_duration_seconds',
    help: 'How long requests to the API of GitHub took, in seconds.',
    labelNames: ['method', 'endpoint', ...ofSet],
    registers,
  });
  const gauges = limits.map(([name, help, header, since]) => {
    const labelNames = ['endpoint', ...ofSet, 'resource'];
    const gauge = new Gauge({ name: `argocd_github_api_rate_limit_${name}`, help, labelNames, registers });
    return { gauge, series: seriesOf(gauge, 'endpoint', 'resource'), header, since };
  });
  const [totals, durations] = [seriesOf(total, 'endpoint'), seriesOf(duration, 'endpoint')];
  const forget = (key: string): void => {
    for (const series of [totals, durations, ...gauges.map((one) => one.series)]) series.forget(key);
  };
  const sets = new Lru<true>({ capacity: mostSets, onEvict: forget });
  return {
    requested: (set, { method, path: endpoint, status, headers, ms, at }) => {
      const key = keyOf(set);
      if (!sets.get(key)) sets.set(key, true);
      const owner = { appset_namespace: set.namespace, appset_name: set.name };
      total.inc(totals.of(key, { method, endpoint, status: String(status ?? 0), ...owner }));
      duration.observe(durations.of(key, { method, endpoint, ...owner }), ms / 1000);
      const resource = textOf(headers['x-ratelimit-resource']);
      for (const { gauge, series, header, since } of gauges) {
        const text = textOf(headers[header]);
        if (!/^\d{1,15}$/.test(text)) continue;
        const value = since ? Number(text) - Math.floor(at / 1000) : Number(text);
        gauge.set(series.of(key, { endpoint, ...owner, resource }), value);
      }
    },
    gone: (set) => {
      sets.delete(keyOf(set));
      forget(keyOf(set));
    },
  };
}

const seriesOf = (family: { remove(labels: Labels): void }, ...open: readonly string[]): OwnedSeries =>
  new OwnedSeries(family, { open, most: mostEndpoints });

const textOf = (header: string | readonly string[] | undefined): string =>
  typeof header === 'string' ? header : '';

const keyOf = ({ namespace, name }: SetName): string => `${namespace}/${name}`;
