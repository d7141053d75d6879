import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type Fairlead, startFairlead } from '../e2e/fairlead.ts';

type Printed = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

/** The unmodified command line of Argo CD, with a configuration file of its own. */
export type Argocd = {
  readonly fairlead: Fairlead;
  /** `localhost:port` of the started program. */
  readonly host: string;
  readonly folder: string;
  run(...words: string[]): Promise<Printed>;
  /** With `input` on its standard input. */
  runWith(input: string, ...words: string[]): Promise<Printed>;
  /** With these in its environment. */
  runIn(env: Readonly<Record<string, string>>, ...words: string[]): Promise<Printed>;
  /** Runs it and expects an exit code of 0, and what it prints to match. */
  prints(words: readonly string[], ...patterns: readonly RegExp[]): Promise<string>;
};

const program = process.env.FAIRLEAD_TEST_ARGOCD ?? '';

/** Starts a program and a command line that is not logged in. */
export async function startArgocd(...flags: string[]): Promise<Argocd> {
  const fairlead = await startFairlead(...flags);
  const folder = join(fairlead.folder, 'argocd');
  mkdirSync(folder, { recursive: true });
  const { host } = new URL(fairlead.url);
  const runWith: Argocd['runWith'] = (input, ...words) => execute(folder, words, { input });
  const runIn: Argocd['runIn'] = (env, ...words) => execute(folder, words, { env });
  const run: Argocd['run'] = (...words) => runWith('', ...words);
  const prints: Argocd['prints'] = async (words, ...patterns) => {
    const { code, stdout, stderr } = await run(...words);
    expect({ words, code, stderr: code === 0 ? '' : stderr }).toEqual({ words, code: 0, stderr: '' });
    for (const pattern of patterns) expect(`${stdout}${stderr}`).toMatch(pattern);
    return stdout;
  };
  return { fairlead, host, folder, run, runWith, runIn, prints };
}

type Given = { readonly input?: string; readonly env?: Readonly<Record<string, string>> };

function execute(folder: string, words: readonly string[], given: Given): Promise<Printed> {
  const { input = '' } = given;
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: folder,
    ARGOCD_CONFIG_DIR: join(folder, 'config'),
    EDITOR: join(folder, 'editor'),
    TMPDIR: '/tmp',
    ...given.env,
  };
  const child = spawn(program, words, { cwd: folder, env });
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].on('data', (chunk) => {
      texts[name] += chunk;
    });
  child.stdin.on('error', () => {}).end(input);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, ...texts }));
  });
}

/** A case of a table: the words of a command line, its exit code, and what it must print. */
export type Typed = readonly [line: string, code: number, pattern: RegExp];

/** Types a line as a shell splits it: at spaces, with single quotes around words that have some. */
const wordsOf = (line: string): string[] =>
  [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');

/** Types the lines one after the other and compares exit codes and output. */
export async function typeAll(argocd: Argocd, lines: readonly Typed[]): Promise<void> {
  for (const [line, code, pattern] of lines) {
    const printed = await argocd.run(...wordsOf(line));
    const text = printed.stdout + printed.stderr;
    expect({ line, code: printed.code, text: pattern.test(text) ? pattern.source : text }).toEqual({
      line,
      code,
      text: pattern.source,
    });
  }
}
