import * as z from 'zod';
import type { Source, SourceType } from '#base/model';
import type { ConnectionState } from './connection-state.ts';
import { endpoint } from './endpoint.ts';

/** The fields that a credential template and a repository have in common; none of them is secret. */
export type RepositoryAccessView = {
  readonly type: string;
  readonly username?: string;
  readonly enableOCI?: boolean;
  readonly insecureOCIForceHttp?: boolean;
  readonly forceHttpBasicAuth?: boolean;
  readonly proxy?: string;
  readonly noProxy?: string;
  readonly githubAppID?: number;
  readonly githubAppInstallationID?: number;
  readonly githubAppEnterpriseBaseUrl?: string;
  readonly useAzureWorkloadIdentity?: boolean;
  readonly azureServicePrincipalClientId?: string;
  readonly azureServicePrincipalTenantId?: string;
  readonly azureActiveDirectoryEndpoint?: string;
};

/** compat server §2.8: a repository as it is read; it never has a password, a key or a token. */
export type RepositoryView = RepositoryAccessView & {
  readonly repo: string;
  readonly name?: string;
  readonly project?: string;
  readonly insecure?: boolean;
  readonly insecureIgnoreHostKey?: boolean;
  readonly enableLfs?: boolean;
  readonly depth?: number;
  readonly webhookManifestCacheWarmDisabled?: boolean;
  /** It has no credentials of its own; a credential template provides them. */
  readonly inheritedCreds?: boolean;
  readonly connectionState?: ConnectionState;
};

export type RepositoryList = { readonly items: readonly RepositoryView[] };
export type TemplateView = RepositoryAccessView & { readonly url: string };
export type BranchesAndTags = { readonly branches: readonly string[]; readonly tags: readonly string[] };
export type AppFolder = { readonly path: string; readonly type: SourceType };
export type ChartList = {
  readonly items: readonly { readonly name: string; readonly versions: readonly string[] }[];
};

/** compat server §2.8: what can be set in a source; the block of its type is there. */
export type AppDetails = {
  readonly type: SourceType;
  readonly helm?: {
    readonly name?: string;
    readonly valueFiles: readonly string[];
    readonly values?: string;
    readonly parameters: readonly { readonly name: string; readonly value: string }[];
  };
  readonly kustomize?: { readonly images: readonly string[] };
  readonly directory?: Record<string, never>;
  readonly plugin?: Record<string, never>;
};

const text = z.string().max(100_000);
/** dev server §2.8: on an update an absent or empty secret keeps the stored one, null removes it. */
const secret = text.nullish();
const integer = z.union([
  z.number().int(),
  z
    .string()
    .regex(/^-?\d{1,15}$/)
    .transform(Number),
]);
const access = {
  type: z.enum(['', 'git', 'helm', 'oci']).optional(),
  username: secret,
  password: secret,
  bearerToken: secret,
  sshPrivateKey: secret,
  tlsClientCertData: secret,
  tlsClientCertKey: secret,
  githubAppPrivateKey: secret,
  githubAppID: integer.nullish(),
  githubAppInstallationID: integer.nullish(),
  githubAppEnterpriseBaseUrl: text.nullish(),
  gcpServiceAccountKey: secret,
  useAzureWorkloadIdentity: z.boolean().nullish(),
  azureServicePrincipalClientId: text.nullish(),
  azureServicePrincipalClientSecret: secret,
  azureServicePrincipalTenantId: text.nullish(),
  azureActiveDirectoryEndpoint: text.nullish(),
  enableOCI: z.boolean().nullish(),
  insecureOCIForceHttp: z.boolean().nullish(),
  forceHttpBasicAuth: z.boolean().nullish(),
  proxy: text.nullish(),
  noProxy: text.nullish(),
};
const repository = z.object({
  repo: text.default(''),
  name: text.nullish(),
  project: text.nullish(),
  insecure: z.boolean().nullish(),
  insecureIgnoreHostKey: z.boolean().nullish(),
  enableLfs: z.boolean().nullish(),
  depth: integer.nullish(),
  webhookManifestCacheWarmDisabled: z.boolean().nullish(),
  ...access,
});
const template = z.object({ url: text.default(''), ...access });
/** compat server §2.8: the URL as a JSON string with credentials in the query; ours beside it: all of it in the body. */
const validation = z.union([text, repository]);
const detailsRequest = z.object({
  source: z
    .custom<Source>((value) => typeof value === 'object' && value !== null, 'want a source')
    .optional(),
  appName: text.default(''),
  appProject: text.default(''),
  sourceIndex: z.number().int().optional(),
  versionId: z.number().int().optional(),
});

