import { type Clock, FairleadError, printJson } from '#base/std';
import { attributesOf } from '../access/request-attributes.ts';
import { fullResource } from '../authorize.ts';
import { fraction } from '../ids.ts';
import { parseUrl } from '../path.ts';
import type { ServedRequest, ServedResponse } from '../request.ts';
import { conflict, injected, StatusError } from '../status.ts';
import { withoutGroups } from './discovery.ts';
import { type Faults, lengthOf, type Occasion } from './faults.ts';
import type { FaultEffect } from './rule.ts';
import { withWatchFaults } from './watch.ts';

type Handle = (request: ServedRequest) => Promise<ServedResponse>;
type Deps = {
  readonly faults: Faults;
  readonly clock: Clock;
  /** The user name of a request. */
  readonly nameOf: (request: ServedRequest) => string;
  /** Turns an error into a response. */
  readonly refusal: (error: StatusError) => ServedResponse;
};

/**
 * The same server, with faults. A broken connection is a promise that rejects; the listener then closes the
 * connection. Without rules it costs one check.
 */
export function withFaults(handle: Handle, deps: Deps): Handle {
  return async (request) => {
    const about = requestFaults(deps, request);
    return about ? answered(handle, deps, request, about) : handle(request);
  };
}

type About = { readonly occasion: Occasion; readonly path: string };

async function answered(
  handle: Handle,
  deps: Deps,
  request: ServedRequest,
  { occasion, path }: About,
): Promise<ServedResponse> {
  const effects = deps.faults.strike('request', occasion);
  try {
    for (const effect of effects) await before(deps, request, { effect, occasion });
  } catch (error) {
    if (error instanceof StatusError) return deps.refusal(error);
    throw error;
  }
  const answer = await handle(request);
  if (effects.some((effect) => 'reset' in effect && effect.reset === 'after')) throw broken();
  if (occasion.verb === 'watch' && answer.status === 200) return watched(deps, request, answer, occasion);
  return path ? shown(deps, request, { path, answer, occasion }) : answer;
}

const broken = (): FairleadError =>
  new FairleadError('Unavailable', 'the connection broke (an injected fault)');

function requestFaults({ faults, nameOf }: Deps, request: ServedRequest): About | undefined {
  const stages = ['request', 'watch', 'discovery', 'openapi'] as const;
  if (!stages.some((stage) => faults.has(stage))) return undefined;
  const attributes = safeAttributes(request);
  if (!attributes) return undefined;
  const common = { user: nameOf(request), userAgent: request.headers['user-agent'] ?? '' };
  if ('path' in attributes) {
    const occasion: Occasion = {
      ...common,
      verb: attributes.verb,
      group: '',
      resource: '',
      namespace: '',
      name: '',
    };
    return { occasion, path: attributes.path };
  }
  const { verb, group, namespace, name } = attributes;
  return {
    occasion: { ...common, verb, group, resource: fullResource(attributes), namespace, name },
    path: '',
  };
}

function safeAttributes({ method, path }: ServedRequest) {
  try {
    return attributesOf(method, path, parseUrl(path));
  } catch {
    return undefined; // the server itself reports the error
  }
}

type Strike = { readonly effect: FaultEffect; readonly occasion: Occasion };

async function before(
  { clock }: Deps,
  { signal }: ServedRequest,
  { effect, occasion }: Strike,
): Promise<void> {
  if ('latency' in effect) await clock.sleep(delayOf(effect.latency, occasion), signal);
  else if ('timeout' in effect) {
    await clock.sleep(lengthOf(effect.timeout), signal);
    throw injected(504, 'Timeout: request did not complete within the allotted timeout');
  } else if ('error' in effect) throw injected(effect.error, effect.message, effect.retryAfter);
  else if ('conflict' in effect) {
    const { group, resource, name } = occasion;
    throw conflict({ group, plural: resource.split('/', 1)[0] ?? '', kind: '' }, name);
  } else if ('reset' in effect && effect.reset === 'before') throw broken();
}

function delayOf(
  latency: string | { readonly from: string; readonly to: string },
  occasion: Occasion,
): number {
  if (typeof latency === 'string') return lengthOf(latency);
  const [from, to] = [lengthOf(latency.from), lengthOf(latency.to)];
  return from + Math.floor((to - from) * fraction(7, printJson(occasion)));
}

function watched(
  deps: Deps,
  { signal }: ServedRequest,
  answer: ServedResponse,
  occasion: Occasion,
): ServedResponse {
  const { body } = answer;
  if (typeof body === 'string' || body instanceof Uint8Array) return answer;
  const effects = deps.faults.strike('watch', occasion);
  if (effects.length === 0) return answer;
  return { ...answer, body: withWatchFaults(body, effects, { signal, broken }) };
}

type Shown = { readonly path: string; readonly answer: ServedResponse; readonly occasion: Occasion };

/** Discovery and OpenAPI, which are not resources. */
function shown(
  { faults, refusal }: Deps,
  request: ServedRequest,
  { path, answer, occasion }: Shown,
): ServedResponse {
  if (path.startsWith('/openapi')) {
    return faults.strike('openapi', occasion).length === 0
      ? answer
      : refusal(injected(404, '404 page not found'));
  }
  if (!path.startsWith('/apis') || answer.status >= 400) return answer;
  const hidden = (group: string): 'missing' | 'stale' | undefined => {
    const [effect] = faults.strike('discovery', { ...occasion, group });
    return effect && 'discovery' in effect ? effect.discovery : undefined;
  };
  return withoutGroups({ path, answer, accept: request.headers.accept ?? '' }, hidden, refusal);
}
