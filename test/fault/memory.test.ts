import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { KubeObject } from '#base/model';
import { FairleadError, sha256 } from '#base/std';
import type { ComparisonDeps } from '#control/comparison';
import { Life } from './control-plane.ts';
import { config, deployment, shop } from './shop.ts';
import { furnished, home, Stage } from './stage.ts';

// An hour of steady commits, drifts and syncs with hooks, like those of `npm run soak`: what is kept does not grow.

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

let stage: Stage;
let life: Life;
beforeEach(async () => {
  stage = await Stage.open(await furnished());
});
afterEach(async () => {
  await life.end();
  await stage.close();
});

const by = { manager: 'soak' };
const names = Array.from({ length: 10 }, (_one, at) => `soak-${at}`);
const repoURL = 'https://git.example/soak';
const stepMs = 7_500;
const steps = ['commit', 'drift', 'drift', 'sync', 'drift'] as const;
const app = (name: string) => ({
  ...{ apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', namespace: home },
  name,
});

/** The value in each application's ConfigMap, by commit; the last commits only, as a test keeps no history either. */
class Values {
  readonly #byRevision = new Map<string, ReadonlyMap<string, string>>();
  #values = new Map<string, string>();
  head = '';

  commit(name: string, value: string): void {
    this.#values = new Map(this.#values).set(name, value);
    this.head = sha256(`${name} ${value}`).slice(0, 40);
    this.#byRevision.set(this.head, this.#values);
    const [oldest = ''] = this.#byRevision.keys();
    if (this.#byRevision.size > 200) this.#byRevision.delete(oldest);
  }

  readonly generate: ComparisonDeps['manifests']['generate'] = async (
    _ctx,
    { revisions, sources: [source] },
  ) => {
    const revision = revisions?.[0] ?? this.head;
    const values = this.#byRevision.get(revision);
    if (!values) throw new FairleadError('NotFound', `no revision ${revision}`);
    const name = source?.path ?? '';
    return {
      objects: objectsOf(name, values.get(name) ?? 'first'),
      revisions: [revision],
      sourceTypes: ['Directory'],
      commands: [],
      mayHaveChanges: true,
      cached: true,
      why: '',
      warnings: [],
      inputs: [],
    };
  };
}

function objectsOf(name: string, value: string): KubeObject[] {
  const annotations = {
    'argocd.argoproj.io/hook': 'PreSync',
    'argocd.argoproj.io/hook-delete-policy': 'BeforeHookCreation',
  };
  const spec = { restartPolicy: 'Never', containers: [{ name: 'migrate', image: 'migrate:1' }] };
  const hook = {
    ...{ apiVersion: 'batch/v1', kind: 'Job' },
    metadata: { name: `${name}-migrate`, namespace: 'shop', annotations },
    spec: { template: { spec } },
  };
  const own = [config(`${name}-settings`, value), config(`${name}-routes`, '/ -> web')];
  return [...own, deployment(name, 'web:1'), ...(name.endsWith('0') ? [hook] : [])];
}

/** What is kept: as the cluster counts it, and what remains in memory when garbage is collected. */
type Kept = ReturnType<Stage['cluster']['usage']> & { readonly heap: number };

async function kept(): Promise<Kept> {
  await stage.quiet();
  collectGarbage();
  return { ...stage.cluster.usage(), heap: process.memoryUsage().heapUsed };
}

async function step(at: number, values: Values): Promise<void> {
  const name = names[(at * 7) % names.length] ?? '';
  const what = steps[at % steps.length];
  const { objects } = stage.cluster;
  if (what === 'commit') {
    values.commit(name, `value-${at}`);
    life.pushes.add({ webUrl: repoURL, revision: 'main', touchedHead: true, changedFiles: [] });
  }
  if (what === 'drift') {
    const routes = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: `${name}-routes` };
    await objects.patch(routes, { type: 'merge', body: { data: { value: `drift-${at}` } } }, by);
  }
  if (what === 'sync') {
    const operation = { initiatedBy: { username: 'soak' }, sync: { syncStrategy: { hook: {} } } };
    await objects.patch(app('soak-0'), { type: 'merge', body: { operation } }, by);
  }
  await stage.clock.advance(stepMs);
}

/** As on a cluster that has been at work for a while. */
async function manyEvents(): Promise<void> {
  const involvedObject = { kind: 'Pod', name: 'past', namespace: 'shop' };
  for (let at = 0; at < 2_000; at++) {
    const metadata = { name: `past.${at}`, namespace: 'shop' };
    const message = 'an Event is about this long '.repeat(18);
    const event = { apiVersion: 'v1', kind: 'Event', metadata, involvedObject, reason: 'Pulled', message };
    await stage.cluster.objects.create(event as KubeObject, by);
  }
}

test('an hour of steady changes leaves no more in memory than half an hour', async () => {
  await manyEvents();
  const values = new Values();
  values.commit('soak-0', 'first');
  life = new Life(stage, { generate: values.generate });
  for (const name of names) {
    const source = { repoURL, path: name, targetRevision: 'main' };
    await stage.cluster.objects.create(shop({ source }, name), by);
  }
  await stage.until('synced', () =>
    names.every((name) => stage.app(name)?.status?.health?.status === 'Healthy'),
  );

  const samples: Kept[] = [];
  const perHour = 3_600_000 / stepMs;
  for (let at = 1; at <= perHour; at++) {
    await step(at, values);
    if (at % (perHour / 24) === 0) samples.push(await kept());
  }
  const quarter = (number: number) => samples.slice((number - 1) * 6, number * 6);
  const most = (number: number, of: keyof Kept) => Math.max(...quarter(number).map((one) => one[of]));
  const least = (number: number, of: keyof Kept) => Math.min(...quarter(number).map((one) => one[of]));

  expect(stage.list('v1', 'Event').length).toBeLessThanOrEqual(2_000);
  for (const of of ['objects', 'objectBytes', 'historyEvents', 'historyBytes'] as const) {
    expect([of, most(4, of)]).toEqual([of, Math.min(most(4, of), most(2, of) * 1.1)]);
  }
  expect(least(4, 'heap')).toBeLessThan(least(2, 'heap') * 1.1);
}, 240_000);
