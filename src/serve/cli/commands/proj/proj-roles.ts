import type { Command } from 'commander';
import { type AppProject, type ProjectRole, parseDurationOrDays, tokensOf } from '#base/model';
import { projects } from '#serve/api';
import type { CliDeps } from '../../cli-deps.ts';
import { examples } from '../../input/examples.ts';
import { wholeNumber } from '../../input/flag-values.ts';
import { ExitError, usageExitCode } from '../../io.ts';
import { printAs } from '../../output/print.ts';
import { facts, table } from '../../output/table.ts';
import { claimsOf } from '../../session/token-claims.ts';
import { editProject } from './edit-project.ts';

export function addRoles(proj: Command, deps: CliDeps): void {
  const role = proj.command('role').description('work with the roles of a project and their tokens');
  for (const add of [addReading, addEditing, addPolicies, addTokens, addListTokens]) add(role, deps);
}

function roleIn({ spec, metadata }: AppProject, name: string): ProjectRole {
  const found = spec.roles?.find((one) => one.name === name);
  if (found) return found;
  throw new ExitError(20, `role '${name}' does not exist in project '${metadata.name}'`);
}

type Change = (role: ProjectRole) => ProjectRole;

/** The roles of a project with one of them changed. */
const withRole = (project: AppProject, name: string, change: Change) => {
  const role = roleIn(project, name);
  return {
    ...project.spec,
    roles: (project.spec.roles ?? []).map((one) => (one === role ? change(role) : one)),
  };
};

function addReading(role: Command, { open }: CliDeps): void {
  const list = role
    .command('list <project>')
    .description('list the roles of a project')
    .option('-o, --output <format>', 'wide, name, json or yaml', 'wide')
    .action(async (project: string, { output }: { output: string }) => {
      const { io, session } = await open();
      const { spec } = await session.call(projects.get, { params: { name: project } });
      const roles = spec.roles ?? [];
      if (output === 'name') io.out(roles.map(({ name }) => `${name}\n`).join(''));
      else if (output !== 'wide') io.out(printAs(output, roles));
      else
        io.out(
          table(
            ['ROLE-NAME', 'DESCRIPTION'],
            roles.map(({ name, description = '' }) => [name, description]),
          ),
        );
    });
  examples(list, 'fairlead proj role list team-a');
  const get = role
    .command('get <project> <role>')
    .description('show one role, its policies, groups and tokens')
    .action(async (project: string, name: string) => {
      const { io, session } = await open();
      const found = await session.call(projects.get, { params: { name: project } });
      const { description = '', policies = [], groups = [] } = roleIn(found, name);
      io.out(
        facts([
          ['Role Name', name],
          ['Description', description],
        ]),
      );
      io.out(`Policies:\n${policies.map((one) => `${one}\n`).join('')}`);
      io.out(`Groups:\n${groups.map((one) => `${one}\n`).join('')}`);
      io.out(`JWT Tokens:\n${tokenTable(found, name, false)}`);
    });
  examples(get, 'fairlead proj role get team-a oncall');
}

function addEditing(role: Command, { open }: CliDeps): void {
  const create = role
    .command('create <project> <role>')
    .description('create a role')
    .option('--description <text>', 'what the role is for')
    .action(async (project: string, name: string, { description }: { description?: string }) => {
      const { io, session } = await open();
      await editProject(session, project, (spec) => {
        if (spec.roles?.some((one) => one.name === name))
          throw new ExitError(20, `project '${project}' already has role '${name}'`);
        return { ...spec, roles: [...(spec.roles ?? []), { name, ...(description && { description }) }] };
      });
      io.out(`Role '${name}' created\n`);
    });
  examples(create, 'fairlead proj role create team-a oncall --description "may sync"');
  const remove = role
    .command('delete <project> <role>')
    .description('delete a role; its tokens are no longer valid')
    .action(async (project: string, name: string) => {
      const { io, session } = await open();
      await editProject(session, project, (spec, found) => {
        const gone = roleIn(found, name);
        return { ...spec, roles: (spec.roles ?? []).filter((one) => one !== gone) };
      });
      io.out(`Role '${name}' deleted\n`);
    });
  examples(remove, 'fairlead proj role delete team-a oncall');
  for (const verb of ['add', 'remove'] as const) {
    const command = role
      .command(`${verb}-group <project> <role> <group>`)
      .description(verb === 'add' ? 'give a role to a group' : 'take a role from a group')
      .action(async (project: string, name: string, group: string) => {
        const { io, session } = await open();
        await editProject(session, project, (_spec, found) =>
          withRole(found, name, (one) => ({ ...one, groups: changed(verb, one.groups, group) })),
        );
        io.out(`Group '${group}' ${verb === 'add' ? 'added to' : 'removed from'} role '${name}'\n`);
      });
    examples(command, `fairlead proj role ${verb}-group team-a oncall my-org:oncall`);
  }
}

