import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Ctx } from '#base/std';
import type { Payload } from './payload.ts';
import {
  type DeliveredRequest,
  requestFromAzureDevOps,
  requestFromGitHub,
  requestFromGitLab,
} from './pull-requests.ts';
import {
  type DeliveredPushes,
  fromAzureDevOps,
  fromBitbucket,
  fromBitbucketServer,
  fromContainerRegistry,
  fromGitHub,
  fromGitLab,
  fromHarbor,
  fromRegistry,
} from './pushes.ts';

/** A value of `argocd-secret`; undefined or empty: the host's deliveries are not verified. */
export type SecretOf = (key: string) => string | undefined;

type Delivery = { readonly headers: IncomingHttpHeaders; readonly body: Uint8Array };

/** A Git host or registry provider: how its deliveries are recognized, verified and parsed. */
export type Host = {
  readonly name: string;
  /** The keys of `argocd-secret` that its deliveries are verified with. */
  readonly keys: readonly string[];
  /** The header or the field of the body that names the event. */
  readonly event: { readonly header: string } | { readonly field: string };
  /** Hosts that are this provider's own; without a pattern it is self-hosted only. */
  readonly owns?: RegExp;
  /** Whether users run it on their own hosts. */
  readonly isSelfHosted: boolean;
  /** The status of the response to a delivery with a wrong signature; left out: 400. */
  readonly refusal?: number;
  sends(headers: IncomingHttpHeaders, secret: SecretOf): boolean;
  /** Called only where a secret is set. */
  isGenuine(delivery: Delivery, secret: SecretOf): boolean;
  read(headers: IncomingHttpHeaders, payload: Payload): DeliveredPushes;
  /** Left out: its pull requests are not used. */
  request?(headers: IncomingHttpHeaders, payload: Payload): DeliveredRequest;
};

/** dev server §2.7: the secret of registries that notify as CNCF Distribution does. */
const registryKey = 'fairlead.webhook.registry.secret';

const sendsRegistryEvents = (headers: IncomingHttpHeaders): boolean =>
  /^application\/vnd\.docker\.distribution\.events\.v[12]\+json(?:;|$)/i.test(text(headers, 'content-type'));

/** compat server §2.7: the first that matches is the sender. Gogs also sends GitHub's headers. */
const hosts: readonly Host[] = [
  {
    name: 'Azure DevOps',
    keys: ['webhook.azuredevops.username', 'webhook.azuredevops.password'],
    event: { field: 'eventType' },
    owns: /(?:^|\.)dev\.azure\.com$|\.visualstudio\.com$/,
    isSelfHosted: true,
    sends: has('x-vss-activityid'),
    isGenuine: ({ headers }, secret) =>
      same(
        text(headers, 'authorization'),
        `Basic ${Buffer.from(`${secret('webhook.azuredevops.username') ?? ''}:${secret('webhook.azuredevops.password') ?? ''}`).toString('base64')}`,
      ),
    read: (_headers, payload) => fromAzureDevOps(payload),
    request: (_headers, payload) => requestFromAzureDevOps(payload),
  },
  {
    name: 'Gogs',
    keys: ['webhook.gogs.secret'],
    event: { header: 'x-gogs-event' },
    owns: /^(?:codeberg\.org|gitea\.com)$/,
    isSelfHosted: true,
    sends: has('x-gogs-event'),
    isGenuine: (delivery, secret) =>
      same(
        text(delivery.headers, 'x-gogs-signature'),
        hmac('sha256', delivery, secret('webhook.gogs.secret')),
      ),
    read: (headers, payload) => fromGitHub(text(headers, 'x-gogs-event'), payload),
    request: (headers, payload) => requestFromGitHub(text(headers, 'x-gogs-event'), payload, 'gitea'),
  },
  {
    name: 'GitHub',
    keys: ['webhook.github.secret'],
    event: { header: 'x-github-event' },
    owns: /(?:^|\.)(?:github\.com|ghe\.com)$/,
    isSelfHosted: true,
    sends: (headers) => has('x-github-event')(headers) && text(headers, 'x-github-event') !== 'package',
    isGenuine: isSignedByGitHub,
    read: (headers, payload) => fromGitHub(text(headers, 'x-github-event'), payload),
    request: (headers, payload) => requestFromGitHub(text(headers, 'x-github-event'), payload),
  },
  {
    name: 'GitLab',
    keys: ['webhook.gitlab.secret'],
    event: { header: 'x-gitlab-event' },
    owns: /(?:^|\.)gitlab\.com$/,
    isSelfHosted: true,
    sends: has('x-gitlab-event'),
    isGenuine: ({ headers }, secret) =>
      same(text(headers, 'x-gitlab-token'), secret('webhook.gitlab.secret') ?? ''),
    read: (headers, payload) => fromGitLab(text(headers, 'x-gitlab-event'), payload),
    request: (headers, payload) => requestFromGitLab(text(headers, 'x-gitlab-event'), payload),
  },
  {
    name: 'Bitbucket Cloud',
    keys: ['webhook.bitbucket.uuid'],
    event: { header: 'x-event-key' },
    owns: /(?:^|\.)bitbucket\.org$/,
    isSelfHosted: false,
    sends: has('x-hook-uuid'),
    isGenuine: ({ headers }, secret) =>
      same(text(headers, 'x-hook-uuid'), secret('webhook.bitbucket.uuid') ?? ''),
    read: (headers, payload) => fromBitbucket(text(headers, 'x-event-key'), payload),
  },
  {
    name: 'Bitbucket Server',
    keys: ['webhook.bitbucketserver.secret'],
    event: { header: 'x-event-key' },
    isSelfHosted: true,
    sends: has('x-event-key'),
    isGenuine: (delivery, secret) =>
      ['sha256', 'sha1'].some((kind) =>
        same(
          text(delivery.headers, 'x-hub-signature'),
          `${kind}=${hmac(kind, delivery, secret('webhook.bitbucketserver.secret'))}`,
        ),
      ),
    read: (headers, payload) => fromBitbucketServer(text(headers, 'x-event-key'), payload),
  },
  {
    name: 'GitHub Container Registry',
    keys: ['webhook.github.secret'],
    event: { header: 'x-github-event' },
    owns: /^ghcr\.io$/,
    isSelfHosted: false,
    refusal: 401,
    sends: (headers) => text(headers, 'x-github-event') === 'package',
    isGenuine: isSignedByGitHub,
    read: (_headers, payload) => fromContainerRegistry(payload),
  },
  {
    name: 'OCI registry',
    keys: [registryKey],
    event: { field: 'events' },
    isSelfHosted: true,
    // as Harbor: recognized by the secret, which the registry is configured to send
    sends: (headers, secret) => {
      const wanted = secret(registryKey);
      const given = text(headers, 'authorization').replace(/^Bearer +/i, '');
      return sendsRegistryEvents(headers) && Boolean(wanted) && same(given, wanted ?? '');
    },
    isGenuine: () => true,
    read: (_headers, payload) => fromRegistry(payload),
  },
  {
    name: 'Harbor',
    keys: ['webhook.harbor.secret'],
    event: { field: 'type' },
    isSelfHosted: true,
    // its deliveries are recognized by the secret alone: without one there are none
    sends: (headers, secret) => {
      const wanted = secret('webhook.harbor.secret');
      return Boolean(wanted) && same(text(headers, 'authorization'), wanted ?? '');
    },
    isGenuine: () => true,
    read: (_headers, payload) => fromHarbor(payload),
  },
];

