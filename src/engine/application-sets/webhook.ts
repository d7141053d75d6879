import type { SetGenerator } from '#base/model';
import { isObject } from '#base/std';
import { isTouchedBy, type Push } from '../refresh/webhook.ts';
import { type EvaluationDeps, firstChildSets } from './evaluate.ts';
import { interpolateGenerator } from './parameters/interpolate.ts';

/** A change of a pull request, as a Git host delivers it. */
export type PullRequestEvent = {
  readonly provider: 'github' | 'gitlab' | 'azuredevops';
  /** The host of the repository's page, such as github.com. */
  readonly host: string;
  /** GitHub: the owner. Azure DevOps: the organization. */
  readonly owner?: string;
  /** GitHub and Azure DevOps: the repository. */
  readonly repository?: string;
  /** GitLab: the path or the number of the project. Azure DevOps: the project. */
  readonly projects?: readonly string[];
};

/** What a Git host delivered. */
export type SetEvent =
  | { readonly is: 'push'; readonly push: Push }
  | { readonly is: 'pull request'; readonly request: PullRequestEvent };

/**
 * compat sources ASQ-5: whether an event concerns any generator of a set. Of a matrix the first child is evaluated where the
 * second has templates, and a first child that fails counts as concerned: a pass then reports why.
 */
export async function isSetConcerned(
  generators: readonly SetGenerator[],
  event: SetEvent,
  deps: EvaluationDeps,
): Promise<boolean> {
  for (const item of generators) {
    if (isItemConcerned(item, event)) return true;
    if (await areChildrenConcerned(item, event, deps)) return true;
  }
  return false;
}

async function areChildrenConcerned(
  item: SetGenerator,
  event: SetEvent,
  deps: EvaluationDeps,
): Promise<boolean> {
  if (await isSetConcerned(item.merge?.generators ?? [], event, deps)) return true;
  const [first, second] = item.matrix?.generators ?? [];
  if (!first || !second) return false;
  if (await isSetConcerned([first], event, deps)) return true;
  if (!canBeConcerned(second)) return false;
  if (!isTemplated(second)) return isSetConcerned([second], event, deps);
  try {
    for (const set of await firstChildSets(first, deps)) {
      if (await isSetConcerned([interpolateGenerator(second, set, deps.renderer)], event, deps)) return true;
    }
    return false;
  } catch {
    return true;
  }
}

/** The generators that events can concern. */
function canBeConcerned({ git, pullRequest, plugin, matrix, merge }: SetGenerator): boolean {
  return [git, pullRequest, plugin, matrix, merge].some((one) => one !== undefined);
}

function isTemplated(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('{{');
  if (Array.isArray(value)) return value.some(isTemplated);
  return isObject(value) && Object.values(value).some(isTemplated);
}

/** compat sources ASQ-5: the generators of one item, without the children of combinations; a plugin is always concerned. */
function isItemConcerned({ git, pullRequest, plugin }: SetGenerator, event: SetEvent): boolean {
  if (plugin) return true;
  if (event.is === 'push') {
    const { repoURL, revision = '' } = git ?? { repoURL: '' };
    return git !== undefined && isTouchedBy({ repoURL, targetRevision: revision }, event.push);
  }
  return pullRequest !== undefined && isRequestOf(pullRequest, event.request);
}

type PullRequestGenerator = NonNullable<SetGenerator['pullRequest']>;

function isRequestOf(generator: PullRequestGenerator, request: PullRequestEvent): boolean {
  const { github, gitlab, azuredevops } = generator;
  const { owner, repository, projects = [] } = request;
  switch (request.provider) {
    case 'github':
      return (
        github !== undefined &&
        same(github.owner, owner) &&
        same(github.repo, repository) &&
        isApiOf(github.api, request.host, 'api.github.com')
      );
    case 'gitlab':
      return (
        gitlab !== undefined &&
        projects.some((project) => same(gitlab.project, project)) &&
        isApiOf(gitlab.api, request.host, 'gitlab.com')
      );
    case 'azuredevops':
      return (
        azuredevops !== undefined &&
        same(azuredevops.organization, owner) &&
        projects.some((project) => same(azuredevops.project, project)) &&
        same(azuredevops.repo, repository)
      );
  }
}

const same = (written: unknown, delivered: string | undefined): boolean =>
  typeof written === 'string' && delivered !== undefined && written.toLowerCase() === delivered.toLowerCase();

/** An API of the host that delivered the event, or of its subdomain `api`. */
function isApiOf(api: unknown, host: string, usual: string): boolean {
  const written = typeof api === 'string' && api !== '' ? hostIn(api) : usual;
  const delivered = host.toLowerCase().replace(/:\d+$/, '');
  return written === delivered || written === `api.${delivered}`;
}

const hostIn = (url: string): string =>
  url
    .toLowerCase()
    .replace(/^[a-z][a-z0-9+.-]*:\/\//, '')
    .replace(/^[^/@]*@/, '')
    .replace(/[:/?#].*$/, '');
