import { expect, test } from 'vitest';
import type { AppProject } from '#base/model';
import {
  noForm,
  projectFormOf,
  roleForm,
  roleOf,
  whyNotRole,
  whyNotWindow,
  windowForm,
  windowOf,
  withItem,
  withoutItem,
} from './project-edit.ts';

const role = {
  name: 'ci',
  policies: ['p, proj:shop:ci, applications, sync, shop/*, allow'],
  jwtTokens: [{ iat: 1 }],
};
const project: AppProject = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'AppProject',
  metadata: { name: 'shop', resourceVersion: '7' },
  spec: { sourceRepos: ['a', 'b'], roles: [role] },
  status: { jwtTokensByRole: {} },
};

test('an item is added, replaced or removed, and nothing else changes', () => {
  expect(withItem(project, 'sourceRepos', 'c').spec.sourceRepos).toEqual(['a', 'b', 'c']);
  expect(withItem(project, 'sourceRepos', 'c', 0).spec.sourceRepos).toEqual(['c', 'b']);
  expect(withoutItem(project, 'sourceRepos', 0).spec).toEqual({ ...project.spec, sourceRepos: ['b'] });
  const first = withItem(project, 'destinations', { server: '*', namespace: 'x' });
  expect(first.spec.destinations).toEqual([{ server: '*', namespace: 'x' }]);
  expect(first.metadata).toEqual(project.metadata);
  expect(first).not.toHaveProperty('status');
});

test('a window keeps what its form does not show', () => {
  const window = {
    kind: 'allow' as const,
    schedule: '0 8 * * *',
    duration: '20m',
    syncOverrun: true,
    clusters: ['x'],
  };
  const form = { ...windowForm(window), clusters: '', applications: 'a, b', timeZone: 'Europe/Berlin' };
  expect(windowOf(form, window)).toEqual({
    kind: 'allow',
    schedule: '0 8 * * *',
    duration: '20m',
    syncOverrun: true,
    manualSync: false,
    applications: ['a', 'b'],
    timeZone: 'Europe/Berlin',
  });
});

test.each([
  [{ schedule: '' }, /schedule is missing/],
  [{ schedule: 'every day' }, /every day|schedule|fields/],
  [{ schedule: '0 8 * * *', duration: 'long' }, /long|duration/],
  [{ schedule: '0 8 * * *', applications: '' }, /for nothing/],
  [{ schedule: '0 8 * * *' }, undefined],
])('a window that cannot be used is refused with the reason: %j', (changes, why) => {
  const found = whyNotWindow({ ...windowForm(undefined), ...changes });
  if (why === undefined) expect(found).toBeUndefined();
  else expect(found).toMatch(why);
});

test('a role keeps its tokens, and its name is its own', () => {
  const form = { ...roleForm(role), policies: 'p, one\n\n p, two ', groups: 'a, b' };
  expect(roleOf(form, role)).toEqual({
    name: 'ci',
    description: '',
    policies: ['p, one', 'p, two'],
    groups: ['a', 'b'],
    jwtTokens: [{ iat: 1 }],
  });
  expect(whyNotRole(form, project, role)).toBeUndefined();
  expect(whyNotRole(form, project)).toBe('There is a role ci already.');
  expect(whyNotRole({ ...form, name: 'a b' }, project)).toContain('letters');
});

test('an address opens a form, those of Argo CD too', () => {
  const of = (query: string) => projectFormOf(new URLSearchParams(query));
  expect(of('editRole=ci')).toEqual({ tab: 'roles', of: 'roles', id: 'ci' });
  expect(of('newRole=true')).toEqual({ tab: 'roles', of: 'roles' });
  expect(of('editWindow=0')).toEqual({ tab: 'windows', of: 'syncWindows', id: '0' });
  expect(of('newDestination=true')).toEqual({ tab: 'rules', of: 'destinations' });
  expect(of('newWindow=false&tab=windows')).toBeUndefined();
  expect(Object.keys(noForm)).toContain('editWindow');
});
