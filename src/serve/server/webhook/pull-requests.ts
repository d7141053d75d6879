import type { PullRequestEvent } from '#engine';
import type { Payload } from './payload.ts';

/** compat sources ASQ-4: the actions that may change which pull requests are open, or their labels. */
const actions = {
  github: new Set(['opened', 'closed', 'synchronize', 'synchronized', 'labeled', 'unlabeled', 'reopened']),
  gitea: new Set([
    ...[
      'opened',
      'closed',
      'synchronize',
      'synchronized',
      'labeled',
      'unlabeled',
      'reopened',
      'label_updated',
    ],
    'label_cleared',
  ]),
  gitlab: new Set(['open', 'close', 'reopen', 'update', 'merge']),
  azure: new Set(['git.pullrequest.created', 'git.pullrequest.updated', 'git.pullrequest.merged']),
};

/** The pull request that a delivery reports: undefined: it reports none; `ignored`: an action that changes nothing for us. */
export type DeliveredRequest = PullRequestEvent | undefined | 'ignored';

/** Gitea reports as GitHub does, and has further actions. */
export function requestFromGitHub(
  event: string,
  payload: Payload,
  provider: 'github' | 'gitea' = 'github',
): DeliveredRequest {
  if (event !== 'pull_request') return undefined;
  if (!actions[provider].has(payload.at('action').text)) return 'ignored';
  const repository = payload.at('repository');
  const webUrl = repository.at('html_url').text;
  const [owner, repo] = [repository.at('owner', 'login').text, repository.at('name').text];
  return webUrl && owner && repo ? { provider, webUrl, owner, repo } : 'ignored';
}

export function requestFromGitLab(event: string, payload: Payload): DeliveredRequest {
  if (event !== 'Merge Request Hook') return undefined;
  if (!actions.gitlab.has(payload.at('object_attributes', 'action').text)) return 'ignored';
  const project = payload.at('project');
  const webUrl = project.at('web_url').text;
  const path = project.at('path_with_namespace').text;
  return webUrl && path
    ? { provider: 'gitlab', webUrl, project: path, projectId: project.at('id').number }
    : 'ignored';
}

export function requestFromAzureDevOps(payload: Payload): DeliveredRequest {
  const event = payload.at('eventType').text;
  if (!event.startsWith('git.pullrequest.')) return undefined;
  if (!actions.azure.has(event)) return 'ignored';
  const repository = payload.at('resource', 'repository');
  const webUrl = repository.at('remoteUrl').text || repository.at('webUrl').text;
  const [project, repo] = [repository.at('project', 'name').text, repository.at('name').text];
  return webUrl && project && repo ? { provider: 'azuredevops', webUrl, project, repo } : 'ignored';
}
