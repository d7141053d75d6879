import { type Application, type ApplicationCondition, type AppProject, effectiveSources } from '#base/model';
import { denyDestination, type ResolvedDestination } from './destinations.ts';
import { denySource } from './sources.ts';

/** Everything the project has against an Application's spec (engine A-18); the destination is resolved by the caller. */
export function denyApplication(
  app: Application,
  project: AppProject,
  destination: ResolvedDestination,
): ApplicationCondition[] {
  const sources = effectiveSources(app.spec).map(({ repoURL }) => repoURL);
  // compat engine P-9: the dry source is what a hydrator reads
  const dry = app.spec.sourceHydrator?.drySource.repoURL;
  const repositories = new Set(dry === undefined ? sources : [dry, ...sources]);
  const problems = [
    ...[...repositories].map((url) => denySource(project, url)),
    denyDestination(project, destination),
  ];
  return problems.flatMap((message) => (message ? [{ type: 'InvalidSpecError' as const, message }] : []));
}
