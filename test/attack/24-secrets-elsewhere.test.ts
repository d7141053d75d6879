import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Fairlead, forget, startFairlead } from '../e2e/fairlead.ts';

// Attack 24: secrets that are not in Secrets: passwords in the URL of a repository, Helm parameters and values, variables of plugins, in an
// Application and in one that another Application deploys. They are planted as markers and searched for in what the API
// answers. (Tests of what the controllers write, into conditions, operations, events and the log, are beside
// src/control/controllers/application/status/mask-secrets.ts.)

const markers = [
  'marker-in-url',
  'marker-in-parameter',
  'marker-in-values',
  'marker-in-object',
  'marker-in-env',
];
const source = {
  repoURL: 'http://joe:marker-in-url@127.0.0.1:1/org/repo',
  path: 'chart',
  targetRevision: 'main',
  helm: {
    parameters: [
      { name: 'db.password', value: 'marker-in-parameter' },
      { name: 'image.tag', value: 'shown-tag' },
    ],
    values: 'auth:\n  token: marker-in-values\n',
    valuesObject: { apiKey: 'marker-in-object' },
  },
};
const application = (name: string, more: object = {}) => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name, namespace: 'argocd' },
  spec: {
    project: 'default',
    source,
    destination: { server: 'https://kubernetes.default.svc', namespace: 'default' },
    ...more,
  },
});
const plugin = { plugin: { env: [{ name: 'API_TOKEN', value: 'marker-in-env' }] } };

let fairlead: Fairlead;
let token: string;
beforeAll(async () => {
  fairlead = await startFairlead();
  const answer = await fetch(`${fairlead.url}/api/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'admin', password: fairlead.password }),
  });
  ({ token } = (await answer.json()) as { token: string });
  // applied with kubectl: the whole of it is in the last-applied annotation, too
  await fairlead.apply(application('secretive'));
  await fairlead.apply(application('plugged', { source: { ...source, ...plugin } }));
  await fairlead.commit({ 'root/child.yaml': JSON.stringify(application('child')) });
  await fairlead.apply(
    application('parent', {
      source: { repoURL: fairlead.demo, path: 'root', targetRevision: 'HEAD' },
      syncPolicy: { automated: {} },
    }),
  );
  await fairlead.until('child', 'deployed', () => true);
});
afterAll(async () => {
  await fairlead.stop();
  forget(fairlead);
});

const headers = () => ({ authorization: `Bearer ${token}`, 'content-type': 'application/json' });
const read = async (path: string): Promise<string> =>
  (await fetch(`${fairlead.url}/api/v1/${path}`, { headers: headers() })).text();
const leaks = (text: string): string[] => markers.filter((marker) => text.includes(marker));

/** The first messages of a stream: those of every Application that is there. */
async function stream(): Promise<string> {
  const stop = new AbortController();
  const { body } = await fetch(`${fairlead.url}/api/v1/stream/applications`, {
    headers: headers(),
    signal: stop.signal,
  });
  let text = '';
  for await (const piece of body ?? []) {
    text += new TextDecoder().decode(piece);
    if (['secretive', 'plugged', 'child'].every((name) => text.includes(`"name":"${name}"`))) break;
  }
  stop.abort();
  return text;
}

test.each([
  'applications',
  'applications/secretive',
  'applications/plugged',
  'applications/child',
  'applications/secretive?refresh=normal',
  'applications/parent/managed-resources',
  'applications/parent/resource-tree',
  'applications/parent/resource?group=argoproj.io&kind=Application&namespace=argocd&resourceName=child',
])('GET %s shows no secret', async (path) => {
  const text = await read(path);
  expect(leaks(text)).toEqual([]);
  expect(text).toContain('{');
});

test('the answers show that something is hidden, and what is no secret', async () => {
  const text = await read('applications/secretive');
  expect(text).toContain('joe:++++++++@127.0.0.1');
  expect(text).toContain('shown-tag');
  expect(await read('applications/parent/managed-resources')).toContain('++++++++');
});

test('neither do streams and the command line', async () => {
  expect(leaks(await stream())).toEqual([]);
  const login = ['--server', new URL(fairlead.url).host, '--plaintext', '--auth-token', token];
  const { stdout } = await fairlead.cli('app', 'get', 'secretive', '-o', 'json', ...login);
  expect(leaks(stdout)).toEqual([]);
});

test('an Application that is read and sent back keeps its secrets', async () => {
  const app = JSON.parse(await read('applications/secretive')) as {
    spec: { source: { helm: { parameters: object[] } } };
  };
  app.spec.source.helm.parameters[1] = { name: 'image.tag', value: 'next-tag' };
  const answer = await fetch(`${fairlead.url}/api/v1/applications?upsert=true&validate=false`, {
    method: 'POST',
    headers: headers(),
    body: JSON.stringify(app),
  });
  expect([answer.status, leaks(await answer.text())]).toEqual([200, []]);
  const { stdout } = await fairlead.kubectl('-n', 'argocd', 'get', 'application', 'secretive', '-o', 'json');
  const { spec } = JSON.parse(stdout) as { spec: { source: unknown } };
  expect(spec.source).toMatchObject({ repoURL: source.repoURL, helm: { values: source.helm.values } });
  expect(JSON.stringify(spec)).toContain('next-tag');
  expect(JSON.stringify(spec)).not.toContain('++++++++');
});
