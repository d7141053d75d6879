import type { Command } from 'commander';
import type { ProjectSpec } from '#base/model';
import { gpgKeys, projects } from '#serve/api';
import type { CliDeps } from '../../cli-deps.ts';
import { mayProceed } from '../../input/confirm.ts';
import { examples } from '../../input/examples.ts';
import { collectList } from '../../input/lists.ts';
import { ExitError, type Io, usageExitCode } from '../../io.ts';
import { table } from '../../output/table.ts';
import type { Session } from '../../session/session.ts';
import { editProject } from './edit-project.ts';

type Policy = NonNullable<
  NonNullable<NonNullable<ProjectSpec['sourceIntegrity']>['git']>['policies']
>[number];
type PolicyFlags = {
  repoUrl?: string[];
  addRepoUrl?: string[];
  deleteRepoUrl?: string[];
  gpgMode?: string;
  gpgKey?: string[];
  addGpgKey?: string[];
  deleteGpgKey?: string[];
  yes?: boolean;
};

/** compat server §8.3: the policies about signatures of what a project's applications are made of. */
export function addIntegrity(proj: Command, deps: CliDeps): void {
  const policies = proj
    .command('source-integrity')
    .description('work with the rules about signatures')
    .command('git')
    .description('of Git repositories')
    .command('policies')
    .description('the rules of a project, by their place in the list');
  for (const add of [addList, addAdd, addUpdate, addDelete]) add(policies, deps);
}

const policiesOf = ({ sourceIntegrity }: ProjectSpec): readonly Policy[] =>
  sourceIntegrity?.git?.policies ?? [];

/** Without policies there is no rule: an empty one would be another. */
const withPolicies = (spec: ProjectSpec, policies: readonly Policy[]): ProjectSpec => {
  const { sourceIntegrity: _before, ...rest } = spec;
  return policies.length === 0 ? rest : { ...rest, sourceIntegrity: { git: { policies: [...policies] } } };
};

function policyTable(policies: readonly Policy[]): string {
  const listed = (list: readonly string[]): string => list.join(', ') || '<none>';
  const rows = policies.map(({ gpg, repos = [] }, id) => [
    String(id),
    gpg?.mode ?? '<none>',
    listed(gpg?.keys ?? []),
    listed(repos.map(({ url }) => url)),
  ]);
  return table(['ID', 'GPG-MODE', 'GPG-KEYS', 'REPO-URLS'], rows);
}

function addList(policies: Command, { open }: CliDeps): void {
  const list = policies
    .command('list <project>')
    .description('list the policies with the ids that the other commands take')
    .action(async (name: string) => {
      const { io, session } = await open();
      const { spec } = await session.call(projects.get, { params: { name } });
      const found = policiesOf(spec);
      if (found.length === 0)
        throw new ExitError(20, `no source integrity git policies defined for project "${name}"`);
      io.out(policyTable(found));
    });
  examples(list, 'fairlead proj source-integrity git policies list team-a');
}

const policyFlags = (command: Command): Command =>
  command
    .option('--repo-url <pattern>', 'the repositories it is for; may be repeated', collectList)
    .option('--gpg-mode <mode>', 'strict: every commit, head: the one that is deployed, none')
    .option('--gpg-key <id>', 'a key that may sign; may be repeated', collectList);

function addAdd(policies: Command, { open }: CliDeps): void {
  const add = policyFlags(policies.command('add <project>'))
    .description('add a policy')
    .action(async (name: string, flags: PolicyFlags) => {
      const policy = changed({}, flags);
      const { io, session } = await open();
      await warnOf(io, session, policy);
      const { spec } = await editProject(session, name, (before) =>
        withPolicies(before, [...policiesOf(before), policy]),
      );
      io.out(policyTable(policiesOf(spec)));
    });
  examples(
    add,
    "fairlead proj source-integrity git policies add team-a --repo-url 'https://git.example.com/*' --gpg-mode strict --gpg-key D56C4FCA57A46444",
  );
}

function addUpdate(policies: Command, deps: CliDeps): void {
  const update = policyFlags(policies.command('update <project> <id>'))
    .description('change a policy; what no flag names stays')
    .option('--add-repo-url <pattern>', 'repositories that are added; may be repeated', collectList)
    .option('--delete-repo-url <pattern>', 'repositories that are taken off; may be repeated', collectList)
    .option('--add-gpg-key <id>', 'a key that is added; may be repeated', collectList)
    .option('--delete-gpg-key <id>', 'a key that is taken off; may be repeated', collectList)
    .option('-y, --yes', 'do not prompt')
    .action(async (name: string, id: string, flags: PolicyFlags) => {
      const { io, session } = await deps.open();
      const { spec } = await session.call(projects.get, { params: { name } });
      const policy = changed(policyAt(spec, id), flags);
      await warnOf(io, session, policy);
      const next = (before: ProjectSpec): Policy[] =>
        policiesOf(before).map((one, at) => (at === Number(id) ? changed(one, flags) : one));
      io.out(policyTable(next(spec)));
      const doing = `updating policy ${id} of project '${name}'`;
      const question = `Update policy ${id} of project '${name}'? [y/n] `;
      if (!flags.yes && !(await mayProceed(deps, { question, doing }))) return;
      await editProject(session, name, (before) => withPolicies(before, next(before)));
    });
  examples(
    update,
    'fairlead proj source-integrity git policies update team-a 0 --gpg-mode head --add-gpg-key D56C4FCA57A46444',
  );
}

