import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../git-repository.ts';
import { commandLines, problemOf } from './commands.ts';
import { type Block, type Guide, guides, parseGuide, references } from './guide.ts';
import { openSession, type Session } from './session.ts';

// Every command that the README and the guides print, typed in by a reader from top to bottom. A guide that starts no program of its
// own is read by somebody who has one running.

/** What the commands of a guide must print besides ending well. */
const prints: Readonly<Record<string, readonly RegExp[]>> = {
  'docs/guide/accounts-and-rbac.md': [/^jane +true +login$/m, /^yes\nno$/m],
  'README.md': [/deployment "web" successfully rolled out/],
  'docs/guide/doctor.md': [
    /^1 file, 1 object: 1 error, 1 warning/m,
    /^fixed 2 findings in shop\/service\.yaml$/m,
    /^\d+ applications, \d+ objects: nothing found/m,
  ],
  'docs/guide/getting-started.md': [/deployment "web" successfully rolled out/, /three of them/],
  'docs/guide/knative.md': [
    /candidate http:\/\/candidate-product-import\.product-import/,
    /errors after the deployment/,
  ],
  'docs/guide/knative-embedded.md': [/service\.serving\.knative\.dev\/hello/],
  'docs/guide/webhooks.md': [/^ok$/m],
  'docs/guide/windows-and-permissions.md': [/^Yes/m],
};

const folders: { remove(): Promise<void> }[] = [];
const folder = async (): Promise<string> => {
  const made = await temporaryFolder();
  folders.push(made);
  return made.path;
};
let shared: Session;

beforeAll(async () => {
  shared = await openSession({ files: new Map() }, { dir: await folder() });
  await shared.start(['--demo']);
});
afterAll(async () => {
  await shared?.stop();
  await Promise.all(folders.map((one) => one.remove()));
});

const runs = ({ marker }: Block): boolean => marker === undefined;
const beginsWithStart = ({ blocks }: Guide): boolean => blocks[0]?.marker === 'start';

/** The flags of the one `fairlead up` that a block with the marker `start` holds. */
function startFlags(guide: Guide, { text, line }: Block): readonly string[] {
  const [words = [], ...more] = commandLines(text);
  expect([words[0], more.length], `${guide.path}:${line} holds one command, fairlead up`).toEqual(['up', 0]);
  return words.slice(1);
}

async function follow(guide: Guide, session: Session): Promise<string> {
  let printed = '';
  for (const block of guide.blocks) {
    if (block.marker === 'start') await session.start(startFlags(guide, block));
    else if (runs(block)) printed += await session.run(block);
  }
  return printed;
}

/** Its program has another password afterwards, with which the other documents could not log in. */
const changesPassword = ({ blocks }: Guide): boolean =>
  blocks.some((block) => runs(block) && block.text.includes('admin.password'));
const followed = guides()
  .filter(({ blocks }) => blocks.some(runs))
  .toSorted((a, b) => Number(changesPassword(a)) - Number(changesPassword(b)));

test.each(followed)('every command of $path runs', async (guide) => {
  const session = await openSession(guide, {
    dir: await folder(),
    uses: beginsWithStart(guide) ? undefined : shared,
  });
  try {
    const printed = await follow(guide, session);
    for (const expected of prints[guide.path] ?? []) expect(printed).toMatch(expected);
  } finally {
    await session.stop();
  }
});

describe.each([...guides(), ...references()])('$path', ({ blocks, mentioned }) => {
  const printed = [...blocks.map(({ text }) => text), ...mentioned].flatMap(commandLines);
  test('names only commands, flags and scripts that exist', async () => {
    const problems = await Promise.all(printed.map(problemOf));
    expect(problems.filter((problem) => problem !== undefined)).toEqual([]);
  });
});

describe('what a document may not do', () => {
  test.each([
    ['a marker that is not known', '```sh later\nls\n```', /known markers are start, needs-cluster/],
    ['a block that does not run and gives no reason', '```sh needs-cluster\nls\n```', /gives no reason/],
    ['a block that is never closed', '```sh\nls\n', /x\.md:1: the block is never closed/],
    [
      'a block of commands that is not marked as one',
      '```\nfairlead up\n```',
      /x\.md:1: begin the block with/,
    ],
  ])('%s', (_what, text, message) => {
    expect(() => parseGuide('x.md', text)).toThrow(message);
  });

  test.each([
    ['a command that does not exist', 'fairlead app explode web', 'fairlead app has no command explode'],
    ['a flag that does not exist', 'npx fairlead app get web --loud', 'fairlead app get has no flag --loud'],
    ['a script that does not exist', 'npm run fly', 'no script npm run fly'],
    ['a flag of the start', 'npm ci && npm start -- --fast', 'fairlead up has no flag --fast'],
  ])('%s', async (_what, shell, problem) => {
    const problems = await Promise.all(commandLines(shell).map(problemOf));
    expect(problems).toEqual([problem]);
  });
});
