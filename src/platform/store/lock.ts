import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { constants } from 'node:fs';
import { link, open, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { deadline, FairleadError, realClock, sha256 } from '#base/std';

/** Releases a lock. */
export type Release = () => Promise<void>;

/**
 * Locks the store in `dir` for this process. The kernel holds the lock and releases it when the process ends, however it
 * ends: there is no stale lock to detect, and of many processes that start at once exactly one gets it (decision 34). Throws
 * Unavailable, naming the process that has it.
 */
export async function acquire(dir: string): Promise<Release> {
  if (process.platform === 'darwin') return lockFile(dir);
  const token = await tokenIn(dir);
  // a copy of the folder has the same token and is another store
  const { dev, ino } = await stat(dir, { bigint: true });
  return listenOn(dir, addressOf(`${token} ${dev} ${ino}`));
}

/**
 * Abstract sockets (Linux) and named pipes (Windows) exist in the kernel only. The name comes from a secret in the folder, so that no
 * other user of the machine can take it first.
 */
const addressOf = (identity: string): string => {
  const name = `fairlead-store-${sha256(identity).slice(0, 40)}`;
  return process.platform === 'win32' ? `\\\\.\\pipe\\${name}` : `\0${name}`;
};

/**
 * The folder's token, created by the first process that needs one; processes that start at the same moment read the same one.
 */
async function tokenIn(dir: string): Promise<string> {
  const file = join(dir, 'lock-name');
  const read = () => readFile(file, 'utf8').catch(() => '');
  const known = await read();
  if (known !== '') return known;
  const own = `${file}.${randomBytes(8).toString('hex')}`;
  await writeFile(own, randomBytes(32).toString('hex'), { mode: 0o600, flag: 'wx' });
  try {
    await link(own, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(own, { force: true });
  }
  return read();
}

/** How long a process waits for the owner of the store to name itself. */
const answerMs = 5_000;
const pauseMs = 5;

/**
 * Listens at the address, or throws with the process that does. A connection is refused between the owner's bind and its
 * listen, and after its end: both are over in a moment, so this process tries again until the owner responds or the address
 * is free.
 */
async function listenOn(dir: string, address: string): Promise<Release> {
  const over = deadline(answerMs);
  for (;;) {
    const server = await listening(address);
    if (server) return () => new Promise((resolve) => server.close(() => resolve()));
    const owner = await ownerAt(address, over);
    if (owner !== undefined || over.aborted) throw inUse(dir, owner);
    await realClock.sleep(pauseMs, over).catch(() => {});
  }
}

/** A server at the address; undefined where another process has it. */
async function listening(address: string): Promise<Server | undefined> {
  // a process that connects wants the store: it is sent the PID of this one
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.end(String(process.pid));
  });
  server.unref();
  server.listen(address);
  try {
    await once(server, 'listening');
    return server;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return undefined;
    throw error;
  }
}

/** The process that listens there; undefined when it does not respond in time, does not listen yet, or has just ended. */
async function ownerAt(address: string, over: AbortSignal): Promise<string | undefined> {
  const socket = connect(address);
  const stop = (): void => void socket.destroy();
  over.addEventListener('abort', stop);
  try {
    let text = '';
    for await (const chunk of socket) text += chunk;
    return text || undefined;
  } catch {
    return undefined;
  } finally {
    over.removeEventListener('abort', stop);
    socket.destroy();
  }
}

/** macOS has no abstract sockets, but opens a file and locks it in one call (O_EXLOCK). */
async function lockFile(dir: string): Promise<Release> {
  const exclusiveLock = 0x20;
  const path = join(dir, 'owner');
  const flags = constants.O_RDWR | constants.O_CREAT | constants.O_NONBLOCK | exclusiveLock;
  try {
    const file = await open(path, flags, 0o600);
    await file.truncate();
    await file.writeFile(String(process.pid));
    return () => file.close();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    throw inUse(dir, await readFile(path, 'utf8').catch(() => undefined));
  }
}

const inUse = (dir: string, owner: string | undefined): FairleadError =>
  new FairleadError(
    'Unavailable',
    `the store ${dir} is in use by ${owner ? `process ${owner}` : 'another process'}; stop it, or start this one with another data directory`,
  );
