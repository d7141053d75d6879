import { isObject } from '#kubernetes/schema';
import { type Core, peek } from '../core.ts';
import { flag } from '../path.ts';
import type { ServedRequest, ServedResponse } from '../request.ts';
import { badRequest, notFound } from '../status.ts';

/** Supplies the lines of a container's log; each string may contain any number of them. */
export type PodLogs = (request: {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly follow: boolean;
  readonly previous: boolean;
  readonly timestamps: boolean;
  readonly tailLines: number | undefined;
  readonly sinceSeconds: number | undefined;
  readonly signal: AbortSignal;
}) => AsyncIterable<string>;

type Where = { readonly namespace: string; readonly name: string };

/** `kubectl logs`: plain text, streamed as it arrives. */
export function podLog(
  { core, podLogs }: { readonly core: Core; readonly podLogs: PodLogs | undefined },
  { namespace, name }: Where,
  query: URLSearchParams,
  { signal }: ServedRequest,
): ServedResponse {
  const pod = peek(core, '/pods', namespace, name);
  if (!pod) throw notFound({ group: '', plural: 'pods', kind: 'Pod' }, name);
  const container = containerOf(pod.spec, name, query.get('container') ?? '');
  const whole = (key: string) => (query.has(key) ? Number(query.get(key)) : undefined);
  const request = {
    namespace,
    pod: name,
    container,
    follow: flag(query, 'follow'),
    previous: flag(query, 'previous'),
    timestamps: flag(query, 'timestamps'),
    tailLines: whole('tailLines'),
    sinceSeconds: whole('sinceSeconds'),
    signal,
  };
  const headers = { 'content-type': 'text/plain' };
  if (!podLogs) return { status: 200, headers, body: '' };
  const limit = whole('limitBytes');
  return {
    status: 200,
    headers,
    body: limit === undefined ? podLogs(request) : upTo(limit, podLogs(request)),
  };
}

/** The first bytes of a log; reading stops there, however long the log continues. */
async function* upTo(limit: number, log: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  let left = limit;
  for await (const text of log) {
    const bytes = Buffer.from(text).subarray(0, left);
    left -= bytes.length;
    yield bytes;
    if (left <= 0) return;
  }
}

function containerOf(spec: unknown, pod: string, wanted: string): string {
  const fields = isObject(spec) ? spec : {};
  const names = ['containers', 'initContainers', 'ephemeralContainers']
    .flatMap((field) => (Array.isArray(fields[field]) ? (fields[field] as { name?: string }[]) : []))
    .map((container) => container.name ?? '');
  const main = Array.isArray(fields.containers) ? fields.containers.length : 0;
  if (wanted !== '') {
    if (names.includes(wanted)) return wanted;
    throw badRequest(`container ${wanted} is not valid for pod ${pod}`);
  }
  if (main === 1) return names[0] ?? '';
  throw badRequest(
    `a container name must be specified for pod ${pod}, choose one of: [${names.slice(0, main).join(' ')}]`,
  );
}
