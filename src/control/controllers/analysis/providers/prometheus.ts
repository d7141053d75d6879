import { parseDuration } from '#base/model';
import { FairleadError } from '#base/std';
import { compileExpr } from '#lang/expr';
import { judge } from './judge.ts';
import type { MetricRequest, Provider, Subject, Taken } from './provider.ts';
import { headersOf, jsonOf, send } from './send.ts';

const most = 16 * 1024 * 1024;

type Reply = {
  status?: string;
  error?: string;
  warnings?: string[];
  data?: { resultType?: string; result?: unknown };
};

/** compat rollouts RA-14. */
export const prometheus: Provider = {
  async measure(ctx, deps, subject) {
    const { metric } = subject;
    const request = requestOf(subject, deps.prometheusAddress, ctx.clock.now());
    const answer = await send(ctx, deps, request);
    const reply = jsonOf(answer) as Reply;
    if (answer.status !== 200 || reply?.status !== 'success')
      throw new FairleadError(
        'Unavailable',
        `Prometheus answered with status ${answer.status}: ${reply?.error ?? 'no JSON'}`,
      );
    return { ...verdict(reply, metric), ...warningsOf(reply) };
  },
  metadata: ({ metric }) => ({ ResolvedPrometheusQuery: metric.provider?.prometheus?.query ?? '' }),
};

function requestOf({ metric }: Subject, fallback: string | undefined, now: Date): MetricRequest {
  const {
    address = fallback,
    query = '',
    timeout = 30,
    insecure,
    headers,
    authentication,
    rangeQuery,
  } = metric.provider?.prometheus ?? {};
  if (!address) throw invalid('prometheus: address is missing, and no default is configured');
  if (authentication && Object.keys(authentication).length > 0)
    throw invalid(
      `prometheus: authentication by ${Object.keys(authentication).join(', ')} is not supported by this controller`,
    );
  if (timeout < 0) throw invalid('prometheus timeout should not be negative');
  const text = `${address.replace(/\/+$/, '')}/api/v1/${rangeQuery ? 'query_range' : 'query'}`;
  if (!URL.canParse(text)) throw invalid(`prometheus: ${address} is no address`);
  return {
    url: new URL(text),
    method: 'POST',
    headers: { ...headersOf(headers), 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ query, ...(rangeQuery ? rangeOf(rangeQuery, now) : {}) }).toString(),
    terms: { insecure: insecure === true },
    most,
    ms: timeout * 1000,
  };
}

const invalid = (message: string): FairleadError => new FairleadError('InvalidSpec', message);

function rangeOf(
  { start = '', end = '', step = '' }: { start?: string; end?: string; step?: string },
  now: Date,
) {
  const at = (text: string): string =>
    String(compileExpr(`(${text}).Unix()`).run({}, { now: () => now.getTime() }));
  return { start: at(start), end: at(end), step: String(parseDuration(step) / 1000) };
}

/** The numbers of Prometheus: NaN and the infinities have names. */
function numberOf(text: unknown): number {
  if (text === '+Inf') return Number.POSITIVE_INFINITY;
  return text === '-Inf' ? Number.NEGATIVE_INFINITY : Number(text);
}

type Sample = readonly [time: number, value: string];

function verdict({ data }: Reply, metric: Subject['metric']): Taken {
  const { resultType, result } = data ?? {};
  if (resultType === 'scalar') {
    const [, text] = result as Sample;
    return { ...judge(metric, numberOf(text)), value: text };
  }
  const texts = textsOf(resultType, result);
  return { ...judge(metric, texts.map(numberOf)), value: `[${texts.join(',')}]` };
}

function textsOf(resultType: string | undefined, result: unknown): string[] {
  const series = (Array.isArray(result) ? result : []) as { value?: Sample; values?: Sample[] }[];
  if (resultType === 'vector') return series.map(({ value }) => String(value?.[1]));
  if (resultType === 'matrix')
    return series.flatMap(({ values = [] }) => values.map(([, text]) => String(text)));
  throw new FairleadError('Unavailable', `Prometheus metric type not supported: ${resultType ?? 'none'}`);
}

const warningsOf = ({ warnings = [] }: Reply): Pick<Taken, 'metadata'> =>
  warnings.length > 0 ? { metadata: { warnings: warnings.join(', ') } } : {};
