import type { Command } from 'commander';
import { type AppProject, argoApiVersion } from '#base/model';
import { projects } from '#serve/api';
import type { CliDeps } from '../../cli-deps.ts';
import { editYaml } from '../../input/edit.ts';
import { examples } from '../../input/examples.ts';
import { manifestsOf } from '../../input/read-manifests.ts';
import { ExitError, usageExitCode } from '../../io.ts';
import { editProject } from './edit-project.ts';
import { addProjectFlags, type ProjectFlags, withProjectFlags } from './proj-flags.ts';

type CreateFlags = ProjectFlags & { file?: string; upsert?: boolean };

export function addProjectWriting(proj: Command, { io, open }: CliDeps): void {
  const create = addProjectFlags(proj.command('create [name]'))
    .description('create a project from flags or a file')
    .option('-f, --file <path>', 'an AppProject manifest: a file, a URL or (-) standard input')
    .option('--upsert', 'replace a project that differs')
    .action(async (name: string | undefined, flags: CreateFlags) => {
      const { session } = await open();
      for (const project of await projectsFrom(name, flags)) {
        const { metadata } = await session.call(projects.create, {
          body: { project, upsert: flags.upsert === true },
        });
        io.out(`project '${metadata.name}' created\n`);
      }
    });
  examples(
    create,
    'fairlead proj create team-a -d https://kubernetes.default.svc,team-a -s https://github.com/example/team-a.git',
    'fairlead proj create team-a -f project.yaml --upsert',
  );
  const set = addProjectFlags(proj.command('set <name>'))
    .description('change fields of a project; what no flag names stays')
    .action(async (name: string, flags: ProjectFlags) => {
      if (Object.keys(flags).length === 0)
        throw new ExitError(usageExitCode, `nothing to set: give a flag that changes '${name}'`);
      const { session } = await open();
      await editProject(session, name, (spec) => withProjectFlags(spec, flags));
    });
  examples(
    set,
    'fairlead proj set team-a --description "the payments team"',
    'fairlead proj set team-a -s "*"',
  );
  const edit = proj
    .command('edit <name>')
    .description('edit the spec of a project in your editor (EDITOR), and store it')
    .action(async (name: string) => {
      const { session } = await open();
      const project = await session.call(projects.get, { params: { name } });
      const spec = await editYaml(io, project.spec, name);
      if (spec === undefined) return;
      await session.call(projects.update, { params: { name }, body: { project: { ...project, spec } } });
      io.out(`project '${name}' updated\n`);
    });
  examples(edit, 'fairlead proj edit team-a');
  const remove = proj
    .command('delete <name...>')
    .description('delete projects that no application uses')
    .action(async (names: string[]) => {
      const { session } = await open();
      for (const name of names) {
        await session.call(projects.delete, { params: { name } });
        io.out(`project '${name}' deleted\n`);
      }
    });
  examples(remove, 'fairlead proj delete team-a');
}

/** The projects of a file with the flags applied to them, or the one that the flags describe. */
export async function projectsFrom(
  name: string | undefined,
  flags: CreateFlags,
): Promise<readonly AppProject[]> {
  const found = flags.file === undefined ? [] : await manifestsOf<AppProject>(flags.file, 'AppProject');
  const other = found.find(({ metadata }) => name !== undefined && metadata.name !== name);
  if (other)
    throw new ExitError(
      usageExitCode,
      `project name '${name}' does not match project spec metadata.name '${other.metadata.name}'`,
    );
  if (flags.file === undefined && !name) throw new ExitError(usageExitCode, 'create needs a name, or --file');
  const made = { apiVersion: argoApiVersion, kind: 'AppProject', metadata: { name: name ?? '' }, spec: {} };
  const all = flags.file === undefined ? [made] : found;
  return all.map((project) => ({
    ...project,
    apiVersion: argoApiVersion,
    kind: 'AppProject',
    spec: withProjectFlags(project.spec ?? {}, flags),
  }));
}
