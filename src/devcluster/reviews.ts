import { isObject, type JsonObject } from '#schema';
import type { User } from './authorize.ts';
import type { Item } from './item.ts';

type Review = (item: Item, user: User) => JsonObject;

const everything = [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }];

/** Kinds that are asked, not kept: the answer comes back in `status`. Everybody may do everything for now. */
const reviews: Readonly<Record<string, Review>> = {
  SelfSubjectAccessReview: () => ({ allowed: true }),
  SubjectAccessReview: () => ({ allowed: true }),
  LocalSubjectAccessReview: () => ({ allowed: true }),
  SelfSubjectRulesReview: () => ({
    resourceRules: everything,
    nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
    incomplete: false,
  }),
  SelfSubjectReview: (_item, user) => ({ userInfo: infoOf(user) }),
  TokenReview: (item, user) => {
    const token = isObject(item.spec) ? item.spec.token : undefined;
    return typeof token === 'string' && token !== ''
      ? { authenticated: true, user: infoOf(user) }
      : { user: {} };
  },
};

const infoOf = ({ name, groups }: User): JsonObject => ({ username: name, groups: [...groups] });

/** The review with its answer, or undefined when the kind is an ordinary one. */
export function answerReview(item: Item, user: User): Item | undefined {
  const review = reviews[item.kind];
  return review && { ...item, status: review(item, user) };
}
