import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PluginOptions } from '#base/model';
import type { Plugin } from '#sources/render';
import { configMap, type ManifestsFixture, manifestsFixture } from '../../../test/manifests.ts';
import { createManifests, type ManifestLimits, type Manifests } from './index.ts';
import { processIsolation } from './isolation.ts';

let the: ManifestsFixture;
let manifests: Manifests;

const sh = (script: string): readonly string[] => ['/bin/sh', '-c', script];
const object = 'printf "apiVersion: v1\\nkind: ConfigMap\\nmetadata: {name: %s}\\n" ';
const plugins: Plugin[] = [
  {
    name: 'env',
    generate: sh(
      `${object} env; echo "data:"; env | sort | sed "s/'//g; s/^\\([^=]*\\)=\\(.*\\)/  \\1: '\\2'/"`,
    ),
  },
  {
    name: 'steps-v1',
    init: sh('echo made > by-init'),
    generate: sh(`${object} "$(cat by-init)-$(cat ../shared.txt)"`),
  },
  { name: 'finder', generate: sh(`${object} found`), discover: { glob: '*.special' } },
  { name: 'asker', generate: sh(`${object} asked`), discover: { command: sh('test -f ask.me && echo yes') } },
  { name: 'broken', generate: sh('echo half; echo "no such thing" >&2; exit 3') },
  { name: 'endless', generate: sh('yes') },
  { name: 'slow', generate: sh('sleep 60') },
  {
    name: 'daemon',
    generate: sh(`setsid sleep 61.7354 >/dev/null 2>&1 & ${object} d`),
  },
];

function renderer(limits: Partial<ManifestLimits> = {}): Manifests {
  const tools = { ...the.tools, searchPath: '/usr/bin:/bin', plugins };
  return createManifests({
    cacheDir: join(the.folder, `plugins-${Math.random()}`),
    sources: the.sources,
    tools,
    limits,
  });
}

beforeAll(async () => {
  the = await manifestsFixture();
  await the.repo.commit({
    'shared.txt': 'shared',
    'app/x': '',
    'special/x.special': '',
    'special/kustomization.yaml': 'resources: []\n',
    'ask/ask.me': '',
    'plain/a.yaml': configMap('a'),
  });
  manifests = renderer();
});
afterAll(() => the.close());

const ask = async (path: string, plugin?: PluginOptions, by = manifests) => {
  const request = the.request({ path, ...(plugin && { plugin }) });
  const { objects, ...rest } = await by.generate(the.ctx, request);
  return { names: objects.map(({ metadata }) => metadata.name), objects, ...rest };
};

