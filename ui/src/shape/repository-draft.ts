import { templateFor } from '#base/model';
import type { RepositoryInput, RepositoryView, TemplateInput, TemplateView } from '#serve/api';

/** How a repository recognises its reader. */
export type AccessWay =
  | 'stored'
  | 'none'
  | 'password'
  | 'token'
  | 'ssh'
  | 'github'
  | 'google'
  | 'azure'
  | 'workload';

/** What a user fills in to connect a repository, or to store credentials for all whose address begins alike. */
export type RepositoryForm = {
  readonly address: string;
  readonly name: string;
  readonly project: string;
  readonly type: 'git' | 'helm' | 'oci';
  /** Undefined: as the address suggests. */
  readonly way: AccessWay | undefined;
  readonly username: string;
  readonly password: string;
  readonly bearerToken: string;
  readonly sshPrivateKey: string;
  readonly githubAppID: string;
  readonly githubAppInstallationID: string;
  readonly githubAppEnterpriseBaseUrl: string;
  readonly githubAppPrivateKey: string;
  readonly gcpServiceAccountKey: string;
  readonly azureServicePrincipalClientId: string;
  readonly azureServicePrincipalClientSecret: string;
  readonly azureServicePrincipalTenantId: string;
  /** PEM; both empty: the stored ones stay. */
  readonly tlsClientCertData: string;
  readonly tlsClientCertKey: string;
  readonly proxy: string;
  readonly noProxy: string;
  readonly insecure: boolean;
  readonly enableLfs: boolean;
  readonly enableOCI: boolean;
};

export const emptyRepository: RepositoryForm = {
  address: '',
  name: '',
  project: '',
  type: 'git',
  way: undefined,
  username: '',
  password: '',
  bearerToken: '',
  sshPrivateKey: '',
  githubAppID: '',
  githubAppInstallationID: '',
  githubAppEnterpriseBaseUrl: '',
  githubAppPrivateKey: '',
  gcpServiceAccountKey: '',
  azureServicePrincipalClientId: '',
  azureServicePrincipalClientSecret: '',
  azureServicePrincipalTenantId: '',
  tlsClientCertData: '',
  tlsClientCertKey: '',
  proxy: '',
  noProxy: '',
  insecure: false,
  enableLfs: false,
  enableOCI: false,
};

type Stored = Partial<RepositoryView> & Partial<TemplateView>;

/** The form of what is stored; its secrets are not known here. */
export const repositoryFormOf = (view: Stored): RepositoryForm => ({
  ...emptyRepository,
  address: view.repo ?? view.url ?? '',
  name: view.name ?? '',
  project: view.project ?? '',
  type: view.type === 'helm' || view.type === 'oci' ? view.type : 'git',
  way: 'stored',
  username: view.username ?? '',
  proxy: view.proxy ?? '',
  noProxy: view.noProxy ?? '',
  insecure: view.insecure === true,
  enableLfs: view.enableLfs === true,
  enableOCI: view.enableOCI === true,
});

const fieldsOf = {
  none: [],
  password: ['username', 'password'],
  token: ['bearerToken'],
  ssh: ['sshPrivateKey'],
  github: ['githubAppID', 'githubAppInstallationID', 'githubAppEnterpriseBaseUrl', 'githubAppPrivateKey'],
  google: ['gcpServiceAccountKey'],
  azure: [
    'azureServicePrincipalClientId',
    'azureServicePrincipalClientSecret',
    'azureServicePrincipalTenantId',
  ],
  workload: [],
} as const satisfies Readonly<Record<Exclude<AccessWay, 'stored'>, readonly (keyof RepositoryForm)[]>>;

/** The way that is chosen, or the one that the address suggests. */
export const wayOf = ({ way, address }: RepositoryForm): AccessWay =>
  way ?? (/^(?:ssh:\/\/|[^/:]+@[^/]+:)/.test(address) ? 'ssh' : 'none');

/** Credentials of another way than the chosen one are removed; those of the stored way stay unless they are given. */
function credentialsOf(form: RepositoryForm): Partial<TemplateInput> {
  const way = wayOf(form);
  const certificate = {
    ...(form.tlsClientCertData.trim() && { tlsClientCertData: `${form.tlsClientCertData.trim()}\n` }),
    ...(form.tlsClientCertKey.trim() && { tlsClientCertKey: `${form.tlsClientCertKey.trim()}\n` }),
  };
  if (way === 'stored') return certificate;
  const given: readonly string[] = fieldsOf[way];
  const fields = Object.values(fieldsOf)
    .flat()
    .map((field) => [field, given.includes(field) ? typed(field, form[field]) : null] as const);
  return { ...Object.fromEntries(fields), useAzureWorkloadIdentity: way === 'workload', ...certificate };
}

