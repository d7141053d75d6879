import type { Application, AppProject, DestinationServiceAccount, Settings } from '#base/model';
import { glob, matcherOf } from '../glob.ts';

/**
 * The identity that carries out a sync: the controller's own, a service account's, or none until the user
 * corrects the configuration.
 */
export type SyncIdentity =
  | { readonly as: 'controller' }
  | { readonly as: 'serviceAccount'; readonly user: string }
  | { readonly as: 'none'; readonly why: string };

const controller: SyncIdentity = { as: 'controller' };
const forbidden = /[!*[\]{}\\/]/;

/**
 * compat engine P-25 … P-28: the identity that writes to an application's destination. `server` is the
 * address that the destination resolves to.
 */
export function identityFor(
  project: AppProject,
  app: Application,
  server: string,
  { enabled, enforced }: Settings['impersonation'],
): SyncIdentity {
  if (!enabled) return controller;
  const { namespace = '' } = app.spec.destination;
  const entries = project.spec.destinationServiceAccounts ?? [];
  const entry = entries.find(
    (one) =>
      unreadableFields(one).length > 0 || (glob(one.server, server) && glob(one.namespace ?? '', namespace)),
  );
  // compat engine P-26: whether an unreadable entry covers the destination cannot be decided, so no identity is safe to use
  const [unreadable] = entry ? unreadableFields(entry) : [];
  if (entry && unreadable) {
    const place = `spec.destinationServiceAccounts[${entries.indexOf(entry)}].${unreadable}`;
    return noIdentity(
      `${place} of project ${project.metadata.name}: "${entry[unreadable]}" is not a pattern; correct it`,
    );
  }
  if (entry)
    return accountOf(entry.defaultServiceAccount, project, namespace || (app.metadata.namespace ?? ''));
  if (!enforced) return controller;
  return noIdentity(
    `no entry in spec.destinationServiceAccounts of project ${project.metadata.name} covers namespace ` +
      `"${namespace}" on ${server}; add one, or set application.sync.impersonation.enforced to "false"`,
  );
}

/** compat engine P-26 */
function accountOf(account: string, project: AppProject, namespace: string): SyncIdentity {
  const isName = account.trim() !== '' && !forbidden.test(account);
  if (!isName) {
    return noIdentity(
      `the service account "${account}" in spec.destinationServiceAccounts of project ${project.metadata.name} ` +
        'is not a name; write <name> or <namespace>:<name>',
    );
  }
  const qualified = account.includes(':') ? account : `${namespace}:${account}`;
  return { as: 'serviceAccount', user: `system:serviceaccount:${qualified}` };
}

const patternFields = ['server', 'namespace'] as const;

const unreadableFields = (entry: DestinationServiceAccount): (typeof patternFields)[number][] =>
  patternFields.filter((field) => matcherOf(entry[field] ?? '') === undefined);

const noIdentity = (why: string): SyncIdentity => ({ as: 'none', why });

/** compat engine P-26: what would be refused when it is used is refused when it is written. */
export function serviceAccountProblems({ spec }: AppProject): string[] {
  const entries = spec.destinationServiceAccounts ?? [];
  const seen = new Set<string>();
  return entries.flatMap((entry, i) => {
    const { server, namespace = '', defaultServiceAccount: account } = entry;
    const place = `spec.destinationServiceAccounts[${i}]`;
    const id = `${server}/${namespace}`;
    const isTwin = seen.has(id);
    seen.add(id);
    return [
      ...unreadableFields(entry).map((field) => `${place}.${field}: "${entry[field]}" is not a pattern`),
      ...(/!/.test(id) ? [`${place} holds a denial, which is not known here; name what you mean`] : []),
      ...(account.trim() === '' || forbidden.test(account)
        ? [`${place} names the service account "${account}"; write <name> or <namespace>:<name>`]
        : []),
      ...(isTwin ? [`${place} is never used, because an earlier one covers the same; remove it`] : []),
    ];
  });
}
