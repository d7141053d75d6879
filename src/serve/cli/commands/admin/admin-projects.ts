import { writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { type AppProject, argoApiVersion, type ProjectRole, type ResourceRule } from '#base/model';
import { equal, isObject } from '#base/std';
import { glob } from '#engine';
import { print } from '#lang/yaml';
import type { CliDeps } from '../../cli-deps.ts';
import { examples } from '../../input/examples.ts';
import { ExitError, type Io, usageExitCode } from '../../io.ts';
import { type OnCluster, onCluster } from '../../session/kube.ts';
import { type ClusterFlags, reaching } from './admin-flags.ts';
import { documentAt } from './admin-settings.ts';

type PolicyFlags = ClusterFlags & {
  resource: string;
  scope: string;
  role: string;
  permission: string;
  dryRun?: boolean;
};

/** compat server §8.6: changes roles of many projects, and derives a project from a ClusterRole. */
export function addAdminProjects(proj: Command, deps: CliDeps): void {
  addRolePolicy(proj, deps);
  addAllowList(proj, deps);
}

function addRolePolicy(proj: Command, deps: CliDeps): void {
  const command = reaching(proj.command('update-role-policy <project> <modification> <action>'))
    .description('set or remove a policy of roles, in every project that a pattern matches')
    .option('--resource <resource>', 'what it is about', 'applications')
    .option('--scope <object>', 'the objects of the project', '*')
    .option('--role <pattern>', 'the roles to change', '*')
    .option('--permission <effect>', 'allow or deny', 'allow')
    .option('--dry-run', 'only say what would be done')
    .action(async (...[pattern, verb, action, flags]: [string, string, string, PolicyFlags]) => {
      if (verb !== 'set' && verb !== 'remove')
        throw new ExitError(usageExitCode, `unknown modification ${verb}: use set or remove`);
      const change = (project: AppProject): ProjectRole[] =>
        (project.spec.roles ?? []).map((role) =>
          glob(flags.role, role.name) ? withPolicy(role, policyOf(project, role, action, flags), verb) : role,
        );
      await onCluster(deps, flags, (on) => changeRoles(deps.io, on, { pattern, flags, change }));
    });
  examples(command, "fairlead admin proj update-role-policy 'team-*' set sync --role oncall --dry-run");
}

type RoleChange = {
  readonly pattern: string;
  readonly flags: PolicyFlags;
  readonly change: (project: AppProject) => ProjectRole[];
};

async function changeRoles(
  io: Io,
  { ctx, kube }: OnCluster,
  { pattern, flags, change }: RoleChange,
): Promise<void> {
  const { namespace, dryRun } = flags;
  const { items } = await kube.list(ctx, { apiVersion: argoApiVersion, kind: 'AppProject', namespace });
  const chosen = (items as readonly AppProject[]).filter(({ metadata }) => glob(pattern, metadata.name));
  for (const project of chosen) {
    const roles = change(project);
    if (equal(roles, project.spec.roles ?? [])) continue;
    if (!dryRun) await kube.update(ctx, { ...project, spec: { ...project.spec, roles } });
    io.out(`project ${project.metadata.name} updated${dryRun ? ' (dry run)' : ''}\n`);
  }
}

const policyOf = (
  { metadata }: AppProject,
  { name }: ProjectRole,
  action: string,
  flags: PolicyFlags,
): string =>
  `p, proj:${metadata.name}:${name}, ${flags.resource}, ${action}, ${metadata.name}/${flags.scope}, ${flags.permission}`;

function withPolicy(role: ProjectRole, policy: string, verb: 'set' | 'remove'): ProjectRole {
  const others = (role.policies ?? []).filter((one) => one !== policy);
  return { ...role, policies: verb === 'set' ? [...others, policy] : others };
}

type Rule = {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly verbs?: readonly string[];
};

function addAllowList(proj: Command, deps: CliDeps): void {
  const command = reaching(proj.command('generate-allow-list <file> <project>'))
    .description('print a project that permits the kinds that a ClusterRole in a file may create')
    .option('-o, --out <file>', 'where to write it; - is the terminal', '-')
    .action(async (file: string, name: string, flags: ClusterFlags & { out: string }) => {
      const role = await documentAt(file);
      const rules = isObject(role) && Array.isArray(role.rules) ? (role.rules as readonly Rule[]) : undefined;
      if (!rules) throw new ExitError(usageExitCode, `${file} holds no ClusterRole`);
      const served = await onCluster(
        deps,
        flags,
        async ({ ctx, kube }) => (await kube.catalog(ctx)).resources,
      );
      const permitted = served.filter(({ group, plural }) =>
        rules.some((rule) => permits(rule, group, plural)),
      );
      const kinds = (isNamespaced: boolean): ResourceRule[] =>
        permitted
          .filter(({ namespaced }) => namespaced === isNamespaced)
          .map(({ group, kind }) => ({ group, kind }))
          .filter((one, at, all) => all.findIndex((other) => equal(one, other)) === at);
      const spec = { clusterResourceWhitelist: kinds(false), namespaceResourceWhitelist: kinds(true) };
      const text = print({ apiVersion: argoApiVersion, kind: 'AppProject', metadata: { name }, spec });
      if (flags.out === '-') deps.io.out(text);
      else await writeFile(flags.out, text);
    });
  examples(command, 'fairlead admin proj generate-allow-list ./cluster-role.yaml team-a');
}

function permits(
  { apiGroups = [], resources = [], verbs = [] }: Rule,
  group: string,
  plural: string,
): boolean {
  const has = (list: readonly string[], one: string): boolean => list.includes('*') || list.includes(one);
  return has(apiGroups, group) && has(resources, plural) && has(verbs, 'create');
}
