import { printTime } from '#base/model';
import { isObject, type JsonObject } from '#kubernetes/schema';
import type { Core } from '../core.ts';
import { peek } from '../core.ts';
import type { Item } from '../item.ts';
import { badRequest, conflict, type FieldError, invalid, notFound } from '../status.ts';
import { type Bound, issuer } from './account-tokens.ts';

const accounts = { group: '', plural: 'serviceaccounts', kind: 'ServiceAccount' };
const hour = 3600;

/** Serves `serviceaccounts/x/token`: returns the request with defaults and a token in its status. */
export function answerTokenRequest(
  core: Core,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  body: JsonObject,
): Item {
  if (body.kind !== 'TokenRequest') throw badRequest('the body of the request must be a TokenRequest');
  const account = peek(core, '/serviceaccounts', namespace, name);
  if (!account) throw notFound(accounts, name);
  const spec = isObject(body.spec) ? body.spec : {};
  const seconds = secondsOf(spec);
  const wanted = Array.isArray(spec.audiences) ? spec.audiences.map(String) : [];
  const audiences = wanted.length === 0 ? [issuer] : wanted;
  const bound = boundTo(core, namespace, spec.boundObjectRef);
  const { token, until } = core.access.accountTokens.issue({ account, audiences, seconds, bound });
  return {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    metadata: {
      name,
      namespace,
      uid: account.metadata.uid ?? '',
      creationTimestamp: printTime(core.clock.now()),
    },
    spec: { audiences, expirationSeconds: seconds, boundObjectRef: spec.boundObjectRef ?? null },
    status: { token, expirationTimestamp: printTime(until) },
  };
}

function secondsOf({ expirationSeconds }: JsonObject): number {
  const seconds =
    expirationSeconds === undefined || expirationSeconds === null ? hour : Number(expirationSeconds);
  const detail =
    seconds < 600
      ? 'may not specify a duration less than 10 minutes'
      : seconds > 2 ** 32
        ? 'may not specify a duration larger than 2^32 seconds'
        : undefined;
  if (detail === undefined) return seconds;
  const error: FieldError = {
    type: 'Invalid value',
    field: 'spec.expirationSeconds',
    value: seconds,
    detail,
  };
  throw invalid({ group: 'authentication.k8s.io', kind: 'TokenRequest' }, '', [error]);
}

const bindable: Readonly<Record<string, { readonly kind: Bound['kind']; readonly plural: string }>> = {
  Pod: { kind: 'pod', plural: 'pods' },
  Secret: { kind: 'secret', plural: 'secrets' },
  Node: { kind: 'node', plural: 'nodes' },
};

function boundTo(core: Core, namespace: string, ref: unknown): Bound[] {
  if (!isObject(ref)) return [];
  const { kind: Kind, apiVersion = 'v1', name: wanted, uid } = ref;
  const known = apiVersion === 'v1' ? bindable[String(Kind)] : undefined;
  if (!known)
    throw badRequest(
      `cannot bind token to object of type ${typeName(String(apiVersion))}, Kind=${String(Kind)}`,
    );
  const { kind, plural } = known;
  const name = String(wanted);
  const of = { group: '', plural, kind: String(Kind) };
  const found = peek(core, `/${plural}`, kind === 'node' ? '' : namespace, name);
  if (!found) throw notFound(of, name);
  const own = found.metadata.uid ?? '';
  if (uid !== undefined && uid !== '' && uid !== own) {
    throw conflict(
      of,
      name,
      `the UID in the bound object reference (${String(uid)}) does not match the UID in record. The object might have been deleted and then recreated`,
    );
  }
  const tie = { kind, name, uid: own };
  return kind === 'pod' ? [...nodeOf(core, found), tie] : [tie];
}

const typeName = (apiVersion: string): string => (apiVersion.includes('/') ? apiVersion : `/${apiVersion}`);

/** compat cluster 3.18: the token of a pod names the pod's node. */
function nodeOf(core: Core, pod: Item): Bound[] {
  const name = isObject(pod.spec) ? pod.spec.nodeName : undefined;
  const node = typeof name === 'string' ? peek(core, '/nodes', '', name) : undefined;
  return node ? [{ kind: 'node', name: String(name), uid: node.metadata.uid ?? '' }] : [];
}
