import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ChartPress } from '../../../test/chart-repository.ts';
import { configMap, type ManifestsFixture, manifestsFixture } from '../../../test/manifests.ts';
import { ociRegistry } from '../../../test/oci-registry.ts';
import { type StaticServer, staticServer } from '../../../test/static-server.ts';
import { tgzOf } from '../../../test/tar.ts';

let the: ManifestsFixture;
let press: ChartPress;
let server: StaticServer;

beforeAll(async () => {
  the = await manifestsFixture({ loopback: true });
  press = new ChartPress(the.helm.command, join(the.folder, 'charts'));
  for (const version of ['1.0.0', '1.4.2', '2.0.0-rc.1']) await press.pack('web', version);
  await press.index();
  server = await staticServer({ root: press.dir });
});
afterAll(async () => {
  await server.close();
  await the.close();
});

describe('a chart of a repository', () => {
  test('is rendered at the newest version of its range, which is the revision (HRP-2)', async () => {
    const source = { repoURL: server.url, chart: 'web', targetRevision: '^1.0' };
    const { objects, revisions, sourceTypes } = await the.manifests.generate(
      the.ctx,
      the.request({ ...source, helm: { valuesObject: { color: 'blue' } } }),
    );
    expect(objects).toMatchObject([
      { metadata: { name: 'shop-web' }, data: { version: '1.4.2', color: 'blue' } },
    ]);
    expect({ revisions, sourceTypes }).toEqual({ revisions: ['1.4.2'], sourceTypes: ['Helm'] });
  });

  test('is known as one by its Chart.yaml, with no word about helm in the source (DET-2)', async () => {
    const source = { repoURL: server.url, chart: 'web', targetRevision: '1.4.2' };
    const { sourceTypes } = await the.manifests.generate(the.ctx, the.request(source));
    expect(sourceTypes).toEqual(['Helm']);
  });

  test('takes value files of a Git repository beside it, and is not rendered twice (MS-3)', async () => {
    await the.repo.commit({ 'env/prod.yaml': 'color: green\n' });
    const request = the.request(
      {},
      {
        multiSource: true,
        sources: [
          {
            repoURL: server.url,
            chart: 'web',
            targetRevision: '1.0.0',
            helm: { valueFiles: ['$env/env/prod.yaml'] },
          },
          { repoURL: the.repo.dir, targetRevision: 'main', ref: 'env' },
        ],
      },
    );
    const first = await the.manifests.generate(the.ctx, request);
    expect(first.objects).toMatchObject([{ data: { version: '1.0.0', color: 'green' } }]);
    expect(first.revisions[0]).toBe('1.0.0');
    expect((await the.manifests.generate(the.ctx, request)).cached).toBe(true);
  });

  test('a version that is published again is seen after a hard refresh (CCH-1, HRP-5)', async () => {
    await press.pack('moving', '1.0.0');
    await press.index();
    const source = { repoURL: `${server.url}/`, chart: 'moving', targetRevision: '1.0.0' };
    const color = async (refresh: 'normal' | 'hard') => {
      const { objects } = await the.manifests.generate(the.ctx, the.request(source, { refresh }));
      return (objects[0] as { data?: { color?: string } }).data?.color;
    };
    expect(await color('normal')).toBe('red');
    await press.pack('moving', '1.0.0', { 'values.yaml': 'color: black\n' });
    await press.index();
    expect(await color('normal')).toBe('red');
    expect(await color('hard')).toBe('black');
  });
});

describe('an artifact of a registry', () => {
  const layer = (...items: { name: string; content: string }[]) => ({
    layers: [{ mediaType: 'application/vnd.oci.image.layer.v1.tar+gzip', bytes: tgzOf(items) }],
  });

  test('is rendered from the folder that path names, whatever it holds (OCI-5)', async () => {
    const registry = await ociRegistry();
    const digest = registry.put(
      'apps/shop',
      'v1',
      layer(
        { name: 'plain/a.yaml', content: configMap('plain') },
        { name: 'kustom/kustomization.yaml', content: 'namePrefix: x-\nresources: [b.yaml]\n' },
        { name: 'kustom/b.yaml', content: configMap('b') },
      ),
    );
    const repositoryOf = (url: string) => ({ url, insecureOciForceHttp: true });
    const source = { repoURL: `oci://${registry.host}/apps/shop`, targetRevision: 'v1' };
    const of = async (path: string) => {
      const { objects, revisions } = await the.manifests.generate(
        the.ctx,
        the.request({ ...source, path }, { repositoryOf }),
      );
      return [revisions[0], ...objects.map((object) => object.metadata.name)];
    };
    expect(await of('plain')).toEqual([digest, 'plain']);
    expect(await of('kustom')).toEqual([digest, 'x-b']);
    await expect(of('../etc')).rejects.toThrow('app path outside root');
    await expect(of('nope')).rejects.toThrow('app path does not exist');
    const withRef = the.request({ ...source, ref: 'values' }, { repositoryOf });
    await expect(the.manifests.generate(the.ctx, withRef)).rejects.toMatchObject({
      code: 'InvalidSpec', // MS-4
      message: expect.stringContaining('only Git repositories'),
    });
    await registry.close();
  });
});
