import { access, chmod, mkdir, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { KubeObject, Source } from '#base/model';
import { createManifests, type Manifests } from '#sources/manifests';
import { type ManifestsFixture, manifestsFixture } from '../manifests.ts';

// Attack 22: rendering never has more rights than the tenant whose source is rendered: no variable, home folder, kubeconfig or
// plugin of the process reaches an engine, and `lookup` reads no cluster.

let the: ManifestsFixture;
/** Helm, Kustomize and the plugin are one script that prints its environment. */
let showing: Manifests;
let cluster: Server;
let asked = 0;
let markerAt: string;
let postRenderer: string;

const planted = ['AWS_SECRET_ACCESS_KEY', 'FAIRLEAD_ADMIN_PASSWORD', 'ARGOCD_AUTH_TOKEN', 'SSH_AUTH_SOCK'];
const plantedFolders = ['HELM_PLUGINS', 'HELM_REGISTRY_CONFIG', 'KUSTOMIZE_PLUGIN_HOME', 'XDG_CONFIG_HOME'];
const showEnvironment = `#!/bin/sh
if [ "$1" = version ]; then echo v9.9.9; exit 0; fi
printf 'apiVersion: v1\\nkind: ConfigMap\\nmetadata: {name: shown}\\ndata:\\n  env: |\\n'
/usr/bin/env | while IFS= read -r line; do printf '    %s\\n' "$line"; done
`;

async function script(path: string, text: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  await chmod(path, 0o755);
  return path;
}

const kubeconfig = (server: string): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster: { server } }],
    users: [{ name: 'u', user: { token: 'planted' } }],
  });

beforeAll(async () => {
  the = await manifestsFixture();
  markerAt = join(the.folder, 'marker');
  const touching = `#!/bin/sh\n: > '${markerAt}'\n/bin/cat\n`;
  postRenderer = await script(join(the.folder, 'post'), touching);
  const show = await script(join(the.folder, 'show'), showEnvironment);
  showing = createManifests({
    cacheDir: join(the.folder, 'showing'),
    sources: the.sources,
    tools: {
      ...the.tools,
      searchPath: '/usr/bin:/bin',
      helmPath: show,
      kustomizePath: show,
      plugins: [{ name: 'show', generate: [show] }],
    },
  });
  cluster = createServer((_request, response) => {
    asked += 1;
    response.setHeader('content-type', 'application/json').end('{}');
  });
  await new Promise<void>((resolve) => cluster.listen(0, '127.0.0.1', resolve));

  const home = join(the.folder, 'planted-home');
  const config = join(home, '.kube/config');
  await mkdir(dirname(config), { recursive: true });
  await writeFile(config, kubeconfig(`http://127.0.0.1:${(cluster.address() as AddressInfo).port}`));
  await script(join(home, '.config/kustomize/plugin/example.com/v1/gen/Gen'), touching);
  await the.repo.commit({
    'chart/Chart.yaml': 'apiVersion: v2\nname: c\nversion: 0.1.0\n',
    'chart/templates/cm.yaml': [
      'apiVersion: v1',
      'kind: ConfigMap',
      'metadata: {name: found}',
      'data: {secret: {{ lookup "v1" "Secret" "kube-system" "" | toJson | quote }}}',
      '',
    ].join('\n'),
    'overlay/kustomization.yaml': 'resources: []\n',
    'exec/kustomization.yaml': 'generators: [gen.yaml]\n',
    'exec/gen.yaml': 'apiVersion: example.com/v1\nkind: Gen\nmetadata: {name: gen}\n',
    'other/x': '',
  });

  vi.stubEnv('HOME', home);
  vi.stubEnv('KUBECONFIG', config);
  for (const name of planted) vi.stubEnv(name, 'planted');
  for (const name of plantedFolders) vi.stubEnv(name, join(home, '.config/kustomize/plugin'));
}, 60_000);

