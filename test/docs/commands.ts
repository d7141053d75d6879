import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { realClock, silent } from '#base/std';
import { runCli } from '#serve/cli';
import { rolesOf } from '../../src/main/roles.ts';
import { root } from './guide.ts';

/** A command line of the project's own programs as a document prints it, in words. */
export type CommandLine = readonly string[];

/** Command lines of `fairlead` and npm's scripts in shell text; `npm start` counts as `fairlead up`. */
export function commandLines(shell: string): CommandLine[] {
  const joined = shell.replaceAll(/\\\n\s*/g, ' ').replaceAll(/(^|\s)#.*$/gm, '');
  return joined
    .replaceAll(/\$\(([^()]*)\)/g, '\n$1\n')
    .split(/\n|&&|\|\||[|;]|\$\(/)
    .map((part) => part.match(/"[^"]*"|'[^']*'|[^\s"']+/g) ?? [])
    .map((words) => words.filter((word, index) => !(index === 0 && word === 'npx')))
    .flatMap((words): CommandLine[] => {
      while (/^\w+=/.test(words[0] ?? '')) words.shift();
      if (words[0] === 'fairlead') return [words.slice(1)];
      if (words[0] === 'npm' && words[1] === 'start') return [['up', ...words.slice(3)]];
      if (words[0] === 'npm' && words[1] === 'run') return [['npm', words[2] ?? '']];
      return [];
    });
}

/** What is wrong with a command line: a command or a flag that the program does not have. Undefined: nothing. */
export async function problemOf(words: CommandLine): Promise<string | undefined> {
  if (words[0] === 'npm') return scripts.has(words[1] ?? '') ? undefined : `no script npm run ${words[1]}`;
  let known = '';
  const path: string[] = [];
  for (const word of words) {
    const help = await helpOf(path);
    known += help;
    if (!commandsIn(help).has(word)) break;
    path.push(word);
  }
  known += await helpOf(path);
  const rest = words.slice(path.length);
  if (/^Commands:/m.test(await helpOf(path)) && rest[0] && /^[a-z]/.test(rest[0])) {
    return `fairlead ${path.join(' ')} has no command ${rest[0]}`;
  }
  const flags = rest.flatMap((word) => /^--?[a-z][\w-]*/i.exec(word)?.[0] ?? []);
  const missing = flags.filter((flag) => !new RegExp(`(?:^|[ ,])${flag}(?![\\w-])`, 'm').test(known));
  return missing.length > 0 ? `fairlead ${path.join(' ')} has no flag ${missing.join(', ')}` : undefined;
}

const scripts = new Set(
  Object.keys(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).scripts as object),
);

const commandsIn = (help: string): Set<string> => {
  const [, list = ''] = help.split(/^Commands:$/m);
  return new Set([...list.matchAll(/^ {2}([a-z][\w-]*)/gm)].map(([, name = '']) => name));
};

const helps = new Map<string, Promise<string>>();

/** What `--help` of a command prints. */
function helpOf(path: readonly string[]): Promise<string> {
  const key = path.join(' ');
  const found = helps.get(key) ?? printHelp(path);
  helps.set(key, found);
  return found;
}

async function printHelp(path: readonly string[]): Promise<string> {
  const signal = new AbortController().signal;
  let printed = '';
  const out = (text: string): void => {
    printed += text;
  };
  const ctx = { signal, log: silent, clock: realClock };
  const never = () => Promise.reject(new Error('--help opens nothing'));
  await runCli([...path, '--help'], {
    io: { out, err: out, env: {}, trust: never, isTerminal: false, prompt: never },
    version: '0',
    roles: rolesOf(ctx, { env: {}, say: out, sink: { write: out } }),
    signal,
    openManifests: never,
  });
  return printed;
}
