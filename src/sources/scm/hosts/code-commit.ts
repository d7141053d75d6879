import { type Ctx, FairleadError } from '#base/std';
import { filePath } from '../api-path.ts';
import { cloneUrl } from '../credentials.ts';
import { type HostApi, listAt, textAt } from '../host-api.ts';
import type { AwsIdentity, ConnectRepositories, RepositoryContext, ScmRepository } from '../scm-host.ts';
import { type AwsKeys, signed } from '../sign-aws.ts';

/** A signed call of an AWS API: its answer, and the name of its error; '' for none. */
type Call = (
  ctx: Ctx,
  name: string,
  input: object,
) => Promise<{ readonly value: unknown; readonly error: string }>;

/** What a call may answer to say that a folder is not there. */
const missing: ReadonlySet<string> = new Set([
  'RepositoryDoesNotExistException',
  'CommitDoesNotExistException',
  'FolderDoesNotExistException',
]);
const denied =
  /^(AccessDenied|UnrecognizedClient|InvalidSignature|ExpiredToken|IncompleteSignature|InvalidClientTokenId)/;
const throttled = /^(Throttling|TooManyRequests|RequestLimitExceeded)/;

/** Repositories of a region, as the identity of this process or a role sees them. They have neither labels nor commits. */
export const codeCommitRepositories: ConnectRepositories = async (ctx, around) => {
  const { fields, deps, cloneProtocol } = around;
  const allBranches = fields.flag('allBranches');
  const tags = fields
    .groups('tagFilters')
    .map((tag) => ({ key: tag.required('key'), value: tag.text('value') }));
  const region = fields.text('region') || deps.aws?.region || '';
  if (!/^[a-z0-9-]+$/.test(region))
    throw new FairleadError('InvalidSpec', `${fields.name}.region is empty or no region: set it`);
  const keys = await keysOf(ctx, around, region);
  const api = connect(around, 'codecommit', region);
  const call = caller(api, { service: 'codecommit', target: 'CodeCommit_20150413', region, keys });
  const tagging = caller(connect(around, 'tagging', region), {
    service: 'tagging',
    target: 'ResourceGroupsTaggingAPI_20170126',
    region,
    keys,
  });
  return {
    api,
    async repositories(inner) {
      const names = tags.length > 0 ? await taggedNames(inner, tagging, tags) : await allNames(inner, call);
      const found: ScmRepository[] = [];
      for (const repositoryName of names) {
        const { value } = await call(inner, 'GetRepository', { repositoryName });
        found.push(repositoryOf(api, value, cloneProtocol));
      }
      // an empty repository has no default branch
      return found.filter(({ branch }) => branch !== '');
    },
    async branches(inner, found) {
      if (!allBranches) return [found];
      const input = { repositoryName: found.repository };
      const names = await pages(inner, call, { name: 'ListBranches', input, items: 'branches' });
      return names.map((name) => ({ ...found, branch: String(name) }));
    },
    hasPath: (inner, found, file) => hasPath(inner, call, found, file),
  };
};

type AwsApi = {
  readonly service: string;
  readonly target: string;
  readonly region: string;
  readonly keys: AwsKeys;
};

