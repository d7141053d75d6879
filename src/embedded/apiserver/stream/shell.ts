import type { ContainerView } from './container-view.ts';
import { tarOf } from './tar.ts';

/** The output of a command and its exit code. */
export type Ended = { readonly stdout: string | Buffer; readonly stderr: string; readonly code: number };

const said = (stdout: string | Buffer): Ended => ({ stdout, stderr: '', code: 0 });
const failed = (stderr: string, code = 1): Ended => ({ stdout: '', stderr: `${stderr}\n`, code });

type Program = (view: ContainerView, args: readonly string[]) => Ended;

/** The programs of a simulated container; each prints what the real one would. */
const programs: Readonly<Record<string, Program>> = {
  echo: (_view, args) => {
    const plain = args[0] === '-n' ? args.slice(1) : args;
    return said(`${plain.join(' ')}${args[0] === '-n' ? '' : '\n'}`);
  },
  env: ({ env }) => said(variables(env)),
  printenv: ({ env }, [name]) => {
    if (name === undefined) return said(variables(env));
    return env[name] === undefined ? { ...said(''), code: 1 } : said(`${env[name]}\n`);
  },
  hostname: ({ hostname }) => said(`${hostname}\n`),
  true: () => said(''),
  false: () => ({ ...said(''), code: 1 }),
  exit: (_view, [code = '0']) => ({ ...said(''), code: Number(code) & 255 }),
  sleep: () => said(''),
  pwd: () => said('/\n'),
  whoami: () => said('root\n'),
  cat,
  ls,
  tar,
};

const variables = (env: Readonly<Record<string, string>>): string =>
  Object.entries(env)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');

function cat({ files }: ContainerView, paths: readonly string[]): Ended {
  const contents = paths.map((path) => files.get(path));
  const missing = paths.find((_, index) => contents[index] === undefined);
  if (missing !== undefined) return failed(`cat: ${missing}: No such file or directory`);
  return said(Buffer.concat(contents.filter((content) => content !== undefined)));
}

function ls({ files }: ContainerView, args: readonly string[]): Ended {
  const path = args.find((arg) => !arg.startsWith('-')) ?? '/';
  if (files.has(path)) return said(`${path}\n`);
  const folder = path.endsWith('/') ? path : `${path}/`;
  const inside = [...files.keys()].filter((file) => file.startsWith(folder));
  const names = [...new Set(inside.map((file) => file.slice(folder.length).split('/', 1)[0]))].sort();
  if (names.length > 0 || path === '/') return said(names.map((name) => `${name}\n`).join(''));
  return failed(`ls: ${path}: No such file or directory`);
}

/** What `kubectl cp` runs in the container to read files. */
function tar({ files }: ContainerView, args: readonly string[]): Ended {
  const [mode = '', target = '', ...paths] = args.filter((arg) => arg !== '--');
  if (!mode.replace('-', '').startsWith('c') || target !== '-') {
    return failed('tar: files cannot be written: this container is simulated and has no disk');
  }
  const wanted = paths[0] === '-C' ? paths.slice(2) : paths;
  const chosen = [...files].filter(([path]) =>
    wanted.some((one) => path === one || path.startsWith(`${one}/`)),
  );
  if (chosen.length === 0) return failed(`tar: ${wanted.join(' ')}: No such file or directory`, 2);
  return said(tarOf(chosen.map(([path, content]) => [path.replace(/^\//, ''), content])));
}

/** Runs a command line. A program that is not simulated ends with an error, as a missing one does. */
export function run(view: ContainerView, command: readonly string[]): Ended {
  const [name = '', ...args] = command;
  const base = name.split('/').at(-1) ?? '';
  if ((base === 'sh' || base === 'bash' || base === 'ash') && args[0] === '-c') {
    return runLine(view, args[1] ?? '');
  }
  const program = Object.hasOwn(programs, base) ? programs[base] : undefined;
  return program ? program(view, args) : unknown(base);
}

const unknown = (name: string): Ended =>
  failed(
    `${name}: not found: this container is simulated; it knows ${Object.keys(programs).join(', ')} and sh -c`,
    127,
  );

/** One line of a shell: commands between `;` and `&&`, words with quotes and `$NAME`. */
export function runLine(view: ContainerView, line: string): Ended {
  const out: Buffer[] = [];
  let stderr = '';
  let code = 0;
  for (const [, joint = '', text = ''] of line.matchAll(/(^|;|&&)((?:"[^"]*"|'[^']*'|[^;&"'])*)/g)) {
    if (joint === '&&' && code !== 0) break;
    const words = wordsOf(text, view.env);
    if (words.length === 0) continue;
    const ended = run(view, words);
    out.push(Buffer.from(ended.stdout));
    stderr += ended.stderr;
    code = ended.code;
    if (words[0] === 'exit') break;
  }
  return { stdout: Buffer.concat(out), stderr, code };
}

function wordsOf(text: string, env: Readonly<Record<string, string>>): string[] {
  const filled = (part: string) =>
    part.replaceAll(/\$(?:\{(\w+)\}|(\w+))/g, (_, braced, bare) => env[braced ?? bare] ?? '');
  return [...text.matchAll(/"([^"]*)"|'([^']*)'|([^\s"']+)/g)].map(
    ([, double, single, bare]) => single ?? filled(double ?? bare ?? ''),
  );
}
