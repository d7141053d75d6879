import { describe, expect, test } from 'vitest';
import type { ApplicationSet, SetGenerator } from '#base/model';
import { hasPlugin, pushConcernsSet, requestConcernsSet } from './set-webhook.ts';

const setOf = (...generators: SetGenerator[]): ApplicationSet => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'ApplicationSet',
  metadata: { name: 'fleet', namespace: 'argocd' },
  spec: { generators, template: {} },
});
const git = (repoURL: string, revision = 'main'): SetGenerator => ({ git: { repoURL, revision } });
const push = (webUrl: string, revision = 'main', touchedHead = true) => ({
  webUrl,
  revision,
  touchedHead,
  changedFiles: ['any/file'],
});

describe('a push concerns a set (sources ASQ-5)', () => {
  test.each([
    ['the same repository and branch', git('https://github.com/acme/fleet.git'), true],
    ['however it is written', git('git@github.com:acme/Fleet.git'), true],
    ['another repository', git('https://github.com/acme/other'), false],
    ['another branch', git('https://github.com/acme/fleet', 'next'), false],
    ['the default branch', git('https://github.com/acme/fleet', 'HEAD'), true],
    ['a generator inside a merge inside a matrix', nested(git('https://github.com/acme/fleet')), true],
    ['a template whose beginning fits', nested(git('https://github.com/acme/{{ .name }}')), true],
    ['a template of another owner', nested(git('https://github.com/other/{{ .name }}')), false],
    ['no git generator', { list: { elements: [] } }, false],
  ])('%s: %j is %s', (_what, generator, expected) => {
    expect(pushConcernsSet(setOf(generator), push('https://github.com/acme/fleet'))).toBe(expected);
  });

  function nested(inner: SetGenerator): SetGenerator {
    return { matrix: { generators: [{ list: {} }, { merge: { generators: [inner] } }] } };
  }

  test('what was read in the last evaluation counts, not what a template might become', () => {
    const set = setOf(git('https://github.com/acme/{{ .name }}'));
    const read = [{ repoURL: 'https://github.com/acme/fleet', revision: 'main' }];
    expect(pushConcernsSet(set, push('https://github.com/acme/other'), { read })).toBe(false);
    expect(pushConcernsSet(set, push('https://github.com/acme/fleet'), { read })).toBe(true);
  });
});

describe('a pull request concerns a set (sources ASQ-5)', () => {
  const github = {
    provider: 'github',
    webUrl: 'https://github.com/acme/shop',
    owner: 'acme',
    repo: 'shop',
  } as const;
  const gitlab = {
    provider: 'gitlab',
    webUrl: 'https://git.acme.example/group/shop',
    project: 'group/shop',
    projectId: 7,
  } as const;
  test.each([
    ['its repository', { github: { owner: 'Acme', repo: 'shop' } }, github, true],
    ['another repository', { github: { owner: 'acme', repo: 'other' } }, github, false],
    [
      'the host of an enterprise',
      { github: { owner: 'acme', repo: 'shop', api: 'https://ghe.acme/api/v3' } },
      github,
      false,
    ],
    [
      'the API of the same host',
      { github: { owner: 'acme', repo: 'shop', api: 'https://api.github.com' } },
      github,
      true,
    ],
    ['a template', { github: { owner: 'acme', repo: '{{ .repo }}' } }, github, true],
    [
      'a project by its path',
      { gitlab: { project: 'group/shop', api: 'https://git.acme.example' } },
      gitlab,
      true,
    ],
    [
      'a project by its number',
      { gitlab: { project: '7', api: 'https://git.acme.example:8443/' } },
      gitlab,
      true,
    ],
    ['a project of gitlab.com', { gitlab: { project: 'group/shop' } }, gitlab, false],
    ['another provider', { gitea: { owner: 'acme', repo: 'shop' } }, github, false],
  ])('%s', (_what, pullRequest, event, expected) => {
    expect(requestConcernsSet(setOf({ pullRequest }), event)).toBe(expected);
  });
});

test('a plugin may answer anything after anything', () => {
  expect(hasPlugin(setOf({ merge: { generators: [{ plugin: { configMapRef: { name: 'p' } } }] } }))).toBe(
    true,
  );
  expect(hasPlugin(setOf({ list: {} }))).toBe(false);
});
