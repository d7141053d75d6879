import { compileRegex } from '#lang/regex';
import { lenientMatcherOf, matcherOf } from '../glob.ts';
import { isBuiltin } from './builtin.ts';
import type { PolicyRule, RbacPolicy } from './policy.ts';

export type MatchMode = 'glob' | 'regex';

/** Whether a subject may do something, and the line that allows or denies it; without one no line matched. */
export type Judgement = { readonly allowed: boolean; readonly rule?: PolicyRule };

export type Action = { readonly resource: string; readonly action: string; readonly object: string };

type Test = (text: string) => boolean;
type Compiled = {
  readonly rule: PolicyRule;
  readonly denies: boolean;
  readonly resource: Test;
  readonly action: Test;
  readonly object: Test;
  /** The required prefix of a matching object, up to its first slash; undefined: any object. */
  readonly head: string | undefined;
};

/** Rules by what their objects begin with, so that a thousand projects cost no more than one. */
type RuleIndex = { readonly byHead: Map<string, Compiled[]>; readonly open: Compiled[] };
type Bucket = { readonly denies: RuleIndex; readonly allows: RuleIndex };

const nothing: Judgement = { allowed: false };
/** compat: roles of roles are followed this far. */
const deepest = 10;
/** No real policy names so many; beyond it the cache is emptied and filled again. */
const cachedSubjects = 10_000;

/**
 * A policy, indexed for lookups. The rules that a subject reaches through its roles are found once and
 * cached; a lookup then reads only the rules for that resource and that object prefix. A layer includes the
 * policy below it.
 */
export class PolicyIndex {
  readonly #rules = new Map<string, Compiled[]>();
  readonly #roles = new Map<string, string[]>();
  readonly #below: PolicyIndex | undefined;
  readonly #buckets = new Map<string, Map<string, Bucket>>();

