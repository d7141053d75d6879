import { annotation, label, parseBool } from './annotations.ts';
import { type IgnoredKey, unknownKeys } from './ignored-keys.ts';
import type { KubeObject } from './kube-object.ts';
import { normalizeRepoUrl } from './repo-url.ts';
import { fnv32a, readableText } from './secret.ts';
import { encodeText } from './text.ts';

type RepositoryType = 'git' | 'helm' | 'oci';
export type RepositorySecretType = 'repository' | 'repo-creds' | 'repository-write' | 'repo-write-creds';

/** The credentials of a repository. Every field is secret except the ids, the URLs and the switches. */
export type RepositoryCredentials = {
  username?: string;
  password?: string;
  bearerToken?: string;
  sshPrivateKey?: string;
  tlsClientCertData?: string;
  tlsClientCertKey?: string;
  githubAppId?: number;
  githubAppInstallationId?: number;
  githubAppPrivateKey?: string;
  githubAppEnterpriseBaseUrl?: string;
  gcpServiceAccountKey?: string;
  useAzureWorkloadIdentity?: boolean;
  azureServicePrincipalClientId?: string;
  azureServicePrincipalClientSecret?: string;
  azureServicePrincipalTenantId?: string;
  azureActiveDirectoryEndpoint?: string;
};

/** The common fields of a credential template and a repository. */
export type RepositoryAccess = {
  url: string;
  type: RepositoryType;
  credentials: RepositoryCredentials;
  enableOci: boolean;
  insecureOciForceHttp: boolean;
  forceHttpBasicAuth: boolean;
  proxy?: string;
  noProxy?: string;
  /** Why this record must not be used; its list stays usable. */
  problem?: string;
};

/** A repository as its Secret describes it (server.md 1.6). An empty project means any project. */
export type Repository = RepositoryAccess & {
  name: string;
  project: string;
  insecure: boolean;
  insecureIgnoreHostKey: boolean;
  enableLfs: boolean;
  depth: number;
  webhookManifestCacheWarmDisabled: boolean;
};

/** Which kind of repository Secret this is; undefined when it is none. */
export function repositorySecretType({ metadata }: KubeObject): RepositorySecretType | undefined {
  const type = metadata.labels?.[label.secretType];
  return secretTypes.find((known) => known === type);
}
const secretTypes = ['repository', 'repo-creds', 'repository-write', 'repo-write-creds'] as const;

/** Whether the API created the Secret, and may therefore delete it. */
export const isManagedSecret = ({ metadata }: KubeObject): boolean =>
  metadata.annotations?.[annotation.managedBy] === 'argocd.argoproj.io';

/** Reads a repository. `problem` names malformed parts; it never throws for one bad Secret. */
export const repositoryFrom = (secret: KubeObject): Repository => readRepository(fieldsOf(secret));

function readRepository(fields: SecretFields): Repository {
  const repository: Repository = {
    ...accessFrom(fields),
    name: fields.text('name') ?? '',
    project: fields.text('project') ?? '',
    insecure: fields.flag('insecure'),
    insecureIgnoreHostKey: fields.flag('insecureIgnoreHostKey'),
    enableLfs: fields.flag('enableLfs'),
    depth: fields.integer('depth') ?? 0,
    webhookManifestCacheWarmDisabled: fields.flag('webhookManifestCacheWarmDisabled'),
  };
  return withProblem(repository, fields.problems);
}

/** Reads a credential template (`repo-creds`), whose url is a prefix. */
export function credentialTemplateFrom(secret: KubeObject): RepositoryAccess {
  const fields = fieldsOf(secret);
  return withProblem(accessFrom(fields), fields.problems);
}

/** The keys of a repository Secret that have no effect. */
export function ignoredInRepository(secret: KubeObject): readonly IgnoredKey[] {
  const fields = fieldsOf(secret);
  const isTemplate = ['repo-creds', 'repo-write-creds'].includes(repositorySecretType(secret) ?? '');
  if (isTemplate) accessFrom(fields);
  else if (readRepository(fields).webhookManifestCacheWarmDisabled)
    return [...unknownKeys(fields.data, [...fields.read]), { key: cacheWarm, message: noCacheWarming }];
  return unknownKeys(fields.data, [...fields.read]);
}
const cacheWarm = 'webhookManifestCacheWarmDisabled';
const noCacheWarming =
  'no effect: a push refreshes the applications that it concerns, and renders nothing else';

/** The record of a repository that is not configured: no credentials, and the type that its URL implies. */
export function anonymousRepository(url: string): Repository {
  const flags = {
    enableOci: false,
    insecureOciForceHttp: false,
    forceHttpBasicAuth: false,
    enableLfs: false,
  };
  const rest = { name: '', project: '', depth: 0, insecure: false, insecureIgnoreHostKey: false };
  const type = url.startsWith('oci://') ? 'oci' : 'git';
  return { url, type, credentials: {}, ...flags, ...rest, webhookManifestCacheWarmDisabled: false };
}

/** compat sources CRED-2, CRED-4: what counts as having credentials of one's own; a GCP key alone does not. */
export function hasCredentials({ credentials: c }: RepositoryAccess): boolean {
  const basic = c.username || c.password || c.bearerToken || c.sshPrivateKey;
  const cloud = c.githubAppPrivateKey || c.useAzureWorkloadIdentity || c.azureServicePrincipalClientSecret;
  return Boolean(basic || c.tlsClientCertData || c.tlsClientCertKey || cloud);
}

