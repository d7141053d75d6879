import { expect, test } from 'vitest';
import {
  deployOf,
  nodeOf,
  panelTabOf,
  returnPath,
  routeOf,
  setViewOf,
  setViewPath,
  viewOf,
  viewPath,
} from './address.ts';

test.each([
  ['/', { page: 'applications' }],
  ['/applications', { page: 'applications' }],
  ['/applications/', { page: 'applications' }],
  ['/login', { page: 'login' }],
  ['/applications/argocd/web', { page: 'application', namespace: 'argocd', name: 'web' }],
  ['/applications/argocd/a%2Fb', { page: 'application', namespace: 'argocd', name: 'a/b' }],
  ['/applications/argocd/%', { page: 'application', namespace: 'argocd', name: '%' }],
  ['/applications/web', { page: 'application', namespace: 'argocd', name: 'web' }],
  ['/applications/a/b/c', { page: 'nowhere' }],
  ['/applicationsets', { page: 'sets' }],
  ['/applicationsets/argocd/shop', { page: 'set', namespace: 'argocd', name: 'shop' }],
  ['/applicationsets/shop', { page: 'set', namespace: 'argocd', name: 'shop' }],
  ['/constructor', { page: 'nowhere' }],
  ['/settings', { page: 'settings', section: 'projects' }],
  [
    '/settings/clusters/https%3A%2F%2F10.0.0.1',
    { page: 'settings', section: 'clusters', name: 'https://10.0.0.1' },
  ],
  ['/settings/nonsense', { page: 'nowhere' }],
  ['/settings/advanced', { page: 'settings', section: 'in-force' }],
  ['/resources', { page: 'nowhere', instead: 'resources' }],
  ['/settings/repos/a/b', { page: 'nowhere' }],
  ['/user-info', { page: 'user' }],
  ['/help', { page: 'help' }],
])('%s leads to %o', (path, route) => {
  expect(routeOf(path)).toEqual(route);
});

test('a link to a resource opens the same resource', () => {
  const link = viewPath({ namespace: 'argocd', name: 'web' }, 'changes', 'apps/Deployment/shop/api');
  expect(link).toBe('/applications/argocd/web?view=changes&node=apps/Deployment/shop/api');
  const query = new URL(link, 'http://x').searchParams;
  expect(viewOf(query)).toBe('changes');
  expect(nodeOf(query)).toBe('apps/Deployment/shop/api');
});

test.each([
  ['node=apps/Deployment/shop/api/0', 'apps/Deployment/shop/api'],
  ['node=/Pod/shop/api-1/2', '/Pod/shop/api-1'],
  ['node=apps/Deployment/shop/api', 'apps/Deployment/shop/api'],
])("Argo CD's link %s selects %s", (query, key) => {
  expect(nodeOf(new URLSearchParams(query))).toBe(key);
});

test.each([
  ['', undefined],
  ['deploy=all', 'all'],
  ['deploy=true', 'all'],
  ['deploy=apps/Deployment/shop/api', ['apps/Deployment/shop/api']],
  ['deploy=apps/Deployment/shop/api,/Service/shop/api', ['apps/Deployment/shop/api', '/Service/shop/api']],
])('the link %s opens the sync of %o', (query, keys) => {
  expect(deployOf(new URLSearchParams(query))).toEqual(keys);
});

test("Argo CD's panels and tabs are views and tabs here", () => {
  expect(viewOf(new URLSearchParams('operation=true'))).toBe('timeline');
  expect(viewOf(new URLSearchParams('conditions=true'))).toBe('events');
  expect(viewOf(new URLSearchParams('view=network&operation=true'))).toBe('network');
  expect(panelTabOf(new URLSearchParams('tab=diff'), false)).toBe('changes');
  expect(panelTabOf(new URLSearchParams('tab=desired'), false)).toBe('target');
});

test('the tree is what one sees without asking', () => {
  expect(viewPath({ namespace: 'argocd', name: 'web' }, 'tree')).toBe('/applications/argocd/web');
  expect(viewOf(new URLSearchParams('view=nonsense'))).toBe('tree');
});

test('a parameter that is no key selects nothing', () => {
  expect(nodeOf(new URLSearchParams('node=nonsense'))).toBeUndefined();
  expect(nodeOf(new URLSearchParams(''))).toBeUndefined();
});

test.each([
  ['/applications/argocd/web?view=list', '/applications/argocd/web?view=list'],
  ['https://elsewhere.invalid/', '/applications'],
  ['//elsewhere.invalid/', '/applications'],
  ['/\\elsewhere.invalid/', '/applications'],
  ['javascript:alert(1)', '/applications'],
  ['/login', '/applications'],
  ['', '/applications'],
])('after signing in, %s leads to %s', (wanted, path) => {
  expect(returnPath(new URLSearchParams({ return_url: wanted }))).toBe(path);
});

test('the panel opens on the difference where the page is about differences', () => {
  expect(panelTabOf(new URLSearchParams('view=changes'), true)).toBe('changes');
  expect(panelTabOf(new URLSearchParams('view=changes'), false)).toBe('summary');
  expect(panelTabOf(new URLSearchParams('tab=manifest'), true)).toBe('manifest');
});

test('a link to a view of a set opens the same view', () => {
  const place = { namespace: 'argocd', name: 'shop' };
  expect(setViewPath(place)).toBe('/applicationsets/argocd/shop');
  const link = setViewPath(place, 'rollout', 'attention=yes');
  expect(link).toBe('/applicationsets/argocd/shop?view=rollout&attention=yes');
  expect(setViewOf(new URL(link, 'http://x').searchParams)).toBe('rollout');
  expect(setViewOf(new URLSearchParams('view=tree'))).toBe('applications');
});
