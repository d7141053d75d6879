import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Ctx, realClock, silent } from '#base/std';
import { createMetricsPage, createSourceMetrics } from '#serve/metrics';
import { gitHttpServer } from '../../../test/git-http-server.ts';
import { gitRepository, temporaryFolder } from '../../../test/git-repository.ts';
import { gitCommand } from '../../../test/manifests.ts';
import { ociRegistry } from '../../../test/oci-registry.ts';
import { tgzOf } from '../../../test/tar.ts';
import { createSources } from './index.ts';

const ctx: Ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
let folder: Awaited<ReturnType<typeof temporaryFolder>>;

beforeAll(async () => {
  folder = await temporaryFolder();
});
afterAll(() => folder.remove());

/** Sources that are counted, as in a process that has a page of metrics. */
function stage(name: string) {
  const page = createMetricsPage('1.2.3');
  const cacheDir = join(folder.path, name);
  const observe = createSourceMetrics(page);
  const sources = createSources({ cacheDir, git: gitCommand(), reach: { loopback: true }, observe });
  const lines = async (family: string) =>
    (await page.text()).split('\n').filter((line) => line.startsWith(family));
  return { page, sources, lines };
}

test('what Git is really asked is counted, with and without a program, and no password is told', async () => {
  const repository = await gitRepository(join(folder.path, 'srv/repo'));
  const server = await gitHttpServer({ root: join(folder.path, 'srv') });
  const { page, sources, lines } = stage('git');
  const asked = { url: `${server.url.replace('://', '://user:word@')}/repo/.git` };
  const shown = `repo="${server.url}/repo/.git"`;
  const commit = await repository.commit({ 'a.yaml': 'a: 1\n' });
  await sources.resolveRevision(ctx, asked, 'main'); // asks with git
  await sources.resolveRevision(ctx, asked, 'main'); // asks nobody
  await sources.resolveRevision(ctx, asked, 'main', { fresh: true }); // asks without
  await Promise.all([1, 2, 3].map(() => sources.openTree(ctx, asked, commit)));
  expect(await lines('argocd_git_request_total')).toEqual([
    `argocd_git_request_total{${shown},request_type="ls-remote"} 2`,
    `argocd_git_request_total{${shown},request_type="fetch"} 1`,
  ]);
  expect(await lines('argocd_git_request_duration_seconds_count')).toEqual([
    `argocd_git_request_duration_seconds_count{${shown},request_type="ls-remote"} 2`,
    `argocd_git_request_duration_seconds_count{${shown},request_type="fetch"} 1`,
  ]);
  const missing = 'f'.repeat(40);
  await expect(sources.resolveRevision(ctx, asked, 'gone')).rejects.toThrow('unable to resolve');
  await expect(sources.openTree(ctx, asked, missing)).rejects.toThrow('is not in repository');
  expect(await lines('argocd_git_lsremote_fail_total')).toEqual([
    `argocd_git_lsremote_fail_total{${shown},revision="gone"} 1`,
  ]);
  expect(await lines('argocd_git_fetch_fail_total')).toEqual([
    `argocd_git_fetch_fail_total{${shown},revision="${missing}"} 1`,
  ]);
  expect(await lines('argocd_repo_pending')).toEqual([`argocd_repo_pending_request_total{${shown}} 0`]);
  expect(await page.text()).not.toContain('word@');
  await sources.close();
  await server.close();
});

test('what a registry is really asked is counted', async () => {
  const registry = await ociRegistry({});
  const { sources, lines } = stage('oci');
  const layer = {
    mediaType: 'application/vnd.oci.image.layer.v1.tar+gzip',
    bytes: tgzOf([{ name: 'a.yaml', content: 'a: 1\n' }]),
  };
  registry.put('apps/one', '1.0.0', { layers: [layer] });
  const repo = `oci://${registry.host}/apps/one`;
  const asked = { url: repo, insecureOciForceHttp: true };
  const { commit } = await sources.resolveRevision(ctx, asked, '^1.0');
  await sources.openTree(ctx, asked, commit);
  await sources.openTree(ctx, asked, commit); // asks nobody
  await expect(sources.resolveRevision(ctx, asked, 'gone')).rejects.toThrow();
  expect(await lines('argocd_oci_request_total')).toEqual([
    `argocd_oci_request_total{repo="${repo}",request_type="get-tags"} 1`,
    `argocd_oci_request_total{repo="${repo}",request_type="resolve-revision"} 2`,
    `argocd_oci_request_total{repo="${repo}",request_type="extract"} 1`,
  ]);
  expect(await lines('argocd_oci_resolve_revision_fail_total')).toEqual([
    `argocd_oci_resolve_revision_fail_total{repo="${repo}",revision="gone"} 1`,
  ]);
  await sources.close();
  await registry.close();
});
