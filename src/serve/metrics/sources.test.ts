import { expect, test } from 'vitest';
import { createMetricsPage } from './page.ts';
import { createSourceMetrics } from './sources.ts';

const repo = 'https://git.example.com/org/repo.git';

function stage() {
  const page = createMetricsPage('1.2.3');
  const lines = async (family: string) =>
    (await page.text()).split('\n').filter((line) => line.startsWith(family));
  return { page, metrics: createSourceMetrics(page), lines };
}

test('requests to Git hosts have the labels and buckets of the peer (server §7.2)', async () => {
  const { metrics, lines, page } = stage();
  metrics.request(repo, 'ls-remote')();
  metrics.request(repo, 'fetch'); // not over yet
  expect(await lines('argocd_git_request_total')).toEqual([
    `argocd_git_request_total{repo="${repo}",request_type="ls-remote"} 1`,
    `argocd_git_request_total{repo="${repo}",request_type="fetch"} 1`,
  ]);
  const bucket = (le: string) =>
    `argocd_git_request_duration_seconds_bucket{le="${le}",repo="${repo}",request_type="ls-remote"} 1`;
  expect(await lines('argocd_git_request_duration_seconds_bucket')).toEqual(
    ['0.1', '0.25', '0.5', '1', '2', '4', '10', '20', '+Inf'].map(bucket),
  );
  expect(await page.text()).toContain('# TYPE argocd_repo_pending_request_total gauge\n');
});

const failures = [
  ['ls-remote', 'argocd_git_lsremote_fail_total', ',revision="v1"'],
  ['fetch', 'argocd_git_fetch_fail_total', ',revision="v1"'],
  ['resolve-revision', 'argocd_oci_resolve_revision_fail_total', ',revision="v1"'],
  ['digest-metadata', 'argocd_oci_digest_metadata_fail_total', ',revision="v1"'],
  ['extract', 'argocd_oci_extract_fail_total', ',revision="v1"'],
  ['get-tags', 'argocd_oci_get_tags_fail_total', ''],
] as const;

test.each(failures)('what fails of %s is %s (server §7.2)', async (type, name, revision) => {
  const { metrics, lines } = stage();
  metrics.failed(repo, type, 'v1');
  expect(await lines(name)).toEqual([`${name}{repo="${repo}"${revision}} 1`]);
});

test('registries, waits for a fetch and waits for a turn are told (server §7.2)', async () => {
  const { metrics, lines } = stage();
  metrics.request('oci://registry.example.com/app', 'get-tags')();
  expect(await lines('argocd_oci_request_total')).toEqual([
    'argocd_oci_request_total{repo="oci://registry.example.com/app",request_type="get-tags"} 1',
  ]);
  expect(await lines('argocd_oci_request_duration_seconds_count')).toHaveLength(1);
  const end = metrics.waiting(repo);
  metrics.waiting(repo)();
  expect(await lines('argocd_repo_pending')).toEqual([`argocd_repo_pending_request_total{repo="${repo}"} 1`]);
  end();
  expect(await lines('argocd_repo_pending')).toEqual([`argocd_repo_pending_request_total{repo="${repo}"} 0`]);
  metrics.waited(75_000);
  expect((await lines('argocd_repo_parallelism_wait_duration_seconds')).slice(-5)).toEqual([
    'argocd_repo_parallelism_wait_duration_seconds_bucket{le="60"} 0',
    'argocd_repo_parallelism_wait_duration_seconds_bucket{le="120"} 1',
    'argocd_repo_parallelism_wait_duration_seconds_bucket{le="+Inf"} 1',
    'argocd_repo_parallelism_wait_duration_seconds_sum 75',
    'argocd_repo_parallelism_wait_duration_seconds_count 1',
  ]);
});

test('neither revisions nor repositories make series without end', async () => {
  const { metrics, lines } = stage();
  for (let i = 0; i < 30; i++) metrics.failed(repo, 'fetch', `commit-${i}`);
  const failed = await lines('argocd_git_fetch_fail_total');
  expect(failed).toHaveLength(21);
  expect(failed.at(-1)).toBe(`argocd_git_fetch_fail_total{repo="${repo}",revision=""} 10`);
  const end = metrics.waiting(repo);
  for (let i = 0; i < 5_000; i++) metrics.request(`https://git.example.com/${i}`, 'fetch');
  end();
  expect(await lines('argocd_git_request_total')).toHaveLength(5_000);
  for (const family of ['argocd_git_fetch_fail_total', 'argocd_repo_pending'])
    expect(await lines(family)).toEqual([]);
});
