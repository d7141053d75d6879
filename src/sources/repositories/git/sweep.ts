import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Ctx } from '#base/std';
import type { SourceLimits } from './limits.ts';
import type { Mirror } from './mirror.ts';

/** A mirror used this recently may have readers, and is kept whatever its size. */
const shortestIdleMs = 15 * 60_000;
/** Anything older that is no mirror was left by a killed process. */
const leftoverMs = 3_600_000;

type Kept = { readonly mirror: Mirror; readonly used: number; readonly bytes: number };

/** Removes mirrors that have not been used for long, then, oldest first, those above the size limit. */
export async function sweep(
  ctx: Ctx,
  dir: string,
  mirrorAt: (dir: string) => Mirror,
  limits: Pick<SourceLimits, 'mirrorBytes' | 'mirrorIdleMs'>,
): Promise<void> {
  const now = ctx.clock.now().getTime();
  const kept: Kept[] = [];
  for (const name of await readdir(dir).catch(() => [])) {
    const path = join(dir, name);
    if (/^[0-9a-f]{40}\.git$/.test(name)) {
      const mirror = mirrorAt(path);
      kept.push({ mirror, used: await mirror.lastUsed(), bytes: await weightOf(path) });
    } else if (now - (await changedAt(path)) > leftoverMs) await rm(path, { recursive: true, force: true });
    ctx.signal.throwIfAborted();
  }
  let weight = kept.reduce((sum, { bytes }) => sum + bytes, 0);
  for (const { mirror, used, bytes } of kept.toSorted((a, b) => a.used - b.used)) {
    const allowed = weight > limits.mirrorBytes ? shortestIdleMs : limits.mirrorIdleMs;
    if (now - used <= allowed) continue;
    if (await mirror.evict(now - allowed)) {
      weight -= bytes;
      ctx.log.info('mirror evicted', { bytes, idleMs: now - used });
    }
  }
}

const changedAt = (path: string): Promise<number> =>
  stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => Number.POSITIVE_INFINITY,
  );

async function weightOf(dir: string): Promise<number> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true }).catch(() => []);
  const sizes = await Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) =>
        stat(join(entry.parentPath, entry.name)).then(
          ({ size }) => size,
          () => 0,
        ),
      ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
