import type { KubeObject } from '#base/model';
import { parseJson } from '#base/std';
import type { Check } from '../../check.ts';
import { objectAt, textAt, valueAt } from '../../kinds.ts';

/** A value that stands for another: encrypted by SOPS, filled in by a plugin, or left to the reader. */
const placeholder = /^(?:ENC\[|<[^>]*>$|\$\{?[\w.-]+\}?$|\.{3}$|\s*$)/;

/** What is public in any Secret: certificates. */
const certificates: ReadonlySet<string> = new Set(['ca.crt', 'tls.crt']);

/** What is secret in the Secrets that describe repositories; the rest is an address and a name. */
const repositorySecrets: ReadonlySet<string> = new Set([
  'password',
  'bearerToken',
  'sshPrivateKey',
  'tlsClientCertKey',
  'githubAppPrivateKey',
  'gcpServiceAccountKey',
]);
/** What is secret in the connection to a cluster; a role of a cloud, or a program that signs in, is not. */
const clusterSecrets = [['bearerToken'], ['password'], ['tlsClientConfig', 'keyData']];

/** Whether the value of a field of a Secret has to be kept secret. */
function isSecret(object: KubeObject, name: string, value: string): boolean {
  if (placeholder.test(value) || certificates.has(name)) return false;
  const type = textAt(object, ['metadata', 'labels', 'argocd.argoproj.io/secret-type']);
  if (type === 'repository' || type === 'repo-creds') return repositorySecrets.has(name);
  if (type !== 'cluster') return true;
  return name === 'config' && hasCredential(value);
}

function hasCredential(config: string): boolean {
  try {
    const value = parseJson(config);
    return clusterSecrets.some((path) => !placeholder.test(textAt(value, path) ?? ''));
  } catch {
    return true;
  }
}

export const plainSecret: Check = {
  id: 'plain-secret',
  title: 'a Secret is in Git in clear text',
  severity: 'error',
  why: 'base64 is no encryption: everyone who can read the repository, its clones and its history has the value, for ever.',
  fix: 'change the value, then keep a SealedSecret, an ExternalSecret or a file encrypted with SOPS in Git',
  reads: ['Secret'],
  *find(object, { isLive }) {
    if (isLive || valueAt(object, ['sops']) !== undefined) return;
    for (const field of ['stringData', 'data']) {
      const names = Object.entries(objectAt(object, [field])).flatMap(([name, value]) =>
        typeof value === 'string' && isSecret(object, name, value) ? [name] : [],
      );
      const [first] = names;
      if (first === undefined) continue;
      yield {
        at: [field, first],
        message: `${object.metadata.name} holds ${names.length === 1 ? first : `${first} and ${names.length - 1} more`} in clear text`,
        causedBy: ['secretGenerator'],
      };
    }
  },
};
