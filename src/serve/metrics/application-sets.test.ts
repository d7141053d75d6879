import { expect, test } from 'vitest';
import type { ApplicationSet } from '#base/model';
import { createControllerMetrics } from './controller.ts';
import { createGithubMetrics } from './github.ts';
import { createMetricsPage } from './page.ts';

const setOf = (name: string, status: ApplicationSet['status'] = {}): ApplicationSet => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'ApplicationSet',
  metadata: { name, namespace: 'argocd', labels: { 'team.example/name': 'red' } },
  spec: { generators: [], template: {} },
  status,
});

function stage(sets: ApplicationSet[], labels: string[] = []) {
  const page = createMetricsPage('1.2.3');
  const metrics = createControllerMetrics(page, {
    apps: () => [],
    serverOf: () => '',
    wishes: () => ({
      metricsApplicationLabels: [],
      metricsApplicationConditions: [],
      legacyMetrics: false,
    }),
    clusters: async () => [],
    clusterLabels: () => [],
    now: () => 0,
    sets: () => sets,
    setLabels: () => labels,
  });
  const lines = async (family: string) =>
    (await page.text()).split('\n').filter((line) => line.startsWith(family));
  return { page, metrics, lines };
}

test('a set has the gauges of the peer, in the process that leads (server §7.2)', async () => {
  const condition = { type: 'ResourcesUpToDate', status: 'True', reason: 'ApplicationSetUpToDate' };
  const fleet = setOf('fleet', { conditions: [condition], resourcesCount: 7000, resources: [] });
  const { metrics, lines, page } = stage([fleet, setOf('new')], ['team.example/name']);
  expect(await lines('argocd_appset_info')).toEqual([]);
  metrics.leading(true);
  expect(await lines('argocd_appset_')).toEqual([
    'argocd_appset_info{namespace="argocd",name="fleet",resource_update_status="ApplicationSetUpToDate"} 1',
    'argocd_appset_info{namespace="argocd",name="new",resource_update_status="Unknown"} 1',
    'argocd_appset_owned_applications{namespace="argocd",name="fleet"} 7000',
    'argocd_appset_owned_applications{namespace="argocd",name="new"} 0',
    'argocd_appset_labels{namespace="argocd",name="fleet",label_team_example_name="red"} 1',
    'argocd_appset_labels{namespace="argocd",name="new",label_team_example_name="red"} 1',
  ]);
  expect(await page.text()).toContain('# TYPE argocd_appset_info gauge\n');
});

test('labels are reported where they are configured', async () => {
  const { metrics, page } = stage([setOf('fleet')]);
  metrics.leading(true);
  expect(await page.text()).not.toContain('argocd_appset_labels');
});

test('passes are timed by set, until the set is deleted (server §7.2)', async () => {
  const { metrics, lines } = stage([]);
  metrics.sets.reconciled(setOf('fleet'), 30);
  metrics.sets.reconciled(setOf('fleet'), 3_000);
  const of = 'namespace="argocd",name="fleet"';
  expect(await lines('argocd_appset_reconcile_bucket')).toEqual(
    [
      ...['0.005', '0.01', '0.025'].map((le) => [le, 0]),
      ...['0.05', '0.1', '0.25', '0.5', '1', '2.5'].map((le) => [le, 1]),
      ...['5', '10', '+Inf'].map((le) => [le, 2]),
    ].map(([le, count]) => `argocd_appset_reconcile_bucket{le="${le}",${of}} ${count}`),
  );
  metrics.sets.gone({ namespace: 'argocd', name: 'fleet' });
  expect(await lines('argocd_appset_reconcile')).toEqual([]);
});

const fleet = { namespace: 'argocd', name: 'fleet' };
const reading = (path: string, status: number | undefined = 200, headers = {}) => ({
  ...{ method: 'GET', path, status, headers, ms: 20, at: 1_000_000_500 },
});

test('requests to GitHub are reported with its limits, for the set that sends them (server §7.2)', async () => {
  const page = createMetricsPage('1.2.3');
  const github = createGithubMetrics(page);
  const lines = async (family: string) =>
    (await page.text()).split('\n').filter((line) => line.startsWith(family));
  const headers = {
    'x-ratelimit-remaining': '4998',
    'x-ratelimit-limit': '5000',
    'x-ratelimit-used': '2',
    'x-ratelimit-reset': '1000060',
    'x-ratelimit-resource': 'core',
  };
  github.requested(fleet, reading('/orgs/acme/repos', 200, headers));
  github.requested(fleet, { ...reading('/orgs/acme/repos'), status: undefined });
  const set = 'appset_namespace="argocd",appset_name="fleet"';
  expect(await lines('argocd_github_api_requests_total')).toEqual([
    `argocd_github_api_requests_total{method="GET",endpoint="/orgs/acme/repos",status="200",${set}} 1`,
    `argocd_github_api_requests_total{method="GET",endpoint="/orgs/acme/repos",status="0",${set}} 1`,
  ]);
  expect(await lines('argocd_github_api_request_duration_seconds_count')).toEqual([
    `argocd_github_api_request_duration_seconds_count{method="GET",endpoint="/orgs/acme/repos",${set}} 2`,
  ]);
  const at = `{endpoint="/orgs/acme/repos",${set},resource="core"}`;
  expect(await lines('argocd_github_api_rate_limit')).toEqual([
    `argocd_github_api_rate_limit_remaining${at} 4998`,
    `argocd_github_api_rate_limit_limit${at} 5000`,
    `argocd_github_api_rate_limit_reset_seconds${at} 60`,
    `argocd_github_api_rate_limit_used${at} 2`,
  ]);
  github.gone(fleet);
  expect(await lines('argocd_github_api_')).toEqual([]);
});

test('neither endpoints nor sets make series without end', async () => {
  const page = createMetricsPage('1.2.3');
  const github = createGithubMetrics(page);
  const count = async () => (await page.text()).match(/^argocd_github_api_requests_total/gm)?.length;
  for (let at = 0; at < 300; at++) github.requested(fleet, reading(`/repos/acme/${at}`));
  expect(await count()).toBe(101);
  for (let at = 0; at < 1_000; at++) github.requested({ namespace: 'argocd', name: `${at}` }, reading('/'));
  expect(await count()).toBe(1_000);
});
