import { compileRegex } from '#lang/regex';
import { matcherOf } from '../glob.ts';
import { builtinPolicy } from './builtin.ts';
import type { RbacConfig, RbacProblem } from './config.ts';
import type { PolicyRule } from './policy.ts';
import type { MatchMode } from './policy-index.ts';
import { rbacActions } from './vocabulary.ts';

/** Parts of a policy that its author may not have meant. These are warnings: the policy is used. */
export function rbacWarnings({ policy, matchMode, defaultRole }: RbacConfig): RbacProblem[] {
  const known = new Set([...builtinPolicy.rules, ...policy.rules].map(({ subject }) => subject));
  for (const { member } of [...builtinPolicy.grants, ...policy.grants]) known.add(member);
  const described = ({ source, line }: PolicyRule['origin'], message: string): RbacProblem => ({
    key: source,
    line,
    message,
  });
  return [
    ...policy.rules.flatMap((rule) =>
      ruleWarnings(rule, matchMode).map((message) => described(rule.origin, message)),
    ),
    ...policy.grants
      .filter(({ role }) => !known.has(role) && !role.startsWith('proj:'))
      .map(({ role, origin }) =>
        described(origin, `the role ${role} has no permissions; is its name right?`),
      ),
    ...(defaultRole === '' || known.has(defaultRole)
      ? []
      : [
          {
            key: 'policy.default',
            message: `the role ${defaultRole} has no permissions; is its name right?`,
          },
        ]),
  ];
}

function ruleWarnings(rule: PolicyRule, mode: MatchMode): string[] {
  const { resource, action, object, effect } = rule;
  const isPlain = /^[\w-]*$/.test(resource);
  const unreadable = [resource, action, object].filter((pattern) => !isReadable(pattern, mode));
  return [
    ...(['allow', 'deny'].includes(effect)
      ? []
      : [`the effect "${effect}" is neither allow nor deny: the line does nothing`]),
    ...(isPlain && !Object.hasOwn(rbacActions, resource)
      ? [`no request is checked against "${resource}"; there are ${Object.keys(rbacActions).join(', ')}`]
      : []),
    ...unreadable.map((pattern) => unreadableWarning(pattern, mode)),
    ...Object.values({ resource, action, object, effect, subject: rule.subject })
      .filter((field) => field !== field.trimEnd())
      .map((field) => `the field "${field}" ends with a space, which counts as part of it`),
  ];
}

function isReadable(pattern: string, mode: MatchMode): boolean {
  if (mode === 'glob') return matcherOf(pattern) !== undefined;
  try {
    compileRegex(pattern);
    return true;
  } catch {
    return false;
  }
}

const unreadableWarning = (pattern: string, mode: MatchMode): string =>
  mode === 'glob'
    ? `"${pattern}" is not a pattern and matches nothing; close its brackets, or escape them with \\`
    : `"${pattern}" is not a regular expression, so the line denies what its fields before it match; for anything write .*`;
