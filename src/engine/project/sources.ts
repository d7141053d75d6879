import { type AppProject, normalizeRepoUrl } from '#model';
import { glob } from '../glob.ts';

/** compat P-8: a deny entry that does not match counts as permission, so a list of denials permits all the rest. */
export function denySource(project: AppProject, url: string): string | undefined {
  const wanted = normalizeRepoUrl(url);
  let permitted = false;
  for (const entry of project.spec.sourceRepos ?? []) {
    const denies = entry.startsWith('!');
    const matches = glob(normalizeRepoUrl(denies ? entry.slice(1) : entry), wanted, '/');
    if (denies && matches) {
      return `project ${project.metadata.name} denies the repository ${url} by the entry "${entry}" in spec.sourceRepos`;
    }
    permitted ||= matches !== denies;
  }
  if (permitted) return undefined;
  return `project ${project.metadata.name} does not permit the repository ${url}; add it to spec.sourceRepos`;
}
