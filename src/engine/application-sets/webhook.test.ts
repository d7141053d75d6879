import { expect, test } from 'vitest';
import type { SetGenerator } from '#base/model';
import { ApplicationRenderer, isSetConcerned, listParameters, type SetEvent } from '#engine';

const push = (webUrl: string, revision: string, touchedHead = false): SetEvent => ({
  is: 'push',
  push: { webUrl, revision, touchedHead, changedFiles: [] },
});
const request = (more: object): SetEvent => ({
  is: 'pull request',
  request: { provider: 'github', host: 'github.com', owner: 'Acme', repository: 'web', ...more },
});
const git = (repoURL: string, revision?: string): SetGenerator => ({
  git: { repoURL, ...(revision ? { revision } : {}), directories: [{ path: '*' }] },
});
const pullRequest = (github: Record<string, unknown>): SetGenerator => ({ pullRequest: { github } });
const main = push('https://example.com/acme/web', 'main', true);

async function isConcerned(generators: SetGenerator[], event: SetEvent, reads = 'list'): Promise<boolean> {
  const { texts } = new ApplicationRenderer({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'ApplicationSet',
    metadata: { name: 'set' },
    spec: { generators, template: {} },
  });
  return isSetConcerned(generators, event, {
    renderer: texts,
    produce: async (item) => {
      if (item.kind !== 'list' || reads !== 'list') throw new Error('not read');
      return listParameters(item.generator, 'flat');
    },
  });
}

test.each([
  ['another spelling of the URL', [git('git@EXAMPLE.com:acme/web.git', 'main')], main, true],
  ['no revision, the default branch', [git('https://example.com/acme/web')], main, true],
  [
    'HEAD, another branch',
    [git('https://example.com/acme/web', 'HEAD')],
    push('https://example.com/acme/web', 'x'),
    false,
  ],
  ['another revision', [git('https://example.com/acme/web', 'v1')], main, false],
  ['another repository', [git('https://example.com/acme/web2', 'main')], main, false],
  ['a list', [{ list: {} }], main, false],
  ['a plugin', [{ plugin: { configMapRef: { name: 'p' } } }], main, true],
  ['a push and a pull request generator', [pullRequest({ owner: 'acme', repo: 'web' })], main, false],
  ['its pull request', [pullRequest({ owner: 'acme', repo: 'web' })], request({}), true],
  ['another owner', [pullRequest({ owner: 'other', repo: 'web' })], request({}), false],
  [
    'another host',
    [pullRequest({ owner: 'acme', repo: 'web', api: 'https://git.corp/api/v3' })],
    request({}),
    false,
  ],
  [
    'a host of one’s own',
    [pullRequest({ owner: 'acme', repo: 'web', api: 'https://git.corp/api/v3' })],
    request({ host: 'git.corp' }),
    true,
  ],
  [
    'a project of GitLab',
    [{ pullRequest: { gitlab: { project: '42' } } }],
    request({ provider: 'gitlab', host: 'gitlab.com', projects: ['acme/web', '42'] }),
    true,
  ],
  [
    'a repository of Azure DevOps',
    [{ pullRequest: { azuredevops: { organization: 'acme', project: 'p', repo: 'web' } } }],
    request({ provider: 'azuredevops', host: 'dev.azure.com', projects: ['P'] }),
    true,
  ],
  [
    'a child of a merge',
    [{ merge: { generators: [{ list: {} }, git('https://example.com/acme/web')] } }],
    main,
    true,
  ],
  [
    'the first child of a matrix',
    [{ matrix: { generators: [git('https://example.com/acme/web'), { list: {} }] } }],
    main,
    true,
  ],
] as [string, SetGenerator[], SetEvent, boolean][])(
  '%s (sources ASQ-5)',
  async (...[, generators, event, expected]) => {
    expect(await isConcerned(generators, event)).toBe(expected);
  },
);

test('the second child of a matrix is interpolated before it is matched (sources ASQ-5)', async () => {
  const matrix = (url: string): SetGenerator[] => [
    { matrix: { generators: [{ list: { elements: [{ url }] } }, git('{{url}}', 'main')] } },
  ];
  expect(await isConcerned(matrix('https://example.com/acme/web'), main)).toBe(true);
  expect(await isConcerned(matrix('https://example.com/acme/other'), main)).toBe(false);
  expect(await isConcerned(matrix('https://example.com/acme/other'), main, 'nothing')).toBe(true);
});