function addDelete(policies: Command, deps: CliDeps): void {
  const remove = policies
    .command('delete <project> <id...>')
    .description('delete policies')
    .option('-y, --yes', 'do not prompt')
    .action(async (name: string, ids: string[], { yes }: PolicyFlags) => {
      const { session } = await deps.open();
      const { spec } = await session.call(projects.get, { params: { name } });
      for (const id of ids) policyAt(spec, id);
      const what = `policies ${ids.join(', ')} of project '${name}'`;
      const question = `Delete ${what}? [y/n] `;
      if (!yes && !(await mayProceed(deps, { question, doing: `deleting ${what}` }))) return;
      const isLeft = (_: Policy, at: number): boolean => !ids.some((id) => Number(id) === at);
      await editProject(session, name, (before) => withPolicies(before, policiesOf(before).filter(isLeft)));
    });
  examples(remove, 'fairlead proj source-integrity git policies delete team-a 1 3 --yes');
}

function policyAt(spec: ProjectSpec, id: string): Policy {
  const found = /^\d{1,6}$/.test(id) ? policiesOf(spec)[Number(id)] : undefined;
  if (found) return found;
  throw new ExitError(20, `the project has no policy ${id}: see proj source-integrity git policies list`);
}

/** The policy as the flags have it. */
function changed({ repos = [], gpg = {} }: Policy, flags: PolicyFlags): Policy {
  const { gpgMode = gpg.mode } = flags;
  if (gpgMode !== 'strict' && gpgMode !== 'head' && gpgMode !== 'none')
    throw new ExitError(usageExitCode, `--gpg-mode ${gpgMode ?? 'is missing'}: use strict, head or none`);
  const urls = edited(
    '--repo-url',
    repos.map(({ url }) => url),
    {
      set: flags.repoUrl,
      add: flags.addRepoUrl,
      remove: flags.deleteRepoUrl,
    },
  );
  const keys = edited('--gpg-key', (gpg.keys ?? []).map(shortKey), {
    set: flags.gpgKey?.map(keyId),
    add: flags.addGpgKey?.map(keyId),
    remove: flags.deleteGpgKey?.map(keyId),
  });
  return { repos: urls.map((url) => ({ url })), gpg: { mode: gpgMode, keys } };
}

type Edits = { readonly [how in 'set' | 'add' | 'remove']: readonly string[] | undefined };

function edited(flag: string, before: readonly string[], { set, add = [], remove = [] }: Edits): string[] {
  if (set && add.length + remove.length > 0)
    throw new ExitError(
      usageExitCode,
      `${flag} names them all: leave out ${flag.replace('--', '--add-')} and ${flag.replace('--', '--delete-')}`,
    );
  return [...new Set([...(set ?? before).filter((one) => !remove.includes(one)), ...add])];
}

/** A fingerprint ends with the id of its key. */
const shortKey = (key: string): string => (/^[0-9A-F]{40}$/i.test(key) ? key.slice(24) : key);

function keyId(text: string): string {
  if (!/^(?:[0-9A-F]{16}|[0-9A-F]{40})$/i.test(text))
    throw new ExitError(
      usageExitCode,
      `'${text}' is not the id of a GnuPG key: want 16 or 40 hexadecimal digits`,
    );
  return shortKey(text);
}

/** A policy that can never match, or never pass, is stored all the same. */
async function warnOf(io: Io, session: Session, { repos = [], gpg }: Policy): Promise<void> {
  const { keys = [] } = gpg ?? {};
  if (repos.length === 0) io.err('warning: the policy has no repository URLs and is never used\n');
  if (keys.length === 0 && gpg?.mode !== 'none')
    io.err('warning: the policy has no keys and no revision passes it\n');
  const { items = [] } = keys.length > 0 ? await session.call(gpgKeys.list) : {};
  const absent = keys.filter((key) => !items.some(({ keyID }) => keyID === key));
  if (absent.length > 0)
    io.err(`warning: no such key is stored: ${absent.join(', ')}: see fairlead gpg add\n`);
}
