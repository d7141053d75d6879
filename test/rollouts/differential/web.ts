import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server on loopback that gives metrics the answers that scenarios set. */
export type Web = {
  readonly url: string;
  /** A text is sent as text, anything else as JSON. */
  answer(path: string, body: unknown): void;
  close(): void;
};

export async function startWeb(): Promise<Web> {
  const answers = new Map<string, unknown>();
  const server = createServer((request, response) => {
    const body = answers.get(request.url ?? '');
    const type = typeof body === 'string' ? 'text/plain' : 'application/json';
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': type });
    response.end(typeof body === 'string' ? body : JSON.stringify(body ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, answer: (path, body) => answers.set(path, body), close: () => server.close() };
}
