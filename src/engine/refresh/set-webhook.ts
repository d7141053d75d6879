import type { ApplicationSet, SetGenerator } from '#base/model';
import { isObject } from '#base/std';
import { isTouchedBy, type Push, type PushOptions } from './webhook.ts';

/** A repository and revision that a git generator reads. */
type GitSource = { readonly repoURL: string; readonly revision: string };

/** A webhook notification that a pull request was opened, changed or closed. */
export type PullRequestEvent = {
  readonly provider: 'github' | 'gitea' | 'gitlab' | 'azuredevops';
  /** The repository as its web page or its clone URL has it. */
  readonly webUrl: string;
  readonly owner?: string;
  readonly repo?: string;
  /** GitLab's path with its groups, or the project of Azure DevOps. */
  readonly project?: string;
  /** GitLab accepts the number as well. */
  readonly projectId?: number | undefined;
};

/** Every generator of a set, nested ones included. */
function* generatorsOf(generators: readonly SetGenerator[]): Generator<SetGenerator> {
  for (const item of generators) {
    yield item;
    yield* generatorsOf(item.matrix?.generators ?? []);
    yield* generatorsOf(item.merge?.generators ?? []);
  }
}

/**
 * compat sources ASQ-5: whether a git generator of a set reads what a push moved. `read` are the sources of the last
 * evaluation, in which everything is interpolated; without them a URL or revision that is a template counts where its
 * beginning fits.
 */
export function pushConcernsSet(
  { spec }: ApplicationSet,
  push: Push,
  { read, ...options }: PushOptions & { readonly read?: readonly GitSource[] | undefined } = {},
): boolean {
  const written = [...generatorsOf(spec.generators)].flatMap(({ git }) =>
    git ? [{ repoURL: git.repoURL, revision: git.revision ?? '' }] : [],
  );
  return (read ?? written).some((source) => isMoved(source, push, options));
}

/** compat sources ASQ-5: a plugin may answer anything after anything. */
export const hasPlugin = ({ spec }: ApplicationSet): boolean =>
  [...generatorsOf(spec.generators)].some(({ plugin }) => plugin !== undefined);

function isMoved({ repoURL, revision }: GitSource, push: Push, options: PushOptions): boolean {
  if (isTemplate(repoURL)) return addressOf(push.webUrl).startsWith(addressOf(repoURL.split('{{')[0] ?? ''));
  const targetRevision = isTemplate(revision) ? push.revision : revision;
  return isTouchedBy({ repoURL, targetRevision }, push, options);
}

const isTemplate = (text: string): boolean => text.includes('{{');

/** Without scheme and user. */
const addressOf = (url: string): string =>
  url
    .trim()
    .toLowerCase()
    .replace(/^[a-z][a-z0-9+.-]*:\/\//, '')
    .replace(/^[^/@]*@/, '');

/** compat sources ASQ-5: whether a pullRequest generator of a set lists the repository of a pull request. */
export function requestConcernsSet({ spec }: ApplicationSet, event: PullRequestEvent): boolean {
  return [...generatorsOf(spec.generators)].some(({ pullRequest }) => {
    const fields: unknown = pullRequest?.[event.provider];
    return isObject(fields) && isListed(fields, event);
  });
}

function isListed(fields: Readonly<Record<string, unknown>>, event: PullRequestEvent): boolean {
  const same = (name: string, ...values: readonly (string | undefined)[]): boolean => {
    const written = fields[name];
    if (typeof written !== 'string') return false;
    return isTemplate(written) || values.some((value) => value?.toLowerCase() === written.toLowerCase());
  };
  if (!isHostOf(fields.api, event)) return false;
  if (event.provider === 'gitlab') return same('project', event.project, String(event.projectId ?? ''));
  if (event.provider === 'azuredevops') return same('project', event.project) && same('repo', event.repo);
  return same('owner', event.owner) && same('repo', event.repo);
}

const ownHosts = { github: 'github.com', gitea: '', gitlab: 'gitlab.com', azuredevops: 'dev.azure.com' };

/** The host of an API, which may be `api.` before that of the pages. */
function isHostOf(api: unknown, { provider, webUrl }: PullRequestEvent): boolean {
  const page = hostIn(webUrl);
  if (typeof api !== 'string' || api === '')
    return page === ownHosts[provider] || page.endsWith('.visualstudio.com');
  if (isTemplate(api)) return true;
  const host = hostIn(api);
  return host === page || host === `api.${page}`;
}

const hostIn = (url: string): string => (addressOf(url).split('/')[0] ?? '').replace(/:\d+$/, '');
