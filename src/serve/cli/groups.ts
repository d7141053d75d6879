import type { Command } from 'commander';
import type { CliDeps } from './cli-deps.ts';
import { isCompletion } from './load-commands.ts';
import { flagsOf } from './session/global-flags.ts';

type AddCommands = (command: Command, deps: CliDeps) => void | Promise<void>;

/** A command of the first level. Its file is loaded only when the command line names it. */
type Group = {
  readonly name: string;
  readonly description: string;
  /** Left out of the help: for scripts. */
  readonly isHidden?: true;
  load(): Promise<AddCommands>;
};

/** A new command of the first level is a line here and a file in commands/. */
export const groups: readonly Group[] = [
  {
    name: 'app',
    description: 'work with applications',
    load: async () => (await import('./commands/app/app.ts')).addApplications,
  },
  {
    name: 'appset',
    description: 'work with ApplicationSets',
    load: async () => (await import('./commands/appset.ts')).addApplicationSets,
  },
  {
    name: 'rollouts',
    description: 'work with Rollouts, on the cluster of a kubeconfig',
    load: async () => (await import('./commands/rollouts/rollouts.ts')).addRollouts,
  },
  {
    name: 'knative',
    description: 'work with the traffic of Knative Services',
    load: async () => (await import('./commands/knative/knative.ts')).addKnative,
  },
  {
    name: 'proj',
    description: 'work with projects',
    load: async () => (await import('./commands/proj/proj.ts')).addProjects,
  },
  {
    name: 'cluster',
    description: 'work with clusters',
    load: async () => (await import('./commands/cluster/cluster.ts')).addClusters,
  },
  {
    name: 'repo',
    description: 'work with repositories',
    load: async () => (await import('./commands/repo/repo.ts')).addRepositories,
  },
  {
    name: 'repocreds',
    description: 'work with credentials for many repositories',
    load: async () => (await import('./commands/repo/repocreds.ts')).addTemplates,
  },
  {
    name: 'cert',
    description: 'work with the host keys and certificates of repositories',
    load: async () => (await import('./commands/trust/cert.ts')).addCertificates,
  },
  {
    name: 'gpg',
    description: 'work with the keys that commits are signed with',
    load: async () => (await import('./commands/trust/gpg.ts')).addKeys,
  },
  {
    name: 'account',
    description: 'work with accounts and their tokens',
    load: async () => (await import('./commands/account.ts')).addAccount,
  },
  {
    name: 'login',
    description: 'sign in to a server, for example localhost:8080, and keep the login',
    load: async () => (await import('./commands/login.ts')).addLogin,
  },
  {
    name: 'relogin',
    description: 'sign in again to the server of the current context',
    load: async () => (await import('./commands/login.ts')).addRelogin,
  },
  {
    name: 'logout',
    description: 'sign out of the server of a context',
    load: async () => (await import('./commands/login.ts')).addLogout,
  },
  {
    name: 'context',
    description: 'list the logins, change the current one, or remove one',
    load: async () => (await import('./commands/context.ts')).addContext,
  },
  {
    name: 'configure',
    description: 'change settings of the command line itself',
    load: async () => (await import('./commands/configure.ts')).addConfigure,
  },
  {
    name: 'version',
    description: 'print the versions of this program and of the server',
    load: async () => (await import('./commands/version.ts')).addVersion,
  },
  {
    name: 'completion',
    description: 'print a script that completes commands, flags and names in your shell',
    load: async () => (await import('./commands/completion.ts')).addCompletion,
  },
  {
    name: 'render',
    description:
      'print the manifests of a folder as it is on this machine, or of the Applications in a file; no cluster is needed',
    load: async () => (await import('./commands/render.ts')).addRender,
  },
  {
    name: 'doctor',
    description:
      'find what is wrong, or will be, with the manifests of a folder or with an installation, and fix what is safe',
    load: async () => (await import('./commands/doctor/doctor.ts')).addDoctor,
  },
  {
    name: '__complete',
    description: 'print the words that complete a command line',
    isHidden: true,
    load: async () => (await import('./commands/complete.ts')).addComplete,
  },
  {
    name: 'admin',
    description: 'work without a server, on files or on the cluster itself',
    load: async () => (await import('./commands/admin/admin.ts')).addAdmin,
  },
];

type GroupOptions = Pick<
  CliDeps,
  'io' | 'signal' | 'openManifests' | 'openCore' | 'hashPassword' | 'version'
> & {
  /** What is to be closed when the command has ended. */
  readonly closers: (() => Promise<void>)[];
};

/** Whether a command line begins with a group: nothing of the others is needed then, unless it is being completed. */
export const namesGroup = (args: readonly string[]): boolean =>
  !isCompletion(args) && groups.some(({ name }) => name === args[0]);

/** Adds the group that the command line begins with; else every group by name, and the commands of those that occur in it. */
export async function addGroups(
  program: Command,
  args: readonly string[],
  options: GroupOptions,
): Promise<void> {
  const { closers, ...given } = options;
  const { io, signal, openCore } = given;
  const flags = () => flagsOf(io, program.opts());
  const deps: CliDeps = {
    ...given,
    ...{ program, args, flags },
    open: async () => {
      const { openSession } = await import('./session/session.ts');
      const { session, close } = await openSession(io, flags(), openCore);
      if (close) closers.push(close);
      return { io, signal, session };
    },
  };
  const isAlone = namesGroup(args);
  for (const { name, description, isHidden = false, load } of groups) {
    if (isAlone && name !== args[0]) continue;
    const command = program.command(name, { hidden: isHidden }).description(description);
    if (args.includes(name)) await (await load())(command, deps);
  }
}
