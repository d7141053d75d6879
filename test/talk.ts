import { parseJson, printJson, virtualClock } from '#base/std';
import { type ClusterOptions, createCluster, type EmbeddedCluster } from '#embedded';
import { memoryStore } from '#platform/store';

type Answer = {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: any;
};

/** A cluster in memory and the words to talk to it with: paths and objects in, answers out. */
export type Talk = {
  readonly cluster: EmbeddedCluster;
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>;
  put(path: string, body: unknown): Promise<Answer>;
  patch(path: string, type: PatchType, body: unknown): Promise<Answer>;
  del(path: string, body?: unknown): Promise<Answer>;
  /** Opens a watch; `next()` waits for the next line. */
  watch(path: string, headers?: Record<string, string>): Promise<Watching>;
};

type PatchType = 'json-patch+json' | 'merge-patch+json' | 'strategic-merge-patch+json' | 'apply-patch+yaml';
type Watching = { next(): Promise<any>; stop(): Promise<void> };

export async function talk(options: Partial<ClusterOptions> = {}): Promise<Talk> {
  const clock = options.clock ?? virtualClock({ start: new Date('2026-01-02T03:04:05Z') });
  const cluster = await createCluster({ store: memoryStore(), seed: 7, ...options, clock });
  return talkTo(cluster);
}

export function talkTo(cluster: EmbeddedCluster): Talk {
  const ask = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const signal = new AbortController().signal;
    const bytes =
      body === undefined
        ? undefined
        : new TextEncoder().encode(typeof body === 'string' ? body : printJson(body));
    const answer = await cluster.handle({
      method,
      path,
      signal,
      headers: { 'user-agent': 'talk/1', ...headers },
      ...(bytes && { body: bytes }),
    });
    return { status: answer.status, headers: answer.headers, body: await read(answer.body) };
  };
  return {
    cluster,
    get: (path, headers) => ask('GET', path, undefined, headers),
    post: (path, body, headers) => ask('POST', path, body, headers),
    put: (path, body) => ask('PUT', path, body),
    patch: (path, type, body) => ask('PATCH', path, body, { 'content-type': `application/${type}` }),
    del: (path, body) => ask('DELETE', path, body),
    async watch(path, headers = {}) {
      const over = new AbortController();
      const answer = await cluster.handle({ method: 'GET', path, headers, signal: over.signal });
      const lines = linesOf(answer.body as AsyncIterable<string>);
      return {
        async next() {
          const { value, done } = await lines.next();
          return done ? undefined : parseJson(value);
        },
        async stop() {
          over.abort();
          await lines.return(undefined);
        },
      };
    },
  };
}

async function read(body: string | Uint8Array | AsyncIterable<string | Uint8Array>): Promise<unknown> {
  let text = '';
  if (typeof body === 'string') text = body;
  else if (body instanceof Uint8Array) text = new TextDecoder().decode(body);
  else
    for await (const chunk of body)
      text += typeof chunk === 'string' ? chunk : new TextDecoder().decode(chunk);
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

async function* linesOf(body: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of body) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}

/** Small objects that tests speak of. */
export const configMap = (name: string, data: Record<string, string> = {}, meta: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...meta },
  data,
});

export const deployment = (name: string, image = 'nginx:1') => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'main', image }] } },
  },
});
