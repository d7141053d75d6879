import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Ctx, realClock, silent } from '#base/std';
import { parse } from '#lang/yaml';
import { type GitRepositoryFixture, gitRepository, temporaryFolder } from '../../../test/git-repository.ts';
import { gitCommand } from '../../../test/manifests.ts';
import { createSources, type Sources } from './index.ts';

type Fixture = {
  objects: { name: string; type: string; hash: string; base64: string }[];
  keys: { name: string; id: string; fingerprint: string; armored: string }[];
};
const file = new URL('./testdata/signed-history.yaml', import.meta.url);
const { objects, keys } = parse(readFileSync(file, 'utf8')) as Fixture;
const hashOf = (name: string): string => objects.find((one) => one.name === name)?.hash ?? '';
const keyOf = (name: string) =>
  keys.find((one) => one.name === name) ?? { id: '', fingerprint: '', armored: '' };
const keyring = keys.map(({ armored }) => armored);

const ctx: Ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let repo: GitRepositoryFixture;
let sources: Sources;

beforeAll(async () => {
  folder = await temporaryFolder();
  repo = await gitRepository(join(folder.path, 'repo'));
  execFileSync('git', ['mktree'], { cwd: repo.dir, input: '' });
  for (const { type, hash, base64 } of objects) {
    const args = ['hash-object', '-t', type, '-w', '--stdin'];
    const written = execFileSync('git', args, {
      cwd: repo.dir,
      input: Buffer.from(base64, 'base64'),
      encoding: 'utf8',
    });
    expect(written.trim()).toBe(hash);
  }
  for (const { name, type, hash } of objects) {
    await repo.git('update-ref', `refs/${type === 'tag' ? 'tags' : 'heads'}/${name}`, hash);
  }
  sources = createSources({
    cacheDir: join(folder.path, 'cache'),
    git: gitCommand(),
    reach: { local: [folder.path] },
  });
});
afterAll(async () => {
  await sources.close();
  await folder.remove();
});

async function verify(
  revision: string,
  mode: 'head' | 'strict',
  allowed = keys.map(({ id }) => id),
): Promise<readonly string[]> {
  const { commit } = await sources.resolveRevision(ctx, { url: repo.dir }, revision);
  return sources.verify(ctx, { url: repo.dir }, { commit, revision }, { mode, keys: allowed, keyring });
}
/** The commit that the RSA key signed, saying that another key did. */
function signedByAnother(at: number): string {
  const { base64 = '' } = objects.find(({ name }) => name === 'by-rsa') ?? {};
  const text = Buffer.from(base64, 'base64').toString('latin1');
  const armor = /(-----BEGIN PGP SIGNATURE-----\n)([\s\S]*?)( -----END)/;
  const packet = (armor.exec(text)?.[2] ?? '').replace(/^ =\w{4}.{1,3}$/m, '').replace(/[^\w+/=]/g, '');
  const { id } = keyOf('rsa');
  const other = id.slice(0, -2) + (16 + at).toString(16);
  const bytes = Buffer.from(packet, 'base64')
    .toString('hex')
    .replaceAll(id.toLowerCase(), other.toLowerCase());
  const lines = Buffer.from(bytes, 'hex')
    .toString('base64')
    .replace(/.{1,64}/g, ' $&\n');
  return text.replace(armor, `$1 \n${lines}$3`);
}

function writeCommit(text: string): string {
  const args = ['hash-object', '-t', 'commit', '-w', '--stdin'];
  const input = Buffer.from(text, 'latin1');
  return execFileSync('git', args, { cwd: repo.dir, input, encoding: 'utf8' }).trim();
}

const failed = (name: string, what: string): string =>
  `Failed verifying revision ${hashOf(name)} by 'Ann Author <ann@example.com>': ${what}`;

