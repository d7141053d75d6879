import { CachedRefs, randomFrom } from '../test/fault/cached-refs.ts';
import { Life } from '../test/fault/control-plane.ts';
import { shop } from '../test/fault/shop.ts';
import { furnished, Stage } from '../test/fault/stage.ts';
import type { Figure } from './harness.ts';

// dev R-8: a thousand commits, each pushed while some application's own poll is due; how many were compared late. Time is
// virtual, so a figure is the same on every machine.

const commits = 1_000;
const apps = 20;
const lateMs = 1_000;
const repoURL = 'https://git.example/shop';
const push = { webUrl: repoURL, revision: 'main', touchedHead: true, changedFiles: [] };

export async function figures(): Promise<Figure[]> {
  const stage = await Stage.open(await furnished());
  const repo = new CachedRefs();
  repo.commit();
  const life = new Life(stage, { generate: repo.generate });
  const names = Array.from({ length: apps }, (_, index) => `shop-${index}`);
  const isLate = (name: string): boolean => stage.app(name)?.status?.sync?.revision !== repo.head;
  const random = randomFrom(1);
  let late = 0;
  try {
    for (const name of names) {
      const source = { repoURL, path: '.', targetRevision: 'main' };
      await stage.cluster.objects.create(shop({ source, syncPolicy: {} }, name), { manager: 'jane' });
      await stage.clock.advance(9_000 * random());
    }
    for (let count = 0; count < commits; count++) {
      // timers ring from 120 to 180 s after a comparison: some have, some are due, some are not
      await stage.clock.advance(115_000 + 70_000 * random());
      repo.commit();
      await stage.clock.advance(1);
      life.pushes.add(push);
      await stage.clock.advance(lateMs);
      if (names.some(isLate)) late += 1;
    }
  } finally {
    await life.end();
    await stage.close();
  }
  return [{ name: `of ${commits} commits, compared after ${lateMs} ms`, value: late, unit: '', target: 0 }];
}
