import type { Ctx } from '#base/std';
import { apiPath, filePath, parseApi, under } from '../api-path.ts';
import { cloneUrl, secretOf, trustOf } from '../credentials.ts';
import { type HostApi, listAt, textAt } from '../host-api.ts';
import { byNextPage } from '../paging.ts';
import type {
  ConnectPullRequests,
  ConnectRepositories,
  PullRequest,
  PullRequestContext,
  ScmRepository,
} from '../scm-host.ts';
import { branchOf } from './branch.ts';

const publicApi = 'https://gitlab.com/api/v4';
const pageSize = { per_page: '100' };

/** Projects of a group, named by its id or its full path. Topics are their labels. */
export const gitlabRepositories: ConnectRepositories = async (ctx, around) => {
  const { fields, cloneProtocol } = around;
  const group = fields.required('group');
  const topic = fields.text('topic');
  const query = {
    ...pageSize,
    include_subgroups: `${fields.flag('includeSubgroups')}`,
    with_shared: `${fields.flag('includeSharedProjects', true)}`,
    ...(topic && { topic }),
  };
  const withArchived = fields.flag('includeArchivedRepos');
  const allBranches = fields.flag('allBranches');
  const api = await connect(ctx, around, `group ${group}`);
  const path = (found: ScmRepository): string => apiPath`/projects/${found.repositoryId}/repository`;
  return {
    api,
    async repositories(inner) {
      // `archived` limits the list to those that are, or are not
      const queries = withArchived
        ? [
            { ...query, archived: 'false' },
            { ...query, archived: 'true' },
          ]
        : [query];
      const found: ScmRepository[] = [];
      for (const one of queries) {
        const items = await api.list(inner, apiPath`/groups/${group}/projects`, one, byNextPage);
        found.push(...items.map((item) => repositoryOf(api, item, cloneProtocol)));
      }
      return found;
    },
    async branches(inner, found) {
      if (found.branch === '' && !allBranches) return [];
      if (allBranches) {
        const items = await api.listIfThere(inner, `${path(found)}/branches`, pageSize, byNextPage);
        return (items ?? []).map((item) => branchOf(api, found, item, 'id'));
      }
      const one = `${path(found)}${apiPath`/branches/${found.branch}`}`;
      const { status, value } = await api.request(inner, one, {}, { allow: [404] });
      return status === 404 ? [] : [branchOf(api, found, value, 'id')];
    },
    async hasPath(inner, found, file) {
      const encoded = filePath(file).replaceAll('/', '%2F');
      if (await api.exists(inner, `${path(found)}/files/${encoded}`, { ref: found.sha })) return true;
      const query = { path: file, ref: found.sha, per_page: '1' };
      const { value } = await api.request(inner, `${path(found)}/tree`, query, { allow: [404] });
      // GitLab before 15.0 answers with an empty list for a folder that is not there
      return Array.isArray(value) && value.length > 0;
    },
  };
};

/** Merge requests of a project, named by its id or its full path. */
export const gitlabPullRequests: ConnectPullRequests = async (ctx, around) => {
  const { fields } = around;
  const project = fields.required('project');
  const labels = fields.texts('labels');
  // dev sources DEV-28: without a state Argo CD lists merged and closed merge requests too
  const state = fields.text('pullRequestState') || 'opened';
  const api = await connect(ctx, around, `project ${project}`);
  return {
    api,
    async pullRequests(inner) {
      const path = apiPath`/projects/${project}/merge_requests`;
      const query = { ...pageSize, state, ...(labels.length > 0 && { labels: labels.join(',') }) };
      const items = await api.listIfThere(inner, path, query, byNextPage);
      return items?.map((item) => pullRequestOf(api, item));
    },
  };
};

async function connect(ctx: Ctx, around: PullRequestContext, subject: string): Promise<HostApi> {
  const { fields, deps } = around;
  const written = fields.text('api');
  const url = parseApi(written || publicApi, `${fields.name}.api`);
  const token = await secretOf(ctx, around, fields.secretRef('tokenRef'));
  return deps.client.connect({
    provider: 'GitLab',
    subject,
    base: url.pathname.endsWith('/api/v4') ? url : under(url, '/api/v4'),
    headers: token ? { 'private-token': token } : {},
    login: 'tokenRef',
    ...(await trustOf(ctx, around)),
  });
}

function repositoryOf(api: HostApi, item: unknown, cloneProtocol: string): ScmRepository {
  const [repository, id] = [textAt(item, 'path'), textAt(item, 'id')];
  if (repository === '' || id === '') throw api.unreadable('a project without a path');
  const topics = listAt(item, 'topics');
  return {
    organization: textAt(item, 'namespace', 'full_path'),
    repository,
    repositoryId: id,
    url: cloneUrl('GitLab', cloneProtocol, {
      ssh: textAt(item, 'ssh_url_to_repo'),
      https: textAt(item, 'http_url_to_repo'),
    }),
    branch: textAt(item, 'default_branch'),
    sha: '',
    // before GitLab 14.5 topics were tags
    labels: (topics.length > 0 ? topics : listAt(item, 'tag_list')).filter(
      (topic) => typeof topic === 'string',
    ),
  };
}

function pullRequestOf(api: HostApi, item: unknown): PullRequest {
  const [number, headSha] = [textAt(item, 'iid'), textAt(item, 'sha')];
  if (number === '') throw api.unreadable('a merge request without a number');
  return {
    number,
    title: textAt(item, 'title'),
    branch: textAt(item, 'source_branch'),
    targetBranch: textAt(item, 'target_branch'),
    headSha,
    author: textAt(item, 'author', 'username'),
    labels: listAt(item, 'labels').filter((label) => typeof label === 'string'),
  };
}
