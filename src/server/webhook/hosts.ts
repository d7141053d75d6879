import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Ctx } from '#std';
import type { Payload } from './payload.ts';
import {
  fromAzureDevOps,
  fromBitbucket,
  fromBitbucketServer,
  fromGitHub,
  fromGitLab,
  type Reading,
} from './pushes.ts';

/** A value of `argocd-secret`; undefined or empty: the host's deliveries are not verified. */
export type SecretOf = (key: string) => string | undefined;

type Delivery = { readonly headers: IncomingHttpHeaders; readonly body: Uint8Array };

/** A place that hosts repositories: how its deliveries are known, trusted and read. */
export type Host = {
  readonly name: string;
  /** The keys of `argocd-secret` that its deliveries are verified with. */
  readonly keys: readonly string[];
  sends(headers: IncomingHttpHeaders): boolean;
  /** Called only where a secret is set. */
  isGenuine(delivery: Delivery, secret: SecretOf): boolean;
  read(headers: IncomingHttpHeaders, payload: Payload): Reading;
};

/** compat server §2.7: the first that matches is the sender. Gogs also sends GitHub's headers. */
const hosts: readonly Host[] = [
  {
    name: 'Azure DevOps',
    keys: ['webhook.azuredevops.username', 'webhook.azuredevops.password'],
    sends: has('x-vss-activityid'),
    isGenuine: ({ headers }, secret) =>
      same(
        text(headers, 'authorization'),
        `Basic ${Buffer.from(`${secret('webhook.azuredevops.username') ?? ''}:${secret('webhook.azuredevops.password') ?? ''}`).toString('base64')}`,
      ),
    read: (_headers, payload) => fromAzureDevOps(payload),
  },
  {
    name: 'Gogs',
    keys: ['webhook.gogs.secret'],
    sends: has('x-gogs-event'),
    isGenuine: (delivery, secret) =>
      same(
        text(delivery.headers, 'x-gogs-signature'),
        hmac('sha256', delivery, secret('webhook.gogs.secret')),
      ),
    read: (headers, payload) => fromGitHub(text(headers, 'x-gogs-event'), payload),
  },
  {
    name: 'GitHub',
    keys: ['webhook.github.secret'],
    sends: (headers) => has('x-github-event')(headers) && text(headers, 'x-github-event') !== 'package',
    isGenuine: (delivery, secret) =>
      same(
        text(delivery.headers, 'x-hub-signature-256'),
        `sha256=${hmac('sha256', delivery, secret('webhook.github.secret'))}`,
      ),
    read: (headers, payload) => fromGitHub(text(headers, 'x-github-event'), payload),
  },
  {
    name: 'GitLab',
    keys: ['webhook.gitlab.secret'],
    sends: has('x-gitlab-event'),
    isGenuine: ({ headers }, secret) =>
      same(text(headers, 'x-gitlab-token'), secret('webhook.gitlab.secret') ?? ''),
    read: (headers, payload) => fromGitLab(text(headers, 'x-gitlab-event'), payload),
  },
  {
    name: 'Bitbucket Cloud',
    keys: ['webhook.bitbucket.uuid'],
    sends: has('x-hook-uuid'),
    isGenuine: ({ headers }, secret) =>
      same(text(headers, 'x-hook-uuid'), secret('webhook.bitbucket.uuid') ?? ''),
    read: (headers, payload) => fromBitbucket(text(headers, 'x-event-key'), payload),
  },
  {
    name: 'Bitbucket Server',
    keys: ['webhook.bitbucketserver.secret'],
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
];

/** Who sent this; undefined when it is nobody we know. */
export const senderOf = (headers: IncomingHttpHeaders): Host | undefined =>
  hosts.find(({ sends }) => sends(headers));

type Unverified = {
  readonly secret: SecretOf;
  /** Tells each time a secret may have become another. */
  readonly changes: AsyncIterable<unknown>;
  /** Whether others than this machine reach us. */
  readonly isReachable: boolean;
};

/**
 * dev server §2.7: the hosts whose deliveries anybody could forge are told in one line at the start, not in one each. It
 * is a warning where others than this machine reach us, and always when one of them was verified before.
 */
export async function tellUnverified({ log }: Pick<Ctx, 'log'>, unverified: Unverified): Promise<void> {
  const { secret, changes, isReachable } = unverified;
  const keysNow = () => hosts.filter((host) => !isVerified(host, secret)).map((host) => host.keys[0]);
  let known = keysNow();
  const told = 'webhook deliveries are believed unverified: set these keys in argocd-secret';
  if (known.length > 0) log[isReachable ? 'warn' : 'info'](told, { keys: known });
  for await (const _change of changes) {
    const before = new Set(known);
    known = keysNow();
    const keys = known.filter((key) => !before.has(key));
    if (keys.length > 0)
      log.warn('webhook deliveries are believed unverified from now on: argocd-secret has lost these keys', {
        keys,
      });
  }
}

/** compat server §2.7: without a secret a delivery is accepted as it is. */
export const isVerified = ({ keys }: Host, secret: SecretOf): boolean => keys.some((key) => secret(key));

function has(header: string): (headers: IncomingHttpHeaders) => boolean {
  return (headers) => text(headers, header) !== '';
}

function text(headers: IncomingHttpHeaders, name: string): string {
  const value = headers[name];
  return typeof value === 'string' ? value : '';
}

const hmac = (kind: string, { body }: Delivery, secret = ''): string =>
  createHmac(kind, secret).update(body).digest('hex');

/** In the same time whatever differs. */
function same(given: string, wanted: string): boolean {
  const [a, b] = [given, wanted].map((value) => createHmac('sha256', 'compare').update(value).digest());
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
}
