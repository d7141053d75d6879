import { newEnforcer, newModelFromString, StringAdapter } from 'casbin';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AppProject, ProjectSpec } from '#base/model';
import { compileGlob } from '#base/std';
import { cases } from '../../../test/cases.ts';
import { Enforcer, type RbacDecision } from './enforcer.ts';
import { emptyPolicy, parsePolicy, printGrant, printRule } from './policy.ts';

const projectOf = (name: string, spec: ProjectSpec): AppProject => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'AppProject',
  metadata: { name },
  spec,
});

type Wanted = { allowed: boolean; subject: string; line?: number; source?: string };

test.each(cases<Wanted>(new URL('./testdata/decide/', import.meta.url)))(
  '$name',
  ({ input, expect: wanted }) => {
    const { policy = '', who, ask, mode = 'glob', legacy = false, projects = {} } = input[0];
    const named = new Map(
      Object.entries<ProjectSpec>(projects).map(([name, spec]) => [name, projectOf(name, spec)]),
    );
    const enforcer = new Enforcer({
      policy: parsePolicy(policy),
      defaultRole: input[0].default ?? '',
      matchMode: mode,
      legacyAdminSubject: legacy,
      projectNamed: (name) => named.get(name),
    });
    const decision = typeof who === 'string' ? enforcer.judgeSubject(who, ask) : enforcer.judge(who, ask);
    const { allowed, subject, rule } = decision;
    expect({ allowed, subject, ...traceOf(rule, wanted) }).toEqual(wanted);
  },
);

/** As much of the deciding line as the case asks for; a decision without a line has nothing to show. */
function traceOf(rule: RbacDecision['rule'], wanted: Wanted): Partial<Wanted> {
  if (!rule) return {};
  return {
    ...((wanted.line !== undefined || wanted.source === undefined) && { line: rule.origin.line }),
    ...(wanted.source !== undefined && { source: rule.origin.source }),
  };
}

const model = `
[request_definition]
r = sub, res, act, obj
[policy_definition]
p = sub, res, act, obj, eft
[role_definition]
g = _, _
[policy_effect]
e = some(where (p.eft == allow)) && !some(where (p.eft == deny))
[matchers]
m = g(r.sub, p.sub) && policyMatch(r.res, p.res) && policyMatch(r.act, p.act) && policyMatch(r.obj, p.obj)
`;

const subject = fc.constantFrom('jane', 'bob', 'role:a', 'role:b', 'role:c', 'team');
const rule = fc.record({
  subject,
  resource: fc.constantFrom('applications', 'logs', '*', 'app*', '{applications,logs}'),
  action: fc.constantFrom('get', 'sync', '*', 'action/*', 'update/apps/*', '?et', '[gs]*'),
  object: fc.constantFrom('*/*', '*', 'shop/*', 'shop/web', 'shop*', '*/web', 's[a-h]op/*', 'shop/{web,api}'),
  effect: fc.constantFrom('allow', 'allow', 'allow', 'deny'),
  origin: fc.constant({ source: '', line: 0 }),
});
const grant = fc.record({ member: subject, role: subject, origin: fc.constant({ source: '', line: 0 }) });
const request = fc.record({
  subject,
  resource: fc.constantFrom('applications', 'logs', 'clusters'),
  action: fc.constantFrom('get', 'sync', 'action/apps/Deployment/restart', 'update/apps/Deployment/ns/x'),
  object: fc.constantFrom('shop/web', 'shop/ns/web', 'bank/web', 'shop', ''),
});

test('any policy decides as casbin decides it, circles of roles included (server §5.1)', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(rule, { maxLength: 12 }),
      fc.array(grant, { maxLength: 8 }),
      fc.array(request, { minLength: 4, maxLength: 8 }),
      async (rules, grants, requests) => {
        const csv = [...rules.map(printRule), ...grants.map(printGrant)].join('\n');
        const oracle = await newEnforcer(newModelFromString(model), new StringAdapter(csv || ' '));
        await oracle.addFunction(
          'policyMatch',
          (text: string, pattern: string) => compileGlob(pattern)?.(text) === true,
        );
        const enforcer = new Enforcer({
          policy: parsePolicy(csv),
          defaultRole: '',
          matchMode: 'glob',
          builtin: emptyPolicy,
        });
        for (const { subject: who, resource, action, object } of requests) {
          const wanted = await oracle.enforce(who, resource, action, object);
          expect(enforcer.judgeSubject(who, { resource, action, object }).allowed).toBe(wanted);
        }
      },
    ),
    { numRuns: 120 },
  );
});

test('a project that changes is asked anew', () => {
  const roles = (policy: string) => [{ name: 'dev', policies: [policy] }];
  let project = projectOf('shop', { roles: roles('p, proj:shop:dev, applications, get, shop/*, allow') });
  const enforcer = new Enforcer({
    policy: emptyPolicy,
    defaultRole: '',
    matchMode: 'glob',
    projectNamed: () => project,
  });
  const ask = () =>
    enforcer.judge(
      { user: 'proj:shop:dev', groups: [], isLocal: true },
      { resource: 'applications', action: 'get', object: 'shop/web' },
    ).allowed;
  expect([ask(), ask()]).toEqual([true, true]);
  project = projectOf('shop', { roles: roles('p, proj:shop:dev, applications, get, shop/*, deny') });
  expect(ask()).toBe(false);
  project = projectOf('shop', {});
  expect(ask()).toBe(false);
});

test('who can do something is told with the line that lets them', () => {
  const policy = parsePolicy(
    [
      'p, role:dev, applications, sync, shop/*, allow',
      'g, web-team, role:dev',
      'p, bob, logs, get, */*, allow',
    ].join('\n'),
  );
  const enforcer = new Enforcer({ policy, defaultRole: '', matchMode: 'glob' });
  const who = enforcer.whoCan({ resource: 'applications', action: 'sync', object: 'shop/web' });
  expect(who.map(({ subject: name, rule: line }) => [name, line && printRule(line)])).toEqual([
    ['role:admin', 'p, role:admin, applications, sync, */*, allow'],
    ['role:dev', 'p, role:dev, applications, sync, shop/*, allow'],
    ['admin', 'p, role:admin, applications, sync, */*, allow'],
    ['web-team', 'p, role:dev, applications, sync, shop/*, allow'],
  ]);
});

test('words nobody uses are judged without being remembered for ever', () => {
  const enforcer = new Enforcer({
    policy: parsePolicy('p, jane, word-150, *, *, allow'),
    defaultRole: '',
    matchMode: 'glob',
  });
  for (let i = 0; i < 200; i++) {
    const asked = { resource: `word-${i}`, action: 'get', object: 'x' };
    expect(enforcer.judgeSubject('jane', asked).allowed).toBe(i === 150);
  }
});
