// The programs of a test cluster: each has a log and a pid file in the cluster's folder, and is ended by its pid.
import { spawn } from 'node:child_process';
import {
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** Starts a program that outlives its starter. Its working folder is the cluster's. */
export function startProgram(folder, name, [command, ...args], environment = {}) {
  mkdirSync(join(folder, 'log'), { recursive: true });
  mkdirSync(join(folder, 'run'), { recursive: true });
  const log = openSync(join(folder, 'log', `${name}.log`), 'a', 0o600);
  const child = spawn(command, args, {
    cwd: folder,
    detached: true,
    stdio: ['ignore', log, log],
    env: { ...process.env, ...environment },
  });
  child.on('error', () => {}); // told by `until`, with the log
  child.unref();
  writeFileSync(join(folder, 'run', `${name}.pid`), String(child.pid ?? ''));
}

/** Waits until `ready` answers true; throws with the end of the log when the program dies or takes too long. */
export async function until(folder, name, ready, seconds = 60) {
  const deadline = Date.now() + seconds * 1000;
  while (!(await Promise.resolve(ready()).catch(() => false))) {
    const why = isRunning(folder, name) ? Date.now() > deadline && 'is not ready' : 'has stopped';
    if (why) throw new Error(`${name} ${why}; the end of its log:\n${logTail(folder, name)}`);
    await pause(100);
  }
}

/** Ends the programs in this order, each group at once: first asked, after ten seconds forced. */
export async function stopPrograms(folder, groups) {
  for (const names of groups) await Promise.all(names.map((name) => stopProgram(folder, name)));
}

/** The programs that the folder knows of. */
export function programsOf(folder) {
  try {
    return readdirSync(join(folder, 'run')).flatMap((file) => /^(.+)\.pid$/.exec(file)?.[1] ?? []);
  } catch {
    return [];
  }
}

async function stopProgram(folder, name) {
  const pid = pidOf(folder, name);
  for (let tries = 0; isRunning(folder, name); tries++) {
    if (tries % 100 === 0) process.kill(pid, tries === 0 ? 'SIGTERM' : 'SIGKILL');
    await pause(100);
  }
  rmSync(join(folder, 'run', `${name}.pid`), { force: true });
}

function pidOf(folder, name) {
  try {
    return Number(readFileSync(join(folder, 'run', `${name}.pid`), 'utf8'));
  } catch {
    return 0;
  }
}

/** Whether the pid is still that program's: it must live in the cluster's folder, which no stranger's does. */
function isRunning(folder, name) {
  const pid = pidOf(folder, name);
  if (!pid) return false;
  try {
    process.kill(pid, 0);
    // a zombie has no working folder, and a pid may have been given to somebody else since
    return process.platform !== 'linux' || readlinkSync(`/proc/${pid}/cwd`) === realpathSync(folder);
  } catch {
    return false;
  }
}

/** What a program has said so far. */
export function logOf(folder, name) {
  try {
    return readFileSync(join(folder, 'log', `${name}.log`), 'utf8');
  } catch {
    return '';
  }
}

const logTail = (folder, name) => logOf(folder, name).split('\n').slice(-20).join('\n') || '(none)';

/** As many free ports of the loopback interface, all different. */
export async function freePorts(count) {
  const servers = await Promise.all(Array.from({ length: count }, listening));
  const ports = servers.map((server) => server.address().port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

function listening() {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve(server));
  });
}