function caller(api: HostApi, { service, target, region, keys }: AwsApi): Call {
  return async (ctx, name, input) => {
    const body = JSON.stringify(input);
    const headers = { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': `${target}.${name}` };
    const request = { method: 'POST', url: new URL('/', `https://${api.host}`), headers, body };
    const signature = signed(request, { keys, region, service, now: ctx.clock.now() });
    const { status, value } = await api.request(
      ctx,
      '/',
      {},
      { body, headers: signature, allow: [400, 403] },
    );
    // `com.amazonaws.codecommit#NameException` and `NameException:http://…` are the same
    const error =
      status === 200 ? '' : (/(?:^|#)([A-Za-z]+)(?::|$)/.exec(textAt(value, '__type'))?.[1] ?? 'unknown');
    if (error === '' || missing.has(error)) return { value, error };
    throw refusal(api, name, error);
  };
}

function refusal(api: HostApi, name: string, error: string): FairleadError {
  if (denied.test(error)) {
    return new FairleadError(
      'Auth',
      `${api.name} refuses ${name} for ${api.subject} (${error}): check the AWS identity of the controller, role and their permissions`,
    );
  }
  const why = throttled.test(error)
    ? 'it limits our requests, use a longer requeueAfterSeconds'
    : 'check the fields';
  const code = throttled.test(error) ? 'Unavailable' : 'InvalidSpec';
  return new FairleadError(code, `${api.name} answers ${name} for ${api.subject} with ${error}: ${why}`);
}

function connect({ deps, fields }: RepositoryContext, service: string, region: string): HostApi {
  return deps.client.connect({
    provider: 'AWS',
    subject: `${service} in ${region}${fields.text('role') && ` as ${fields.text('role')}`}`,
    base: new URL(`https://${service}.${region}.amazonaws.com`),
    headers: {},
    login: 'the AWS identity of the controller',
  });
}

/** The keys of this process, or those that STS lends for a role. */
async function keysOf(ctx: Ctx, around: RepositoryContext, region: string): Promise<AwsKeys> {
  const role = around.fields.text('role');
  const own = ownKeys(around.deps.aws);
  if (role === '') return own;
  const api = connect(around, 'sts', region);
  const query = { Action: 'AssumeRole', RoleArn: role, RoleSessionName: 'fairlead', Version: '2011-06-15' };
  const body = new URLSearchParams(query).toString();
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const request = { method: 'POST', url: new URL('/', `https://${api.host}`), headers, body };
  const signature = signed(request, { keys: own, region, service: 'sts', now: ctx.clock.now() });
  const { value } = await api.request(ctx, '/', {}, { body, headers: signature, isText: true });
  const [accessKeyId, secretAccessKey, sessionToken] = ['AccessKeyId', 'SecretAccessKey', 'SessionToken'].map(
    (name) => new RegExp(`<${name}>\\s*([^<\\s]+)\\s*<`).exec(String(value))?.[1],
  );
  if (!accessKeyId || !secretAccessKey || !sessionToken) throw api.unreadable('no credentials for the role');
  return { accessKeyId, secretAccessKey, sessionToken };
}

function ownKeys({ accessKeyId, secretAccessKey, sessionToken }: AwsIdentity = {}): AwsKeys {
  if (accessKeyId && secretAccessKey) return { accessKeyId, secretAccessKey, sessionToken };
  throw new FairleadError(
    'InvalidSpec',
    'awsCodeCommit needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment of the controller; identities of pods and machines are not supported yet',
  );
}

type Listing = { readonly name: string; readonly input: object; readonly items: string };
const mostPages = 1_000;

async function pages(ctx: Ctx, call: Call, { name, input, items }: Listing): Promise<unknown[]> {
  const found: unknown[] = [];
  let next: object = {};
  for (let count = 0; count < mostPages; count++) {
    const { value, error } = await call(ctx, name, { ...input, ...next });
    if (error !== '')
      throw new FairleadError('NotFound', `AWS answers ${name} with ${error}: check the repositories`);
    found.push(...listAt(value, items));
    const [token, paging] = [textAt(value, 'nextToken'), textAt(value, 'PaginationToken')];
    if (token === '' && paging === '') return found;
    next = token === '' ? { PaginationToken: paging } : { nextToken: token };
  }
  throw new FairleadError(
    'LimitExceeded',
    `AWS has more than ${mostPages} pages for ${name}: use tagFilters`,
  );
}

async function allNames(ctx: Ctx, call: Call): Promise<string[]> {
  const items = await pages(ctx, call, { name: 'ListRepositories', input: {}, items: 'repositories' });
  return items.map((item) => textAt(item, 'repositoryName'));
}

type Tag = { readonly key: string; readonly value: string };

/** Values of the same key are alternatives; a key without a value means any. */
async function taggedNames(ctx: Ctx, call: Call, tags: readonly Tag[]): Promise<string[]> {
  const keys = [...new Set(tags.map(({ key }) => key))];
  const filters = keys.map((key) => {
    const values = tags.filter((tag) => tag.key === key && tag.value !== '').map(({ value }) => value);
    return { Key: key, ...(values.length > 0 && { Values: values }) };
  });
  const input = { ResourceTypeFilters: ['codecommit:repository'], TagFilters: filters };
  const items = await pages(ctx, call, { name: 'GetResources', input, items: 'ResourceTagMappingList' });
  // arn:aws:codecommit:region:account:name
  return items.map((item) => textAt(item, 'ResourceARN').split(':').slice(5).join(':')).filter(Boolean);
}

function repositoryOf(api: HostApi, value: unknown, cloneProtocol: string): ScmRepository {
  const at = (name: string): string => textAt(value, 'repositoryMetadata', name);
  if (at('repositoryName') === '') throw api.unreadable('a repository without a name');
  const https = at('cloneUrlHttp');
  return {
    organization: at('accountId'),
    repository: at('repositoryName'),
    repositoryId: at('repositoryId'),
    url: cloneUrl('CodeCommit', cloneProtocol, {
      ssh: at('cloneUrlSsh'),
      https,
      'https-fips': https.replace('https://git-codecommit.', 'https://git-codecommit-fips.'),
    }),
    branch: at('defaultBranch'),
    sha: '',
    labels: [],
  };
}

/** Files are not fetched: their folder is listed. */
async function hasPath(ctx: Ctx, call: Call, found: ScmRepository, file: string): Promise<boolean> {
  filePath(file);
  const parts = file.split('/').filter(Boolean);
  const name = parts.at(-1);
  const input = {
    repositoryName: found.repository,
    commitSpecifier: found.branch,
    folderPath: `/${parts.slice(0, -1).join('/')}`,
  };
  const { value, error } = await call(ctx, 'GetFolder', input);
  if (error !== '') return false;
  return ['subFolders', 'files', 'symbolicLinks', 'subModules'].some((kind) =>
    listAt(value, kind).some((item) => textAt(item, 'relativePath') === name),
  );
}
