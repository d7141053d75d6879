import { Counter, Histogram, type Registry } from 'prom-client';
import type { KubeRequest, KubeResponse, Transport } from '#kubernetes/client';
import { OwnedSeries } from './owned-series.ts';

/** compat server §7.1: Argo CD's, which are fewer than those of Kubernetes. */
const seconds = [0.005, 0.1, 0.5, 2, 8, 30];
const bytes = [64, 512, 4096, 65_536, 1_048_576, 16_777_216];

/** A cluster's responses have few status codes; those of a proxy that invents codes are reported together. */
const mostPerHost = 100;

/**
 * compat server §7.1: the request metrics of Argo CD's client to clusters.
 * A watch counts when it is accepted; its duration and size are not meaningful.
 */
export class RequestMetrics {
  readonly #requests: CountedRequest<Counter>;
  readonly #retries: CountedRequest<Counter>;
  readonly #duration: CountedRequest<Histogram>;
  readonly #sent: CountedRequest<Histogram>;
  readonly #received: CountedRequest<Histogram>;

  constructor(registry: Registry) {
    const registers = [registry];
    const counter = (name: string, help: string) =>
      reported(new Counter({ name, help, labelNames: ['host', 'method', 'code'], registers }), [
        'method',
        'code',
      ]);
    const histogram = (name: string, help: string, by: 'verb' | 'method') => {
      const buckets = by === 'verb' ? seconds : bytes;
      return reported(new Histogram({ name, help, labelNames: ['host', by], buckets, registers }), [by]);
    };
    this.#requests = counter('argocd_kubectl_requests_total', 'Requests to clusters, by their answer.');
    this.#retries = counter(
      'argocd_kubectl_request_retries_total',
      'Requests that a cluster answered with a delay to retry after.',
    );
    const lasted = 'How long requests to clusters took, in seconds.';
    this.#duration = histogram('argocd_kubectl_request_duration_seconds', lasted, 'verb');
    this.#sent = histogram('argocd_kubectl_request_size_bytes', 'Size of requests to clusters.', 'method');
    this.#received = histogram(
      'argocd_kubectl_response_size_bytes',
      'Size of answers of clusters.',
      'method',
    );
  }

  /** The same transport; its requests are reported as those to `host`. */
  counted(transport: Transport, host: string): Transport {
    const { openStream } = transport;
    const send = async (request: KubeRequest): Promise<KubeResponse> => {
      const began = performance.now();
      const { method, body } = request;
      if (body) this.#sent.family.observe(this.#sent.series.of(host, { host, method }), body.byteLength);
      const response = await transport(request).catch((error: unknown) => {
        this.#inc(this.#requests, { host, method, code: '<error>' });
        throw error;
      });
      const code = String(response.status);
      this.#inc(this.#requests, { host, method, code });
      if (isRetried(response)) this.#inc(this.#retries, { host, method, code });
      const verb = verbOf(request);
      if (verb === 'Watch') return response;
      const end = (size: number): void => {
        const lasted = (performance.now() - began) / 1000;
        this.#duration.family.observe(this.#duration.series.of(host, { host, verb }), lasted);
        this.#received.family.observe(this.#received.series.of(host, { host, method }), size);
      };
      return { ...response, body: sized(response.body, end) };
    };
    return openStream ? Object.assign(send, { openStream }) : send;
  }

  /** The cluster at that host was removed: removes its series. */
  forget(host: string): void {
    for (const { series } of [this.#requests, this.#retries, this.#duration, this.#sent, this.#received])
      series.forget(host);
  }

  #inc(
    { family, series }: CountedRequest<Counter>,
    labels: Record<'host' | 'method' | 'code', string>,
  ): void {
    family.inc(series.of(labels.host, labels));
  }
}

type CountedRequest<Family> = { readonly family: Family; readonly series: OwnedSeries };

const reported = <Family extends Counter | Histogram>(
  family: Family,
  open: readonly string[],
): CountedRequest<Family> => ({
  family,
  series: new OwnedSeries(family, { open, most: mostPerHost }),
});

/** compat server §7.1: we, and Argo CD's client, retry after the same responses. */
const isRetried = ({ status, headers }: KubeResponse): boolean =>
  (status === 429 || status >= 500) &&
  Object.entries(headers).some(([name, value]) => name.toLowerCase() === 'retry-after' && value !== '');

const writes: Readonly<Record<string, string>> = {
  POST: 'Create',
  PUT: 'Update',
  PATCH: 'Patch',
  DELETE: 'Delete',
};

/** compat server §7.1: a read is a list when its path has an odd number of parts after the version. */
function verbOf({ method, path }: Pick<KubeRequest, 'method' | 'path'>): string {
  if (method !== 'GET') return writes[method] ?? 'Unknown';
  const [place = '', query = ''] = path.split('?', 2);
  const [, rest] = /^\/(?:api|apis\/[^/]+)\/v\d\w*\/(.+)$/.exec(place) ?? [];
  if (rest === undefined || Math.min(4, rest.split('/').length) % 2 === 0) return 'Get';
  return /(?:^|&)watch=true(?:&|$)/.test(query) ? 'Watch' : 'List';
}

type Body = KubeResponse['body'];

/** The same body; `end` is called with its size when it has been read. */
function sized(body: Body, end: (size: number) => void): Body {
  if (typeof body === 'string' || body instanceof Uint8Array) {
    end(body.length);
    return body;
  }
  // by hand: a generator that is returned before its first step would not return its source
  return { [Symbol.asyncIterator]: () => new Sized(body[Symbol.asyncIterator](), end) };
}

class Sized implements AsyncIterator<string | Uint8Array> {
  readonly #inner: AsyncIterator<string | Uint8Array>;
  readonly #end: (size: number) => void;
  #size = 0;

  constructor(inner: AsyncIterator<string | Uint8Array>, end: (size: number) => void) {
    this.#inner = inner;
    this.#end = end;
  }

  async next(): Promise<IteratorResult<string | Uint8Array>> {
    const step = await this.#inner.next();
    if (step.done) this.#end(this.#size);
    else this.#size += step.value.length;
    return step;
  }

  async return(): Promise<IteratorResult<string | Uint8Array>> {
    return (await this.#inner.return?.()) ?? { done: true, value: undefined };
  }
}
