import type { ClusterInput, ClusterView } from '#serve/api';

/** What a user fills in to register a cluster, or to change how it is registered. */
export type ClusterForm = {
  readonly server: string;
  readonly name: string;
  /** Empty: the stored one stays. */
  readonly token: string;
  /** With its password, instead of a token; empty: the stored one stays. */
  readonly username: string;
  readonly password: string;
  /** PEM; empty: the stored one stays. */
  readonly authority: string;
  readonly isInsecure: boolean;
  readonly proxy: string;
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
  username: '',
  password: '',
  authority: '',
  isInsecure: false,
  proxy: '',
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
  proxy: view.config.proxyUrl ?? '',
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

/** What a cluster recognises its reader by. A token and a user exclude each other: the one that is given replaces the other. */
function credentialsOf({ token, username, password }: ClusterForm): Partial<ClusterInput['config']> {
  if (token.trim() !== '') return { bearerToken: token.trim(), username: null, password: null };
  if (username.trim() === '' && password === '') return {};
  return { bearerToken: null, username: username.trim(), password };
}

/**
 * What is sent. A certificate is sent as base64 of its text, as kubeconfigs have it; of the `stored` connection stays what the form
 * does not show.
 */
export function clusterInput(form: ClusterForm, stored?: ClusterView['config']): ClusterInput {
  const { server, name, authority, isInsecure, clusterResources, project } = form;
  const proxyUrl = form.proxy.trim();
  const labels = listIn(form.labels).map((one) => one.split('=', 2) as [string, string]);
  return {
    server: server.trim(),
    name: name.trim() || server.trim(),
    config: {
      ...credentialsOf(form),
      ...(proxyUrl && { proxyUrl }),
      ...(stored?.disableCompression && { disableCompression: true }),
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

const hasCredentials = ({ token, username, password }: ClusterForm): boolean =>
  [token, username, password].some((one) => one.trim() !== '');

/** The fields that an edit replaces; the connection only where something of it is given. */
export function changedFields(before: ClusterForm, after: ClusterForm): string[] {
  const isConnection =
    hasCredentials(after) ||
    after.authority.trim() !== '' ||
    after.isInsecure !== before.isInsecure ||
    after.proxy.trim() !== before.proxy;
  return ['name', 'namespaces', 'clusterResources', 'project', 'labels', ...(isConnection ? ['config'] : [])];
}

/**
 * What of the form would send a stored token or password another way, or to a server that is checked another way: the server wants
 * it again (dev server §2.8).
 */
export function redirectedBy(
  before: ClusterForm,
  after: ClusterForm,
): ('proxy' | 'authority' | 'isInsecure')[] {
  if (after.token.trim() !== '' || after.password !== '') return [];
  const proxy = after.proxy.trim();
  return [
    ...(proxy !== '' && proxy !== before.proxy ? (['proxy'] as const) : []),
    ...(after.authority.trim() !== '' ? (['authority'] as const) : []),
    ...(after.isInsecure && !before.isInsecure ? (['isInsecure'] as const) : []),
  ];
}

/** Why it cannot be sent yet; undefined: the server connects, and judges. */
export function whyNotCluster(form: ClusterForm, isNew: boolean): string | undefined {
  if (!/^https?:\/\/\S+$/.test(form.server.trim())) return 'Its address is missing: https://…';
  const why = whyNotCredentials(form, isNew) ?? whyNotConnection(form);
  if (why) return why;
  const wrong = listIn(form.labels).find((one) => !/^[^=]+=[^=]*$/.test(one));
  return wrong === undefined ? undefined : `The label ${wrong} has no value: key=value.`;
}

function whyNotCredentials({ token, username, password }: ClusterForm, isNew: boolean): string | undefined {
  const [hasUser, hasPassword] = [username.trim() !== '', password !== ''];
  if (token.trim() !== '')
    return hasUser || hasPassword ? 'Either a token, or a user and a password.' : undefined;
  if (!isNew || (hasUser && hasPassword)) return undefined;
  return hasUser || hasPassword
    ? 'A user and the password belong together: one of them is missing.'
    : 'The token of a service account in the cluster is missing.';
}

function whyNotConnection({ authority, isInsecure, proxy }: ClusterForm): string | undefined {
  if (isInsecure && authority.trim() !== '')
    return 'Either a certificate authority, or no check of the certificate.';
  if (authority.trim() !== '' && !authority.includes('-----BEGIN CERTIFICATE-----'))
    return 'The certificate authority is no PEM: it begins with -----BEGIN CERTIFICATE-----.';
  if (proxy.trim() !== '' && !/^https?:\/\/\S+$/.test(proxy.trim()))
    return 'The proxy has an address: http://… or https://…';
  return undefined;
}
