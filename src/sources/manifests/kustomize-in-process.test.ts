import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type KubeObject, memoryTree } from '#base/model';
import { type Ctx, silent } from '#base/std';
import { createManifests } from '#sources/manifests';
import { compare } from '../../../test/fuzz/kustomize-compare.ts';
import { randomTree } from '../../../test/fuzz/kustomize-tree.ts';
import { Random } from '../../../test/fuzz/random.ts';
import { configMap, type ManifestsFixture, manifestsFixture } from '../../../test/manifests.ts';

let the: ManifestsFixture;
/** Reasons for which the real engine was asked. */
const reasons: unknown[] = [];
const log: Ctx['log'] = {
  ...silent,
  debug: (message, fields) => {
    if (message.includes('left to the real engine')) reasons.push(fields?.reason);
  },
};

beforeAll(async () => {
  the = await manifestsFixture();
  await the.repo.commit({
    'base/kustomization.yaml': 'namespace: base\nresources: [settings.yaml]\n',
    'base/settings.yaml': configMap('settings'),
    'app/kustomization.yaml': 'resources: [../base]\nnamePrefix: app-\n',
    'odd/kustomization.yaml': 'resources: [../base]\nopenapi: {version: v1.21.2}\nnamePrefix: odd-\n',
  });
}, 60_000);

afterAll(() => the.close());

async function generate(path: string, more: Parameters<ManifestsFixture['request']>[0] = {}) {
  reasons.length = 0;
  return the.manifests.generate({ ...the.ctx, log }, the.request({ path, ...more }));
}

const names = (objects: readonly KubeObject[]): string[] => objects.map((object) => object.metadata.name);

// a few of those that `npm run test:kustomize` compares by the thousand
const seeds = Array.from({ length: 16 }, (_, at) => 90_001 + at);

describe('what is built in process', () => {
  test('is what the real engine builds, for random trees', { timeout: 60_000 }, async () => {
    const left = [...seeds];
    const found: string[] = [];
    const worker = async (): Promise<void> => {
      for (let seed = left.pop(); seed !== undefined; seed = left.pop()) {
        const { is, detail } = await compare(the.kustomize, randomTree(new Random(seed)));
        found.push(is === 'wrong' ? `seed ${seed}: ${detail}` : is);
      }
    };
    await Promise.all([worker(), worker()]);
    expect(found.filter((one) => one.startsWith('seed'))).toEqual([]);
    expect(found.filter((one) => one === 'same').length).toBeGreaterThan(seeds.length / 3);
  });

  test('is not asked of the real engine', async () => {
    const { objects, commands } = await generate('app');
    expect(reasons).toEqual([]);
    expect(names(objects)).toEqual(['app-settings']);
    expect(objects[0]?.metadata.namespace).toBe('base');
    expect(commands).toEqual(['kustomize build app']);
  });

  test('is built anew when a file of the base changes, and only then', async () => {
    await generate('app');
    await the.repo.commit({ 'unrelated.txt': 'x\n' });
    expect(await generate('app')).toMatchObject({ cached: true });
    await the.repo.commit({ 'base/settings.yaml': configMap('settings', 'x: "2"') });
    const changed = await generate('app');
    expect(changed).toMatchObject({ cached: false, why: 'base/settings.yaml changed' });
    expect(changed.objects[0]).toMatchObject({ data: { x: '2' } });
    await the.repo.commit({ 'base/kustomization.yml': 'resources: []\n' });
    await expect(generate('app')).rejects.toThrow('Found multiple kustomization files');
    await the.repo.commit({ 'base/kustomization.yml': undefined });
    expect(names((await generate('app')).objects)).toEqual(['app-settings']);
  });

  test('takes the options of the Application', async () => {
    const kustomize = { namePrefix: 'other-', commonAnnotations: { note: 'here' } };
    const { objects } = await generate('app', { kustomize });
    expect(reasons).toEqual([]);
    expect(objects[0]?.metadata).toMatchObject({ name: 'other-settings', annotations: { note: 'here' } });
  });
});

describe('the real engine is asked', () => {
  test('about what is not surely understood', async () => {
    expect(names((await generate('odd')).objects)).toEqual(['odd-settings']);
    expect(reasons).toEqual(['the field openapi']);
  });

  test('when somebody chose a program, or when it is of another version', async () => {
    const asked: string[] = [];
    for (const version of ['v5.8.1', 'v5.5.0']) {
      const program = join(the.folder, version, 'kustomize');
      const answer = configMap(`from-${version}`).replaceAll('\n', '\\n');
      await mkdir(dirname(program), { recursive: true });
      await writeFile(
        program,
        `#!/bin/sh\nif [ "$1" = version ]; then echo ${version}; else printf '${answer}'; fi\n`,
      );
      await chmod(program, 0o755);
      const places = version === 'v5.8.1' ? { kustomizePath: program } : { searchPath: dirname(program) };
      const cacheDir = join(the.folder, `cache-${version}`);
      const manifests = createManifests({
        cacheDir,
        sources: the.sources,
        tools: { ...the.tools, ...places },
      });
      const { objects } = await manifests.generate(the.ctx, the.request({ path: 'app' }));
      asked.push(...names(objects));
      await manifests.close();
    }
    expect(asked).toEqual(['from-v5.8.1', 'from-v5.5.0']);
  });
});

test('a tree of the working folder is built like one of a repository', async () => {
  const files = memoryTree({
    'app/kustomization.yaml': 'resources: [c.yaml]\n',
    'app/c.yaml': configMap('here'),
  });
  const { objects } = await the.manifests.generate(
    the.ctx,
    the.request({ path: 'app' }, { filesOf: () => files }),
  );
  expect(names(objects)).toEqual(['here']);
});
