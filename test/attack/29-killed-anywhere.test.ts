import { expect, test } from 'vitest';
import { chaptersPlayed, playChapter } from '../fault/kills.ts';
import { chapters } from '../fault/shop.ts';

// Not at random, as in test/fault/kills.test.ts, but at every request there is: of a sync with hooks that updates and prunes.

test('killed after any request of a sync, or before the first: nothing is lost, no hook runs twice, every row is there', async () => {
  const index = chapters.findIndex(({ name }) => name === 'an update that prunes');
  const chapter = (await chaptersPlayed(index + 1)).at(-1);
  if (!chapter) throw new Error('no such chapter');
  const { requests, hooks, outcome } = chapter.undisturbed;
  expect(JSON.stringify(outcome)).toContain('"status":"Pruned"');
  for (let at = 1; at <= requests; at++) {
    const when = at === 1 ? ('before' as const) : ('after' as const);
    const played = await playChapter(chapter, index, { deaths: [{ at, when, downMs: 0 }] });
    expect({ at, hooks: played.hooks }).toEqual({ at, hooks });
    expect({ at, outcome: played.outcome }).toEqual({ at, outcome });
  }
}, 600_000);
