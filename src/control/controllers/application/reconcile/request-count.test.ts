import { afterEach, expect, test } from 'vitest';
import type { Application, KubeObject } from '#base/model';
import { Commits, Life } from '../../../../../test/fault/control-plane.ts';
import { furnished, home, Stage } from '../../../../../test/fault/stage.ts';

const namespace = 'shop';
const repoURL = 'https://git.example.com/shop/deploy';
const names = Array.from({ length: 10 }, (_one, index) => `map-${index}`);

const map = (name: string, value: string): KubeObject =>
  ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data: { value } }) as KubeObject;

const application = (name: string): Application => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name, namespace: home },
  spec: {
    project: 'default',
    source: { repoURL, path: name, targetRevision: 'main' },
    destination: { server: 'https://kubernetes.default.svc', namespace },
    syncPolicy: { automated: { prune: true, selfHeal: true } },
  },
});

let stage: Stage;
let life: Life | undefined;
let sent: string[] = [];

afterEach(async () => {
  await life?.end();
  await stage.close();
});

/** A control plane whose every request is noted, once it has read everything there is. */
async function begin(commits: Commits): Promise<void> {
  stage = await Stage.open(await furnished());
  life = new Life(stage, {
    generate: commits.generate,
    transport: (request) => {
      sent.push(`${request.method} ${request.path.split('?')[0]}`);
      return stage.transport(request);
    },
  });
  await stage.quiet();
  sent = [];
}

const isSettled = (name: string, revision: string) => () => {
  const { status, operation } = stage.app(name) ?? {};
  const isSynced = status?.sync?.status === 'Synced' && status.health?.status === 'Healthy';
  return isSynced && !operation && status?.operationState?.syncResult?.revision === revision;
};

const push = { webUrl: repoURL, revision: 'main', touchedHead: true, changedFiles: [] };
const of = (what: RegExp): string[] => sent.filter((line) => what.test(line));

test('a first sync costs one write for each object, and few besides', async () => {
  const commits = new Commits();
  const head = commits.commit(names.map((name) => map(name, 'first')));
  await begin(commits);
  await stage.kube.create(stage.ctx, application('web'));
  await stage.until('synced', isSettled('web', head));
  await stage.quiet();
  expect(of(/configmaps/)).toEqual(names.map(() => `POST /api/v1/namespaces/${namespace}/configmaps`));
  expect(of(/^(?!GET)/).length - of(/configmaps|events/).length).toBe(of(/^PATCH .*applications/).length);
  expect(sent.length).toBeLessThanOrEqual(25);
});

test('a commit that changes one object writes that object and the status, and nothing else', async () => {
  const commits = new Commits();
  const first = commits.commit(names.map((name) => map(name, 'first')));
  await begin(commits);
  await stage.kube.create(stage.ctx, application('web'));
  await stage.until('synced', isSettled('web', first));
  await stage.quiet();
  sent = [];
  const second = commits.commit(names.map((name) => map(name, name === 'map-3' ? 'second' : 'first')));
  life?.pushes.add(push);
  await stage.until('synced again', isSettled('web', second));
  await stage.quiet();
  expect(of(/configmaps/).filter((line) => !line.startsWith('GET'))).toEqual([
    `PATCH /api/v1/namespaces/${namespace}/configmaps/map-3`,
  ]);
  const others = of(/^(?!GET)/).filter((line) => !/configmaps|events|applications/.test(line));
  expect(others).toEqual([]);
});

test('a push that changes nothing for an application costs no request, and its status stays', async () => {
  const commits = new Commits();
  const objects = names.map((name) => map(name, 'first'));
  const first = commits.commit(objects);
  await begin(commits);
  await stage.kube.create(stage.ctx, application('web'));
  await stage.until('synced', isSettled('web', first));
  await stage.quiet();
  sent = [];
  const second = commits.commit(objects);
  life?.pushes.add(push);
  await stage.quiet();
  expect(sent).toEqual([]);
  expect(stage.app('web')?.status?.sync?.revision).toBe(first);
  await stage.until('the timer looks', () => stage.app('web')?.status?.sync?.revision === second, 400_000);
});
