import type { ClusterInput, ClusterView } from '#serve/api';

/** What a user fills in to register a cluster, or to change how it is registered. */
export type ClusterForm = {
  readonly server: string;
  readonly name: string;
  /** Empty: the stored one stays. */
  readonly token: string;
  /** PEM; empty: the stored one stays. */
  readonly authority: string;
  readonly isInsecure: boolean;
  /** With commas; empty: all. */
  readonly namespaces: string;
  readonly clusterResources: boolean;
  readonly project: string;
  /** `key=value` with commas. */
  readonly labels: string;
};

export const emptyCluster: ClusterForm = {
  server: '',
  name: '',
  token: '',
  authority: '',
  isInsecure: false,
  namespaces: '',
  clusterResources: false,
  project: '',
  labels: '',
};

export const clusterFormOf = (view: ClusterView): ClusterForm => ({
  ...emptyCluster,
  server: view.server,
  name: view.name,
  isInsecure: view.config.tlsClientConfig.insecure,
  namespaces: (view.namespaces ?? []).join(', '),
  clusterResources: view.clusterResources === true,
  project: view.project ?? '',
  labels: Object.entries(view.labels ?? {})
    .map(([key, value]) => `${key}=${value}`)
    .join(', '),
});

const listIn = (text: string): string[] =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean);

/**
 * What is sent. A certificate is sent as base64 of its text, as kubeconfigs have it; of the `stored` connection stays what the form
 * does not show.
 */
export function clusterInput(form: ClusterForm, stored?: ClusterView['config']): ClusterInput {
  const { server, name, token, authority, isInsecure, clusterResources, project } = form;
  const labels = listIn(form.labels).map((one) => one.split('=', 2) as [string, string]);
  return {
    server: server.trim(),
    name: name.trim() || server.trim(),
    config: {
      ...(stored?.proxyUrl && { proxyUrl: stored.proxyUrl }),
      ...(stored?.disableCompression && { disableCompression: true }),
      ...(token.trim() && { bearerToken: token.trim() }),
      tlsClientConfig: {
        insecure: isInsecure,
        ...(stored?.tlsClientConfig.serverName && { serverName: stored.tlsClientConfig.serverName }),
        ...(authority.trim() && { caData: btoa(`${authority.trim()}\n`) }),
      },
    },
    namespaces: listIn(form.namespaces),
    clusterResources,
    project: project.trim(),
    labels: Object.fromEntries(labels),
  };
}

/** The fields that an edit replaces; the connection only where something of it is given. */
export function changedFields(before: ClusterForm, after: ClusterForm): string[] {
  const isConnection =
    after.token.trim() !== '' || after.authority.trim() !== '' || after.isInsecure !== before.isInsecure;
  return ['name', 'namespaces', 'clusterResources', 'project', 'labels', ...(isConnection ? ['config'] : [])];
}

/** Whether a stored token would be sent to a server that is checked another way: the server wants it again (dev server §2.8). */
export const needsToken = (before: ClusterForm, after: ClusterForm): boolean =>
  after.token.trim() === '' && (after.authority.trim() !== '' || (after.isInsecure && !before.isInsecure));

/** Why it cannot be sent yet; undefined: the server connects, and judges. */
export function whyNotCluster(form: ClusterForm, isNew: boolean): string | undefined {
  if (!/^https?:\/\/\S+$/.test(form.server.trim())) return 'Its address is missing: https://…';
  if (isNew && form.token.trim() === '') return 'The token of a service account in the cluster is missing.';
  if (form.isInsecure && form.authority.trim() !== '')
    return 'Either a certificate authority, or no check of the certificate.';
  if (form.authority.trim() !== '' && !form.authority.includes('-----BEGIN CERTIFICATE-----'))
    return 'The certificate authority is no PEM: it begins with -----BEGIN CERTIFICATE-----.';
  const wrong = listIn(form.labels).find((one) => !/^[^=]+=[^=]*$/.test(one));
  return wrong === undefined ? undefined : `The label ${wrong} has no value: key=value.`;
}
