import { setMaxListeners } from 'node:events';
import { type Ctx, realClock, silent } from '#base/std';
import { type Io, runCli } from '#serve/cli';
import { roleNames, rolesOf } from './roles.ts';
import { versionOf } from './version.ts';

// one signal stops everything, so it has very many listeners
setMaxListeners(0);

const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.on(name, () => {
    if (stop.signal.aborted) process.exit(130);
    stop.abort(new Error(`stopped by ${name}`));
  });
}
setMaxListeners(0, stop.signal);

// the reader of our output may stop reading, as `head` does
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

// a command for users reports on its own; loading the logger would take as long as all the rest of its start
const isQuiet = process.env.FAIRLEAD_LOG_LEVEL === undefined && !roleNames.has(process.argv[2] ?? '');
const log = isQuiet
  ? silent
  : (await import('./logger.ts')).createLogger(process.stderr, {
      format: process.stderr.isTTY ? 'pretty' : 'json',
      level: process.env.FAIRLEAD_LOG_LEVEL ?? 'warn',
    });
const ctx: Ctx = { signal: stop.signal, log, clock: realClock };

let prompt: Io['prompt'] | undefined;
const io: Io = {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  env: process.env,
  trust: async () => (await import('./trusted-here.ts')).trustedHere(process.env),
  request: (terms) => async (request) =>
    (await import('./trusted-here.ts')).requestHere(ctx, process.env, { ...request, terms }),
  openBrowser: (url) => void import('./open-browser.ts').then(({ openBrowser }) => openBrowser(url)),
  interact: async (command, args) => (await import('./run-program.ts')).runProgram(command, args),
  size: () => ({ columns: process.stdout.columns ?? 80, rows: process.stdout.rows ?? 24 }),
  isTerminal: process.stdout.isTTY === true,
  prompt: async (...question) => {
    const { promptOn } = await import('./prompt.ts');
    prompt ??= promptOn({ input: process.stdin, output: process.stderr });
    return prompt(...question);
  },
};

const code = await runCli(process.argv.slice(2), {
  io,
  version: await versionOf(),
  roles: rolesOf(ctx, { env: process.env, say: (line) => io.out(`${line}\n`), sink: process.stderr }),
  signal: stop.signal,
  openCore: async (wish) => (await import('./open-core.ts')).openCore(ctx, process.env)(wish),
  hashPassword: async (password) => (await import('#serve/server')).hashPassword(password),
  openManifests: async (...args) => (await import('./open-manifests.ts')).openManifests(process.env)(...args),
});
// all cleanup is done, whatever still keeps the process alive: the next signal ends it
for (const name of ['SIGINT', 'SIGTERM']) process.removeAllListeners(name);
process.exitCode = stop.signal.aborted && code !== 0 ? 130 : code;
