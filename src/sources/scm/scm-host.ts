import type { Ctx } from '#base/std';
import type { ScmClient } from './client.ts';
import type { HostApi, HostReading } from './host-api.ts';
import type { ProviderFields, ScmConfigMapRef, ScmSecretRef } from './provider-fields.ts';

/** A branch of a repository of a host. Without a branch of its own, `branch` is the default branch and `sha` is empty. */
export type ScmRepository = {
  readonly organization: string;
  readonly repository: string;
  readonly repositoryId: string;
  readonly url: string;
  readonly branch: string;
  readonly sha: string;
  readonly labels: readonly string[];
};

/** An open pull request (a merge request at GitLab). */
export type PullRequest = {
  readonly number: string;
  readonly title: string;
  readonly branch: string;
  readonly targetBranch: string;
  readonly headSha: string;
  readonly author: string;
  readonly labels: readonly string[];
};

/** A GitHub App as its Secret names it. `api` and `installationId` may be missing. */
type GithubAppLogin = {
  readonly id: number;
  readonly privateKey: string;
  readonly installationId?: number | undefined;
  readonly api?: string | undefined;
};

/** The AWS identity of this process. Without `region` a generator must name one. */
export type AwsIdentity = {
  readonly region?: string | undefined;
  readonly accessKeyId?: string | undefined;
  readonly secretAccessKey?: string | undefined;
  readonly sessionToken?: string | undefined;
};

/** What the generators bring along. References are read where the ApplicationSet may read them (sources ASS-5). */
export type ScmDeps = {
  readonly client: ScmClient;
  /** `enable-scm-providers`. */
  readonly enabled: boolean;
  /** `allowed-scm-providers`: the APIs that a generator may name; empty: any. */
  readonly allowedProviders: readonly string[];
  /** Reports what a generator says and what has no effect, or another one than its author expects. */
  warn(message: string): void;
  /** The text of a Secret's key. In strict mode it throws for a Secret without the label of its type. */
  secret(ctx: Ctx, ref: ScmSecretRef): Promise<string>;
  /** The text of a ConfigMap's key. */
  configMap(ctx: Ctx, ref: ScmConfigMapRef): Promise<string>;
  /** The GitHub App in a Secret of repository credentials of the control plane. */
  githubApp(ctx: Ctx, secretName: string): Promise<GithubAppLogin>;
  /** Left out: `awsCodeCommit` is refused. */
  readonly aws?: AwsIdentity | undefined;
  /** Receives the requests to GitHub, for metrics. */
  readonly onGithubRequest?: ((reading: HostReading) => void) | undefined;
};

/** The repositories of one provider. */
export type RepositoryHost = {
  readonly api: HostApi;
  /** Every repository, with its default branch; those without one are left out where the host says so. */
  repositories(ctx: Ctx): Promise<readonly ScmRepository[]>;
  /** The default branch, or all branches where the generator lists them; none for an empty repository. */
  branches(ctx: Ctx, repository: ScmRepository): Promise<readonly ScmRepository[]>;
  /** `path` has no slash at its ends. */
  hasPath(ctx: Ctx, branch: ScmRepository, path: string): Promise<boolean>;
};

/** The pull requests of one repository. */
type PullRequestHost = {
  readonly api: HostApi;
  /** The open pull requests with all labels of the generator; undefined: the host has no such repository. */
  pullRequests(ctx: Ctx): Promise<readonly PullRequest[] | undefined>;
};

export type RepositoryContext = {
  readonly fields: ProviderFields;
  readonly deps: ScmDeps;
  /** '' selects the provider's default. */
  readonly cloneProtocol: string;
};
export type PullRequestContext = Omit<RepositoryContext, 'cloneProtocol'>;

export type ConnectRepositories = (ctx: Ctx, around: RepositoryContext) => Promise<RepositoryHost>;
export type ConnectPullRequests = (ctx: Ctx, around: PullRequestContext) => Promise<PullRequestHost>;
