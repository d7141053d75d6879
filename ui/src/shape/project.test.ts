import { describe, expect, test } from 'vitest';
import type { AppProject } from '#base/model';
import { certificateFrom } from './certificate-input.ts';
import { judgeRole, projectIn, projectRules, projectSentence, rolesOf } from './project.ts';
import { sampleApplication } from './sample-application.ts';
import { textOf } from './span.ts';

const now = Date.parse('2026-03-18T14:30:00Z');
const project: AppProject = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'AppProject',
  metadata: { name: 'shop' },
  spec: {
    sourceRepos: ['https://git.example.com/shop/deploy.git'],
    destinations: [{ server: '*', namespace: 'shop-*' }],
    clusterResourceWhitelist: [{ group: '*', kind: '*' }],
    roles: [
      {
        name: 'deployer',
        policies: ['p, proj:shop:deployer, applications, sync, shop/*, allow'],
        jwtTokens: [{ iat: 1, id: 'ci' }],
      },
    ],
  },
};

describe('a project', () => {
  test('opens with what it permits and how much uses it', () => {
    expect(textOf(projectSentence(project, [sampleApplication()], now))).toBe(
      'shop lets 1 application deploy from 1 repository to 1 destination.',
    );
    const open: AppProject = {
      ...project,
      spec: {
        sourceRepos: ['*'],
        destinations: [{ server: '*', namespace: '*' }],
        syncWindows: [{ kind: 'deny', schedule: '0 14 * * *', duration: '1h', applications: ['*'] }],
      },
    };
    expect(textOf(projectSentence(open, [], now))).toBe(
      'shop lets 0 applications deploy from every repository to every cluster and namespace; a deny window is open now.',
    );
    const link = (apps: Parameters<typeof projectSentence>[1]) =>
      projectSentence(project, apps, now).some(({ target }) => target !== undefined);
    expect([link([sampleApplication()]), link([])]).toEqual([true, false]);
  });

  test('says in words what may go where, and what an empty list means', () => {
    const rules = Object.fromEntries(
      projectRules(project).map(({ title, rows, none }) => [title, rows[0] ?? none]),
    );
    expect(rules).toMatchObject({
      'From these repositories': 'git.example.com/shop/deploy',
      'To these destinations': 'every cluster, namespace shop-*',
      'Cluster-wide kinds allowed': 'every kind',
      'Kinds allowed in namespaces': 'every kind',
      'Commits signed with': 'signatures are not required',
    });
  });

  test('is read from a text only if it is one', () => {
    expect(projectIn('kind: AppProject\nmetadata: { name: a }\nspec: {}').metadata.name).toBe('a');
    expect(() => projectIn('typed text')).toThrow('kind AppProject');
  });

  test('has roles whose rights can be tried, with the line that decides', () => {
    expect(rolesOf(project)).toMatchObject([{ name: 'deployer', tokens: [{ id: 'ci' }] }]);
    const ask = (action: string) =>
      judgeRole(project, 'deployer', { resource: 'applications', action, object: 'shop/web' });
    expect(ask('sync')).toMatchObject({ isAllowed: true });
    expect(ask('sync').why).toContain('applications, sync, shop/*, allow');
    expect(ask('delete')).toEqual({ isAllowed: false, why: 'no line of its policies matches' });
  });
});

test('a pasted certificate or line of known_hosts becomes what the API takes', () => {
  expect(certificateFrom('https', 'git.example.com', 'PEM')).toEqual({
    serverName: 'git.example.com',
    certType: 'https',
    certSubType: '',
    certData: btoa('PEM\n'),
  });
  expect(certificateFrom('ssh', '', 'git.example.com ssh-ed25519 AAAA')).toMatchObject({
    serverName: 'git.example.com',
    certSubType: 'ssh-ed25519',
    certData: btoa('AAAA'),
  });
  expect(() => certificateFrom('ssh', '', 'nonsense')).toThrow('a line of known_hosts');
  expect(() => certificateFrom('https', ' ', 'PEM')).toThrow('host');
});
