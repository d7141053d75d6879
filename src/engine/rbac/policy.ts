import { readRecord } from './csv.ts';

/** Where a line was written, so that a decision can be traced to it. */
type Origin = { readonly source: string; readonly line: number };

/** `p, subject, resource, action, object, effect`. compat: an effect other than allow or deny has none. */
export type PolicyRule = {
  readonly subject: string;
  readonly resource: string;
  readonly action: string;
  readonly object: string;
  readonly effect: string;
  readonly origin: Origin;
};

/** `g, member, role`: whatever the role may, the member may. */
export type RoleGrant = { readonly member: string; readonly role: string; readonly origin: Origin };

export type RbacPolicy = { readonly rules: readonly PolicyRule[]; readonly grants: readonly RoleGrant[] };

/** A line that cannot be used. compat server §5.3: one of them refuses the whole policy. */
type PolicyProblem = Origin & { readonly message: string };

export type ParsedPolicy = RbacPolicy & { readonly problems: readonly PolicyProblem[] };

export const emptyPolicy: RbacPolicy = { rules: [], grants: [] };

/** compat server §5.3: reads policy lines; skips those that are blank or begin with #. */
export function parsePolicy(csv: string, source = 'policy.csv'): ParsedPolicy {
  const rules: PolicyRule[] = [];
  const grants: RoleGrant[] = [];
  const problems: PolicyProblem[] = [];
  for (const [i, text] of csv.split('\n').entries()) {
    const line = text.trim();
    if (line === '' || line.startsWith('#')) continue;
    const origin = { source, line: i + 1 };
    const read = readLine(line, origin);
    if (typeof read === 'string') problems.push({ ...origin, message: read });
    else if ('role' in read) grants.push(read);
    else rules.push(read);
  }
  return { rules, grants, problems };
}

function readLine(line: string, origin: Origin): PolicyRule | RoleGrant | string {
  const fields = readRecord(line);
  if (typeof fields === 'string') return fields;
  const [kind, subject = '', second = '', action = '', object = '', effect = ''] = fields;
  if (kind === 'p') {
    if (fields.length === 6) return { subject, resource: second, action, object, effect, origin };
    return `a p line has ${fields.length} fields and needs 6: p, subject, resource, action, object, allow or deny`;
  }
  if (kind === 'g') {
    if (fields.length === 3) return { member: subject, role: second, origin };
    return `a g line has ${fields.length} fields and needs 3: g, member, role`;
  }
  return `a line begins with "${kind}"; write p for a permission or g for a role given to a user or group`;
}

/** A rule in policy syntax, to show the user which line decided. */
export function printRule(rule: PolicyRule): string {
  const { subject, resource, action, object, effect } = rule;
  return ['p', ...[subject, resource, action, object, effect].map(quoteField)].join(', ');
}

export const printGrant = ({ member, role }: RoleGrant): string =>
  `g, ${quoteField(member)}, ${quoteField(role)}`;

const quoteField = (field: string): string =>
  /[",\n]|^\s/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;

/** All of several policies. */
export function joinPolicies(policies: readonly RbacPolicy[]): RbacPolicy {
  return {
    rules: policies.flatMap(({ rules }) => rules),
    grants: policies.flatMap(({ grants }) => grants),
  };
}
