import {
  annotation,
  encodeBase64Text,
  type KubeObject,
  label,
  type RepositorySecretType,
  secretText,
  withoutUserInfo,
} from '#base/model';
import type { RepositoryInput, TemplateInput } from '#serve/api';
import { refuseRedirected } from '../redirected-credentials.ts';

/** Fields that are never returned, or not always: on an update what is left out stays (dev server §2.8). */
const kept = [
  'username',
  'password',
  'bearerToken',
  'sshPrivateKey',
  'tlsClientCertData',
  'tlsClientCertKey',
  'githubAppPrivateKey',
  'gcpServiceAccountKey',
  'azureServicePrincipalClientSecret',
] as const;

const shared = [
  'type',
  'githubAppID',
  'githubAppInstallationID',
  'githubAppEnterpriseBaseUrl',
  'useAzureWorkloadIdentity',
  'azureServicePrincipalClientId',
  'azureServicePrincipalTenantId',
  'azureActiveDirectoryEndpoint',
  'enableOCI',
  'insecureOCIForceHttp',
  'forceHttpBasicAuth',
  'proxy',
  'noProxy',
] as const;

const ofRepositories = [
  'name',
  'project',
  'insecure',
  'insecureIgnoreHostKey',
  'enableLfs',
  'depth',
  'webhookManifestCacheWarmDisabled',
] as const;

/** What sends credentials elsewhere, or to a host that is not checked. */
const redirecting = [
  'proxy',
  'insecure',
  'insecureOCIForceHttp',
  'githubAppEnterpriseBaseUrl',
  'azureActiveDirectoryEndpoint',
] as const;

/** What is sent, or lets its reader request a token. The key of a client certificate and of SSH is never sent. */
const confidential = [
  'password',
  'bearerToken',
  'githubAppPrivateKey',
  'gcpServiceAccountKey',
  'azureServicePrincipalClientSecret',
] as const;

/** compat server §1.6: the two kinds of Secret spell the ids of Azure differently. */
const templateKeys: Readonly<Record<string, string>> = {
  azureServicePrincipalClientId: 'azureServicePrincipalClientID',
  azureServicePrincipalTenantId: 'azureServicePrincipalTenantID',
};

type Data = Readonly<Record<string, string>>;
type Given = Partial<RepositoryInput> & Partial<TemplateInput>;

/**
 * compat server §1.6: the data of a Secret for a request body, with the secrets of the Secret that it replaces. Throws InvalidSpec
 * when the body would send one of those elsewhere.
 */
export function dataFor(input: Given, type: RepositorySecretType, before: Data = {}): Data {
  const isTemplate = type === 'repo-creds' || type === 'repo-write-creds';
  const fields: readonly (keyof Given)[] = isTemplate ? shared : [...shared, ...ofRepositories];
  const keyOf = (field: string): string => (isTemplate && templateKeys[field]) || field;
  const plain = fields.map((field) => [keyOf(field), textOf(input[field])] as const);
  const secret = kept.map((field) => [field, secretOf(input[field], before[field])] as const);
  const proxy = proxyFor(textOf(input.proxy), before.proxy);
  const all = [
    ['url', input.repo ?? input.url ?? ''] as const,
    ...plain,
    ...secret,
    ['proxy', proxy] as const,
  ];
  const data = Object.fromEntries(all.filter(([, value]) => value !== ''));
  const sent = confidential.filter((field) => input[field] !== null && !input[field] && data[field]);
  refuseRedirected(redirections(data, before), sent);
  return data;
}

/** What of the data of a Secret sends its credentials another way than before. */
export const redirections = (data: Data, before: Data = {}): readonly string[] =>
  redirecting.filter((key) => data[key] !== undefined && data[key] !== before[key]);

const textOf = (value: unknown): string =>
  value === undefined || value === null || value === false || value === 0 ? '' : String(value);

const secretOf = (given: string | null | undefined, before = ''): string =>
  given === null ? '' : given || before;

/** A proxy that was read is without its user. */
const proxyFor = (given: string, before = ''): string =>
  before !== '' && given === withoutUserInfo(before) ? before : given;

/** compat server §1.6: a Secret that the API owns. */
export const secretFor = (
  { name, namespace, type }: { name: string; namespace: string; type: RepositorySecretType },
  data: Data,
): KubeObject =>
  ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name,
      namespace,
      labels: { [label.secretType]: type },
      annotations: { [annotation.managedBy]: 'argocd.argoproj.io' },
    },
    data: encoded(data),
  }) as KubeObject;

/** The same Secret with other data; keys that are not ours stay. */
export function withData(secret: KubeObject, data: Data): KubeObject {
  const { stringData: _given, ...rest } = secret as KubeObject & { readonly stringData?: unknown };
  const others = Object.entries(secretText(secret)).filter(([key]) => !owned.has(key));
  return { ...rest, data: encoded({ ...Object.fromEntries(others), ...data }) } as KubeObject;
}

const owned = new Set<string>(['url', ...kept, ...shared, ...ofRepositories, ...Object.values(templateKeys)]);

const encoded = (data: Data): Data =>
  Object.fromEntries(Object.entries(data).map(([key, value]) => [key, encodeBase64Text(value)]));
