import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AppProject, ProjectRole } from '#base/model';
import { rbacWarnings } from './check.ts';
import { defaultRbac, readRbacConfig } from './config.ts';
import { readRecord } from './csv.ts';
import { parsePolicy, printGrant, printRule } from './policy.ts';
import { roleProblems } from './roles.ts';
import {
  actionProblem,
  applicationObject,
  normalizeQuestion,
  questionsToMove,
  resourceActions,
  resourceNamed,
} from './vocabulary.ts';

test.each([
  ['p, a, b', ['p', 'a', 'b']],
  ['p,a ,b', ['p', 'a ', 'b']],
  ['g, "a, b", role', ['g', 'a, b', 'role']],
  ['g, "say ""hi""", r', ['g', 'say "hi"', 'r']],
  ['p,,', ['p', '', '']],
  ['p, "", x', ['p', '', 'x']],
  ['p, "a"', ['p', 'a']],
])('the record %j holds %j (server §5.3)', (line, fields) => {
  expect(readRecord(line)).toEqual(fields);
});

test.each([
  ['p, a"b, c', 'a quote stands inside the field a"b; put the whole field in quotes and double those inside'],
  ['p, "a, b', 'a quoted field is never closed'],
  ['p, "a" , b', 'something stands between a closing quote and the next comma'],
])('the record %j is refused (server §5.3)', (line, why) => {
  expect(readRecord(line)).toBe(why);
});

test('a policy is read line by line; blank lines and those that begin with # say nothing (server §5.3)', () => {
  const { rules, grants, problems } = parsePolicy(
    '# roles\n\n  p, role:a, applications, get, */*, allow  \r\n   # more\ng, jane, role:a\n',
    'policy.team.csv',
  );
  expect(problems).toEqual([]);
  expect(rules).toEqual([
    {
      subject: 'role:a',
      resource: 'applications',
      action: 'get',
      object: '*/*',
      effect: 'allow',
      origin: { source: 'policy.team.csv', line: 3 },
    },
  ]);
  expect(grants).toEqual([
    { member: 'jane', role: 'role:a', origin: { source: 'policy.team.csv', line: 5 } },
  ]);
});

test('every bad line is told with its number and the fix (server §5.3)', () => {
  const { problems } = parsePolicy(
    'p, a, b, c, d\ng, a\np, a, b, c, d, allow # why\nx, y\np2, a, b, c, d, allow\n"p',
  );
  expect(problems.map(({ line, message }) => `${line}: ${message}`)).toEqual([
    '1: a p line has 5 fields and needs 6: p, subject, resource, action, object, allow or deny',
    '2: a g line has 2 fields and needs 3: g, member, role',
    '4: a line begins with "x"; write p for a permission or g for a role given to a user or group',
    '5: a line begins with "p2"; write p for a permission or g for a role given to a user or group',
    '6: a quoted field is never closed',
  ]);
});

test('a printed policy reads as it was', () => {
  const text = fc.string({ unit: fc.constantFrom('a', ' ', ',', '"', '*', '/') }).map((s) => s.trim());
  fc.assert(
    fc.property(fc.array(text, { minLength: 5, maxLength: 5 }), (fields) => {
      const [subject = '', resource = '', action = '', object = '', effect = ''] = fields;
      const origin = { source: 'policy.csv', line: 1 };
      const rule = { subject, resource, action, object, effect, origin };
      expect(parsePolicy(printRule(rule)).rules).toEqual([rule]);
      const grant = { member: subject, role: resource, origin };
      expect(parsePolicy(printGrant(grant)).grants).toEqual([grant]);
    }),
  );
});

test('overlays are appended in the order of their names (server §5.3)', () => {
  const config = readRbacConfig({
    'policy.z.csv': 'g, c, r',
    'policy.a.csv': 'g, b, r',
    'policy.csv': 'g, a, r',
    'policy.default': 'role:readonly',
    'policy.matchMode': 'regex',
    scopes: '[groups, email]',
    'policy..csv.bak': 'x',
  });
  expect(config.policy.grants.map(({ member, origin }) => [member, origin.source])).toEqual([
    ['a', 'policy.csv'],
    ['b', 'policy.a.csv'],
    ['c', 'policy.z.csv'],
  ]);
  expect(config).toMatchObject({
    defaultRole: 'role:readonly',
    matchMode: 'regex',
    scopes: ['groups', 'email'],
    problems: [],
  });
});

test('without anything said, groups count and globs are meant (server §5.3)', () => {
  expect(readRbacConfig()).toEqual(defaultRbac);
  expect(readRbacConfig({ scopes: ' ', 'policy.matchMode': '' })).toEqual(defaultRbac);
});

