import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkLock, type HelmPlan, type MissingDependency } from '#render';
import { type Ctx, FairleadError } from '#std';
import type { EngineRun, Engines, Workspace } from './engine.ts';
import type { Web } from './web.ts';

/** Downloads that are under way at once for one chart. */
const atOnce = 4;

/**
 * Puts the charts that a chart depends on into its `charts/` folder: those of the repository by helm itself, those of
 * the network by us, so that helm needs neither the network nor anybody's credentials (HDP-1). Throws RenderFailed for a
 * lock that does not fit (HDP-3).
 */
export async function placeDependencies(
  ctx: Ctx,
  engines: Engines,
  workspace: Workspace,
  { run, plan, web }: { readonly run: EngineRun; readonly plan: HelmPlan; readonly web: Web },
): Promise<void> {
  const remote = plan.missing.filter(isRemote);
  const shown = run.shown.replace('template', 'dependency build');
  if (remote.length === 0) {
    const args = ['dependency', 'build', '--skip-refresh', '.'];
    await engines.run(ctx, workspace, { ...run, args, shown });
    return;
  }
  if (plan.lock) checkLock(plan.lock, plan.declared, web.urlOf);
  const charts = join(workspace.files, run.dir, 'charts');
  await mkdir(charts, { recursive: true, mode: 0o700 });
  for (let at = 0; at < remote.length; at += atOnce) {
    await Promise.all(remote.slice(at, at + atOnce).map((one) => download(ctx, web, charts, one)));
  }
  for (const { repository } of plan.missing.filter((one) => !isRemote(one))) {
    if (!repository.startsWith('file://')) continue; // it should be in charts/ and is not; helm will say so
    const place = repository.slice('file://'.length);
    const args = ['package', place, '--destination', 'charts'];
    await engines.run(ctx, workspace, { ...run, args, shown });
  }
}

const isRemote = ({ repository }: MissingDependency): boolean =>
  repository !== '' && !repository.startsWith('file://');

async function download(ctx: Ctx, web: Web, charts: string, dependency: MissingDependency): Promise<void> {
  const { version, bytes } = await web.chart(ctx, dependency);
  const name = `${dependency.name}-${version}.tgz`;
  if (/[/\\\0]/.test(name)) {
    throw new FairleadError(
      'InvalidSpec',
      `a chart cannot depend on ${JSON.stringify(name)}: correct its name`,
    );
  }
  await writeFile(join(charts, name), bytes, { mode: 0o400 });
}
