import { beforeAll, expect, test } from 'vitest';
import { type Chapter, chaptersPlayed, playChapter, troubleOf } from './kills.ts';
import { chapters } from './shop.ts';

// Attack 29. A process may die at any request, before it was sent or after it was obeyed, and again after it came back.
const runs = 200;

let played: readonly Chapter[];
beforeAll(async () => {
  played = await chaptersPlayed();
}, 300_000);

test('undisturbed, every hook runs once for each attempt', () => {
  const made = played.flatMap(({ undisturbed }) => Object.values(undisturbed.hooks));
  expect(new Set(made)).toEqual(new Set([1, 2]));
  const twice = played.filter(({ undisturbed }) => Object.values(undisturbed.hooks).includes(2));
  expect(twice.map(({ index }) => chapters[index]?.name)).toEqual(['a hook that fails, twice']);
});

test.each(chapters.map(({ name }, index) => ({ name, index })))(
  'killed during $name: no operation is lost, no hook runs twice, and the end is the same (R-43)',
  async ({ index }) => {
    const chapter = played[index] as Chapter;
    for (let seed = index; seed < runs; seed += chapters.length) {
      const trouble = troubleOf(seed, chapter.undisturbed.requests);
      const network = trouble.delayMs ? 'slow' : 'fast';
      const what = `seed ${seed}, ${network} network, killed ${trouble.deaths.map(({ at, when, downMs }) => `${when} request ${at} for ${downMs} ms`).join(', ')}`;
      const { outcome, hooks } = await playChapter(chapter, index, trouble).catch((error: unknown) => {
        throw new Error(what, { cause: error });
      });
      expect({ what, hooks }).toEqual({ what, hooks: chapter.undisturbed.hooks });
      expect({ what, outcome }).toEqual({ what, outcome: chapter.undisturbed.outcome });
    }
  },
  600_000,
);
