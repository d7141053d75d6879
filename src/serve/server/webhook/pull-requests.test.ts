import { describe, expect, test } from 'vitest';
import { Payload } from './payload.ts';
import { requestFromAzureDevOps, requestFromGitHub, requestFromGitLab } from './pull-requests.ts';

const github = (action: string) =>
  new Payload({
    action,
    repository: { html_url: 'https://github.com/acme/shop', name: 'shop', owner: { login: 'acme' } },
  });
const shop = { provider: 'github', webUrl: 'https://github.com/acme/shop', owner: 'acme', repo: 'shop' };

describe('a delivery reports a pull request whose list may have changed (sources ASQ-4)', () => {
  test.each([
    ['opened', shop],
    ['synchronize', shop],
    ['labeled', shop],
    ['closed', shop],
    ['assigned', 'ignored'],
    ['', 'ignored'],
  ])('GitHub, %s', (action, expected) => {
    expect(requestFromGitHub('pull_request', github(action))).toEqual(expected);
  });

  test('another event is none, and one without a repository concerns nothing', () => {
    expect(requestFromGitHub('push', github('opened'))).toBeUndefined();
    expect(requestFromGitHub('pull_request', new Payload({ action: 'opened' }))).toBe('ignored');
  });

  test('GitLab names a project by its path and its number', () => {
    const project = { web_url: 'https://gitlab.com/acme/shop', path_with_namespace: 'acme/shop', id: 7 };
    const payload = (action: string) => new Payload({ object_attributes: { action }, project });
    expect(requestFromGitLab('Merge Request Hook', payload('merge'))).toEqual({
      provider: 'gitlab',
      webUrl: 'https://gitlab.com/acme/shop',
      project: 'acme/shop',
      projectId: 7,
    });
    expect(requestFromGitLab('Merge Request Hook', payload('approved'))).toBe('ignored');
    expect(requestFromGitLab('Push Hook', payload('merge'))).toBeUndefined();
  });

  test('Azure DevOps names a project and a repository', () => {
    const repository = {
      name: 'shop',
      remoteUrl: 'https://dev.azure.com/acme/store/_git/shop',
      project: { name: 'store' },
    };
    const payload = (eventType: string) => new Payload({ eventType, resource: { repository } });
    expect(requestFromAzureDevOps(payload('git.pullrequest.updated'))).toEqual({
      provider: 'azuredevops',
      webUrl: 'https://dev.azure.com/acme/store/_git/shop',
      project: 'store',
      repo: 'shop',
    });
    expect(requestFromAzureDevOps(payload('git.pullrequest.commented'))).toBe('ignored');
    expect(requestFromAzureDevOps(payload('git.push'))).toBeUndefined();
  });
});
