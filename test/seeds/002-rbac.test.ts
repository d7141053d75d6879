import { expect, test } from 'vitest';
import type { AppProject } from '#base/model';
import {
  type Claims,
  Enforcer,
  projectProblems,
  type RbacConfig,
  rbacWarnings,
  readRbacConfig,
} from '#engine';
import { dataOf, manifest } from './documents.ts';

// the policies of "GitOps with ArgoCD". Its table of who may what is checked against the policies as they are written;
// where the two differ the policy decides, and a comment says so.
const config = readRbacConfig(dataOf('002/argocd-rbac-cm.yaml'));
const project = manifest<AppProject>('002/project-payments-roles.yaml');

const person = (...groups: string[]): Claims => ({ user: 'someone', groups, isLocal: false });
const role = (name: string): Claims => ({
  user: `proj:team-payments:${name}`,
  groups: [],
  isLocal: false,
});

const enforcer = (from: RbacConfig, withProject = false) =>
  new Enforcer({
    ...from,
    projectNamed: (name) => (withProject && name === 'team-payments' ? project : undefined),
  });

/** Letters for what somebody may: view, sync dev, sync prod, create, delete; view another project. */
function powers(judge: Enforcer, who: Claims): string {
  const may = (action: string, object: string) =>
    judge.judge(who, { resource: 'applications', action, object }).allowed;
  const asked: [string, string, string][] = [
    ['view', 'get', 'team-payments/api-dev'],
    ['dev', 'sync', 'team-payments/api-dev'],
    ['staging', 'sync', 'team-payments/api-staging'],
    ['prod', 'sync', 'team-payments/api-prod'],
    ['create', 'create', 'team-payments/api-new'],
    ['delete', 'delete', 'team-payments/api-dev'],
    ['view-others', 'get', 'team-risk/api-dev'],
    ['sync-others', 'sync', 'team-risk/api-dev'],
  ];
  return asked
    .filter(([, action, object]) => may(action, object))
    .map(([name]) => name)
    .join(' ');
}

test('the policy is read without complaint', () => {
  expect(config.problems).toEqual([]);
  expect(rbacWarnings(config)).toEqual([]);
  expect(config).toMatchObject({ defaultRole: 'role:readonly', scopes: ['groups'] });
  expect([config.policy.rules.length, config.policy.grants.length]).toEqual([17, 4]);
});

test.each([
  ['platform-admins', 'view dev staging prod create delete view-others sync-others'],
  // the table says no prod: the policy line ends in team-payments/*, which is all of them
  ['payments-team', 'view dev staging prod view-others'],
  // the table says dev as well: the policy lines end in *-prod
  ['payments-leads', 'view prod view-others'],
  ['engineering', 'view view-others'],
  // everybody reads everything, because policy.default says so
  ['nobody-in-particular', 'view view-others'],
])('by argocd-rbac-cm, the group %s may: %s (server §5.4)', (group, wanted) => {
  expect(powers(enforcer(config), person(group))).toBe(wanted);
});

test.each([
  ['developer', person('payments-team'), 'view dev staging'],
  // the table says neither create nor delete: the policy line says * for the action
  ['lead', person('payments-leads'), 'view dev staging prod create delete'],
  ['oncall, with a token', role('oncall'), 'view dev staging prod'],
  ['developer, with a token', role('developer'), 'view dev staging'],
  ['nobody', person('engineering'), ''],
])('by the roles of the project alone, %s may what the table says', (_, who, wanted) => {
  expect(powers(enforcer(readRbacConfig({}), true), who)).toBe(wanted);
});

test('both together give what either gives', () => {
  const both = enforcer(config, true);
  expect(powers(both, person('payments-team'))).toBe('view dev staging prod view-others');
  expect(powers(both, person('payments-leads'))).toBe('view dev staging prod create delete view-others');
});

test.each([
  ['payments-team', 'logs get', 'team-payments/api-prod', true],
  ['payments-team', 'applications action/apps/Deployment/restart', 'team-payments/api-dev', true],
  ['payments-leads', 'applications action/apps/Deployment/restart', 'team-payments/api-dev', false],
  ['payments-leads', 'applications action/argoproj.io/Rollout/promote-full', 'team-payments/api-prod', true],
  ['payments-team', 'applications action/apps/Deployment/restart', 'team-risk/api-dev', false],
  ['platform-admins', 'exec create', 'team-payments/api-prod', true],
  ['payments-team', 'exec create', 'team-payments/api-dev', false],
  ['engineering', 'clusters get', 'https://prod-cluster.example.com', true],
  ['engineering', 'clusters update', 'https://prod-cluster.example.com', false],
  ['payments-team', 'projects update', 'team-payments', false],
])('%s: %s %s is %s', (group, what, object, wanted) => {
  const [resource = '', action = ''] = what.split(' ');
  expect(enforcer(config).judge(person(group), { resource, action, object }).allowed).toBe(wanted);
});

test('a token of one project has no say in another (server §5.4)', () => {
  const elsewhere: AppProject = { ...project, metadata: { ...project.metadata, name: 'team-risk' } };
  const judge = new Enforcer({ ...readRbacConfig({}), projectNamed: () => elsewhere });
  const asked = { resource: 'applications', action: 'sync', object: 'team-risk/api' };
  expect(judge.judge(role('oncall'), asked).allowed).toBe(false);
});

test('the project’s roles are accepted (P-20)', () => {
  expect(projectProblems(project)).toEqual([]);
});

test('the smaller policy makes one team an administrator of applications, and of nothing else', () => {
  const small = readRbacConfig(dataOf('002/argocd-rbac-cm-org-admin.yaml'));
  expect(small.problems).toEqual([]);
  const judge = enforcer(small);
  const team = person('your-org:team-name');
  expect(powers(judge, team)).toBe('view dev staging prod create delete view-others sync-others');
  const cluster = { resource: 'clusters', object: 'https://prod-cluster.example.com' };
  expect(judge.judge(team, { ...cluster, action: 'get' }).allowed).toBe(true);
  expect(judge.judge(team, { ...cluster, action: 'delete' }).allowed).toBe(false);
  expect(powers(judge, person('another-team'))).toBe('');
});
