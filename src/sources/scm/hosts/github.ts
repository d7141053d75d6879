import type { Ctx } from '#base/std';
import { apiPath, filePath, parseApi, under } from '../api-path.ts';
import { cloneUrl, hasLabels, secretOf } from '../credentials.ts';
import { type HostApi, listAt, textAt } from '../host-api.ts';
import { byLink } from '../paging.ts';
import type {
  ConnectPullRequests,
  ConnectRepositories,
  PullRequestContext,
  ScmRepository,
} from '../scm-host.ts';
import { branchOf } from './branch.ts';
import { githubPullRequestOf } from './pull-request.ts';

const publicApi = 'https://api.github.com';
const pageSize = { per_page: '100' };

/** Repositories of an organization. Topics are its labels. */
export const githubRepositories: ConnectRepositories = async (ctx, around) => {
  const { fields, cloneProtocol } = around;
  const organization = fields.required('organization');
  const withoutArchived = fields.flag('excludeArchivedRepos');
  const allBranches = fields.flag('allBranches');
  const api = await connect(ctx, around, { owner: organization, subject: `organization ${organization}` });
  const path = (found: ScmRepository): string => apiPath`/repos/${found.organization}/${found.repository}`;
  return {
    api,
    async repositories(inner) {
      const items = await api.list(inner, apiPath`/orgs/${organization}/repos`, pageSize, byLink);
      return items
        .map((item) => ({ item, found: repositoryOf(api, item, cloneProtocol) }))
        .filter(({ item }) => !(withoutArchived && isArchived(item)))
        .map(({ found }) => found);
    },
    async branches(inner, found) {
      if (allBranches) {
        const items = await api.list(inner, `${path(found)}/branches`, pageSize, byLink);
        return items.map((item) => branchOf(api, found, item, 'sha'));
      }
      if (found.branch === '') return [];
      const branch = `${path(found)}${apiPath`/branches/${found.branch}`}`;
      const { status, value } = await api.request(inner, branch, {}, { allow: [404] });
      // compat sources ASS-4: the default branch of an empty repository does not exist
      return status === 404 ? [] : [branchOf(api, found, value, 'sha')];
    },
    hasPath: (inner, found, file) =>
      api.exists(inner, `${path(found)}/contents/${filePath(file)}`, { ref: found.sha }),
  };
};

/** Pull requests of a repository. */
export const githubPullRequests: ConnectPullRequests = async (ctx, around) => {
  const { fields } = around;
  const [owner, repo] = [fields.required('owner'), fields.required('repo')];
  const labels = fields.texts('labels');
  const api = await connect(ctx, around, { owner, subject: `repository ${owner}/${repo}` });
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

type Account = { readonly owner: string; readonly subject: string };

async function connect(ctx: Ctx, around: PullRequestContext, { owner, subject }: Account): Promise<HostApi> {
  const { fields, deps } = around;
  const written = fields.text('api');
  const appSecret = fields.text('appSecretName');
  const tokenRef = fields.secretRef('tokenRef');
  const app = appSecret === '' ? undefined : await deps.githubApp(ctx, appSecret);
  const base = apiOf(written || app?.api || '', `${fields.name}.api`);
  const token = app
    ? await deps.client.appToken(ctx, {
        id: app.id,
        key: app.privateKey,
        installation: app.installationId || undefined,
        api: base.href.replace(/\/$/, ''),
        owner,
      })
    : await secretOf(ctx, around, tokenRef);
  return deps.client.connect({
    provider: 'GitHub',
    subject,
    base,
    headers: {
      accept: 'application/vnd.github+json',
      'x-github-api-version': '2022-11-28',
      ...(token && { authorization: `Bearer ${token}` }),
    },
    login: app ? 'appSecretName' : 'tokenRef',
    observe: deps.onGithubRequest,
  });
}

/** compat: the API of an enterprise server is below /api/v3, unless the URL says so already or its host is an API's. */
function apiOf(text: string, field: string): URL {
  if (text === '') return new URL(publicApi);
  const url = parseApi(text, field);
  const isApi =
    url.pathname.endsWith('/api/v3') || url.hostname.startsWith('api.') || url.hostname.includes('.api.');
  return isApi ? url : under(url, '/api/v3');
}

const isArchived = (item: unknown): boolean => (item as { archived?: unknown } | null)?.archived === true;

function repositoryOf(api: HostApi, item: unknown, cloneProtocol: string): ScmRepository {
  const repository = textAt(item, 'name');
  const organization = textAt(item, 'owner', 'login');
  if (repository === '' || organization === '') throw api.unreadable('a repository without a name');
  return {
    organization,
    repository,
    repositoryId: textAt(item, 'id'),
    url: cloneUrl('GitHub', cloneProtocol, {
      ssh: textAt(item, 'ssh_url'),
      https: textAt(item, 'clone_url'),
    }),
    branch: textAt(item, 'default_branch'),
    sha: '',
    labels: listAt(item, 'topics').filter((topic) => typeof topic === 'string'),
  };
}
