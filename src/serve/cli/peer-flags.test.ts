import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { loadProgram } from './load-program.ts';
import { runCli } from './run.ts';

// compat server §8.3: every command of argocd 3.5.6 with every flag, as its --help lists them (tools/real-clients/record-flags.js).

const recorded = JSON.parse(
  readFileSync(join(import.meta.dirname, 'testdata/argocd-3.5.6-flags.json'), 'utf8'),
) as Record<string, string>;

const never = () => Promise.reject(new Error('this opens nothing'));
const printed: string[] = [];
const options = {
  io: {
    out: (text: string) => void printed.push(text),
    err: (text: string) => void printed.push(text),
    env: {},
    isTerminal: false,
    prompt: never,
  },
  version: '0',
  roles: [],
  signal: new AbortController().signal,
  openManifests: never,
};
const program = await loadProgram(options);

const commandAt = (path: readonly string[]): Command | undefined =>
  path.reduce<Command | undefined>((at, name) => at?.commands.find((one) => one.name() === name), program);

type Named = { readonly path: string; readonly command: Command };

/** The commands that have the flags of a row: a group passes its own on to all below it. */
const withFlagsOf = ({ path, command }: Named): Named[] =>
  command.commands.length === 0
    ? [{ path, command }]
    : command.commands
        .filter((one) => one.name() !== 'help')
        .flatMap((one) => withFlagsOf({ path: `${path} ${one.name()}`, command: one }));

/** What of the flag of a peer's command ours lacks; undefined: nothing. */
function lacking(command: Command, flag: string): string | undefined {
  const [, short, long = '', takes] = /^(?:(-\w) )?(--[\w-]+)(=?)$/.exec(flag) ?? [];
  const own = [...command.options, ...program.options].find((option) => option.long === long);
  if (!own) return `${long} is unknown`;
  if (takes && !own.required && !own.optional) return `${long} takes no value`;
  if (!takes && own.required) return `${long} needs a value`;
  const isShortTaken = command.options.some((option) => option.short === short);
  return short && own.short !== short && !isShortTaken ? `${long} is not ${short}` : undefined;
}

/** Flags that only ours has, with the name of one that the peer's group has. */
const ofOurs: Readonly<Record<string, readonly string[]>> = { 'app get-resource': ['--namespace'] };

const longOf = (flag: string): string => /--[\w-]+/.exec(flag)?.[0] ?? '';
const flagsOf = (name: string): string[] => (recorded[name] ?? '').split(' | ').filter(Boolean);

function differences(name: string): string[] {
  const command = commandAt(name.split(' ').filter(Boolean));
  if (!command) return [`argocd ${name}: there is no such command`];
  return (name === '' ? [{ path: '', command }] : withFlagsOf({ path: name, command })).flatMap((one) => {
    // a flag of its own hides one of its group
    const own = new Set(
      one.path === name ? [] : [...flagsOf(one.path).map(longOf), ...(ofOurs[one.path] ?? [])],
    );
    return flagsOf(name)
      .filter((flag) => !own.has(longOf(flag)))
      .flatMap((flag) => {
        const problem = lacking(one.command, flag);
        return problem ? [`argocd ${one.path}: ${problem}`] : [];
      });
  });
}

test('every command and every flag of the peer is known', () => {
  const names = Object.keys(recorded);
  expect(names.length).toBeGreaterThan(140);
  expect(names.flatMap(differences)).toEqual([]);
});

test.each([
  ['app list --as admin', '--as is not supported by fairlead app list: name a context of the kubeconfig'],
  ['app list --insecure-skip-tls-verify', '--insecure-skip-tls-verify is not supported by fairlead app list'],
  ['app list --request-timeout 5s --kubeconfig x', 'note: --request-timeout has no effect'],
  ['app create x --hydrate-to-branch y', 'the source hydrator is not supported yet'],
])('%s: the reason is named', async (line, message) => {
  printed.length = 0;
  expect(await runCli(line.split(' '), options)).toBe(20);
  expect(printed.join('')).toContain(message);
});