  constructor(policy: RbacPolicy, mode: MatchMode, below?: PolicyIndex) {
    this.#below = below;
    for (const rule of policy.rules) push(this.#rules, rule.subject, compile(rule, mode));
    for (const { member, role } of policy.grants) push(this.#roles, member, role);
  }

  /** compat server §5.1: at least one allow and no deny, over everything the subject is. */
  judge(subject: string, requested: Action): Judgement {
    if (!this.#isNamed(subject)) return nothing;
    const { denies, allows } = this.#bucketOf(subject, requested.resource);
    const denial = find(denies, requested);
    if (denial) return { allowed: false, rule: denial.rule };
    const permission = find(allows, requested);
    return permission ? { allowed: true, rule: permission.rule } : nothing;
  }

  /** Whether the policy grants this name a role. */
  isMember(name: string): boolean {
    return this.#roles.has(name) || this.#below?.isMember(name) === true;
  }

  /** All subjects that a rule or a role names. */
  subjects(): readonly string[] {
    const below = this.#below?.subjects() ?? [];
    return [...new Set([...below, ...this.#rules.keys(), ...this.#roles.keys()])];
  }

  #isNamed(subject: string): boolean {
    if (this.#rules.has(subject) || this.#roles.has(subject)) return true;
    return this.#below ? this.#below.#isNamed(subject) : false;
  }

  #bucketOf(subject: string, resource: string): Bucket {
    let known = this.#buckets.get(subject);
    if (!known) {
      if (this.#buckets.size >= cachedSubjects) this.#buckets.clear();
      known = new Map();
      this.#buckets.set(subject, known);
    }
    let bucket = known.get(resource);
    if (!bucket) {
      bucket = this.#gather(subject, resource);
      // a caller may query unknown resources; the few that exist fit many times over
      if (known.size < 100) known.set(resource, bucket);
    }
    return bucket;
  }

  #gather(subject: string, resource: string): Bucket {
    const bucket: Bucket = { denies: emptyIndex(), allows: emptyIndex() };
    for (const name of this.#closure(subject)) {
      for (const compiled of this.#rulesOf(name)) {
        if (!compiled.resource(resource)) continue;
        if (compiled.denies) put(bucket.denies, compiled);
        else if (compiled.rule.effect === 'allow') put(bucket.allows, compiled);
      }
    }
    return bucket;
  }

  /** The subject and every role it has, directly or through others. Circles end where they began. */
  #closure(subject: string): ReadonlySet<string> {
    const reached = new Set([subject]);
    let edge = [subject];
    for (let depth = 0; depth < deepest && edge.length > 0; depth++) {
      edge = edge.flatMap((name) => this.#rolesOf(name)).filter((name) => !reached.has(name));
      for (const name of edge) reached.add(name);
    }
    return reached;
  }

  #rolesOf(name: string): readonly string[] {
    const below = this.#below ? this.#below.#rolesOf(name) : [];
    return [...below, ...(this.#roles.get(name) ?? [])];
  }

  #rulesOf(name: string): readonly Compiled[] {
    const below = this.#below ? this.#below.#rulesOf(name) : [];
    return [...below, ...(this.#rules.get(name) ?? [])];
  }
}

function push<V>(map: Map<string, V[]>, key: string, value: V): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}

const emptyIndex = (): RuleIndex => ({ byHead: new Map(), open: [] });

function put({ byHead, open }: RuleIndex, compiled: Compiled): void {
  if (compiled.head === undefined) open.push(compiled);
  else push(byHead, compiled.head, compiled);
}

function find({ byHead, open }: RuleIndex, requested: Action): Compiled | undefined {
  const near = byHead.size > 0 ? byHead.get(headOf(requested.object)) : undefined;
  return (near && firstMatch(near, requested)) ?? firstMatch(open, requested);
}

function firstMatch(rules: readonly Compiled[], { action, object }: Action): Compiled | undefined {
  for (const rule of rules) if (rule.action(action) && rule.object(object)) return rule;
  return undefined;
}

function headOf(object: string): string {
  const slash = object.indexOf('/');
  return slash < 0 ? object : object.slice(0, slash);
}

/** dev server §5.1: built-in rules are globs in every mode, so that the built-in roles work in all of them. */
function compile(rule: PolicyRule, mode: MatchMode): Compiled {
  const denies = rule.effect === 'deny';
  if (mode === 'regex' && !isBuiltin(rule)) return compileExpressions(rule, denies);
  const { resource, action, object } = rule;
  const testOf = (pattern: string): Test => globTest(pattern, denies);
  return {
    ...{ rule, denies, head: literalHead(object) },
    ...{ resource: testOf(resource), action: testOf(action), object: testOf(object) },
  };
}

/** compat server §5.1: a glob that does not compile never matches. A denial is read as leniently as it can be. */
const globTest = (pattern: string, denies: boolean): Test =>
  (denies ? lenientMatcherOf : matcherOf)(pattern) ?? (() => false);

/**
 * compat server §5.1: expressions are unanchored. Argo CD's enforcer fails at the first field of a line that
 * it cannot read, and a failed check is a denial: such a line, whatever its effect, denies its subject
 * everything that its fields before that one match.
 */
function compileExpressions(rule: PolicyRule, denies: boolean): Compiled {
  const fields = [rule.resource, rule.action, rule.object].map(expressionTest);
  const unreadable = fields.indexOf(undefined);
  const [resource = always, action = always, object = always] =
    unreadable < 0 ? fields : fields.slice(0, unreadable);
  return { rule, denies: denies || unreadable >= 0, resource, action, object, head: undefined };
}

const always: Test = () => true;

function expressionTest(pattern: string): Test | undefined {
  try {
    const regex = compileRegex(pattern);
    return (text) => regex.test(text);
  } catch {
    return undefined;
  }
}

const special = /[*?[{\\]/;

function literalHead(pattern: string): string | undefined {
  const head = headOf(pattern);
  return special.test(head) ? undefined : head;
}