function changed(verb: 'add' | 'remove', list: readonly string[] = [], one: string): string[] {
  if (verb === 'remove') {
    if (!list.includes(one)) throw new ExitError(20, `the role does not have it: ${one}`);
    return list.filter((other) => other !== one);
  }
  if (list.includes(one)) throw new ExitError(20, `the role has it already: ${one}`);
  return [...list, one];
}

type PolicyFlags = { action: string; permission: string; object: string; resource: string };

function addPolicies(role: Command, { open }: CliDeps): void {
  for (const verb of ['add', 'remove'] as const) {
    const command = role
      .command(`${verb}-policy <project> <role>`)
      .description(`${verb} a policy of a role`)
      .requiredOption('-a, --action <action>', 'for example get, sync or *')
      .requiredOption('-o, --object <name>', 'an application of the project, or a pattern such as *')
      .option('-p, --permission <effect>', 'allow or deny', 'allow')
      .option('-r, --resource <resource>', 'what it is about', 'applications')
      .action(async (project: string, name: string, flags: PolicyFlags) => {
        if (!['allow', 'deny'].includes(flags.permission))
          throw new ExitError(usageExitCode, `unknown --permission ${flags.permission}: use allow or deny`);
        const { action, object, permission, resource } = flags;
        const policy = `p, proj:${project}:${name}, ${resource}, ${action}, ${project}/${object}, ${permission}`;
        const { session } = await open();
        await editProject(session, project, (_spec, found) =>
          withRole(found, name, (one) => ({ ...one, policies: changed(verb, one.policies, policy) })),
        );
      });
    examples(command, `fairlead proj role ${verb}-policy team-a oncall -a sync -o '*' -p allow`);
  }
}

type TokenFlags = { expiresIn: string; id?: string; tokenOnly?: boolean };

function addTokens(role: Command, { open }: CliDeps): void {
  const create = role
    .command('create-token <project> <role>')
    .description('create a token of a role, and print it: it is shown only once')
    .option(
      '-e, --expires-in <duration>',
      'how long it is valid, for example 24h or 30d; 0s never ends',
      '0s',
    )
    .option('-i, --id <id>', 'its id; a random one when missing')
    .option('-t, --token-only', 'print nothing but the token')
    .action(async (project: string, name: string, flags: TokenFlags) => {
      const expiresIn = Math.floor(parseDurationOrDays(flags.expiresIn) / 1000);
      const { io, session } = await open();
      const body = { expiresIn, ...(flags.id !== undefined && { id: flags.id }) };
      const { token } = await session.call(projects.createToken, { params: { project, role: name }, body });
      io.out(flags.tokenOnly ? `${token}\n` : createdText(project, name, token));
    });
  examples(
    create,
    'fairlead proj role create-token team-a oncall --expires-in 24h',
    'TOKEN=$(fairlead proj role create-token team-a ci --token-only)',
  );
  const remove = role
    .command('delete-token <project> <role> <issued-at>')
    .description('delete a token by its time of issue, in seconds: it is no longer valid')
    .action(async (project: string, name: string, issuedAt: string) => {
      const iat = wholeNumber('issued-at', issuedAt);
      const { io, session } = await open();
      await session.call(projects.deleteToken, { params: { project, role: name, iat: String(iat) } });
      io.out(`Token ${issuedAt} of role '${name}' deleted\n`);
    });
  examples(remove, 'fairlead proj role delete-token team-a oncall 1735689600');
}

function createdText(project: string, role: string, token: string): string {
  const { id = '', issued, expires } = claimsOf(token) ?? {};
  return [
    `Create token succeeded for proj:${project}:${role}.`,
    `  ID: ${id}`,
    `  Issued At: ${timeOf(issued)}`,
    `  Expires At: ${expires === undefined ? 'Never' : timeOf(expires)}`,
    `  Token: ${token}`,
    '',
  ].join('\n');
}

const timeOf = (seconds: number | undefined): string =>
  seconds === undefined ? '' : new Date(seconds * 1000).toISOString().replace('.000', '');

function addListTokens(role: Command, { open }: CliDeps): void {
  const tokens = role
    .command('list-tokens <project> <role>')
    .description('list the tokens of a role, without their values')
    .option('-u, --unixtime', 'print times in seconds, as delete-token takes them')
    .action(async (project: string, name: string, { unixtime }: { unixtime?: boolean }) => {
      const { io, session } = await open();
      const found = await session.call(projects.get, { params: { name: project } });
      roleIn(found, name);
      io.out(tokenTable(found, name, unixtime === true));
    });
  examples(tokens, 'fairlead proj role list-tokens team-a oncall --unixtime');
}

function tokenTable(project: AppProject, role: string, isUnix: boolean): string {
  const shown = (seconds: number): string => (isUnix ? String(seconds) : timeOf(seconds));
  const rows = tokensOf(project, role).map(({ id = '', iat, exp }) => [
    id,
    shown(iat),
    exp ? shown(exp) : '<none>',
  ]);
  return table(['ID', 'ISSUED AT', 'EXPIRES AT'], rows);
}
