#!/usr/bin/env node
import { setMaxListeners } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { type Io, type Role, runCli } from '#cli';
import { type Ctx, realClock } from '#std';
import { readUpConfig } from './config.ts';
import { versionOf } from './control-plane.ts';
import { createLogger } from './logger.ts';
import { openManifests } from './open-manifests.ts';
import { runUp } from './run-up.ts';

// one signal stops everything, so very many listen to it
setMaxListeners(0);

const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.on(name, () => {
    if (stop.signal.aborted) process.exit(130);
    stop.abort(new Error(`stopped by ${name}`));
  });
}
setMaxListeners(0, stop.signal);

// whoever reads our output may stop reading, as `head` does
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

const log = createLogger(process.stderr, {
  format: process.stderr.isTTY ? 'pretty' : 'json',
  level: process.env.FAIRLEAD_LOG_LEVEL ?? 'warn',
});
const ctx: Ctx = { signal: stop.signal, log, clock: realClock };

const io: Io = {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  env: process.env,
  isTerminal: process.stdout.isTTY === true,
  ask: async (question, { hidden = false } = {}) => {
    const muted = new Writable({ write: (_chunk, _encoding, done) => done() });
    if (hidden) process.stderr.write(question);
    const lines = createInterface({
      input: process.stdin,
      output: hidden ? muted : process.stderr,
      terminal: process.stdin.isTTY,
    });
    try {
      return await lines.question(hidden ? '' : question);
    } finally {
      lines.close();
      if (hidden) process.stderr.write('\n');
    }
  },
};

const up: Role = {
  name: 'up',
  description: 'start everything in one process: on the embedded cluster, or on that of a kubeconfig',
  options: [
    { flags: '--data-dir <path>', description: 'where the state is kept (default: .fairlead)' },
    { flags: '--port <number>', description: 'the page and the API (default: 8080)' },
    { flags: '--host <address>', description: 'the address to listen on (default: 127.0.0.1)' },
    {
      flags: '--plugins <dir>',
      description: 'a folder with a plugin.yaml for each config management plugin',
    },
    { flags: '--kubeconfig <path>', description: 'work on this cluster instead of the embedded one' },
    { flags: '--context <name>', description: 'the context of the kubeconfig' },
    {
      flags: '--demo',
      description: 'make a demo repository and applications (default on a new data folder)',
    },
    { flags: '--no-demo', description: 'leave the embedded cluster empty' },
  ],
  run: (flags) => runUp(ctx, readUpConfig(flags, process.env), (line) => io.out(`${line}\n`)),
};

const code = await runCli(process.argv.slice(2), {
  io,
  version: await versionOf(),
  roles: [up],
  signal: stop.signal,
  openManifests: openManifests(process.env),
});
process.exitCode = stop.signal.aborted && code !== 0 ? 130 : code;
