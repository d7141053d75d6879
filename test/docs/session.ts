import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { realClock, silent } from '#base/std';
import { findTool } from '#platform/exec';
import { type Block, type Guide, root } from './guide.ts';

const program = join(root, 'dist/main/fairlead.js');
const deadlineMs = 60_000;

/** A folder as a reader has it after `npm ci`: the project, and a terminal in it. */
export type Session = {
  readonly dir: string;
  /** Runs `fairlead up` in the folder until `stop`, in place of one that runs already. */
  start(flags: readonly string[]): Promise<void>;
  /** Runs one block where the block before it left off; fails with what it printed. Returns what it printed. */
  run(block: Block): Promise<string>;
  stop(): Promise<void>;
};

type Around = {
  readonly dir: string;
  /** A session whose started program this one uses; its kubeconfig is chosen from the beginning. */
  readonly uses?: Session | undefined;
};

export async function openSession(guide: Pick<Guide, 'files'>, { dir, uses }: Around): Promise<Session> {
  await furnish(dir);
  for (const [name, text] of guide.files) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), text);
  }
  if (uses) symlinkSync(join(uses.dir, '.fairlead'), join(dir, '.fairlead'));
  const env = {
    PATH: `${join(dir, 'bin')}:${process.env.PATH ?? ''}`,
    HOME: join(dir, 'home'),
    XDG_CACHE_HOME: join(tmpdir(), 'fairlead-e2e-cache'),
    ...(uses && { KUBECONFIG: join(uses.dir, '.fairlead/kubeconfig') }),
  };
  let running: ChildProcess | undefined;
  const stop = async (): Promise<void> => {
    if (!running || running.exitCode !== null) return;
    running.kill('SIGINT');
    await once(running, 'exit');
  };
  return {
    dir,
    stop,
    start: async (flags) => {
      await stop();
      if (uses) rmSync(join(dir, '.fairlead'), { force: true });
      running = spawn(process.execPath, [program, 'up', '--port', '0', ...flags], { cwd: dir, env });
      const url = await readyUrl(running);
      if (url) writeFileSync(hostFile(dir), new URL(url).host);
    },
    run: (block) => runBlock(block, { dir, env, host: hostIn(running ? dir : (uses?.dir ?? dir)) }),
  };
}

const hostFile = (dir: string): string => join(dir, 'home/host');
const hostIn = (dir: string): string =>
  existsSync(hostFile(dir)) ? readFileSync(hostFile(dir), 'utf8') : 'localhost:8080';

async function furnish(dir: string): Promise<void> {
  for (const name of ['bin', 'home']) mkdirSync(join(dir, name), { recursive: true });
  for (const name of ['dist', 'node_modules', 'deploy']) symlinkSync(join(root, name), join(dir, name));
  for (const name of ['package.json', 'examples'])
    cpSync(join(root, name), join(dir, name), { recursive: true });
  const ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
  // an empty PATH: the kubectl of the npm package, whatever else the machine has
  const kubectl = await findTool(ctx, 'kubectl', {
    searchPath: '',
    cacheDir: join(tmpdir(), 'fairlead-e2e-cache/fairlead'),
  });
  symlinkSync(kubectl.command, join(dir, 'bin/kubectl'));
  writeFileSync(join(dir, 'bin/fairlead'), `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`);
  chmodSync(join(dir, 'bin/fairlead'), 0o755);
}

/** The address of the page; undefined for a cluster alone. */
async function readyUrl(child: ChildProcess): Promise<string | undefined> {
  let said = '';
  child.stderr?.on('data', (chunk) => {
    said += chunk;
  });
  for await (const line of createInterface({ input: child.stdout ?? process.stdin })) {
    if (line.startsWith('cluster ready at ')) return undefined;
    const url = /^fairlead ready at (\S+)/.exec(line)?.[1];
    if (url) return url;
  }
  throw new Error(`fairlead up ended before it was ready: ${said}`);
}

type Where = { readonly dir: string; readonly env: Record<string, string>; readonly host: string };

async function runBlock({ text, line }: Block, { dir, env, host }: Where): Promise<string> {
  const state = join(dir, 'home/state');
  const script = [
    existsSync(state) ? `. ${state}` : `cd ${dir}`,
    'set -ae',
    withExitCodes(text).replaceAll('localhost:8080', host),
    `{ export -p; echo "cd '$PWD'"; } > ${state}`,
  ];
  const child = spawn('sh', ['-c', script.join('\n')], {
    ...{ cwd: dir, env, timeout: deadlineMs },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      printed += chunk;
    });
  }
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`the block in line ${line} ended with ${code}:\n${text}\n\n${printed}`);
  return printed;
}

/** A command whose comment says `exit code N` must end with it; every other with 0. */
const withExitCodes = (text: string): string =>
  text.replaceAll(
    /^(.*?\S)\s+#.*\bexit code (\d+).*$/gm,
    (_all, command: string, code: string) => `code=0; ${command} || code=$?; [ $code -eq ${code} ]`,
  );