describe('a plugin', () => {
  test('runs init and then generate in its folder of a private copy of the repository (CMP-6)', async () => {
    const result = await ask('app', { name: 'steps-v1' });
    expect(result).toMatchObject({ names: ['made-shared'], sourceTypes: ['Plugin'], cached: false });
    expect(result.commands[0]).toContain('steps-v1: /bin/sh -c echo made');
    expect(await ask('app', { name: 'steps-v1' })).toMatchObject({ cached: true });
    await the.repo.commit({ 'shared.txt': 'other' });
    expect(await ask('app', { name: 'steps-v1' })).toMatchObject({ names: ['made-other'], cached: false });
  });

  test('is not run on files of a user who may not override, and neither is its discovery', async () => {
    const files = the.request({ path: 'ask' });
    const refused = 'that needs the permission override';
    for (const plugin of [undefined, { name: 'env' }]) {
      const request = the.request({ path: 'ask', ...(plugin && { plugin }) });
      await expect(manifests.generate(the.ctx, { ...request, withoutPlugins: true })).rejects.toThrow(
        refused,
      );
    }
    const directory = {
      ...files,
      sources: files.sources.map((one) => ({ ...one, path: 'plain', directory: { recurse: true } })),
    };
    const { objects } = await manifests.generate(the.ctx, { ...directory, withoutPlugins: true });
    expect(objects).toHaveLength(1);
  });

  test('is told who it renders for, and nothing of this machine (CMP-1, CMP-5)', async () => {
    const { objects } = await ask('app', {
      name: 'env',
      env: [{ name: 'TAG', value: '$ARGOCD_APP_NAME-x' }],
      parameters: [{ name: 'a-b', string: 'c' }],
    });
    const { data } = objects[0] as unknown as { data: Record<string, string> };
    expect(data).toMatchObject({
      ARGOCD_APP_NAME: 'shop',
      ARGOCD_ENV_TAG: 'shop-x',
      PARAM_A_B: 'c',
      KUBE_VERSION: '1.33.4',
      PATH: '/usr/bin:/bin',
    });
    const own = ['HOME', 'TMPDIR', 'PATH', 'LC_ALL', 'PWD', 'OLDPWD', 'SHLVL', '_'];
    const others = Object.keys(data).filter((name) => !/^(ARGOCD_|PARAM_|KUBE_)/.test(name));
    expect(others.filter((name) => !own.includes(name))).toEqual([]);
    expect(data.HOME).toContain(the.folder);
  });

  test('is found by its files before anything else is, when the source names no type (CMP-4, 1.11)', async () => {
    expect(await ask('special')).toMatchObject({ names: ['found'], sourceTypes: ['Plugin'] });
    expect(await ask('ask')).toMatchObject({ names: ['asked'] });
    expect(await ask('plain')).toMatchObject({ names: ['a'], sourceTypes: ['Directory'] });
    expect(await ask('special', {})).toMatchObject({ names: ['found'] });
  });

  test('that was named must find its files too, if it looks for any (CMP-4)', async () => {
    expect(await ask('special', { name: 'finder' })).toMatchObject({ names: ['found'] });
    for (const name of ['finder', 'asker']) {
      await expect(ask('plain', { name })).rejects.toMatchObject({
        code: 'InvalidSpec',
        message: `config management plugin ${name} does not find what it looks for in plain: name another, or none`,
      });
    }
    await expect(ask('plain', {})).rejects.toThrow(
      'no config management plugin finds itself at home in plain',
    );
  });

  test('that is not known is told with those that are, and that sidecars are not used', async () => {
    await expect(ask('plain', { name: 'cdk' })).rejects.toThrow(
      /^no config management plugin cdk: known are env, steps-v1, .*sockets of sidecars are not used/,
    );
    const none = the.manifests.generate(the.ctx, the.request({ path: 'plain', plugin: { name: 'cdk' } }));
    await expect(none).rejects.toThrow('known are none');
  });

  test('that fails tells the command, the code and what it said (CMP-6)', async () => {
    await expect(ask('plain', { name: 'broken' })).rejects.toMatchObject({
      code: 'RenderFailed',
      message: expect.stringMatching(/^`broken: .*` failed exit status 3: no such thing$/s),
    });
  });

  test('has limits to its time and its output', async () => {
    const bounded = renderer({ ms: 1_000, outputBytes: 10_000 });
    await expect(ask('plain', { name: 'slow' }, bounded)).rejects.toMatchObject({
      code: 'LimitExceeded',
      message: expect.stringContaining('ran longer than 1000 ms'),
    });
    await expect(ask('plain', { name: 'endless' }, bounded)).rejects.toMatchObject({
      code: 'LimitExceeded',
      message: expect.stringContaining('wrote more than 10000 bytes'),
    });
  });

  test('leaves nothing running, not even what left its process group', async () => {
    const set = await processIsolation(the.ctx, the.folder);
    expect(await ask('plain', { name: 'daemon' })).toMatchObject({ names: ['d'] });
    // where the kernel lets nobody make a namespace, a daemon is the one thing that can escape
    if (set.length > 0) expect(commandLines().filter((line) => line.includes('61.7354'))).toEqual([]);
  });
});

function commandLines(): string[] {
  const ids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && name !== String(process.pid));
  return ids.flatMap((id) => {
    try {
      return [readFileSync(`/proc/${id}/cmdline`, 'utf8')];
    } catch {
      return []; // it has ended meanwhile
    }
  });
}
