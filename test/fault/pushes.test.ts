import { afterEach, beforeEach, expect, test } from 'vitest';
import { annotation } from '#base/model';
import { CachedRefs, randomFrom } from './cached-refs.ts';
import { Life } from './control-plane.ts';
import { shop } from './shop.ts';
import { furnished, home, Stage } from './stage.ts';

// dev R-8: a push is compared with the refs of now, whatever else asks for a comparison in the same second.

let stage: Stage;
let repo: CachedRefs;
let life: Life | undefined;

beforeEach(async () => {
  stage = await Stage.open(await furnished());
  repo = new CachedRefs();
});
afterEach(async () => {
  await life?.end();
  await stage.close();
});

const by = { manager: 'jane' };
const repoURL = 'https://git.example/shop';
const push = { webUrl: repoURL, revision: 'main', touchedHead: true, changedFiles: [] };
const names = Array.from({ length: 6 }, (_, index) => `shop-${index}`);
const app = (name: string) => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  namespace: home,
  name,
});
const now = (): number => stage.clock.now().getTime();

async function started(): Promise<void> {
  repo.commit();
  life = new Life(stage, { generate: repo.generate });
  for (const [index, name] of names.entries()) {
    const source = { repoURL, path: '.', targetRevision: 'main' };
    // some are synced by every push, the others only compared
    const spec = index % 2 === 0 ? { source } : { source, syncPolicy: {} };
    await stage.cluster.objects.create(shop(spec, name), by);
    await stage.clock.advance(7_000); // so that their timers ring one after the other
  }
  await stage.until('compared', () => names.every((name) => revisionOf(name) === repo.head));
}

const revisionOf = (name: string): string | undefined => stage.app(name)?.status?.sync?.revision;

/** The applications that were not compared with a commit or a later one. */
const lateFor = (commit: string): string[] =>
  names.filter((name) => repo.commits.indexOf(revisionOf(name) ?? '') < repo.commits.indexOf(commit));

test('a push that arrives when the timers are due and a neighbour has just listed the refs is compared within a second', async () => {
  await started();
  for (let pushes = 0; pushes < 20; pushes++) {
    // the timer of an application rings between 120 and 180 s after its last comparison
    await stage.clock.advance(121_000 + pushes * 2_000);
    const commit = repo.commit();
    await stage.clock.advance(1);
    life?.pushes.add(push);
    await stage.clock.advance(1_000);
    expect([pushes, lateFor(commit)]).toEqual([pushes, []]);
  }
});

/** What else may ask for a comparison around a push. */
const disturbances: Record<string, (name: string, round: number) => Promise<unknown>> = {
  drift: (name, round) =>
    stage.cluster.objects
      .patch(
        { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name },
        { type: 'merge', body: { data: { value: `drifted ${round}` } } },
        by,
      )
      .catch(() => {}), // not every application has deployed its own
  deletion: (name) =>
    stage.cluster.objects
      .remove({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name }, {}, by)
      .catch(() => {}),
  refresh: (name) =>
    stage.cluster.objects.patch(
      app(name),
      { type: 'merge', body: { metadata: { annotations: { [annotation.refresh]: 'normal' } } } },
      by,
    ),
  status: (name, round) =>
    stage.cluster.objects.patch(
      app(name),
      { type: 'merge', body: { status: { summary: { externalURLs: [`https://${round}.example`] } } } },
      by,
    ),
  rule: (name, round) => {
    const ignoreDifferences = [{ kind: 'Deployment', jsonPointers: [`/spec/${round}`] }];
    return stage.cluster.objects.patch(
      app(name),
      { type: 'merge', body: { spec: { ignoreDifferences } } },
      by,
    );
  },
  label: (name, round) =>
    stage.cluster.objects.patch(
      app(name),
      { type: 'merge', body: { metadata: { labels: { round: String(round) } } } },
      by,
    ),
};

test.each([1, 2, 3, 4])(
  'each pushed commit is compared within a second, in whatever order timers, pushes, watch events and status writes come (seed %i)',
  async (seed) => {
    const random = randomFrom(seed);
    const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
    const pushed = async (): Promise<{ readonly commit: string; readonly at: number }> => {
      const commit = repo.commit();
      await stage.clock.advance(1); // no host delivers a push in less
      life?.pushes.add(push);
      return { commit, at: now() };
    };
    const disturb = async (round: number): Promise<void> => {
      await disturbances[pick(Object.keys(disturbances))]?.(pick(names), round);
    };
    const wait = async (): Promise<void> => {
      const then = random();
      if (then < 0.5) await stage.clock.advance(then * 120);
      else if (then < 0.75) await stage.quiet();
    };
    await started();
    for (let round = 0; round < 20; round++) {
      await stage.clock.advance(random() < 0.5 ? random() * 2_000 : 115_000 + random() * 70_000);
      const pushes: Awaited<ReturnType<typeof pushed>>[] = [];
      for (let step = 0; step < 8; step++) {
        if (random() < 0.3 || step === 4) pushes.push(await pushed());
        else await disturb(round);
        await wait();
      }
      for (const { commit, at } of pushes) {
        await stage.clock.advance(Math.max(0, at + 1_000 - now()));
        expect([round, lateFor(commit)]).toEqual([round, []]);
      }
    }
  },
  120_000,
);
