import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the server answers to one query: a value for a vector of one sample, or a whole body with a status. */
export type PrometheusAnswer = number | string | { readonly status?: number; readonly body: unknown };

/** A server with the query API of Prometheus on loopback. */
export type PrometheusServer = {
  readonly url: string;
  /** The queries that were asked, in order. */
  readonly queries: string[];
  /** Sets the answer to all queries from now on. */
  answer(answer: PrometheusAnswer): void;
  close(): Promise<void>;
};

export async function prometheusServer(first: PrometheusAnswer = 1): Promise<PrometheusServer> {
  let answer = first;
  const queries: string[] = [];
  const server: Server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      queries.push(new URLSearchParams(text).get('query') ?? '');
      const { status = 200, body } = typeof answer === 'object' ? answer : { body: vector(answer) };
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    queries,
    answer: (next) => {
      answer = next;
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

const vector = (...values: (number | string)[]) => ({
  status: 'success',
  data: {
    resultType: 'vector',
    result: values.map((value) => ({ metric: {}, value: [1_700_000_000, String(value)] })),
  },
});
