import type { Command } from 'commander';
import type { CliDeps } from '../../cli-deps.ts';

type Add = (command: Command, deps: CliDeps) => void;
type Part = () => Promise<readonly Add[]>;

/**
 * compat server §8.6: the commands that need no server. A new one is a file beside this and a line here; its file is loaded
 * only when the command line names its group.
 */
const groups: Readonly<Record<string, readonly [about: string, part: Part]>> = {
  settings: [
    'check the settings',
    async () => [
      (await import('./admin-settings.ts')).addValidate,
      (await import('./admin-rbac.ts')).addAdminRbac,
      (await import('./admin-overrides.ts')).addOverrides,
    ],
  ],
  app: [
    'manifests of applications, and what the controller finds',
    async () => [
      (await import('./admin-generate.ts')).addAppSpec,
      (await import('./admin-reconcile.ts')).addReconcileResults,
    ],
  ],
  proj: [
    'manifests and roles of projects',
    async () => [
      (await import('./admin-generate.ts')).addProjectSpec,
      (await import('./admin-projects.ts')).addAdminProjects,
    ],
  ],
  repo: ['manifests of repositories', async () => [(await import('./admin-generate.ts')).addRepoSpec]],
  cluster: [
    'registered clusters',
    async () => [
      (await import('./admin-generate.ts')).addClusterSpec,
      (await import('./admin-cluster.ts')).addAdminCluster,
    ],
  ],
};

/** Commands of `admin` itself. */
const own: Part = async () => [
  (await import('./admin-export.ts')).addExport,
  (await import('./admin-import.ts')).addImport,
  (await import('./admin-password.ts')).addInitialPassword,
  (await import('./admin-dashboard.ts')).addDashboard,
  (await import('./admin-notifications.ts')).addAdminNotifications,
];

export async function addAdmin(admin: Command, deps: CliDeps): Promise<void> {
  const isGroup = Object.hasOwn(groups, deps.args[deps.args.indexOf('admin') + 1] ?? '');
  if (!isGroup) for (const add of await own()) add(admin, deps);
  for (const [name, [about, part]] of Object.entries(groups)) {
    const group = admin.command(name).description(about);
    if (deps.args.includes(name)) for (const add of await part()) add(group, deps);
  }
}
