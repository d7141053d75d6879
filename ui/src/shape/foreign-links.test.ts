import { expect, test } from 'vitest';
import { bulkDeedOf, redirectOf } from './foreign-links.ts';

const query = (text: string) => new URLSearchParams(text);

test.each([
  ['/applications', 'syncApp=web', '/applications/argocd/web?deploy=all'],
  ['/applications', 'syncApp=web&appNamespace=team', '/applications/team/web?deploy=all'],
  ['/applications', 'syncApp=team/web', '/applications/team/web?deploy=all'],
  ['/applications', 'syncApps=true', undefined],
  ['/settings/projects', 'syncApp=web', undefined],
  ['/applications/argocd/web', 'node=argoproj.io/Application/argocd/web/0', '/applications/argocd/web'],
  ['/applications/web', 'node=argoproj.io/Application/argocd/web/0', '/applications/argocd/web'],
  [
    '/applications/argocd/web',
    'view=tree&node=argoproj.io/Application/argocd/web/0&tab=diff',
    '/applications/argocd/web?view=changes',
  ],
  [
    '/applications/team/web',
    'node=argoproj.io%2FApplication%2Fteam%2Fweb%2F0&tab=parameters',
    '/applications/team/web?view=parameters',
  ],
  [
    '/applications/argocd/web',
    'node=argoproj.io/Application/argocd/web/0&tab=manifest',
    '/applications/argocd/web?view=manifest',
  ],
  ['/applications/argocd/web', 'node=argoproj.io/Application/argocd/child/0&tab=diff', undefined],
  ['/applications/argocd/web', 'node=apps/Deployment/shop/web/0&tab=diff', undefined],
  ['/applications/argocd/web', 'rollback=0', '/applications/argocd/web?view=history'],
  ['/applications/argocd/web', 'rollbackTo=3&view=history', undefined],
  ['/settings/projects', 'rollback=0', undefined],
])("Argo CD's link %s?%s leads to %s", (path, text, to) => {
  expect(redirectOf(path, query(text))).toBe(to);
});

test('a link to the sync or the refresh of a filtered list opens it for what the filter shows', () => {
  expect(bulkDeedOf(query('proj=shop&syncApps=true'))).toBe('sync');
  expect(bulkDeedOf(query('refreshApps=true'))).toBe('refresh');
  expect(bulkDeedOf(query('syncApps=false&proj=shop'))).toBeUndefined();
});
