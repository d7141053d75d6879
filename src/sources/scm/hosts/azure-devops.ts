import { FairleadError, isObject } from '#base/std';
import { apiPath, filePath, parseApi, under } from '../api-path.ts';
import { basic, hasLabels, secretOf } from '../credentials.ts';
import { type HostApi, listAt, type Paging, textAt } from '../host-api.ts';
import type {
  ConnectPullRequests,
  ConnectRepositories,
  PullRequestContext,
  ScmRepository,
} from '../scm-host.ts';
import { onBranch } from './branch.ts';
import { pullRequestOf } from './pull-request.ts';

const publicApi = 'https://dev.azure.com';
const version = { 'api-version': '7.0' };
const top = 100;
const heads = 'refs/heads/';

const valueIn = (value: unknown): unknown => (isObject(value) ? value.value : undefined);

/** Repositories come all at once. */
const once: Paging = { items: valueIn, next: () => undefined };

/** Refs: the token of the next page is in a header. */
const byToken: Paging = {
  items: valueIn,
  next({ headers }, query) {
    const token = headers['x-ms-continuationtoken'];
    return typeof token === 'string' && token !== '' ? { ...query, continuationToken: token } : undefined;
  },
};

/** Pull requests: a page that is full may have another after it. */
const bySkip: Paging = {
  items: valueIn,
  next({ value }, query) {
    if (listAt(value, 'value').length < top) return undefined;
    return { ...query, $skip: `${Number(query.$skip ?? 0) + top}` };
  },
};

/** Repositories of a team project, cloned over https whatever the generator says. They have no labels. */
export const azureRepositories: ConnectRepositories = async (ctx, around) => {
  const { fields, cloneProtocol } = around;
  const [organization, project] = [fields.required('organization'), fields.required('teamProject')];
  const allBranches = fields.flag('allBranches');
  const tokenRef = fields.secretRef('accessTokenRef');
  const token = await secretOf(ctx, around, tokenRef);
  if (token === '') throw new FairleadError('InvalidSpec', `${fields.name}.accessTokenRef is empty: set it`);
  if (cloneProtocol !== '' && cloneProtocol !== 'https')
    around.deps.warn(
      `cloneProtocol ${cloneProtocol} has no effect with azureDevOps, which clones over https; remove it`,
    );
  const subject = `project ${organization}/${project}`;
  const api = connect(around, { organization, subject, token, login: 'accessTokenRef' });
  const path = (id: string): string => apiPath`/${project}/_apis/git/repositories/${id}`;
  const branch = (found: ScmRepository, item: unknown): ScmRepository =>
    onBranch(api, found, {
      branch: textAt(item, 'name').replace(heads, ''),
      sha: textAt(item, 'objectId'),
    });
  return {
    api,
    async repositories(inner) {
      const items = await api.list(inner, apiPath`/${project}/_apis/git/repositories`, version, once);
      return items.map(repositoryOf(organization)).filter(isWhole);
    },
    async branches(inner, found) {
      const filter = allBranches ? 'heads/' : `heads/${found.branch}`;
      const query = { ...version, filter, $top: '1000' };
      const refs = `${path(found.repositoryId)}/refs`;
      // a repository that is disabled is not found
      const items = (await api.listIfThere(inner, refs, query, byToken)) ?? [];
      return items
        .map((item) => branch(found, item))
        .filter((one) => allBranches || one.branch === found.branch);
    },
    async hasPath(inner, found, file) {
      filePath(file);
      const query = {
        ...version,
        path: `/${file}`,
        $format: 'json',
        'versionDescriptor.version': found.sha,
        'versionDescriptor.versionType': 'commit',
      };
      const items = `${path(found.repositoryId)}/items`;
      const { status, value } = await api.request(inner, items, query, { allow: [404] });
      if (status !== 404) return true;
      if (textAt(value, 'typeKey') === 'GitItemNotFoundException') return false;
      throw new FairleadError(
        'NotFound',
        `${api.name} has no commit ${found.sha} of ${found.repository} any more`,
      );
    },
  };
};

/** Pull requests of a repository. compat: only the project must exist. */
export const azurePullRequests: ConnectPullRequests = async (ctx, around) => {
  const { fields } = around;
  const [organization, project] = [fields.required('organization'), fields.required('project')];
  const repo = fields.required('repo');
  const labels = fields.texts('labels');
  const token = await secretOf(ctx, around, fields.secretRef('tokenRef'));
  const subject = `repository ${organization}/${project}/${repo}`;
  const api = connect(around, { organization, subject, token, login: 'tokenRef' });
  return {
    api,
    async pullRequests(inner) {
      const path = apiPath`/${project}/_apis/git/pullrequests`;
      const query = { ...version, 'searchCriteria.status': 'active', $top: `${top}` };
      const items = await api.listIfThere(inner, path, query, bySkip);
      return items
        ?.filter((item) => textAt(item, 'repository', 'name') === repo)
        .map((item) =>
          pullRequestOf(api, {
            number: textAt(item, 'pullRequestId'),
            title: textAt(item, 'title'),
            branch: textAt(item, 'sourceRefName').replace(heads, ''),
            targetBranch: textAt(item, 'targetRefName').replace(heads, ''),
            headSha: textAt(item, 'lastMergeSourceCommit', 'commitId'),
            // compat: the part of the address before its host
            author: textAt(item, 'createdBy', 'uniqueName').split('@')[0] ?? '',
            labels: listAt(item, 'labels').map((label) => textAt(label, 'name')),
          }),
        )
        .filter((found) => hasLabels(labels, found.labels));
    },
  };
};

type Account = {
  readonly organization: string;
  readonly subject: string;
  readonly token: string;
  readonly login: string;
};

function connect(
  { fields, deps }: PullRequestContext,
  { organization, subject, token, login }: Account,
): HostApi {
  const url = parseApi(fields.text('api') || publicApi, `${fields.name}.api`);
  return deps.client.connect({
    provider: 'Azure DevOps',
    subject,
    base: under(url, apiPath`/${organization}`),
    headers: token ? { authorization: basic('', token) } : {},
    login,
  });
}

const repositoryOf =
  (organization: string) =>
  (item: unknown): ScmRepository => ({
    organization,
    repository: textAt(item, 'name'),
    repositoryId: textAt(item, 'id'),
    url: textAt(item, 'remoteUrl'),
    branch: textAt(item, 'defaultBranch').replace(heads, ''),
    sha: '',
    labels: [],
  });

/** compat: a repository without a default branch is empty. */
const isWhole = ({ repository, repositoryId, url, branch }: ScmRepository): boolean =>
  [repository, repositoryId, url, branch].every((text) => text !== '');
