import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An answer of a host: JSON, or text, or nothing for ever. */
export type ScmAnswer = {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly text?: string;
  /** Sends so many bytes that no reader could want them all. */
  readonly endless?: boolean;
  readonly hangs?: boolean;
  /** Answers 304 to a request that has this entity tag already. */
  readonly etag?: string;
};

export type ScmServer = {
  readonly url: string;
  /** One line for each request: method, path and query, and the body of a POST after the target of AWS. */
  readonly requests: string[];
  /** The headers of each request. */
  readonly headers: IncomingMessage['headers'][];
  close(): Promise<void>;
};

/**
 * A Git host's API on loopback, by what it answers to each `METHOD /path?query` (the query in the order of the alphabet).
 * `HOST` in an answer stands for its own URL. A list of answers is given one after the other, the last for ever.
 */
export async function scmServer(
  routes: Readonly<Record<string, ScmAnswer | readonly ScmAnswer[]>>,
): Promise<ScmServer> {
  const requests: string[] = [];
  const headers: IncomingMessage['headers'][] = [];
  const turns = new Map<string, number>();
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on('end', () => {
      const line = lineOf(request, body);
      requests.push(line);
      headers.push(request.headers);
      const answers = [routes[line] ?? { status: 404, body: { message: 'Not Found' } }].flat() as ScmAnswer[];
      const turn = turns.get(line) ?? 0;
      turns.set(line, turn + 1);
      const { port } = server.address() as AddressInfo;
      give(answers[Math.min(turn, answers.length - 1)] ?? {}, request, response, `http://127.0.0.1:${port}`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    headers,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

function lineOf(request: IncomingMessage, body: string): string {
  const url = new URL(request.url ?? '/', 'http://localhost');
  url.searchParams.sort();
  const target = request.headers['x-amz-target'];
  const query = decodeURIComponent(url.search.replaceAll('+', ' '));
  const sent = target === undefined ? body : `${target} ${body}`;
  return `${request.method} ${url.pathname}${query}${sent === '' ? '' : ` ${sent}`}`;
}

function give(answer: ScmAnswer, request: IncomingMessage, response: ServerResponse, url: string): void {
  const { status = 200, headers = {}, body, text, etag } = answer;
  if (answer.hangs) return;
  const own = Object.fromEntries(
    Object.entries(headers).map(([key, value]) => [key, value.replaceAll('HOST', url)]),
  );
  if (etag !== undefined && request.headers['if-none-match'] === etag) {
    response.writeHead(304).end();
    return;
  }
  response.writeHead(status, { ...own, ...(etag !== undefined && { etag }) });
  if (answer.endless) pour(response);
  else response.end(text ?? (body === undefined ? '' : JSON.stringify(body).replaceAll('HOST', url)));
}

function pour(response: ServerResponse): void {
  const chunk = Buffer.alloc(64 * 1024, '1');
  const more = (): void => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on('drain', more);
  more();
}
