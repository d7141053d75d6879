import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Ctx, realClock, silent } from '#base/std';
import { findTool } from '#platform/exec';
import { ChartPress } from '../../../../test/chart-repository.ts';
import { temporaryFolder } from '../../../../test/git-repository.ts';
import { gitCommand, toolCache } from '../../../../test/manifests.ts';
import { type OciRegistry, ociRegistry } from '../../../../test/oci-registry.ts';
import { createSources, type SourceRepository, type Sources } from '../index.ts';

const ctx: Ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
/** A registry of somebody else's, where npm run test:real has started one. */
const real = process.env.FAIRLEAD_TEST_REGISTRY;
const [username = '', password = ''] = (process.env.FAIRLEAD_TEST_REGISTRY_LOGIN ?? '').split(':');
const login = username ? ['--username', username, '--password', password] : [];

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let registry: Pick<OciRegistry, 'host' | 'close'>;
let sources: Sources;

beforeAll(async () => {
  folder = await temporaryFolder();
  const helm = await findTool(ctx, 'helm', { searchPath: '', cacheDir: toolCache });
  const press = new ChartPress(helm.command, join(folder.path, 'charts'));
  registry = real ? { host: real, close: async () => {} } : await ociRegistry({ page: 1 });
  for (const version of ['1.0.0', '1.4.2', '2.0.0+build.7']) {
    const archive = await press.pack('web', version);
    await press.helm('push', archive, `oci://${registry.host}/charts`, '--plain-http', ...login);
  }
  const cacheDir = join(folder.path, 'cache');
  sources = createSources({ cacheDir, git: gitCommand(), reach: { loopback: true } });
});
afterAll(async () => {
  await sources.close();
  await registry.close();
  await folder.remove();
});

const versionOf = async (repository: SourceRepository, revision: string): Promise<string> => {
  const { commit } = await sources.resolveRevision(ctx, repository, revision);
  const tree = await sources.openTree(ctx, repository, commit);
  return /^version: (.*)$/m.exec(await tree.text('Chart.yaml'))?.[1] ?? '';
};
const inRegistry = (more: Partial<SourceRepository> = {}): SourceRepository => ({
  url: `${registry.host}/charts`,
  chart: 'web',
  insecureOciForceHttp: true,
  credentials: { username, password },
  ...more,
});

describe('a chart of a registry', () => {
  test.each([
    ['^1.0', '1.4.2'],
    ['1.0.0', '1.0.0'],
    ['1.4', '1.4.2'],
    ['2.0.0+build.7', '2.0.0+build.7'],
    ['*', '2.0.0+build.7'],
  ])('%s is %s, as helm pushed it, on however many pages (HOC-1, SRC-9)', async (revision, version) => {
    expect(await versionOf(inRegistry(), revision)).toBe(version);
  });

  test('may be named by enableOCI or oci://, of which the last is told (SRC-8, SRC-9, DEV-1)', async () => {
    const url = `oci://${registry.host}/charts`;
    expect(await versionOf(inRegistry({ url }), '^1')).toBe('1.4.2');
    const { commit, warnings } = await sources.resolveRevision(ctx, inRegistry({ url }), '1.0.0');
    expect({ commit, warnings }).toEqual({ commit: '1.0.0', warnings: [expect.stringContaining('oci://')] });
    const record = inRegistry({ url: `http://${registry.host}/charts`, enableOci: true });
    expect(await versionOf(record, '^1')).toBe('1.4.2');
    // without a chart it is an artifact whose root is the chart
    const whole = inRegistry({ url: `${url}/web`, chart: '' });
    expect(await versionOf(whole, '1.0.0')).toBe('1.0.0');
  });

  test('that is not there is told', async () => {
    await expect(versionOf(inRegistry(), '7.0.0')).rejects.toMatchObject({ code: 'NotFound' });
    await expect(versionOf(inRegistry({ chart: 'nope' }), '^1')).rejects.toMatchObject({ code: 'NotFound' });
  });
});
