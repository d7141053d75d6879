import { type AppProject, normalizeRepoUrl } from '#base/model';
import { denialGlob, glob } from '../glob.ts';

/** compat engine P-8: a deny entry that does not match counts as permission, so a list of denials permits all the rest. */
export function denySource(project: AppProject, url: string): string | undefined {
  const wanted = normalizeRepoUrl(url);
  let permitted = false;
  for (const entry of project.spec.sourceRepos ?? []) {
    const denies = entry.startsWith('!');
    const matches = denies ? isDenied(entry.slice(1), wanted) : glob(normalizeRepoUrl(entry), wanted, '/');
    if (denies && matches) {
      return `project ${project.metadata.name} denies the repository ${url} by the entry "${entry}" in spec.sourceRepos`;
    }
    permitted ||= matches !== denies;
  }
  if (permitted) return undefined;
  return `project ${project.metadata.name} does not permit the repository ${url}; add it to spec.sourceRepos`;
}

/**
 * dev engine P-8: normalising a URL escapes braces and brackets, so that upstream an entry with them matches nothing. In an
 * entry that denies they are read as what they are: a denial must not be lost.
 */
function isDenied(entry: string, wanted: string): boolean {
  const pattern = normalizeRepoUrl(entry).replace(/%(?:5B|5C|5D|5E|7B|7D)/gi, decodeURIComponent);
  return denialGlob(pattern, wanted, '/');
}