afterAll(async () => {
  vi.unstubAllEnvs();
  await new Promise((resolve) => cluster.close(resolve));
  await showing.close();
  await the.close();
});

const dataOf = (objects: readonly KubeObject[]): Record<string, string> =>
  (objects[0] as KubeObject & { data: Record<string, string> }).data;
const sources: Record<string, Partial<Source>> = {
  helm: { path: 'chart' },
  kustomize: { path: 'overlay' },
  'a plugin': { path: 'other', plugin: { name: 'show' } },
};
const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

async function environmentOf(source: Partial<Source>): Promise<Map<string, string>> {
  const { objects } = await showing.generate(the.ctx, the.request(source));
  const lines = (dataOf(objects).env ?? '').trim().split('\n');
  return new Map(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
}

test.each(Object.entries(sources))('%s gets no variable of the process', async (_what, source) => {
  const env = await environmentOf(source);
  expect([...env].filter(([, value]) => value.includes('planted'))).toEqual([]);
  expect([undefined, '/dev/null']).toContain(env.get('KUBECONFIG'));
  expect([...planted, ...plantedFolders].filter((name) => env.has(name))).toEqual([]);
});

test('each run has a home of its own, which is gone afterwards', async () => {
  const homes: string[] = [];
  for (const source of Object.values(sources)) homes.push((await environmentOf(source)).get('HOME') ?? '');
  expect(new Set(homes).size).toBe(homes.length);
  for (const home of homes) expect(home).toContain(join(the.folder, 'showing'));
  expect(await Promise.all(homes.map(isThere))).toEqual(homes.map(() => false));
});

test('variables that a source gives a plugin never replace those of the program', async () => {
  const env = ['KUBECONFIG', 'HOME', 'PATH', 'LD_LIBRARY_PATH'].map((name) => ({ name, value: '/tenant' }));
  const shown = await environmentOf({ path: 'other', plugin: { name: 'show', env } });
  const taken = [...shown].filter(([, value]) => value === '/tenant').map(([name]) => name);
  expect(taken.filter((name) => !name.startsWith('ARGOCD_ENV_'))).toEqual([]);
  expect(taken).toContain('ARGOCD_ENV_KUBECONFIG');
});

test('lookup finds nothing and asks no cluster', async () => {
  const { objects } = await the.manifests.generate(the.ctx, the.request({ path: 'chart' }));
  expect(dataOf(objects)).toEqual({ secret: '{}' });
  expect(asked).toBe(0);
});

test('a kustomization starts no program, not even one that is installed for the user of the process', async () => {
  await expect(the.manifests.generate(the.ctx, the.request({ path: 'exec' }))).rejects.toThrow(
    'external plugins disabled',
  );
  expect(await isThere(markerAt)).toBe(false);
});

test.each<[string, (word: string) => NonNullable<Source['helm']>]>([
  ['the name of a release', (releaseName) => ({ releaseName })],
  ['a namespace', (namespace) => ({ namespace })],
  ['a version of Kubernetes', (kubeVersion) => ({ kubeVersion })],
  ['an API version', (word) => ({ apiVersions: [word] })],
  ['a value file', (word) => ({ valueFiles: [word] })],
  ['a parameter', (name) => ({ parameters: [{ name, value: 'x' }] })],
])('%s is no option of helm', async (_what, helmWith) => {
  for (const word of [`--post-renderer=${postRenderer}`, '--dry-run=server']) {
    const request = the.request({ path: 'chart', helm: helmWith(word) });
    const outcome = await the.manifests.generate(the.ctx, request).then(
      ({ objects }) => JSON.stringify(dataOf(objects)),
      (error: Error) => error.message,
    );
    // what Helm says when it takes the word for an option
    expect(outcome).not.toMatch(/for "--post-renderer" flag|cluster unreachable/);
  }
  expect([await isThere(markerAt), asked]).toEqual([false, 0]);
});