/** The provider that sent this; undefined when its headers match no provider. */
export const senderOf = (headers: IncomingHttpHeaders, secret: SecretOf): Host | undefined =>
  hosts.find(({ sends }) => sends(headers, secret));

/** The event that a delivery names, for the log. */
export const eventOf = ({ event }: Host, headers: IncomingHttpHeaders, payload: Payload): string =>
  ('header' in event ? text(headers, event.header) : payload.at(event.field).text).slice(0, 80);

/**
 * dev server §2.7: whether a provider's delivery is accepted for a repository on a host. It must be signed with the
 * secret of the host's provider if one is set; on a host of unknown provider an unsigned delivery counts only while no
 * provider that users host themselves has a secret (docs/decisions/0032).
 */
export function speaksFor(provider: Host, repository: string, secret: SecretOf): boolean {
  const address = hostOf(repository);
  const owner = hosts.find(({ owns }) => owns?.test(address));
  if (owner && owner !== provider) return !isVerified(owner, secret);
  if (owner || isVerified(provider, secret)) return true;
  return !hosts.some((one) => one.isSelfHosted && isVerified(one, secret));
}

/** The host of a repository's URL, with or without scheme, user and port. */
const hostOf = (url: string): string =>
  (/^(?:[a-z][a-z0-9+.-]*:\/\/)?(?:[^/@]*@)?(\[[^\]]*\]|[^/:@]+)/i.exec(url)?.[1] ?? '').toLowerCase();

type Unverified = {
  readonly secret: SecretOf;
  /** Yields each time a secret may have changed. */
  readonly changes: AsyncIterable<unknown>;
  /** Whether other machines can connect to us. */
  readonly isReachable: boolean;
};

/**
 * dev server §2.7: one log line at the start names the hosts whose deliveries can be forged, not one line each. It is a
 * warning where other machines can connect to us, and always when one of them was verified before.
 */
export async function reportUnverified({ log }: Pick<Ctx, 'log'>, unverified: Unverified): Promise<void> {
  const { secret, changes, isReachable } = unverified;
  // a registry without a secret delivers nothing, and that of GitHub uses the key of GitHub
  const registries = ['Harbor', 'OCI registry', 'GitHub Container Registry'];
  const open = hosts.filter(({ name }) => !registries.includes(name));
  const keysNow = () => open.filter((host) => !isVerified(host, secret)).map((host) => host.keys[0]);
  let known = keysNow();
  const reported = 'webhook deliveries are accepted unverified: set these keys in argocd-secret';
  if (known.length > 0) log[isReachable ? 'warn' : 'info'](reported, { keys: known });
  for await (const _change of changes) {
    const before = new Set(known);
    known = keysNow();
    const keys = known.filter((key) => !before.has(key));
    if (keys.length > 0)
      log.warn('webhook deliveries are accepted unverified from now on: argocd-secret has lost these keys', {
        keys,
      });
  }
}

/** compat server §2.7: without a secret a delivery is accepted unverified. */
export const isVerified = ({ keys }: Host, secret: SecretOf): boolean => keys.some((key) => secret(key));

function isSignedByGitHub(delivery: Delivery, secret: SecretOf): boolean {
  const wanted = `sha256=${hmac('sha256', delivery, secret('webhook.github.secret'))}`;
  return same(text(delivery.headers, 'x-hub-signature-256'), wanted);
}

function has(header: string): (headers: IncomingHttpHeaders) => boolean {
  return (headers) => text(headers, header) !== '';
}

function text(headers: IncomingHttpHeaders, name: string): string {
  const value = headers[name];
  return typeof value === 'string' ? value : '';
}

const hmac = (kind: string, { body }: Delivery, secret = ''): string =>
  createHmac(kind, secret).update(body).digest('hex');

/** In constant time. */
function same(given: string, wanted: string): boolean {
  const [a, b] = [given, wanted].map((value) => createHmac('sha256', 'compare').update(value).digest());
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
}