test('one bad line keeps the whole policy that was before, and everything else is read (server §5.3)', () => {
  const good = readRbacConfig({ 'policy.csv': 'g, jane, role:admin', scopes: '[email]' });
  const next = readRbacConfig(
    { 'policy.csv': 'g, bob, role:admin\np, x', scopes: '{', 'policy.default': 'r' },
    good,
  );
  expect(next.policy).toBe(good.policy);
  expect(next.scopes).toEqual(['email']);
  expect(next.defaultRole).toBe('r');
  expect(next.problems).toEqual([
    {
      key: 'policy.csv',
      line: 2,
      message: 'a p line has 2 fields and needs 6: p, subject, resource, action, object, allow or deny',
    },
    { key: 'scopes', message: 'must be a list of claims, such as "[groups, email]"' },
  ]);
  expect(readRbacConfig({ scopes: 'groups' }).problems[0]?.key).toBe('scopes');
  expect(readRbacConfig({ 'policy.matchMode': 'exact' })).toMatchObject({
    matchMode: 'glob',
    problems: [
      { key: 'policy.matchMode', message: 'is "exact", which is read as glob; write glob or regex' },
    ],
  });
});

test('what may not have been meant is told, and used all the same', () => {
  const config = readRbacConfig({
    'policy.csv': [
      'p, role:a, application, get, */*, allow',
      'p, role:a, applications, get, */*, permit',
      'p, role:a , applications, get, "shop/[web", allow',
      'g, jane, role:b',
      'g, bob, proj:shop:dev',
      'g, eve, role:admin',
    ].join('\n'),
    'policy.default': 'role:none',
  });
  expect(config.problems).toEqual([]);
  expect(rbacWarnings(config).map(({ line, message }) => `${line}: ${message}`)).toEqual([
    '1: no request is checked against "application"; there are applications, applicationsets, logs, exec, projects, clusters, repositories, write-repositories, certificates, gpgkeys, accounts, extensions',
    '2: the effect "permit" is neither allow nor deny: the line does nothing',
    '3: "shop/[web" is not a pattern and matches nothing; close its brackets, or escape them with \\',
    '3: the field "role:a " ends with a space, which counts as part of it',
    '4: the role role:b has no permissions; is its name right?',
    'undefined: the role role:none has no permissions; is its name right?',
  ]);
});

test('a regular expression that RE2 refuses is told (server §5.1)', () => {
  const config = readRbacConfig({
    'policy.csv': 'p, role:a, applications, *, ^shop/.*, allow',
    'policy.matchMode': 'regex',
    'policy.default': 'role:a',
  });
  expect(rbacWarnings(config).map(({ message }) => message)).toEqual([
    '"*" is not a regular expression, so the line denies what its fields before it match; for anything write .*',
  ]);
});

const project = (...roles: ProjectRole[]): AppProject => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'AppProject',
  metadata: { name: 'team-payments' },
  spec: { roles },
});

test('roles as people write them are accepted (P-20, P-21, server §5.6)', () => {
  const role: ProjectRole = {
    name: 'lead_1',
    policies: [
      'p, proj:team-payments:lead_1, applications, *, team-payments/*, allow',
      'p, proj:team-payments:lead_1, applications, action/apps/*, team-payments/ns-*/web.*, deny',
      'p, proj:team-payments:lead_1, exec, create, team-payments/*, allow',
      'p, proj:team-payments:lead_1, logs, get, team-payments/*, allow',
    ],
    groups: ['leads', '"leads, all"', 'org:team payments'],
  };
  expect(roleProblems(project(role, { name: 'a' }))).toEqual([]);
  expect(roleProblems({ ...project(), spec: {} })).toEqual([]);
});

test.each([
  [
    'p, proj:team-payments:r, applications, get, team-payments/*',
    'must read p, proj:team-payments:r, <resource>',
  ],
  ['g, proj:team-payments:r, applications, get, team-payments/*, allow', 'must read p,'],
  ['p, proj:team-payments:x, applications, get, team-payments/*, allow', 'a role speaks for itself'],
  ['p, role:admin, applications, get, team-payments/*, allow', 'a role speaks for itself'],
  ['p, proj:team-payments:r, projects, get, team-payments/*, allow', "a project's role may name"],
  ['p, proj:team-payments:r, applications, read, team-payments/*, allow', 'names the action read'],
  ['p, proj:team-payments:r, applications, action/, team-payments/*, allow', 'names the action action/'],
  ['p, proj:team-payments:r, applications, get, other/*, allow', 'names the object other/*'],
  ['p, proj:team-payments:r, applications, get, team-payments, allow', 'names the object team-payments'],
  ['p, proj:team-payments:r, clusters, get, team-payments/https://c1, allow', 'names the object'],
  ['p, proj:team-payments:r, applications, get, team-payments/a/b/c, allow', 'names the object'],
  ['p, proj:team-payments:r, applications, get, team-payments/*, permit', 'ends with permit'],
])('the policy %j is refused (P-20, server §5.6)', (policy, why) => {
  const [problem, ...more] = roleProblems(project({ name: 'r', policies: [policy] }));
  expect(problem).toContain(`role r: the policy "${policy}"`);
  expect(problem).toContain(why);
  expect(more).toEqual([]);
});

