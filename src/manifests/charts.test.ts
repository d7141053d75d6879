import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ChartPress } from '../../test/chart-repository.ts';
import { type ManifestsFixture, manifestsFixture } from '../../test/manifests.ts';
import { type StaticServer, staticServer } from '../../test/static-server.ts';

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
});
