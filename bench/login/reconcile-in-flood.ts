import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type Fairlead, forget, isSettled, startFairlead } from '../../test/e2e/fairlead.ts';

const rounds = 11;

export type Delays = { readonly quiet: number; readonly flooded: number };

/**
 * Milliseconds from a commit until its application is synced to it, the median of commits without a flood and of as many during one, in
 * turn, on the started program. Needs `npm run build`.
 */
export async function reconcileInFlood(connections: number): Promise<Delays> {
  const fairlead = await startFairlead();
  try {
    await fairlead.until('guestbook', 'settled', isSettled);
    await synced(fairlead, 'first');
    const [quiet, flooded]: [number[], number[]] = [[], []];
    for (let round = 0; round < rounds; round++) {
      quiet.push(await synced(fairlead, `quiet ${round}`));
      flooded.push(await during(fairlead.url, connections, () => synced(fairlead, `flooded ${round}`)));
    }
    return { quiet: median(quiet), flooded: median(flooded) };
  } finally {
    await fairlead.stop();
    forget(fairlead);
  }
}

/** Runs the work while the connections send wrong logins. */
async function during<T>(url: string, connections: number, work: () => Promise<T>): Promise<T> {
  const child = fork(join(import.meta.dirname, 'flood.ts'), [url, String(connections)]);
  const ended = once(child, 'exit');
  try {
    await Promise.race([
      once(child, 'message'),
      ended.then(() => Promise.reject(new Error('the flood ended before it began'))),
    ]);
    return await work();
  } finally {
    child.kill('SIGKILL');
    await ended;
  }
}

/** The watch is open before the commit: a new connection of ours is no part of a reconcile. */
async function synced(fairlead: Fairlead, value: string): Promise<number> {
  const { status } = await fairlead.until('guestbook', 'settled', isSettled);
  const before = status?.sync?.revision;
  const seen = fairlead.until('guestbook', `synced to ${value}`, (app) => {
    return isSettled(app) && app.status?.sync?.revision !== before;
  });
  const text = `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: flood }\ndata: { value: "${value}" }\n`;
  await fairlead.commit({ 'guestbook/flood.yaml': text }, value);
  const began = performance.now();
  await seen;
  return performance.now() - began;
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