/** compat sources CRED-3: a repository without credentials of its own, completed from a template. */
export function withTemplate(repository: Repository, template: RepositoryAccess): Repository {
  const { proxy = template.proxy, noProxy = template.noProxy } = repository;
  return {
    ...repository,
    credentials: { ...template.credentials, ...repository.credentials },
    enableOci: template.enableOci,
    insecureOciForceHttp: template.insecureOciForceHttp,
    forceHttpBasicAuth: template.forceHttpBasicAuth,
    ...(proxy === undefined ? {} : { proxy }),
    ...(noProxy === undefined ? {} : { noProxy }),
  };
}

/** compat sources CRED-2: the template whose URL is the longest prefix, plain text on normal forms; undefined: none. */
export function templateFor<T extends Pick<RepositoryAccess, 'url'>>(
  url: string,
  templates: readonly T[],
): T | undefined {
  const normal = normalizeRepoUrl(url);
  const fitting = templates
    .map((template) => ({ template, prefix: normalizeRepoUrl(template.url) }))
    .filter(({ prefix }) => prefix !== '' && normal.startsWith(prefix));
  return fitting.toSorted((a, b) => b.prefix.length - a.prefix.length)[0]?.template;
}

/** compat: the name Argo CD gives a repository Secret it creates. */
export function repositorySecretName(
  prefix: 'repo' | 'creds' | 'repo-write' | 'creds-write',
  url: string,
  project = '',
): string {
  return `${prefix}-${fnv32a(encodeText(url + project))}`;
}

type SecretFields = ReturnType<typeof fieldsOf>;

function fieldsOf(secret: KubeObject) {
  const problems: string[] = [];
  const data = readableText(secret, problems);
  const read = new Set<string>();
  const text = (key: string): string | undefined => {
    read.add(key);
    return data[key] || undefined;
  };
  const parsed = <T>(key: string, parse: (value: string) => T | undefined, kind: string): T | undefined => {
    const value = text(key);
    const result = value === undefined ? undefined : parse(value);
    if (value !== undefined && result === undefined) problems.push(`${key} must be ${kind}`);
    return result;
  };
  return {
    problems,
    data,
    /** The keys that were read so far. */
    read,
    text,
    flag: (key: string): boolean => parsed(key, parseBool, '"true" or "false"') ?? false,
    integer: (key: string) =>
      parsed(key, (value) => (/^-?[0-9]{1,15}$/.test(value) ? Number(value) : undefined), 'an integer'),
  };
}

function accessFrom(fields: SecretFields): RepositoryAccess {
  const url = fields.text('url') ?? '';
  const type = fields.text('type') ?? (url.startsWith('oci://') ? 'oci' : 'git');
  const known = (['git', 'helm', 'oci'] as const).find((name) => name === type);
  if (url === '') fields.problems.push('url is missing');
  if (!known) fields.problems.push(`type "${type}" must be git, helm or oci`);
  return {
    url,
    type: known ?? 'git',
    credentials: credentialsFrom(fields),
    enableOci: fields.flag('enableOCI'),
    insecureOciForceHttp: fields.flag('insecureOCIForceHttp'),
    forceHttpBasicAuth: fields.flag('forceHttpBasicAuth'),
    ...present({ proxy: fields.text('proxy'), noProxy: fields.text('noProxy') }),
  };
}

function credentialsFrom({ text, flag, integer }: SecretFields): RepositoryCredentials {
  const either = (one: string, other: string): string | undefined => {
    const [first, second] = [text(one), text(other)];
    return first ?? second;
  };
  return present({
    username: text('username'),
    password: text('password'),
    bearerToken: text('bearerToken'),
    sshPrivateKey: text('sshPrivateKey'),
    tlsClientCertData: text('tlsClientCertData'),
    tlsClientCertKey: text('tlsClientCertKey'),
    githubAppId: integer('githubAppID'),
    githubAppInstallationId: integer('githubAppInstallationID'),
    githubAppPrivateKey: text('githubAppPrivateKey'),
    githubAppEnterpriseBaseUrl: text('githubAppEnterpriseBaseUrl'),
    gcpServiceAccountKey: text('gcpServiceAccountKey'),
    useAzureWorkloadIdentity: flag('useAzureWorkloadIdentity') || undefined,
    // the two kinds of Secret spell the ids differently upstream; both are read in both
    azureServicePrincipalClientId: either('azureServicePrincipalClientId', 'azureServicePrincipalClientID'),
    azureServicePrincipalClientSecret: text('azureServicePrincipalClientSecret'),
    azureServicePrincipalTenantId: either('azureServicePrincipalTenantId', 'azureServicePrincipalTenantID'),
    azureActiveDirectoryEndpoint: text('azureActiveDirectoryEndpoint'),
  });
}

type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** The fields that have a value. */
function present<T extends object>(fields: T): Present<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Present<T>;
}

function withProblem<T extends RepositoryAccess>(record: T, problems: readonly string[]): T {
  return problems.length === 0
    ? record
    : { ...record, problem: `Configuration error: ${problems.join('; ')}` };
}
