import { type AppProject, defaultSettings } from '#base/model';
import { LivePolicy, type RbacSubject } from '../src/serve/server/rbac/live-policy.ts';
import { Permissions } from '../src/serve/server/rbac/permissions.ts';

async function* nothing(): AsyncGenerator<never> {}

/** The policy of an argocd-rbac-cm and of projects that do not change. */
export function policyOf(
  data: Record<string, string> = {},
  projects: readonly AppProject[] = [],
): LivePolicy {
  const settings = {
    current: defaultSettings,
    dataOf: () => data,
    changes: nothing,
    dataChanges: nothing,
    whenSynced: async () => {},
  };
  const get = (_namespace: string, name: string) => projects.find(({ metadata }) => metadata.name === name);
  return new LivePolicy({
    namespace: 'argocd',
    settings,
    projects: { get, changes: nothing },
    apps: { changes: nothing },
  });
}

/** What a subject may do, by default the local account admin. */
export function permissionsOf(
  policy: LivePolicy = policyOf(),
  subject: RbacSubject = { user: 'admin', isLocal: true },
): Permissions {
  const token = { id: 'x', issued: 0 };
  return new Permissions(policy, { username: subject.user, issuer: 'argocd', subject, kind: 'login', token });
}