test.each(['', '-a', 'a-', 'a b', 'a/b', '_'])('the role name %j is refused (P-20)', (name) => {
  expect(roleProblems(project({ name }))).toEqual([
    `role ${name}: the name may hold letters, digits, - and _, and begins and ends with a letter or digit`,
  ]);
});

test.each([
  ['', 'is empty'],
  ['""', 'is empty'],
  [' a', 'begins or ends with a space'],
  ['a\tb', 'holds a quote, a tab or a new line'],
  ['a"b', 'holds a quote'],
  ['"a"b"', 'holds a quote'],
  ['a,b', 'holds a comma; put it in double quotes'],
])('the group %j is refused (P-21)', (group, why) => {
  expect(roleProblems(project({ name: 'r', groups: [group] }))[0]).toContain(why);
});

test('what is there twice is refused (P-20)', () => {
  const policy = 'p, proj:team-payments:r, applications, get, team-payments/*, allow';
  const role = { name: 'r', policies: [policy, policy], groups: ['g', 'g'] };
  expect(roleProblems(project(role, { name: 'r' }))).toEqual([
    'spec.roles holds the role r twice; merge the two',
    `role r: the policy "${policy}" is there twice; remove one`,
    'role r: the group g is there twice; remove one',
  ]);
});

test('a question is put as the policy knows it (server §5.7)', () => {
  const options = { namespace: 'argocd', rollbackEnforced: false };
  const ask = (resource: string, action: string, object: string, rollbackEnforced = false) =>
    Object.values(normalizeQuestion({ resource, action, object }, { ...options, rollbackEnforced })).join(
      ' ',
    );
  expect(ask('applications', 'get', 'shop/argocd/web')).toBe('applications get shop/web');
  expect(ask('applications', 'get', 'shop/team/web')).toBe('applications get shop/team/web');
  expect(ask('logs', 'get', 'shop/argocd/web')).toBe('logs get shop/web');
  expect(ask('clusters', 'get', 'shop/argocd/web')).toBe('clusters get shop/argocd/web');
  expect(ask('applications', 'rollback', 'shop/web')).toBe('applications sync shop/web');
  expect(ask('applications', 'rollback', 'shop/web', true)).toBe('applications rollback shop/web');
});

test('an application outside the home namespace is asked about with it (server §5.2)', () => {
  expect(applicationObject({ project: 'p', namespace: 'argocd', name: 'a' }, 'argocd')).toBe('p/a');
  expect(applicationObject({ project: 'p', namespace: '', name: 'a' }, 'argocd')).toBe('p/a');
  expect(applicationObject({ project: 'p', namespace: 'team', name: 'a' }, 'argocd')).toBe('p/team/a');
});

test('with inheritance the application-level action is tried first (server §5.2)', () => {
  const pod = { group: '', kind: 'Pod', namespace: 'ns', name: 'x' };
  expect(resourceActions('delete', pod, false)).toEqual(['delete//Pod/ns/x']);
  expect(resourceActions('update', pod, true)).toEqual(['update', 'update//Pod/ns/x']);
});

test.each([
  ['applications', 'sync', undefined],
  ['applications', 'action//Pod/x', undefined],
  ['applications', 'update/*', undefined],
  ['applications', 'action', 'unknown action "action" on applications'],
  ['applications', 'action/', 'unknown action "action/" on applications'],
  ['applications', 'get/x', 'unknown action "get/x" on applications'],
  ['logs', 'create', 'unknown action "create" on logs; there are get'],
  ['pods', 'get', 'unknown resource "pods"; there are applications'],
])('%s %s makes sense, or it is told why not (server §5.2)', (resource, action, why) => {
  const problem = actionProblem(resource, action);
  if (why === undefined) expect(problem).toBeUndefined();
  else expect(problem).toContain(why);
});

test('resources go by the names people use for them', () => {
  expect(['app', 'proj', 'repos', 'cert', 'logs', 'write-repositories'].map(resourceNamed)).toEqual([
    'applications',
    'projects',
    'repositories',
    'certificates',
    'logs',
    'write-repositories',
  ]);
});

test('moving an application takes both projects (X-52)', () => {
  const app = { namespace: 'argocd', name: 'web' };
  expect(questionsToMove(app, ['shop', 'emergency'], 'argocd')).toEqual([
    { resource: 'applications', action: 'update', object: 'shop/web' },
    { resource: 'applications', action: 'create', object: 'emergency/web' },
  ]);
});
