import type { Ctx } from '#base/std';
import { apiPath, filePath, parseApi, under } from '../api-path.ts';
import { bitbucketLogin, cloneUrl, trustOf } from '../credentials.ts';
import { type HostApi, listAt, textAt } from '../host-api.ts';
import { byStart } from '../paging.ts';
import type {
  ConnectPullRequests,
  ConnectRepositories,
  PullRequestContext,
  ScmRepository,
} from '../scm-host.ts';
import { onBranch } from './branch.ts';
import { pullRequestOf } from './pull-request.ts';

const pageSize = { limit: '100' };

/** Repositories of a project. They have no labels. */
export const bitbucketServerRepositories: ConnectRepositories = async (ctx, around) => {
  const { fields, cloneProtocol } = around;
  const project = fields.required('project');
  const allBranches = fields.flag('allBranches');
  const api = await connect(ctx, around, `project ${project}`);
  // the API knows a repository by its slug, parameters have the name that people read
  const slugs = new Map<string, string>();
  const path = ({ organization, repository, repositoryId }: ScmRepository): string =>
    apiPath`/projects/${organization}/repos/${slugs.get(repositoryId) ?? repository}`;
  const branch = (found: ScmRepository, item: unknown): ScmRepository =>
    onBranch(api, found, { branch: textAt(item, 'displayId'), sha: textAt(item, 'latestCommit') });
  return {
    api,
    async repositories(inner) {
      const items = await api.list(inner, apiPath`/projects/${project}/repos`, pageSize, byStart);
      return items.map((item) => {
        const found = repositoryOf(api, item, cloneProtocol);
        slugs.set(found.repositoryId, textAt(item, 'slug') || found.repository);
        return found;
      });
    },
    async branches(inner, found) {
      if (allBranches) {
        const items = await api.list(inner, `${path(found)}/branches`, pageSize, byStart);
        return items.map((item) => branch(found, item));
      }
      const one = `${path(found)}/branches/default`;
      const { status, value } = await api.request(inner, one, {}, { allow: [404] });
      // sources ASS-4: the default branch of an empty repository is not there, or is nothing
      return status === 404 || value === undefined ? [] : [branch(found, value)];
    },
    hasPath: (inner, found, file) =>
      api.exists(inner, `${path(found)}/browse/${filePath(file)}`, {
        at: found.sha,
        type: 'true',
        limit: '1',
      }),
  };
};

/** Pull requests of a repository. They have no labels. */
export const bitbucketServerPullRequests: ConnectPullRequests = async (ctx, around) => {
  const { fields } = around;
  const [project, repo] = [fields.required('project'), fields.required('repo')];
  const api = await connect(ctx, around, `repository ${project}/${repo}`);
  return {
    api,
    async pullRequests(inner) {
      const path = apiPath`/projects/${project}/repos/${repo}/pull-requests`;
      const items = await api.listIfThere(inner, path, pageSize, byStart);
      return items?.map((item) =>
        pullRequestOf(api, {
          number: textAt(item, 'id'),
          title: textAt(item, 'title'),
          branch: textAt(item, 'fromRef', 'displayId'),
          targetBranch: textAt(item, 'toRef', 'displayId'),
          headSha: textAt(item, 'fromRef', 'latestCommit'),
          author: textAt(item, 'author', 'user', 'name'),
          labels: [],
        }),
      );
    },
  };
};

async function connect(ctx: Ctx, around: PullRequestContext, subject: string): Promise<HostApi> {
  const { fields, deps } = around;
  const url = parseApi(fields.required('api'), `${fields.name}.api`);
  return deps.client.connect({
    provider: 'Bitbucket Server',
    subject,
    base: under(url, url.pathname.endsWith('/rest') ? '/api/1.0' : '/rest/api/1.0'),
    headers: {
      'x-atlassian-token': 'no-check',
      'x-requested-with': 'XMLHttpRequest',
      ...(await bitbucketLogin(ctx, around)),
    },
    login: 'bearerToken or basicAuth',
    ...(await trustOf(ctx, around)),
  });
}

function repositoryOf(api: HostApi, item: unknown, cloneProtocol: string): ScmRepository {
  const [organization, repository] = [textAt(item, 'project', 'key'), textAt(item, 'name')];
  if (repository === '' || organization === '') throw api.unreadable('a repository without a name');
  const links = listAt(item, 'links', 'clone').map(
    (link) => [textAt(link, 'name'), textAt(link, 'href')] as const,
  );
  const { ssh = '', http = '' } = Object.fromEntries(links) as Record<string, string>;
  return {
    organization,
    repository,
    repositoryId: textAt(item, 'id'),
    url: cloneUrl('Bitbucket Server', cloneProtocol, { ssh, https: http }),
    branch: '',
    sha: '',
    labels: [],
  };
}