/** A key ends with a line feed, or some readers refuse it; an id is a number. */
function typed(field: string, value: string): string | number | null {
  const text = value.trim();
  if (field.endsWith('ID')) return text === '' ? null : Number(text);
  return text.startsWith('-----BEGIN') ? `${text}\n` : text;
}

/** What is sent of the fields that both have; `before` has those that the form does not show. */
function sharedOf(form: RepositoryForm, before: Stored): TemplateInput {
  const { type, proxy, noProxy, enableOCI } = form;
  const { githubAppID, githubAppInstallationID, githubAppEnterpriseBaseUrl, ...withAzure } = before;
  const { azureServicePrincipalClientId, azureServicePrincipalTenantId, useAzureWorkloadIdentity, ...rest } =
    withAzure;
  const isKept = wayOf(form) === 'stored' && before.inheritedCreds !== true;
  const { connectionState: _state, inheritedCreds: _inherited, username: _user, ...others } = rest;
  const app = { githubAppID, githubAppInstallationID, githubAppEnterpriseBaseUrl };
  const azure = { azureServicePrincipalClientId, azureServicePrincipalTenantId, useAzureWorkloadIdentity };
  const plain = { type, proxy: proxy.trim(), noProxy: noProxy.trim(), enableOCI };
  return {
    ...others,
    ...(isKept && { ...app, ...azure }),
    ...plain,
    ...credentialsOf(form),
  } as TemplateInput;
}

export const repositoryInput = (
  form: RepositoryForm,
  before: Partial<RepositoryView> = {},
): RepositoryInput => ({
  ...(sharedOf(form, before) as Partial<TemplateInput>),
  repo: form.address.trim(),
  name: form.name.trim(),
  project: form.project.trim(),
  insecure: form.insecure,
  enableLfs: form.enableLfs,
});

export const templateInput = (form: RepositoryForm, before: Partial<TemplateView> = {}): TemplateInput => ({
  ...sharedOf(form, before),
  url: form.address.trim(),
});

/** What is sent in each way, and stays where it is left empty. */
const confidential: Readonly<Partial<Record<AccessWay, keyof RepositoryForm>>> = {
  password: 'password',
  token: 'bearerToken',
  google: 'gcpServiceAccountKey',
  azure: 'azureServicePrincipalClientSecret',
};

type Redirection = 'proxy' | 'insecure';

/** What of the form would send stored credentials another way than before: the server wants them again (dev server §2.8). */
export function redirectedBy(form: RepositoryForm, before: Stored = {}): Redirection[] {
  const way = wayOf(form);
  const field = confidential[way];
  const isKept = way === 'stored' ? before.inheritedCreds !== true : field && form[field] === '';
  return isKept ? redirections(form, before) : [];
}

/** What would send those of a template another way, which needs the permission to update that one (dev server §2.8). */
export const borrowedBy = (form: RepositoryForm, before: Stored = {}): Redirection[] =>
  before.inheritedCreds && wayOf(form) === 'stored' ? redirections(form, before) : [];

function redirections(form: RepositoryForm, before: Stored): Redirection[] {
  const proxy = form.proxy.trim();
  return [
    ...(proxy !== '' && proxy !== before.proxy ? (['proxy'] as const) : []),
    ...(form.insecure && before.insecure !== true ? (['insecure'] as const) : []),
  ];
}

/** Where the credentials of a repository come from that has none of its own, and what becomes of them; undefined: it has some. */
export function borrowedFrom(
  { repo = '', inheritedCreds }: Partial<RepositoryView>,
  templates: readonly TemplateView[] = [],
): string | undefined {
  if (!inheritedCreds) return undefined;
  const template = templateFor(repo, templates);
  const which = template ? `the template ${template.url}` : 'a credential template';
  return `It has none of its own: those of ${which} are used, until others are given here.`;
}

/** Why it cannot be sent yet; undefined: the server judges. */
export function whyNotRepository(form: RepositoryForm): string | undefined {
  if (form.address.trim() === '') return 'Its address is missing.';
  if (wayOf(form) === 'github') {
    if (!/^\d+$/.test(form.githubAppID.trim())) return 'The id of the GitHub App is a number.';
    if (!/^\d*$/.test(form.githubAppInstallationID.trim())) return 'The id of the installation is a number.';
    if (form.githubAppPrivateKey.trim() === '') return 'The private key of the GitHub App is missing.';
  }
  if ((form.tlsClientCertData.trim() === '') !== (form.tlsClientCertKey.trim() === ''))
    return 'A client certificate needs both: the certificate and its key.';
  return undefined;
}
