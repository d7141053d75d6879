import type { AccessDecision, RequestAttributes, RequestUser, ResourceAttributes } from '../authorize.ts';
import { badRequest } from '../status.ts';
import { refusalOf } from './request-attributes.ts';

type Headers = Readonly<Record<string, string>>;
type May = (user: RequestUser, attributes: RequestAttributes) => AccessDecision;

/** A cheap check, for the many requests that do not impersonate. */
export function isImpersonating(headers: Headers): boolean {
  for (const name in headers) if (name.startsWith('impersonate-')) return true;
  return false;
}

/** The user that a request impersonates; undefined when it does not. Throws BadRequest. */
export function wantedUser(headers: Headers): RequestUser | undefined {
  const name = headers['impersonate-user'] ?? '';
  const groups = listOf(headers['impersonate-group']);
  const uid = headers['impersonate-uid'] ?? '';
  const extra = extraOf(headers);
  if (name !== '') return { name, groups, ...(uid && { uid }), ...(hasAny(extra) && { extra }) };
  if (groups.length === 0 && uid === '' && !hasAny(extra)) return undefined;
  throw badRequest(`requested ${printUser(uid, groups, extra)} without impersonating a user name`);
}

type Extra = Record<string, readonly string[]>;
const hasAny = (extra: Extra): boolean => Object.keys(extra).length > 0;

function extraOf(headers: Headers): Extra {
  const prefix = 'impersonate-extra-';
  const found = Object.entries(headers).filter(([name]) => name.startsWith(prefix));
  return Object.fromEntries(
    found.map(([name, value]) => [unescaped(name.slice(prefix.length)), listOf(value)] as const),
  );
}

function unescaped(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

/** compat cluster 3.18: the message shows the value as Go prints it. */
function printUser(uid: string, groups: readonly string[], extra: Extra): string {
  const list = (words: readonly string[]) =>
    words.length === 0
      ? '[]string(nil)'
      : `[]string{${words.map((word) => JSON.stringify(word)).join(', ')}}`;
  const pairs = Object.entries(extra).map(([key, values]) => `${JSON.stringify(key)}:${list(values)}`);
  const map = pairs.length === 0 ? 'map[string][]string(nil)' : `map[string][]string{${pairs.join(', ')}}`;
  return `&user.DefaultInfo{Name:"", UID:${JSON.stringify(uid)}, Groups:${list(groups)}, Extra:${map}}`;
}

/** The impersonated user with the groups that every such user is in. */
export function completed(wanted: RequestUser): RequestUser {
  const account = accountOf(wanted.name);
  const own = account && wanted.groups.length === 0 ? accountGroups(account.namespace) : wanted.groups;
  const everybody = wanted.name === 'system:anonymous' ? 'system:unauthenticated' : 'system:authenticated';
  return { ...wanted, groups: own.includes(everybody) ? own : [...own, everybody] };
}

/**
 * compat cluster 3.18: each impersonated attribute must be allowed; the newer, narrower permission is tried as
 * well.
 */
export function refuseImpersonation(
  user: RequestUser,
  wanted: RequestUser,
  attributes: RequestAttributes,
  may: May,
): void {
  const refused = legacyAttributes(wanted)
    .map((one) => ({ one, decision: may(user, one) }))
    .filter(({ decision }) => !decision.allowed);
  const [first] = refused;
  if (!first) return;
  const mode = modeOf(wanted.name);
  const narrow = [narrowed(attributes, mode), ...narrowAttributes(wanted, mode)].map((one) => ({
    one,
    decision: may(user, one),
  }));
  const stopped = narrow.find(({ decision }) => !decision.allowed);
  if (!stopped) return;
  const isLegacy = refused.length < legacyAttributes(wanted).length;
  const { one, decision } = isLegacy ? first : stopped;
  throw refusalOf(user, one, decision.reason);
}

function legacyAttributes(wanted: RequestUser): ResourceAttributes[] {
  const account = accountOf(wanted.name);
  const who = account
    ? attributesFor('impersonate', '', 'serviceaccounts', account)
    : attributesFor('impersonate', '', 'users', { name: wanted.name });
  return [who, ...attributes(wanted, 'impersonate', '')];
}

const authentication = 'authentication.k8s.io';

function narrowAttributes(wanted: RequestUser, mode: string): ResourceAttributes[] {
  const verb = `impersonate:${mode}`;
  const account = accountOf(wanted.name);
  if (account) return [attributesFor(verb, authentication, 'serviceaccounts', account)];
  const name = mode === 'arbitrary-node' ? wanted.name.slice('system:node:'.length) : wanted.name;
  const who = attributesFor(verb, authentication, mode === 'arbitrary-node' ? 'nodes' : 'users', { name });
  return [who, ...attributes(wanted, verb, authentication)];
}

function attributes(
  { groups, uid, extra = {} }: RequestUser,
  verb: string,
  groupApi: string,
): ResourceAttributes[] {
  const keyed = Object.entries(extra).flatMap(([key, values]) =>
    values.map((name) => ({
      ...attributesFor(verb, authentication, 'userextras', { name }),
      subresource: key,
    })),
  );
  return [
    ...groups.map((name) => attributesFor(verb, groupApi, 'groups', { name })),
    ...keyed,
    ...(uid ? [attributesFor(verb, authentication, 'uids', { name: uid })] : []),
  ];
}

const attributesFor = (
  verb: string,
  group: string,
  resource: string,
  { name, namespace = '' }: { name: string; namespace?: string },
): ResourceAttributes => ({ verb, group, resource, subresource: '', namespace, name });

const narrowed = (attributes: RequestAttributes, mode: string): RequestAttributes => ({
  ...attributes,
  verb: `impersonate-on:${mode}:${attributes.verb}`,
});

function modeOf(name: string): string {
  if (accountOf(name)) return 'serviceaccount';
  return name.startsWith('system:node:') ? 'arbitrary-node' : 'user-info';
}

/** The service account of a user name; undefined when it is not one's. */
function accountOf(user: string): { readonly namespace: string; readonly name: string } | undefined {
  const found = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(user);
  return found ? { namespace: found[1] ?? '', name: found[2] ?? '' } : undefined;
}

/** The groups every service account of a namespace is in. */
export const accountGroups = (namespace: string): string[] => [
  'system:serviceaccounts',
  `system:serviceaccounts:${namespace}`,
];

const listOf = (list: string | undefined): string[] =>
  (list ?? '')
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
