import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { normalizePath } from '#base/model';
import { atOnce, type Ctx, FairleadError } from '#base/std';
import { checkLock, type HelmPlan, type MissingDependency } from '#sources/render';
import type { EngineRun, Engines, Workspace } from './engine.ts';
import type { Web } from './web.ts';

/** Concurrent downloads for one chart. */
const together = 4;

/** The archive of a downloaded chart, and its file name in `charts/`. */
export type FetchedChart = { readonly file: string; readonly bytes: Uint8Array };

/**
 * Downloads the remote charts that a chart depends on, without a workspace: engines are few, and a host that hangs must
 * not occupy one. Throws RenderFailed for a lock that does not match (sources HDP-3) and for a path out of the
 * repository.
 */
export async function fetchDependencies(
  ctx: Ctx,
  plan: HelmPlan,
  { dir, web }: { readonly dir: string; readonly web: Web },
): Promise<readonly FetchedChart[]> {
  refuseOutside(plan, dir);
  const remote = plan.missing.filter(isRemote);
  if (plan.lock && remote.length > 0) checkLock(plan.lock, plan.declared, web.urlOf);
  return atOnce(together, remote, (one) => download(ctx, web, one));
}

/**
 * Puts the charts that a chart depends on into its `charts/` folder: helm adds those of the repository, the downloaded
 * archives are copied, so that helm needs neither the network nor credentials (sources HDP-1).
 */
export async function placeDependencies(
  ctx: Ctx,
  engines: Engines,
  workspace: Workspace,
  { run, plan, fetched }: Placing,
): Promise<void> {
  const shown = run.shown.replace('template', 'dependency build');
  if (fetched.length === 0) {
    const args = ['dependency', 'build', '--skip-refresh', '.'];
    await engines.run(ctx, workspace, { ...run, args, shown });
    return;
  }
  const charts = join(workspace.files, run.dir, 'charts');
  await mkdir(charts, { recursive: true, mode: 0o700 });
  for (const { file, bytes } of fetched) await writeFile(join(charts, file), bytes, { mode: 0o400 });
  for (const { repository } of plan.missing.filter((one) => !isRemote(one))) {
    if (!repository.startsWith('file://')) continue; // it should be in charts/ and is not; helm reports it
    const place = repository.slice('file://'.length);
    const args = ['package', place, '--destination', 'charts'];
    await engines.run(ctx, workspace, { ...run, args, shown });
  }
}

type Placing = {
  readonly run: EngineRun;
  readonly plan: HelmPlan;
  readonly fetched: readonly FetchedChart[];
};

/**
 * Helm would read a chart from any `file://` path on this machine, in the lock as in the chart: the path may not lead
 * out of the repository.
 */
function refuseOutside({ declared, lock }: HelmPlan, dir: string): void {
  for (const { name, repository } of [...declared, ...(lock?.dependencies ?? [])]) {
    const place = typeof repository === 'string' ? /^file:\/\/(.*)$/s.exec(repository)?.[1] : undefined;
    if (place === undefined || isInside(dir, place)) continue;
    throw new FairleadError(
      'RenderFailed',
      `the chart depends on ${String(name)} from ${String(repository)}, which is outside its repository: correct the path in Chart.yaml and Chart.lock`,
    );
  }
}

function isInside(dir: string, place: string): boolean {
  if (place.startsWith('/') || /%|\\/.test(place)) return false;
  try {
    return normalizePath(`${dir}/${place}`) !== undefined;
  } catch {
    return false;
  }
}

const isRemote = ({ repository }: MissingDependency): boolean =>
  repository !== '' && !repository.startsWith('file://');

async function download(ctx: Ctx, web: Web, dependency: MissingDependency): Promise<FetchedChart> {
  const { version, bytes } = await web.chart(ctx, dependency);
  const file = `${dependency.name}-${version}.tgz`;
  if (/[/\\\0]/.test(file)) {
    throw new FairleadError(
      'InvalidSpec',
      `a chart cannot depend on ${JSON.stringify(file)}: correct its name`,
    );
  }
  return { file, bytes };
}
