import { FairleadError } from '#base/std';
import { apiPath, filePath, parseApi } from '../api-path.ts';
import { basic, bitbucketLogin, cloneUrl, secretOf } from '../credentials.ts';
import { type HostApi, listAt, textAt } from '../host-api.ts';
import { byNextUrl } from '../paging.ts';
import type { ConnectPullRequests, ConnectRepositories, ScmRepository } from '../scm-host.ts';
import { onBranch } from './branch.ts';
import { pullRequestOf } from './pull-request.ts';

const publicApi = 'https://api.bitbucket.org/2.0';

/** Repositories of a workspace in which the user is a member. They have no labels. */
export const bitbucketCloudRepositories: ConnectRepositories = async (ctx, around) => {
  const { fields, deps, cloneProtocol } = around;
  const owner = fields.required('owner');
  const user = fields.required('user');
  const allBranches = fields.flag('allBranches');
  const password = await secretOf(ctx, around, fields.secretRef('appPasswordRef'));
  const api = deps.client.connect({
    provider: 'Bitbucket Cloud',
    subject: `workspace ${owner}`,
    base: new URL(publicApi),
    headers: { authorization: basic(user, password) },
    login: 'user and appPasswordRef',
  });
  const path = (found: ScmRepository): string => apiPath`/repositories/${owner}/${found.repository}`;
  const branch = (found: ScmRepository, item: unknown): ScmRepository =>
    onBranch(api, found, { branch: textAt(item, 'name'), sha: textAt(item, 'target', 'hash') });
  return {
    api,
    async repositories(inner) {
      const query = { role: 'member', pagelen: '100' };
      const items = await api.list(inner, apiPath`/repositories/${owner}`, query, byNextUrl);
      return items.map((item) => repositoryOf(api, item, { owner, cloneProtocol }));
    },
    async branches(inner, found) {
      if (allBranches) {
        const all = `${path(found)}/refs/branches`;
        const items = await api.list(inner, all, { pagelen: '100' }, byNextUrl);
        return items.map((item) => branch(found, item));
      }
      // sources ASS-4: an empty repository has no main branch
      if (found.branch === '') return [];
      const one = `${path(found)}${apiPath`/refs/branches/${found.branch}`}`;
      return [branch(found, (await api.request(inner, one)).value)];
    },
    hasPath: (inner, found, file) =>
      api.exists(inner, `${path(found)}${apiPath`/src/${found.sha}`}/${filePath(file)}`, { format: 'meta' }),
  };
};

/** Pull requests of a repository. They have no labels. */
export const bitbucketCloudPullRequests: ConnectPullRequests = async (ctx, around) => {
  const { fields, deps } = around;
  const [owner, repo] = [fields.required('owner'), fields.required('repo')];
  const base = parseApi(fields.text('api') || publicApi, `${fields.name}.api`);
  const headers = await bitbucketLogin(ctx, around);
  const subject = `repository ${owner}/${repo}`;
  const login = 'bearerToken or basicAuth';
  const api = deps.client.connect({ provider: 'Bitbucket Cloud', subject, base, headers, login });
  return {
    api,
    async pullRequests(inner) {
      const path = apiPath`/repositories/${owner}/${repo}/pullrequests`;
      const query = { state: 'OPEN', pagelen: '50' };
      const items = await api.listIfThere(inner, path, query, byNextUrl);
      return items?.map((item) =>
        pullRequestOf(api, {
          number: textAt(item, 'id'),
          title: textAt(item, 'title'),
          branch: textAt(item, 'source', 'branch', 'name'),
          targetBranch: textAt(item, 'destination', 'branch', 'name'),
          headSha: textAt(item, 'source', 'commit', 'hash'),
          author: textAt(item, 'author', 'nickname'),
          labels: [],
        }),
      );
    },
  };
};

type Named = { readonly owner: string; readonly cloneProtocol: string };

function repositoryOf(api: HostApi, item: unknown, { owner, cloneProtocol }: Named): ScmRepository {
  const repository = textAt(item, 'slug');
  if (repository === '') throw api.unreadable('a repository without a slug');
  const links = listAt(item, 'links', 'clone').map(
    (link) => [textAt(link, 'name'), textAt(link, 'href')] as const,
  );
  if (links.length === 0) {
    throw new FairleadError('Unavailable', `${api.name} names no URL to clone ${owner}/${repository} from`);
  }
  return {
    organization: owner,
    repository,
    repositoryId: textAt(item, 'uuid'),
    url: cloneUrl('Bitbucket Cloud', cloneProtocol, Object.fromEntries(links)),
    branch: textAt(item, 'mainbranch', 'name'),
    sha: '',
    labels: [],
  };
}
