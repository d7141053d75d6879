import { type Application, type AppProject, projectName } from '#base/model';
import { equal } from '#base/std';
import type { DataChange, RepositoriesChange } from '#control/live';
import { integrityOf, sourcesOf } from '#engine';

/**
 * Which applications a change of repository Secrets affects: those whose sources now match another repository or credential
 * template, and charts, if their project has other chart repositories.
 */
export function affectedByRepositories({ before, after }: RepositoriesChange): (app: Application) => boolean {
  const chartsDiffer = new Map<string, boolean>();
  const hasOtherCharts = (project: string): boolean => {
    const known = chartsDiffer.get(project) ?? !equal(before.charts(project), after.charts(project));
    chartsDiffer.set(project, known);
    return known;
  };
  return (app) => {
    const project = projectName(app);
    const isRequestedAgain = ({ repoURL }: { readonly repoURL: string }): boolean =>
      !equal(before.find(repoURL, project), after.find(repoURL, project));
    return sourcesOf(app).some(isRequestedAgain) || (mayDepend(app) && hasOtherCharts(project));
  };
}

/** Charts depend on charts; any other source that failed to fetch one has a condition that says so. */
function mayDepend({ status }: Application): boolean {
  const { sourceType, sourceTypes = [sourceType], conditions = [] } = status ?? {};
  return sourceTypes.includes('Helm') || conditions.some(({ type }) => type === 'ComparisonError');
}

/**
 * Which applications a change of trusted certificates, hosts or keys affects: by the hosts of their sources, or by commit
 * signatures.
 */
export function affectedByTrust(
  { name, before, after }: DataChange,
  projectOf: (app: Application) => AppProject | undefined,
): (app: Application) => boolean {
  if (name === 'argocd-tls-certs-cm') {
    const hosts = new Set(
      Object.keys({ ...before, ...after }).filter((host) => before[host] !== after[host]),
    );
    return (app) => sourcesOf(app).some(({ repoURL }) => hosts.has(hostOf(repoURL)));
  }
  if (name === 'argocd-ssh-known-hosts-cm')
    return (app) => sourcesOf(app).some(({ repoURL }) => isSsh(repoURL));
  if (name !== 'argocd-gpg-keys-cm') return () => false;
  return (app) => {
    const project = projectOf(app);
    return project !== undefined && sourcesOf(app).some((source) => integrityOf(project, source));
  };
}

const isSsh = (url: string): boolean => /^ssh:/i.test(url) || (!url.includes('://') && /^[^/]+:/.test(url));

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : '';
}
