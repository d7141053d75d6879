import { readFile } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import type { TemplateInput } from '#serve/api';
import { given, wholeNumber } from '../../input/flag-values.ts';
import { ExitError, type Io, usageExitCode } from '../../io.ts';

/** Flags about the access to a repository, with the names of `argocd repo add`. */
export type CredentialFlags = {
  type?: string;
  username?: string;
  password?: string;
  bearerToken?: string;
  sshPrivateKeyPath?: string;
  tlsClientCertPath?: string;
  tlsClientCertKeyPath?: string;
  githubAppId?: string;
  githubAppInstallationId?: string;
  githubAppPrivateKeyPath?: string;
  githubAppEnterpriseBaseUrl?: string;
  gcpServiceAccountKeyPath?: string;
  useAzureWorkloadIdentity?: boolean;
  azureServicePrincipalClientId?: string;
  azureServicePrincipalClientSecret?: string;
  azureServicePrincipalTenantId?: string;
  azureActiveDirectoryEndpoint?: string;
  enableOci?: boolean;
  insecureOciForceHttp?: boolean;
  forceHttpBasicAuth?: boolean;
  proxy?: string;
  noProxy?: string;
};

export function addCredentialFlags(command: Command): Command {
  return command
    .option('--type <type>', 'git, helm or oci', 'git')
    .option('--username <name>', 'the user')
    .option(
      '--password <text>',
      'the password, or an access token; prompted for on a terminal when --username is given',
    )
    .option('--bearer-token <text>', 'a bearer token, as Bitbucket Data Center has them')
    .option('--ssh-private-key-path <file>', 'the private key for SSH')
    .option('--tls-client-cert-path <file>', 'a certificate to identify with (PEM)')
    .option('--tls-client-cert-key-path <file>', 'its key (PEM)')
    .option('--github-app-id <number>', 'the id of a GitHub App')
    .option('--github-app-installation-id <number>', 'its installation')
    .option('--github-app-private-key-path <file>', 'its private key')
    .option('--github-app-enterprise-base-url <url>', 'the API of GitHub Enterprise')
    .option('--gcp-service-account-key-path <file>', 'the key of a Google Cloud service account')
    .option('--use-azure-workload-identity', 'use the identity of the pod at Azure')
    .option('--azure-service-principal-client-id <id>', 'a service principal at Azure')
    .option('--azure-service-principal-client-secret <text>', 'its secret')
    .option('--azure-service-principal-tenant-id <id>', 'its tenant')
    .option('--azure-active-directory-endpoint <url>', 'where it signs in')
    .option('--enable-oci', 'a chart repository that is a registry')
    .option('--insecure-oci-force-http', 'a registry without TLS')
    .option('--force-http-basic-auth', 'send the password with the first request')
    .option('--proxy <url>', 'reach it through this proxy')
    .addOption(noProxy());
}

/** Commander takes every flag that begins with --no- for the opposite of one without: this one is of its own, and has a value. */
function noProxy(): Option {
  const option = new Option('--no-proxy <hosts>', 'hosts that are reached without the proxy');
  option.negate = false;
  return option;
}

type Access = Omit<TemplateInput, 'url'>;

/** What the flags say about the access; files are read, a missing password is prompted for on a terminal. */
export async function accessOf(io: Io, flags: CredentialFlags): Promise<Access> {
  const { type = 'git' } = flags;
  if (type !== 'git' && type !== 'helm' && type !== 'oci')
    throw new ExitError(usageExitCode, `unknown --type ${type}: use git, helm or oci`);
  return {
    type,
    ...given({
      username: flags.username,
      password: await passwordOf(io, flags),
      bearerToken: flags.bearerToken,
      sshPrivateKey: await textOf('--ssh-private-key-path', flags.sshPrivateKeyPath),
      tlsClientCertData: await textOf('--tls-client-cert-path', flags.tlsClientCertPath),
      tlsClientCertKey: await textOf('--tls-client-cert-key-path', flags.tlsClientCertKeyPath),
      ...(await githubOf(flags)),
      gcpServiceAccountKey: await textOf('--gcp-service-account-key-path', flags.gcpServiceAccountKeyPath),
      ...azureOf(flags),
      enableOCI: flags.enableOci,
      insecureOCIForceHttp: flags.insecureOciForceHttp,
      forceHttpBasicAuth: flags.forceHttpBasicAuth,
      proxy: flags.proxy,
      noProxy: flags.noProxy,
    }),
  };
}

const azureOf = (flags: CredentialFlags) => ({
  useAzureWorkloadIdentity: flags.useAzureWorkloadIdentity,
  azureServicePrincipalClientId: flags.azureServicePrincipalClientId,
  azureServicePrincipalClientSecret: flags.azureServicePrincipalClientSecret,
  azureServicePrincipalTenantId: flags.azureServicePrincipalTenantId,
  azureActiveDirectoryEndpoint: flags.azureActiveDirectoryEndpoint,
});

async function githubOf(flags: CredentialFlags) {
  const id = (flag: string, text: string | undefined) =>
    text === undefined ? undefined : wholeNumber(flag, text);
  return {
    githubAppID: id('--github-app-id', flags.githubAppId),
    githubAppInstallationID: id('--github-app-installation-id', flags.githubAppInstallationId),
    githubAppPrivateKey: await textOf('--github-app-private-key-path', flags.githubAppPrivateKeyPath),
    githubAppEnterpriseBaseUrl: flags.githubAppEnterpriseBaseUrl,
  };
}

async function passwordOf(io: Io, { username, password, sshPrivateKeyPath }: CredentialFlags) {
  const isMissing = username !== undefined && password === undefined && sshPrivateKeyPath === undefined;
  return isMissing && io.isTerminal ? io.prompt('Password: ', { hidden: true }) : password;
}

async function textOf(flag: string, file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined;
  return readFile(file, 'utf8').catch((error: unknown) => {
    throw new ExitError(20, `${flag} ${file} cannot be read: ${(error as Error).message}`);
  });
}
