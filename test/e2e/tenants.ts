import { join } from 'node:path';
import { realClock } from '#base/std';
import { gitRepository } from '../git-repository.ts';
import { configMap } from '../manifests.ts';
import { type Fairlead, startFairlead } from './fairlead.ts';

/** Every kind of caller there is: without a session, a reader of everything, roles of two projects, the administrator. */
export const actors = ['anonymous', 'reader', 'dev', 'other', 'admin'] as const;
export type Actor = (typeof actors)[number];

export type Tenants = {
  readonly fairlead: Fairlead;
  readonly tokens: Readonly<Record<Actor, string>>;
  /** A request with the token of an actor, or with any other one. */
  ask(who: Actor | { token: string }, method: string, path: string, body?: unknown): Promise<Response>;
  configure(name: string, data: Record<string, string | null>): Promise<void>;
};

const policy = [
  'g, reader, role:readonly',
  'p, jane, applications, get, shop/*, allow',
  'p, jane, applications, sync, shop/*, allow',
].join('\n');

/** Two projects with a role and an application each, and the accounts reader and jane. */
export async function startTenants(): Promise<Tenants> {
  const fairlead = await startFairlead('--no-demo');
  const repository = await gitRepository(join(fairlead.folder, 'repository'));
  await repository.commit({ 'settings.yaml': configMap('settings') });
  const configure = async (name: string, data: Record<string, string | null>) => {
    const patch = JSON.stringify({ data });
    const done = await fairlead.kubectl('-n', 'argocd', 'patch', 'cm', name, '--type=merge', '-p', patch);
    if (done.code !== 0) throw new Error(done.stderr);
  };
  await configure('argocd-cm', { 'accounts.reader': 'apiKey', 'accounts.jane': 'apiKey, login' });
  await configure('argocd-rbac-cm', { 'policy.csv': policy });
  for (const [project, app] of [
    ['shop', 'web'],
    ['bank', 'vault'],
  ] as const) {
    await fairlead.apply(projectOf(project));
    await fairlead.apply(applicationOf(app, project, `file://${repository.dir}`));
  }
  const ask: Tenants['ask'] = (who, method, path, body) => {
    const token = typeof who === 'string' ? tokens[who] : who.token;
    return fetch(fairlead.url + path, {
      method,
      headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  };
  const login = { username: 'admin', password: fairlead.password };
  const tokens: Record<Actor, string> = { anonymous: '', reader: '', dev: '', other: '', admin: '' };
  const tokenFrom = async (path: string, body: object): Promise<string> => {
    for (let attempt = 0; ; attempt++) {
      const answer = await ask('admin', 'POST', path, body);
      const { token, message } = (await answer.json()) as { token?: string; message?: string };
      if (token) return token;
      // the settings that were just written may not have arrived
      if (attempt > 200) throw new Error(`${path}: ${message}`);
      await realClock.sleep(50, new AbortController().signal);
    }
  };
  tokens.admin = await tokenFrom('/api/v1/session', login);
  tokens.reader = await tokenFrom('/api/v1/account/reader/token', { id: 'test' });
  tokens.dev = await tokenFrom('/api/v1/projects/shop/roles/dev/token', { id: 'test', expiresIn: 3600 });
  tokens.other = await tokenFrom('/api/v1/projects/bank/roles/dev/token', {});
  return { fairlead, tokens, ask, configure };
}

export const projectOf = (name: string) => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'AppProject',
  metadata: { name, namespace: 'argocd' },
  spec: {
    sourceRepos: ['*'],
    destinations: [{ server: '*', namespace: '*' }],
    roles: [
      {
        name: 'dev',
        policies: [
          `p, proj:${name}:dev, applications, get, ${name}/*, allow`,
          `p, proj:${name}:dev, applications, sync, ${name}/*, allow`,
          `p, proj:${name}:dev, applications, create, ${name}/*, allow`,
          `p, proj:${name}:dev, applications, action//ConfigMap/*, ${name}/*, allow`,
          `p, proj:${name}:dev, applicationsets, get, ${name}/*, allow`,
          `p, proj:${name}:dev, applicationsets, create, ${name}/*, allow`,
        ],
      },
    ],
  },
});

export const applicationOf = (name: string, project: string, repoURL: string) => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name, namespace: 'argocd' },
  spec: {
    project,
    source: { repoURL, path: '.', targetRevision: 'HEAD' },
    destination: { server: 'https://kubernetes.default.svc', namespace: name },
  },
});

/** One application in the project, from a list. */
export const applicationSetOf = (name: string, project: string, repoURL: string) => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'ApplicationSet',
  metadata: { name, namespace: 'argocd' },
  spec: {
    generators: [{ list: { elements: [{ name: `${name}-one` }] } }],
    template: {
      metadata: { name: '{{name}}' },
      spec: applicationOf('{{name}}', project, repoURL).spec,
    },
  },
});
