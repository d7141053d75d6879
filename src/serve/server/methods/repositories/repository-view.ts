import {
  hasCredentials,
  type Repository,
  type RepositoryAccess,
  templateFor,
  withoutUserInfo,
} from '#base/model';
import type { RepositoryAccessView, RepositoryView } from '#serve/api';
import { filled } from '../filled.ts';

/** A URL without its password; a user is part of an ssh URL and may be a token in any other. */
export const shownUrl = (url: string): string =>
  /^ssh:\/\//i.test(url) ? url.replace(/^(ssh:\/\/[^/?#@:]*):[^/?#@]*@/i, '$1@') : withoutUserInfo(url);

/** compat server §2.8: no password, key or token, and no user-info of a URL. */
export function accessView(access: RepositoryAccess): RepositoryAccessView {
  const { credentials: given, proxy = '', noProxy = '' } = access;
  return {
    type: access.type,
    ...filled({
      // a token may be written as the user of an empty password
      username: given.password ? (given.username ?? '') : '',
      enableOCI: access.enableOci,
      insecureOCIForceHttp: access.insecureOciForceHttp,
      forceHttpBasicAuth: access.forceHttpBasicAuth,
      proxy: withoutUserInfo(proxy),
      noProxy,
      githubAppID: given.githubAppId ?? 0,
      githubAppInstallationID: given.githubAppInstallationId ?? 0,
      githubAppEnterpriseBaseUrl: given.githubAppEnterpriseBaseUrl ?? '',
      useAzureWorkloadIdentity: given.useAzureWorkloadIdentity ?? false,
      azureServicePrincipalClientId: given.azureServicePrincipalClientId ?? '',
      azureServicePrincipalTenantId: given.azureServicePrincipalTenantId ?? '',
      azureActiveDirectoryEndpoint: given.azureActiveDirectoryEndpoint ?? '',
    }),
  };
}

/** A repository as a caller may read it. `templates` are the credential templates of the installation. */
export function repositoryView(
  repository: Repository,
  templates: readonly RepositoryAccess[],
): RepositoryView {
  const inherits = !hasCredentials(repository) && templateFor(repository.url, templates) !== undefined;
  return {
    repo: shownUrl(repository.url),
    ...accessView(repository),
    ...filled({
      name: repository.name,
      project: repository.project,
      // compat: one field stands for both
      insecure: repository.insecure || repository.insecureIgnoreHostKey,
      insecureIgnoreHostKey: repository.insecureIgnoreHostKey,
      enableLfs: repository.enableLfs,
      depth: repository.depth,
      webhookManifestCacheWarmDisabled: repository.webhookManifestCacheWarmDisabled,
      inheritedCreds: inherits,
    }),
  };
}