export type RepositoryInput = z.infer<typeof repository>;
export type TemplateInput = z.infer<typeof template>;
export type ValidationInput = z.infer<typeof validation>;
export type AppDetailsRequest = z.infer<typeof detailsRequest>;

type None = Record<string, never>;
const upsert = { upsert: 'true: replaces one that exists with other settings' };
const appProject = { appProject: 'the project that the repository is scoped to' };
const refresh = { forceRefresh: 'true: tests the connection now instead of returning the last result' };

/** `what` is the noun in the texts. Reading and writing have credentials of their own. */
const repositoryEndpoints = (at: `/${string}`, what: string) =>
  ({
    list: endpoint<RepositoryList>(`The ${what} that the caller may get, without credentials.`, {
      repo: 'only the one with this URL',
      ...appProject,
      ...refresh,
    })('GET', at),
    create: endpoint<RepositoryView>(`Tests the connection and stores one of the ${what}.`, upsert)(
      'POST',
      at,
      repository,
    ),
    get: endpoint<RepositoryView>(`One of the ${what}, without credentials.`, { ...appProject, ...refresh })(
      'GET',
      `${at}/:repo`,
    ),
    update: endpoint<RepositoryView>(
      `Replaces the settings of one of the ${what}; secrets that are left out stay.`,
      appProject,
    )('PUT', `${at}/:repo`, repository),
    delete: endpoint<None>(`Deletes one of the ${what}.`, appProject)('DELETE', `${at}/:repo`),
    validate: endpoint<None>('Tests a connection without storing anything.', {
      project: 'the project that it would be scoped to',
      username: 'and so every credential; better sent in the body, because proxies log queries',
    })('POST', `${at}/:repo/validate`, validation),
  }) as const;

const templateEndpoints = (at: `/${string}`, what: string) =>
  ({
    list: endpoint<{ readonly items: readonly TemplateView[] }>(
      `The ${what} that the caller may get, without secrets.`,
    )('GET', at),
    create: endpoint<TemplateView>(`Stores one of the ${what}, for URLs that begin with its own.`, upsert)(
      'POST',
      at,
      template,
    ),
    update: endpoint<TemplateView>(`Replaces one of the ${what}; secrets that are left out stay.`)(
      'PUT',
      `${at}/:url`,
      template,
    ),
    delete: endpoint<None>(`Deletes one of the ${what}.`)('DELETE', `${at}/:url`),
  }) as const;

const at = '/api/v1/repositories' as const;

export const repositories = {
  ...repositoryEndpoints(at, 'repositories'),
  refs: endpoint<BranchesAndTags>('The branches and tags of a Git repository.', appProject)(
    'GET',
    `${at}/:repo/refs`,
  ),
  tags: endpoint<BranchesAndTags>('The tags of a repository in a registry.', appProject)(
    'GET',
    `${at}/:repo/oci-tags`,
  ),
  apps: endpoint<{ readonly items: readonly AppFolder[] }>(
    'The folders of a repository that have a chart or a kustomization.',
    {
      ...appProject,
      revision: 'a branch, tag or commit; HEAD when left out',
      appName: 'the application that it is for',
    },
  )('GET', `${at}/:repo/apps`),
  appDetails: endpoint<AppDetails>(
    'What can be set in a source: values of a chart, images of a kustomization.',
  )('POST', `${at}/:repo/appdetails`, detailsRequest),
  charts: endpoint<ChartList>('The charts of a chart repository, with their versions.', appProject)(
    'GET',
    `${at}/:repo/helmcharts`,
  ),
} as const;

export const writeRepositories = repositoryEndpoints('/api/v1/write-repositories', 'repositories to push to');
export const templates = templateEndpoints('/api/v1/repocreds', 'credential templates');
export const writeTemplates = templateEndpoints(
  '/api/v1/write-repocreds',
  'credential templates to push with',
);
