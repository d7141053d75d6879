import type { AppProject } from '#base/model';
import { adminGrant, builtinPolicy } from './builtin.ts';
import { joinPolicies, type RbacPolicy, type RoleGrant } from './policy.ts';
import { type Action, type Judgement, type MatchMode, PolicyIndex } from './policy-index.ts';
import { isRoleSubject, projectPolicy } from './project-policy.ts';

/** The claims of a session: the subject, the groups of its token, and the issuer. */
export type Claims = {
  readonly user: string;
  /** Every value of the claims named by `scopes`. */
  readonly groups: readonly string[];
  /** A local account of ours, as opposed to one of an identity provider. */
  readonly isLocal: boolean;
};

/** A decision, its subject and the policy line that made it; without a rule no line matched. */
export type RbacDecision = Judgement & { readonly subject: string };

export type EnforcerOptions = {
  /** The user's own policy, beside the built-in one. */
  readonly policy: RbacPolicy;
  /** The role that every user has at least; '' for none. */
  readonly defaultRole: string;
  readonly matchMode: MatchMode;
  /** A built-in policy other than ours; for tests of a policy on its own. */
  readonly builtin?: RbacPolicy;
  /** Any user called admin is the administrator, whatever the issuer. */
  readonly legacyAdminSubject?: boolean;
  projectNamed?(name: string): AppProject | undefined;
};

/** A name no policy can write: the local account admin, which is the administrator. */
const localAdmin = 'admin\n';

const projectScoped: ReadonlySet<string> = new Set([
  'applications',
  'applicationsets',
  'repositories',
  'write-repositories',
  'clusters',
  'logs',
  'exec',
]);

/**
 * Decides which subject may do what. Safe to keep as long as its policy is valid; each call reads the
 * projects again.
 */
export class Enforcer {
  readonly #options: EnforcerOptions;
  readonly #index: PolicyIndex;
  // by the object itself: a project that changes is another object
  readonly #layers = new WeakMap<AppProject, PolicyIndex>();

  constructor(options: EnforcerOptions) {
    this.#options = options;
    const { builtin = builtinPolicy, policy } = options;
    const grants = adminGrants(options);
    this.#index = new PolicyIndex(joinPolicies([builtin, { rules: [], grants }, policy]), options.matchMode);
  }

  /** compat server §5.4: a bare name, a role or a project's role, judged without any project's own policy. */
  judgeSubject(subject: string, requested: Action): RbacDecision {
    return this.#judgeRules(this.#index, subject === 'admin' ? this.#admin() : subject, requested);
  }

  /** compat server §5.4, in its order: the default role, the user, each group by itself, and the empty name at last. */
  judge(claims: Claims, requested: Action): RbacDecision {
    const byDefault = this.#byDefault(this.#index, requested);
    if (byDefault) return byDefault;
    const own = this.#judgeClaims(claims, requested);
    if (own.allowed) return own;
    const anonymous = this.#index.judge('', requested);
    return anonymous.allowed ? decided(anonymous, '') : own;
  }

  /** Every subject a policy names that may do this, with the line that lets it. */
  whoCan(requested: Action): readonly RbacDecision[] {
    const index = this.#indexFor(this.#projectOf(requested));
    return index
      .subjects()
      .map((subject) => decided(index.judge(subject, requested), subject))
      .filter(({ allowed }) => allowed);
  }

  #judgeClaims({ user, groups, isLocal }: Claims, requested: Action): RbacDecision {
    const project = this.#projectOf(requested);
    const index = this.#indexFor(project);
    if (project && isRoleSubject(user)) {
      // compat: a role of one project has no rights in another, whatever a policy grants it
      const isOwn = isRoleOf(user, project);
      return isOwn ? this.#judgeRules(index, user, requested) : { allowed: false, subject: user };
    }
    const subject = user === 'admin' && isLocal ? this.#admin() : user;
    // the default role was checked before, but without the project's own policy
    const own =
      index === this.#index
        ? decided(index.judge(subject, requested), subject)
        : this.#judgeRules(index, subject, requested);
    return own.allowed ? own : (groupThatMay(index, groups, requested) ?? own);
  }

  #judgeRules(index: PolicyIndex, subject: string, requested: Action): RbacDecision {
    return this.#byDefault(index, requested) ?? decided(index.judge(subject, requested), subject);
  }

  #byDefault(index: PolicyIndex, requested: Action): RbacDecision | undefined {
    const { defaultRole } = this.#options;
    if (defaultRole === '') return undefined;
    const judgement = index.judge(defaultRole, requested);
    return judgement.allowed ? decided(judgement, defaultRole) : undefined;
  }

  #admin(): string {
    return this.#options.legacyAdminSubject || this.#options.builtin ? 'admin' : localAdmin;
  }

  /** compat server §5.4: the project is the part before the first slash, or the object itself. */
  #projectOf({ resource, object }: Action): AppProject | undefined {
    const named = this.#options.projectNamed;
    if (!named) return undefined;
    if (resource === 'projects') return named(object);
    const slash = object.indexOf('/');
    return slash >= 0 && projectScoped.has(resource) ? named(object.slice(0, slash)) : undefined;
  }

  #indexFor(project: AppProject | undefined): PolicyIndex {
    if (!project?.spec.roles?.length) return this.#index;
    const known = this.#layers.get(project);
    if (known) return known;
    const layer = new PolicyIndex(projectPolicy(project), this.#options.matchMode, this.#index);
    this.#layers.set(project, layer);
    return layer;
  }
}

function decided({ allowed, rule }: Judgement, name: string): RbacDecision {
  const subject = name === localAdmin ? 'admin' : name;
  return rule ? { allowed, subject, rule } : { allowed, subject };
}

function isRoleOf(user: string, project: AppProject): boolean {
  const [, of, , ...more] = user.split(':');
  return of === project.metadata.name && more.length === 0;
}

/** compat server §5.4: groups are checked one by one, so that a denial applies only within its own. */
function groupThatMay(
  index: PolicyIndex,
  groups: readonly string[],
  requested: Action,
): RbacDecision | undefined {
  for (const group of groups) {
    // compat: a group without a role is not checked, even if rules name it
    if (!index.isMember(group)) continue;
    const judgement = index.judge(group, requested);
    if (judgement.allowed) return decided(judgement, group);
  }
  return undefined;
}

/**
 * dev server §5.5: the built-in mapping of admin applies to the local account alone, unless the legacy
 * setting is on.
 */
function adminGrants({ builtin, legacyAdminSubject }: EnforcerOptions): readonly RoleGrant[] {
  if (builtin) return [];
  if (legacyAdminSubject) return [adminGrant];
  return [adminGrant.role, 'admin'].map((role) => ({ ...adminGrant, member: localAdmin, role }));
}
