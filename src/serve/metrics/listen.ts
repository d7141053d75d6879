import type { ServerResponse } from 'node:http';
import type { Ctx, FairleadError, Task } from '#base/std';
import { listenHttp } from '#platform/http';
import type { MetricsPage } from './page.ts';

export type MetricsAddress = { readonly host: string; readonly port: number };
export type MetricsDeps = Pick<MetricsPage, 'text' | 'contentType'> & {
  /** Why nothing can be written now, for `/healthz` and `/readyz`; undefined when healthy. */
  readonly failure?: () => FairleadError | undefined;
};

/**
 * `/metrics`, `/healthz` and `/readyz`, as on the server's own port. Listens now; serves until the task's ctx stops, or
 * before the task has begun the one given here.
 */
export async function listenMetrics(
  ctx: Ctx,
  deps: MetricsDeps,
  { host, port }: MetricsAddress,
): Promise<{ readonly url: string; readonly run: Task }> {
  const { port: bound, run } = await listenHttp(ctx, {
    host,
    port,
    requestMs: 15_000,
    flags: { host: '--metrics-address', port: '--metrics-port' },
    serve: (inner, { url = '/', method }, response) =>
      answer(inner, deps, { path: url.split('?')[0] ?? '/', method, response }),
  });
  return { url: `http://${host}:${bound}/metrics`, run };
}

type Exchange = {
  readonly path: string;
  readonly method: string | undefined;
  readonly response: ServerResponse;
};

async function answer(ctx: Ctx, deps: MetricsDeps, { path, method, response }: Exchange): Promise<void> {
  const plain = (status: number, text: string) =>
    response.writeHead(status, { 'content-type': 'text/plain' }).end(`${text}\n`);
  if (method !== 'GET' && method !== 'HEAD') plain(405, 'Method Not Allowed');
  else if (path === '/healthz' || path === '/readyz') health(deps.failure?.(), plain);
  else if (path !== '/metrics') plain(404, 'Not Found');
  else {
    try {
      const text = await deps.text();
      response.writeHead(200, { 'content-type': deps.contentType }).end(text);
    } catch (error) {
      ctx.log.error('metrics scrape failed', { error });
      plain(500, 'Internal Server Error');
    }
  }
}

/** The reason is only in the log: health needs no authentication. */
function health(failure: FairleadError | undefined, plain: (status: number, text: string) => void): void {
  if (failure) plain(503, 'the embedded cluster cannot write: see the log of fairlead');
  else plain(200, 'ok');
}
