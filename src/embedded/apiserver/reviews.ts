import { isObject, type JsonObject } from '#kubernetes/schema';
import type { RoleRule } from './access/rule.ts';
import type { RequestAttributes, RequestUser } from './authorize.ts';
import { type Core, timestamp } from './core.ts';
import { type Item, specOf, withField } from './item.ts';
import { badRequest, type FieldError, invalid } from './status.ts';

type Review = (core: Core, item: Item, user: RequestUser) => Item;

/** Review kinds, which are never stored: the result is returned in `status`, from the code that serves requests. */
const reviews: Readonly<Record<string, Review>> = {
  SelfSubjectAccessReview: (core, item, user) => withField(item, 'status', mayDo(core, user, item)),
  SubjectAccessReview: (core, item) => withField(item, 'status', mayDo(core, subjectOf(item), item)),
  LocalSubjectAccessReview: (core, item) => {
    refuseElsewhere(item);
    return withField(item, 'status', mayDo(core, subjectOf(item), item));
  },
  SelfSubjectRulesReview: rulesReview,
  SelfSubjectReview: (core, item, user) => ({
    ...item,
    metadata: { creationTimestamp: timestamp(core) },
    status: { userInfo: infoOf(user) },
  }),
  TokenReview: (core, item) => withField(item, 'status', tokenReview(core, item)),
};

/** The review with its result, or undefined when the kind is an ordinary one. Throws Invalid or BadRequest. */
export function answerReview(core: Core, item: Item, user: RequestUser): Item | undefined {
  return reviews[item.kind]?.(core, item, user);
}

const infoOf = ({ name, uid, groups, extra }: RequestUser): JsonObject => ({
  username: name,
  ...(uid !== undefined && { uid }),
  groups: [...groups],
  ...(extra && { extra: { ...extra } }),
});

function mayDo({ access }: Core, user: RequestUser, item: Item): JsonObject {
  const { allowed, reason } = access.decide(user, attributesOfReview(item));
  return { allowed, ...(reason !== '' && { reason }) };
}

function attributesOfReview(item: Item): RequestAttributes {
  const { resourceAttributes: of, nonResourceAttributes: at } = specOf(item);
  if (isObject(of) === isObject(at)) {
    throw refused(
      'spec.resourceAttributes',
      null,
      'exactly one of nonResourceAttributes or resourceAttributes must be specified',
    );
  }
  const text = (value: unknown) => (typeof value === 'string' ? value : '');
  if (isObject(at)) return { verb: text(at.verb), path: text(at.path) };
  const { verb, group, resource, subresource, namespace, name } = isObject(of) ? of : {};
  return {
    verb: text(verb),
    group: text(group),
    resource: text(resource),
    subresource: text(subresource),
    namespace: text(namespace),
    name: text(name),
  };
}

function subjectOf(item: Item): RequestUser {
  const { user, groups, uid, extra } = specOf(item);
  const list = Array.isArray(groups) ? groups.map(String) : [];
  if (!user && list.length === 0) {
    throw refused('spec.user', '', 'at least one of user or group must be specified');
  }
  return {
    name: String(user ?? ''),
    groups: list,
    ...(typeof uid === 'string' && { uid }),
    ...(isObject(extra) && { extra: extra as Record<string, string[]> }),
  };
}

/** compat cluster 3.18: a local review is about its own namespace only. */
function refuseElsewhere(item: Item): void {
  const { resourceAttributes: of, nonResourceAttributes: at } = specOf(item);
  if (isObject(at)) {
    const value = { Path: at.path, Verb: at.verb };
    throw refused('spec.nonResourceAttributes', value, 'disallowed on this kind of request');
  }
  const requested = isObject(of) ? of.namespace : undefined;
  if (isObject(of) && requested !== item.metadata.namespace) {
    throw refused('spec.resourceAttributes.namespace', requested ?? '', 'must match metadata.namespace');
  }
}

/** compat cluster 3.18: Kubernetes names neither kind nor object in these errors. */
const refused = (field: string, value: unknown, detail: string): Error => {
  const error: FieldError = { type: 'Invalid value', field, value, detail };
  return invalid({ group: 'authorization.k8s.io', kind: '' }, '', [error]);
};

function rulesReview(core: Core, item: Item, user: RequestUser): Item {
  const { namespace } = specOf(item);
  if (typeof namespace !== 'string' || namespace === '') throw badRequest('no namespace on request');
  const rules = core.access.rules(user, namespace);
  const status = {
    resourceRules: rules.filter(({ resources = [] }) => resources.length > 0).map(resourceRule),
    nonResourceRules: rules.filter(({ nonResourceURLs = [] }) => nonResourceURLs.length > 0),
    incomplete: false,
  };
  return { apiVersion: item.apiVersion, kind: item.kind, metadata: {}, spec: {}, status };
}

const resourceRule = ({ verbs, apiGroups, resources, resourceNames }: RoleRule): RoleRule => ({
  ...(verbs && { verbs }),
  ...(apiGroups && { apiGroups }),
  ...(resources && { resources }),
  ...(resourceNames && { resourceNames }),
});

function tokenReview({ access }: Core, item: Item): JsonObject {
  const { token, audiences } = specOf(item);
  if (typeof token !== 'string' || token === '') {
    throw badRequest('token is required for TokenReview in authentication');
  }
  const found = access.read(
    token,
    Array.isArray(audiences) && audiences.length > 0 ? audiences.map(String) : undefined,
  );
  if (typeof found === 'string') return { user: {}, error: found };
  return { authenticated: true, user: infoOf(found.user), audiences: [...found.audiences] };
}
