import { open, readFile, rm } from 'node:fs/promises';
import { FairleadError } from '#std';

/**
 * Claims a store for this process by a file that names it. A claim left behind by a dead process is taken over;
 * the start time guards against another program having got the same number since. Returns how to let go.
 */
export async function acquire(path: string): Promise<() => Promise<void>> {
  const mine = await claimOf(process.pid);
  for (let attempt = 0; attempt < 3; attempt++) {
    if (await write(path, mine)) return () => rm(path, { force: true });
    const holder = await readFile(path, 'utf8').catch(() => '');
    const pid = Number.parseInt(holder, 10);
    if (holder === mine || (isRunning(pid) && (await claimOf(pid)) === holder)) {
      throw new FairleadError(
        'Unavailable',
        `the store is in use by process ${pid}; stop it, or start this one with another data directory`,
      );
    }
    await rm(path, { force: true });
  }
  throw new FairleadError('Unavailable', 'the store is being claimed by another process; try again');
}

async function write(path: string, claim: string): Promise<boolean> {
  try {
    const file = await open(path, 'wx', 0o600);
    await file.writeFile(claim);
    await file.close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Process number and, where the system tells, when it started. One that has ended and awaits its parent claims nothing. */
async function claimOf(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const hasEnded = fields[0] === 'Z' || fields[0] === 'X';
  return hasEnded ? '' : `${pid} ${fields[19] ?? ''}\n`;
}

function isRunning(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
