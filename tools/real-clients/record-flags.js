// node tools/real-clients/record-flags.js: records every command of the real `argocd` and its flags, as its own --help lists them, for
// src/serve/cli/peer-flags.test.ts. A flag that its subcommand inherits from every command stands once, under ''.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { argocdProgram } from './argocd.js';

const program = argocdProgram();
const file = 'src/serve/cli/testdata/argocd-3.5.6-flags.json';
/** Of the shells' own scripts, and of the command that lists the others. */
const left = new Set(['help', '__complete', '__completeNoDesc']);

const help = (path) =>
  execFileSync(program, [...path, '--help'], { encoding: 'utf8', env: { HOME: '/nonexistent', PATH: '' } });

/** The lines below a heading, up to the next empty line. */
const section = (text, heading) =>
  new RegExp(`^${heading}:\\n((?:.+\\n)+)`, 'm').exec(text)?.[1]?.split('\n').filter(Boolean) ?? [];

/** `-o, --output string` and `--prune` become `-o --output=` and `--prune`: with = where it takes a value. */
const flagsIn = (lines) =>
  lines.flatMap((line) => {
    const [, short, long, value] = /^ +(?:(-\w), )?(--[\w-]+)(?: (\S+))?(?: {2,}|$)/.exec(line) ?? [];
    if (!long || long === '--help') return [];
    return [`${short ? `${short} ` : ''}${long}${value ? '=' : ''}`];
  });

const found = {};
function visit(path) {
  const text = help(path);
  const commands = section(text, 'Available Commands').map((line) => line.trim().split(/\s+/)[0]);
  if (path.length === 0) found[''] = flagsIn(section(text, 'Flags'));
  else if (commands.length === 0 || section(text, 'Flags').length > 1)
    found[path.join(' ')] = flagsIn(section(text, 'Flags'));
  for (const name of commands) if (!left.has(name)) visit([...path, name]);
}
visit([]);
const rows = Object.entries(found).map(
  ([name, flags]) => `${JSON.stringify(name)}: ${JSON.stringify(flags.join(' | '))}`,
);
writeFileSync(file, `{\n${rows.join(',\n')}\n}\n`);
console.log(`${rows.length} commands in ${file}`);
