import { expect, test } from 'vitest';
import { runCli } from '../../run.ts';

const never = () => Promise.reject(new Error('this opens nothing'));

/** What a command without a server prints on stdout. */
async function printed(...words: readonly string[]): Promise<string> {
  const texts: string[] = [];
  const io = {
    out: (text: string) => void texts.push(text),
    err: () => {},
    env: {},
    isTerminal: false,
    prompt: never,
  };
  const { signal } = new AbortController();
  expect(await runCli(words, { io, version: '0', roles: [], signal, openManifests: never })).toBe(0);
  return texts.join('');
}

test.each([
  { words: [], data: {} },
  { words: ['--proxy', 'http://proxy:3128'], data: { proxy: 'http://proxy:3128' } },
  { words: ['--no-proxy', 'intranet'], data: { noProxy: 'intranet' } },
  {
    words: ['--proxy', 'http://proxy:3128', '--no-proxy=intranet,10.0.0.0/8'],
    data: { proxy: 'http://proxy:3128', noProxy: 'intranet,10.0.0.0/8' },
  },
])('repository flags $words: the hosts without a proxy are not the proxy', async ({ words, data }) => {
  const spec = await printed(
    ...['admin', 'repo', 'generate-spec', 'https://git.example.com/a.git', '-o', 'json'],
    ...words,
  );
  const { stringData } = JSON.parse(spec) as { stringData: Record<string, string> };
  const { url: _url, type: _type, ...rest } = stringData;
  expect(rest).toEqual(data);
});
