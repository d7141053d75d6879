import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { flush, packet } from './pkt-line.ts';
import { readGreeting, readRefList } from './ref-answers.ts';
import { parseRefs, type Refs } from './refs.ts';

const sha = (digit: string): string => digit.repeat(40);
const service = packet('# service=git-upload-pack\n') + flush;
const list = (text: string | Buffer): Promise<Refs> => readRefList([Buffer.from(text)]);
const greet = (text: string) => readGreeting([Buffer.from(text)]);
const rows = (...lines: string[]): string => lines.map(packet).join('') + flush;

type Row = { name: string; hash: string; peeled?: string | undefined };

const hash = fc.stringMatching(/^[0-9a-f]{40}$/);
const part = fc.stringMatching(/^[a-zA-Zäß日本🚀@+=!"'#$%&_-]{1,12}$/u);
const name = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => `refs/${parts.join('/')}`);
const row: fc.Arbitrary<Row> = fc.record({ name, hash, peeled: fc.option(hash, { nil: undefined }) });
const repository = fc.record({
  head: fc.option(fc.record({ name, hash }), { nil: undefined }),
  rows: fc.array(row),
});

describe('a list of refs', () => {
  test('is the same from either version of the protocol, in whatever pieces it comes, and from git', () =>
    fc.assert(
      fc.asyncProperty(
        repository,
        fc.array(fc.integer({ min: 1, max: 70 }), { minLength: 1 }),
        async (repo, sizes) => {
          const expected = parseRefs(asGitPrints(repo), 'here');
          const two = await readRefList(pieces(inVersionTwo(repo), sizes));
          const { refs: zero } = await readGreeting(pieces(inVersionZero(repo), sizes));
          for (const refs of [two, zero]) {
            expect(refs).toEqual(expected);
            expect([...(refs?.byName ?? [])]).toEqual([...expected.byName]);
          }
        },
      ),
      { numRuns: 300 },
    ));

  test('is not taken for whole wherever it is cut off', () =>
    fc.assert(
      fc.asyncProperty(repository, fc.nat(), async (repo, at) => {
        const [two, zero] = [inVersionTwo(repo), inVersionZero(repo)].map((text) => Buffer.from(text));
        if (!two || !zero) return;
        await expect(readRefList([two.subarray(0, at % two.length)])).rejects.toThrow('not understood');
        await expect(readGreeting([zero.subarray(0, at % zero.length)])).rejects.toThrow('not understood');
      }),
      { numRuns: 300 },
    ));

  test('may be of any length without keeping others waiting', async () => {
    const many = Array.from({ length: 50_000 }, (_, at) => `${sha('a')} refs/pull/${at}/head\n`);
    const bytes = Buffer.from(rows(...many));
    const cut = Array.from({ length: Math.ceil(bytes.length / 65_536) }, (_, at) =>
      bytes.subarray(at * 65_536, (at + 1) * 65_536),
    );
    let turns = 0;
    let isOver = false;
    const count = (): void => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    expect((await readRefList(cut)).byName.size).toBe(50_000);
    isOver = true;
    expect(turns).toBeGreaterThan(20);
  });

  test.each([
    ['nothing', ''],
    ['no packets', '<html>'],
    ['half a length', '00'],
    ['half a packet', packet(`${sha('a')} refs/heads/main`).slice(0, 20)],
    ['no end', packet(`${sha('a')} refs/heads/main`)],
    ['the length 0003', `0003${flush}`],
    ['the end of a response', `0002${flush}`],
    ['a delimiter', `0001${flush}`],
    ['a length beyond what packets have', `fff1${'a'.repeat(0xffed)}${flush}`],
    ['a sign before the length', `+00a${sha('a')}`],
    ['something after the end', flush + packet(`${sha('a')} refs/heads/main`)],
    ['a second end', flush + flush],
    ['an error', rows('ERR access denied')],
    ['a hash that is too short', rows(`${'a'.repeat(39)} refs/heads/main`)],
    ['hashes of another format', rows(`${'a'.repeat(64)} refs/heads/main`)],
    ['a hash in capitals', rows(`${sha('A')} refs/heads/main`)],
    ['a hash alone', rows(sha('a'))],
    ['two blanks', rows(`${sha('a')}  refs/heads/main`)],
    ['a NUL', rows(`${sha('a')} refs/heads/main\0x`)],
    ['a line end in a name', rows(`${sha('a')} refs/heads/main\n${sha('b')} refs/heads/x`)],
    ['a tab in a name', rows(`${sha('a')} refs/heads/a\tb`)],
    ['a blank of another kind in a name', rows(`${sha('a')} refs/heads/a\u00a0b`)],
    ['an unknown attribute', rows(`${sha('a')} refs/heads/main colour:red`)],
    ['a tag of no hash', rows(`${sha('a')} refs/tags/v1 peeled:x`)],
    ['an unborn HEAD', rows('unborn HEAD symref-target:refs/heads/main')],
  ])('with %s is not understood', async (_what, text) => {
    await expect(list(text)).rejects.toThrow('an answer that is not understood');
  });

  test('of bytes that are no UTF-8 is as git prints it', async () => {
    const line = Buffer.concat([
      Buffer.from(`${sha('a')} refs/heads/`),
      Buffer.from([0xc3, 0x28, 0xff, 0xe2, 0x82]),
    ]);
    const bytes = Buffer.concat([
      Buffer.from((line.length + 4).toString(16).padStart(4, '0')),
      line,
      Buffer.from(flush),
    ]);
    const printed = Buffer.from(line);
    printed[40] = 0x09;
    expect(await list(bytes)).toEqual(parseRefs(new TextDecoder().decode(printed), 'here'));
  });
});

describe('what a host says first', () => {
  const abilities = ['version 2', 'agent=git/2.39.5', 'ls-refs=unborn', 'fetch=shallow wait-for-done'];

  test('tells how it is to be asked', async () => {
    const asks = `0014command=ls-refs\n`;
    const wants = `00010009peel\n000csymrefs\n0000`;
    expect(await greet(rows(...abilities.map((line) => `${line}\n`)))).toEqual({ request: asks + wants });
    expect(await greet(service + rows(...abilities, 'object-format=sha1'))).toEqual({
      request: `${asks}0017object-format=sha1\n${wants}`,
    });
  });

  test('is an empty list where there are no commits, and holds where the history is cut off', async () => {
    const empty = `${sha('0')} capabilities^{}\0agent=x`;
    const none = { byName: new Map(), head: undefined, tagObjects: new Map() };
    expect(await greet(service + flush)).toEqual({ refs: none });
    expect(await greet(service + rows(empty))).toEqual({ refs: none });
    expect(await greet(service + rows('version 1', empty))).toEqual({ refs: none });
    const cut =
      service + rows(`${sha('a')} refs/heads/main\0symref=HEAD:refs/heads/x`, `shallow ${sha('b')}`);
    // HEAD is not shown, so it stands for nothing
    expect(await greet(cut)).toEqual({ refs: { ...none, byName: new Map([['refs/heads/main', sha('a')]]) } });
  });

  test.each([
    ['another service', packet('# service=git-receive-pack\n') + flush + rows(...abilities)],
    ['no service', rows(`${sha('a')} HEAD\0agent=x`)],
    ['a service that goes on', packet('# service=git-upload-pack\n') + rows(...abilities)],
    ['a version nobody knows', service + rows('version 3')],
    ['no abilities', service + rows(`${sha('a')} HEAD`)],
    ['no list of refs', rows('version 2', 'fetch')],
    ['objects of another format', rows(...abilities, 'object-format=sha256')],
    ['objects of another format, said the old way', service + rows(`${sha('a')} HEAD\0object-format=sha256`)],
    ['an ability without a name', rows('version 2', '=x')],
    ['HEAD twice', service + rows(`${sha('a')} HEAD\0symref=HEAD:refs/heads/a symref=HEAD:refs/heads/b`)],
    ...['main', 'refs/a..b', 'refs/.a', 'refs/a.lock', 'refs/a~', 'refs//a', 'refs/a@{b'].map((target) => [
      `HEAD as ${target}`,
      service + rows(`${sha('a')} HEAD\0symref=HEAD:${target}`),
    ]),
    [
      'rows after the end of history',
      service + rows(`${sha('a')} HEAD\0x`, `shallow ${sha('b')}`, `${sha('a')} refs/x`),
    ],
    ['an error', service + rows('ERR no such repository')],
  ])('with %s is not understood', async (_what, text = '') => {
    await expect(greet(text)).rejects.toThrow('an answer that is not understood');
  });
});

type Repository = { head: { name: string; hash: string } | undefined; rows: readonly Row[] };

function asGitPrints({ head, rows: all }: Repository): string {
  const first = head ? [`ref: ${head.name}\tHEAD`, `${head.hash}\tHEAD`] : [];
  const others = all.flatMap(({ name: own, hash: of, peeled }) => [
    `${of}\t${own}`,
    ...(peeled ? [`${peeled}\t${own}^{}`] : []),
  ]);
  return [...first, ...others, ''].join('\n');
}

function inVersionTwo({ head, rows: all }: Repository): string {
  const first = head ? [`${head.hash} HEAD symref-target:${head.name}\n`] : [];
  return rows(
    ...first,
    ...all.map(({ name: own, hash: of, peeled }) => `${of} ${own}${peeled ? ` peeled:${peeled}` : ''}\n`),
  );
}

function inVersionZero(repo: Repository): string {
  const lines = asGitPrints({ ...repo, head: undefined })
    .split('\n')
    .slice(0, -1);
  if (repo.head) lines.unshift(`${repo.head.hash} HEAD`);
  const [first = `${sha('0')} capabilities^{}`, ...others] = lines.map((line) => line.replace('\t', ' '));
  const symref = repo.head ? `symref=HEAD:${repo.head.name} ` : '';
  return (
    service + rows(`${first}\0multi_ack ${symref}agent=git/2.39.5\n`, ...others.map((line) => `${line}\n`))
  );
}

function* pieces(text: string, sizes: readonly number[]): Generator<Uint8Array> {
  const bytes = Buffer.from(text);
  let at = 0;
  for (let turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}