describe('head looks at the revision itself (INT-4)', () => {
  test('a commit signed by an allowed key, also one that is not UTF-8', async () => {
    for (const name of ['by-ed', 'by-rsa', 'seal', 'top', 'merge'])
      expect(await verify(name, 'head')).toEqual([]);
  });

  test('an unsigned one is told (INT-6)', async () => {
    expect(await verify('plain-root', 'head')).toEqual([failed('plain-root', 'unsigned')]);
    expect(await verify('fake-seal', 'head')).toEqual([failed('fake-seal', 'unsigned')]);
  });

  test('an annotated tag is looked at instead of its commit', async () => {
    expect(await verify('signed-tag', 'head')).toEqual([]); // it marks the unsigned root
    expect(await verify('plain-tag', 'head')).toEqual([failed('plain-tag', 'unsigned')]); // it marks a signed commit
  });

  test('what a server says a tag marks is not believed', async () => {
    const liar = await gitRepository(join(folder.path, 'liar'));
    await liar.git('fetch', '--quiet', repo.dir, '+refs/*:refs/*');
    // peeled to another commit than the one the tag was signed for
    const rows = [
      '# pack-refs with: peeled fully-peeled sorted ',
      `${hashOf('signed-tag')} refs/tags/lie`,
      `^${hashOf('fake-seal')}`,
    ];
    await liar.git('tag', '-d', 'signed-tag');
    await writeFile(join(liar.dir, '.git/packed-refs'), `${rows.join('\n')}\n`);
    const { commit } = await sources.resolveRevision(ctx, { url: liar.dir }, 'lie');
    expect(commit).toBe(hashOf('fake-seal'));
    const demand = { mode: 'head' as const, keys: [keyOf('ed').id], keyring };
    await expect(
      sources.verify(ctx, { url: liar.dir }, { commit, revision: 'lie' }, demand),
    ).rejects.toMatchObject({ code: 'PolicyFailed' });
  });

  test('a key that the project does not name is told (INT-5)', async () => {
    const { id } = keyOf('rsa');
    expect(await verify('by-rsa', 'head', [keyOf('ed').id])).toEqual([
      failed('by-rsa', `signed with key that the project does not allow (key_id=${id})`),
    ]);
    expect(await verify('by-rsa', 'head', [])).toHaveLength(1);
  });

  test('keys may be named by their fingerprint, in small letters, or by the key they belong to (INT-5)', async () => {
    const { fingerprint, id } = keyOf('ed');
    for (const key of [fingerprint, fingerprint.toLowerCase(), `0x${id}`]) {
      expect(await verify('by-ed', 'head', [key])).toEqual([]);
    }
    expect(await verify('after', 'head', [keyOf('sub').fingerprint])).toEqual([]);
    expect(await verify('after', 'head', [keyOf('sub').id])).toEqual([]);
    expect(await verify('by-ed', 'head', [id.slice(-8)])).toHaveLength(1); // too short to name one key
  });

  test('a key that is not in the keyring is told (INT-5, INT-8)', async () => {
    const demand = { mode: 'head' as const, keys: [keyOf('ed').id], keyring: [] };
    const revision = { commit: hashOf('by-ed'), revision: hashOf('by-ed') };
    expect(await sources.verify(ctx, { url: repo.dir }, revision, demand)).toEqual([
      failed('by-ed', `signed with key not in keyring (key_id=${keyOf('ed').id})`),
    ]);
  });
});

describe('strict looks at its history too (INT-4)', () => {
  test('back to a commit that seals it, on every way', async () => {
    for (const name of ['seal', 'after', 'side', 'merge']) expect(await verify(name, 'strict')).toEqual([]);
  });

  test('back to the root where nothing seals it', async () => {
    expect(await verify('by-rsa', 'strict')).toEqual([failed('plain-root', 'unsigned')]);
  });

  test('a seal that nobody signed seals nothing', async () => {
    expect(await verify('top', 'strict')).toEqual([failed('fake-seal', 'unsigned')]);
  });

  test('a seal counts itself, so its key must be an allowed one', async () => {
    const others = [keyOf('rsa').id, keyOf('sub').id];
    expect(await verify('after', 'strict', others)).toEqual([
      failed('seal', `signed with key that the project does not allow (key_id=${keyOf('ed').id})`),
    ]);
  });

  test('a tag and its commits', async () => {
    expect(await verify('signed-tag', 'strict')).toEqual([failed('plain-root', 'unsigned')]);
    expect(await verify('plain-tag', 'strict')).toEqual([
      failed('plain-tag', 'unsigned'),
      failed('plain-root', 'unsigned'),
    ]);
  });

  test('each key is told once (INT-6)', async () => {
    const problems = await verify('merge', 'strict', []);
    expect(problems).toHaveLength(3); // ed, rsa and sub, though ed signed twice
  });

  test('no more than ten are told (INT-6)', async () => {
    let last = hashOf('plain-root');
    for (let at = 0; at < 14; at++)
      last = writeCommit(signedByAnother(at).replace(/^parent .*$/m, `parent ${last}`));
    const demand = { mode: 'strict' as const, keys: [], keyring };
    const problems = await sources.verify(ctx, { url: repo.dir }, { commit: last, revision: last }, demand);
    expect(problems).toHaveLength(10);
    expect(new Set(problems.map((problem) => /key_id=\w+/.exec(problem)?.[0])).size).toBe(10);
  });

  test('a history that was cut off cannot be verified (GIT-9)', async () => {
    const demand = { mode: 'strict' as const, keys: [], keyring };
    const revision = { commit: hashOf('top'), revision: 'top' };
    await expect(sources.verify(ctx, { url: repo.dir, depth: 1 }, revision, demand)).rejects.toMatchObject({
      code: 'InvalidSpec',
      message: expect.stringContaining('remove depth from its Secret'),
    });
  });
});
