import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { configMap, type ManifestsFixture, manifestsFixture } from '../manifests.ts';

// Attack 6: a chart dependency outside of the repository that names it.

let the: ManifestsFixture;
beforeAll(async () => {
  the = await manifestsFixture();
});
afterAll(() => the.close());

describe('a chart that depends on a folder of this machine', () => {
  const umbrella = (repository: string): string =>
    `apiVersion: v2\nname: c\nversion: 0.1.0\ndependencies: [{name: stolen, version: 0.1.0, repository: "${repository}"}]\n`;
  const stolen = async (): Promise<string> => {
    const dir = join(the.folder, 'somebody-else/stolen');
    await mkdir(join(dir, 'templates'), { recursive: true });
    await writeFile(join(dir, 'Chart.yaml'), 'apiVersion: v2\nname: stolen\nversion: 0.1.0\n');
    await writeFile(join(dir, 'templates/x.yaml'), configMap('stolen'));
    return dir;
  };
  const outcome = (): Promise<string> =>
    the.manifests.generate(the.ctx, the.request({ path: 'chart' })).then(
      ({ objects }) => JSON.stringify(objects),
      (error: Error & { code: string }) => `${error.code}: ${error.message}`,
    );

  test.each([
    ['by its absolute path', (dir: string) => `file://${dir}`],
    ['by climbing out', (dir: string) => `file://${'../'.repeat(40)}${dir.slice(1)}`],
    ['by an escaped path', (dir: string) => `file://${dir.replaceAll('/', '%2f')}`],
  ])('%s does not get it', async (_how, repository) => {
    const dir = await stolen();
    await the.repo.commit({ chart: undefined, 'chart/Chart.yaml': umbrella(repository(dir)) });
    expect(await outcome()).toMatch(/^RenderFailed: .*outside its repository/);
  });

  test('by a lock that names another path than the chart does not get it', async () => {
    const dir = await stolen();
    const declared = [{ name: 'stolen', version: '0.1.0', repository: 'file://../lib' }];
    const chosen = [{ name: 'stolen', version: '0.1.0', repository: `file://${dir}` }];
    const digest = `sha256:${createHash('sha256')
      .update(JSON.stringify([declared, chosen]))
      .digest('hex')}`;
    await the.repo.commit({
      chart: undefined,
      'lib/Chart.yaml': 'apiVersion: v2\nname: stolen\nversion: 0.1.0\n',
      'chart/Chart.yaml': umbrella('file://../lib'),
      'chart/Chart.lock': JSON.stringify({ dependencies: chosen, digest, generated: '2026-01-01T00:00:00Z' }),
    });
    expect(await outcome()).toMatch(/^RenderFailed: .*outside its repository/);
  });
});
