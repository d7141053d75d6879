import { atOnce, type Ctx, isObject } from '#base/std';
import { apiPath, filePath, parseApi, under } from '../api-path.ts';
import { cloneUrl, hasLabels, secretOf } from '../credentials.ts';
import { type HostApi, textAt } from '../host-api.ts';
import { byLink } from '../paging.ts';
import type {
  ConnectPullRequests,
  ConnectRepositories,
  PullRequestContext,
  ScmRepository,
} from '../scm-host.ts';
import { branchOf } from './branch.ts';
import { githubPullRequestOf } from './pull-request.ts';

const pageSize = { limit: '50' };
const width = 4;

/** Repositories of an organization. compat: their labels are those of their issues. */
export const giteaRepositories: ConnectRepositories = async (ctx, around) => {
  const { fields, cloneProtocol } = around;
  const owner = fields.required('owner');
  const withoutArchived = fields.flag('excludeArchivedRepos');
  const allBranches = fields.flag('allBranches');
  const api = await connect(ctx, around, `organization ${owner}`);
  const path = (name: string): string => apiPath`/repos/${owner}/${name}`;
  const labelled = async (inner: Ctx, item: unknown): Promise<ScmRepository> => {
    const repository = textAt(item, 'name');
    if (repository === '') throw api.unreadable('a repository without a name');
    const labels = await api.list(inner, `${path(repository)}/labels`, pageSize, byLink);
    return {
      organization: owner,
      repository,
      repositoryId: textAt(item, 'id'),
      url: cloneUrl('Gitea', cloneProtocol, {
        ssh: textAt(item, 'ssh_url'),
        https: textAt(item, 'html_url'),
      }),
      // sources ASS-4: its default branch has a name, but does not exist
      branch: isObject(item) && item.empty === true ? '' : textAt(item, 'default_branch'),
      sha: '',
      labels: labels.map((label) => textAt(label, 'name')),
    };
  };
  return {
    api,
    async repositories(inner) {
      const items = await api.list(inner, apiPath`/orgs/${owner}/repos`, pageSize, byLink);
      const wanted = items.filter((item) => !(withoutArchived && isObject(item) && item.archived === true));
      return atOnce(width, wanted, (item) => labelled(inner, item));
    },
    async branches(inner, found) {
      if (found.branch === '') return [];
      const all = `${path(found.repository)}/branches`;
      const items = allBranches
        ? await api.list(inner, all, pageSize, byLink)
        : [(await api.request(inner, `${all}${apiPath`/${found.branch}`}`)).value];
      return items.map((item) => branchOf(api, found, item, 'id'));
    },
    hasPath: (inner, found, file) =>
      api.exists(inner, `${path(found.repository)}/contents/${filePath(file)}`, { ref: found.sha }),
  };
};

/** Pull requests of a repository. */
export const giteaPullRequests: ConnectPullRequests = async (ctx, around) => {
  const { fields } = around;
  const [owner, repo] = [fields.required('owner'), fields.required('repo')];
  const labels = fields.texts('labels');
  const api = await connect(ctx, around, `repository ${owner}/${repo}`);
  return {
    api,
    async pullRequests(inner) {
      const path = apiPath`/repos/${owner}/${repo}/pulls`;
      const query = { ...pageSize, state: 'open' };
      const items = await api.listIfThere(inner, path, query, byLink);
      const found = items?.map((item) => githubPullRequestOf(api, item));
      return found?.filter((one) => hasLabels(labels, one.labels));
    },
  };
};

async function connect(ctx: Ctx, around: PullRequestContext, subject: string): Promise<HostApi> {
  const { fields, deps } = around;
  const base = under(parseApi(fields.required('api'), `${fields.name}.api`), '/api/v1');
  const insecure = fields.flag('insecure');
  const token = await secretOf(ctx, around, fields.secretRef('tokenRef'));
  return deps.client.connect({
    provider: 'Gitea',
    subject,
    base,
    headers: token ? { authorization: `token ${token}` } : {},
    login: 'tokenRef',
    insecure,
  });
}
