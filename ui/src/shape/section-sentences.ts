import {
  type Application,
  type AppProject,
  effectiveSources,
  parseTime,
  projectName,
  sameRepo,
} from '#base/model';
import { viewWindows } from '#engine';
import type {
  AccountView,
  ClusterView,
  ConnectionState,
  RepositoryView,
  SigningKey,
  TrustedCertificate,
} from '#serve/api';
import { applicationsPath, sectionPath } from './address.ts';
import { repoName } from './revision.ts';
import { counted, joinedSpans, quote, type Span, say } from './span.ts';
import { ago } from './time.ts';

const all = (apps: readonly Application[]): Span =>
  apps.length === 0
    ? say('0 applications')
    : { text: counted(apps.length, 'application'), target: { to: 'address', address: applicationsPath } };

const strong = (text: string): Span => ({ text, isStrong: true });
const are = (count: number): string => (count === 1 ? 'is' : 'are');

/** How many projects there are, who uses them, and which of them block syncs now. */
export function projectsSentence(
  projects: readonly AppProject[],
  apps: readonly Application[],
  now: number,
): Span[] {
  const blocked = projects.filter(({ spec }) =>
    viewWindows(spec.syncWindows, new Date(now)).some(({ open, window }) => open && window.kind === 'deny'),
  );
  const used = new Set(apps.map((app) => projectName(app)));
  const idle = projects.filter(({ metadata }) => !used.has(metadata.name)).length;
  return [
    strong(counted(projects.length, 'project')),
    say(` for `),
    all(apps),
    ...(idle > 0 ? [say(`, ${idle} without any`)] : []),
    ...(blocked.length > 0
      ? [
          say('; a deny window is open in '),
          ...joinedSpans(
            blocked.map(({ metadata: { name } }) => ({
              text: name,
              target: { to: 'address', address: `${sectionPath('projects', name)}?tab=windows` } as const,
            })),
          ),
        ]
      : []),
    say('.'),
  ];
}

/** A connection that failed: to what, when it was tried, and why. */
function failureOf(name: string, state: ConnectionState | undefined, now: number): Span[] {
  const tried = parseTime(state?.attemptedAt ?? undefined);
  return [
    strong(name),
    ...(tried === undefined ? [] : [say(`, tried ${ago(tried, now)}`)]),
    ...(state?.message ? [say(': '), quote(state.message)] : []),
  ];
}

/** How many clusters run how much, and which of them cannot be reached. */
export function clustersSentence(
  clusters: readonly ClusterView[],
  apps: readonly Application[],
  now: number,
): Span[] {
  if (clusters.length === 0) return [say('No cluster is registered: nothing can be deployed.')];
  const failed = clusters.filter(({ info }) => info.connectionState.status === 'Failed');
  const untried = clusters.filter(({ info }) => info.connectionState.status === 'Unknown').length;
  const [first] = failed;
  if (!first)
    return [
      all(apps),
      say(` on `),
      strong(counted(clusters.length, 'cluster')),
      say(untried > 0 ? `; ${untried} ${are(untried)} not connected yet.` : ', connected.'),
    ];
  return [
    { text: `${failed.length} of ${counted(clusters.length, 'cluster')}`, health: 'Degraded' },
    say(' cannot be reached: '),
    ...failureOf(first.name || first.server, first.info.connectionState, now),
    say('.'),
  ];
}

/** A repository that applications read from and that has no entry: it is public, or a credential template fits. */
export type UnlistedRepository = { readonly repo: string; readonly count: number };

export function unlistedRepositories(
  repositories: readonly RepositoryView[],
  apps: readonly Application[],
): UnlistedRepository[] {
  const counts = new Map<string, number>();
  for (const { spec } of apps)
    for (const repo of new Set(effectiveSources(spec).map(({ repoURL }) => repoURL)))
      if (repo && !repositories.some((one) => sameRepo(one.repo, repo)))
        counts.set(repo, (counts.get(repo) ?? 0) + 1);
  return [...counts].map(([repo, count]) => ({ repo, count })).sort((a, b) => b.count - a.count);
}

/** From how many repositories the applications read, and which connection failed. */
export function repositoriesSentence(
  repositories: readonly RepositoryView[],
  apps: readonly Application[],
  now: number,
): Span[] {
  const unlisted = unlistedRepositories(repositories, apps).length;
  const failed = repositories.filter(({ connectionState }) => connectionState?.status === 'Failed');
  const [first] = failed;
  if (first)
    return [
      { text: `${failed.length} of ${many(repositories.length)}`, health: 'Degraded' },
      say(' cannot be read: '),
      ...failureOf(repoName(first.repo), first.connectionState, now),
      say('.'),
    ];
  if (repositories.length + unlisted === 0)
    return [say('No repository is connected, and no application reads from one.')];
  return [
    all(apps),
    say(` read${apps.length === 1 ? 's' : ''} from `),
    strong(many(repositories.length + unlisted)),
    say(
      unlisted === 0
        ? ', connected here.'
        : `: ${repositories.length} connected here, ${unlisted} without an entry.`,
    ),
  ];
}

const many = (count: number): string => `${count} ${count === 1 ? 'repository' : 'repositories'}`;

/** How many accounts may log in, and which tokens have expired. */
export function accountsSentence(accounts: readonly AccountView[], now: number): Span[] {
  const disabled = accounts.filter(({ enabled }) => !enabled).length;
  const tokens = accounts.flatMap((account) => account.tokens ?? []);
  const expired = tokens.filter(({ expiresAt }) => expiresAt !== undefined && expiresAt * 1000 <= now).length;
  const endless = tokens.filter(({ expiresAt }) => expiresAt === undefined).length;
  const notes = [
    expired > 0 ? `${expired} expired` : '',
    endless > 0 ? `${endless} without an end` : '',
  ].filter(Boolean);
  return [
    strong(counted(accounts.length, 'local account')),
    ...(disabled > 0 ? [say(`, ${disabled} disabled`)] : []),
    say(', with '),
    say(tokens.length === 0 ? 'no tokens' : counted(tokens.length, 'token')),
    ...(notes.length > 0 ? [say(`: ${notes.join(', ')}`)] : []),
    say('.'),
  ];
}

/** For how many hosts a certificate or a host key is stored. */
export function certificatesSentence(certificates: readonly TrustedCertificate[]): Span[] {
  if (certificates.length === 0)
    return [say('No certificate is stored: hosts are verified by the certificates of the system.')];
  const hosts = new Set(certificates.map(({ serverName }) => serverName)).size;
  const keys = certificates.filter(({ certType }) => certType === 'ssh').length;
  const tls = certificates.length - keys;
  const kinds = [
    keys > 0 ? counted(keys, 'SSH host key') : '',
    tls > 0 ? counted(tls, 'TLS certificate') : '',
  ].filter(Boolean);
  return [strong(counted(hosts, 'host')), say(` ${are(hosts)} recognised by ${kinds.join(' and ')}.`)];
}

/** How many keys may sign, and how many projects require a signature. */
export function keysSentence(keys: readonly SigningKey[], projects: readonly AppProject[]): Span[] {
  const requiring = projects.filter(({ spec }) => (spec.signatureKeys ?? []).length > 0).length;
  const amount = keys.length === 0 ? 'No signing key' : counted(keys.length, 'signing key');
  return [
    strong(amount),
    say(` ${are(Math.max(keys.length, 1))} stored; `),
    say(
      requiring === 0
        ? 'no project requires'
        : `${counted(requiring, 'project')} require${requiring === 1 ? 's' : ''}`,
    ),
    say(' signed commits.'),
  ];
}
