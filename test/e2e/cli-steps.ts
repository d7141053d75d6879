import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { realClock, silent } from '#base/std';
import { runCli } from '#serve/cli';
import { openCore } from '../../src/main/open-core.ts';
import { openManifests } from '../../src/main/open-manifests.ts';
import type { Fairlead } from './fairlead.ts';

/** One command line, and what a user sees of it. Words in quotes stay together; `$NAME` is replaced from the variables. */
export type CliStep = {
  readonly run: string;
  /** 0 when left out. */
  readonly code?: number;
  /** What stdout contains, each of them. */
  readonly out?: readonly (string | RegExp)[];
  /** What stderr contains, each of them. */
  readonly err?: readonly (string | RegExp)[];
  /** What neither contains. */
  readonly never?: readonly string[];
};

type Environment = Readonly<Record<string, string>>;
type Asked = {
  readonly env?: Environment;
  readonly answers?: readonly string[];
  readonly isTerminal?: boolean;
  /** What the user's editor makes of a text. */
  readonly edit?: (text: string) => string;
};

/** The words of a command line as a shell would split it. */
const wordsOf = (line: string): string[] =>
  (line.match(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g) ?? []).map((word) =>
    word.replaceAll(/'([^']*)'|"([^"]*)"/g, (_, single?: string, double?: string) => single ?? double ?? ''),
  );

/** The command line in this process, which starts ten times as fast as a program of its own; the server is a started one. */
export async function runHere(
  { dataDir }: Pick<Fairlead, 'dataDir'>,
  words: readonly string[],
  { env = {}, answers = [], isTerminal = false, edit = (text) => text }: Asked = {},
): Promise<{ code: number; stdout: string; stderr: string }> {
  const said = { out: '', err: '' };
  const left = [...answers];
  const environment = {
    HOME: dataDir,
    PATH: process.env.PATH ?? '',
    KUBECONFIG: join(dataDir, 'kubeconfig'),
    ...env,
  };
  const { signal } = new AbortController();
  const code = await runCli(words, {
    io: {
      out: (text) => {
        said.out += text;
      },
      err: (text) => {
        said.err += text;
      },
      env: environment,
      isTerminal,
      prompt: async (question) => {
        said.err += question;
        return left.shift() ?? Promise.reject(new Error(`no answer to '${question}'`));
      },
      interact: async (_command, args) => {
        const file = args.at(-1) ?? '';
        writeFileSync(file, edit(readFileSync(file, 'utf8')));
        return 0;
      },
    },
    version: '0.1.0',
    roles: [],
    signal,
    openManifests: openManifests(environment),
    openCore: openCore({ signal, log: silent, clock: realClock }, environment),
  });
  return { code, stdout: said.out, stderr: said.err };
}

/** Runs the steps one after another; each must end as it says. */
export async function play(
  fairlead: Pick<Fairlead, 'dataDir'>,
  steps: readonly CliStep[],
  variables: Readonly<Record<string, string>> = {},
): Promise<void> {
  for (const step of steps) {
    const line = step.run.replaceAll(/\$([A-Z]+)/g, (all, name: string) => variables[name] ?? all);
    const { code, stdout, stderr } = await runHere(fairlead, wordsOf(line));
    const shown = `fairlead ${line}\n${stdout}\n${stderr}`;
    expect(code, shown).toBe(step.code ?? 0);
    for (const part of step.out ?? []) expect(stdout, shown).toMatch(part);
    for (const part of step.err ?? []) expect(stderr, shown).toMatch(part);
    for (const part of step.never ?? []) expect(`${stdout}${stderr}`, shown).not.toContain(part);
  }
}
