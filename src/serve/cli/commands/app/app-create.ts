import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import type { Application, ApplicationSpec, Source } from '#base/model';
import { parse } from '#lang/yaml';
import { applications } from '#serve/api';
import type { Open } from '../../cli-deps.ts';
import { collect } from '../../input/lists.ts';
import { ExitError, usageExitCode } from '../../io.ts';
import { addSourceFlags, pairsOf, type SourceFlags, withSourceFlags } from './source-flags.ts';

type CreateFlags = SourceFlags & {
  file?: string;
  repo?: string;
  path?: string;
  revision?: string;
  destServer?: string;
  destName?: string;
  destNamespace?: string;
  project: string;
  syncPolicy?: string;
  autoPrune?: boolean;
  selfHeal?: boolean;
  syncOption?: string[];
  setFinalizer?: boolean;
  label?: string[];
  upsert?: boolean;
  appNamespace?: string;
};

export function addCreate(app: Command, open: Open): void {
  addSourceFlags(app.command('create [name]'))
    .description('create an application from flags or a file')
    .option('-f, --file <path>', 'an Application manifest')
    .option('--repo <url>', 'the Git repository')
    .option('--path <dir>', 'the folder in it')
    .option('--revision <rev>', 'branch, tag or commit to track')
    .option('--dest-server <url>', 'the cluster, by address')
    .option('--dest-name <name>', 'the cluster, by name')
    .option('--dest-namespace <namespace>', 'where objects without a namespace go')
    .option('--project <name>', 'the project it belongs to', 'default')
    .option('--sync-policy <policy>', 'none, manual, automated or auto')
    .option('--auto-prune', 'automated sync also deletes')
    .option('--self-heal', 'automated sync also undoes drift')
    .option('--sync-option <option>', 'for example CreateNamespace=true; may be repeated', collect)
    .option('--set-finalizer', 'deleting the application deletes its resources')
    .option('--label <name=value>', 'a label for the application; may be repeated', collect)
    .option('--upsert', 'replace an application that differs')
    .option('-N, --app-namespace <namespace>', 'where the application will live')
    .action(async (name: string | undefined, flags: CreateFlags) => {
      const { io, session } = await open();
      const body = flags.file ? await fromFile(flags.file, name) : fromFlags(name, flags);
      const query = { upsert: flags.upsert };
      const created = await session.call(applications.create, { query, body });
      io.out(`application '${created.metadata.name}' created\n`);
    });
}

async function fromFile(path: string, name: string | undefined): Promise<Application> {
  const app = parse(await readFile(path, 'utf8')) as Application | null;
  if (!app?.metadata?.name) throw new ExitError(usageExitCode, `${path} holds no Application with a name`);
  if (name && app.metadata.name !== name) {
    throw new ExitError(
      usageExitCode,
      `app name '${name}' does not match app spec metadata.name '${app.metadata.name}'`,
    );
  }
  return app;
}

function fromFlags(name: string | undefined, flags: CreateFlags): Application {
  const { repo } = flags;
  if (!name || !repo) throw new ExitError(usageExitCode, 'create needs a name and --repo, or --file');
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: {
      name,
      ...(flags.appNamespace && { namespace: flags.appNamespace }),
      ...(flags.label && { labels: pairsOf(flags.label) }),
      ...(flags.setFinalizer && { finalizers: ['resources-finalizer.argocd.argoproj.io'] }),
    },
    spec: specOf(repo, flags),
  };
}

function specOf(repo: string, flags: CreateFlags): ApplicationSpec {
  const policy = policyOf(flags);
  return {
    project: flags.project,
    source: sourceOf(repo, flags),
    destination: {
      ...(flags.destServer && { server: flags.destServer }),
      ...(flags.destName && { name: flags.destName }),
      ...(flags.destNamespace && { namespace: flags.destNamespace }),
    },
    ...(policy && { syncPolicy: policy }),
  };
}

function sourceOf(repoURL: string, flags: CreateFlags): Source {
  const source = {
    repoURL,
    ...(flags.path !== undefined && { path: flags.path }),
    ...(flags.revision && { targetRevision: flags.revision }),
  };
  return withSourceFlags(source, flags);
}

function policyOf({
  syncPolicy,
  autoPrune,
  selfHeal,
  syncOption,
}: CreateFlags): ApplicationSpec['syncPolicy'] {
  const isAutomated = syncPolicy === 'automated' || syncPolicy === 'auto';
  if (syncPolicy && !isAutomated && !['none', 'manual'].includes(syncPolicy)) {
    throw new ExitError(
      usageExitCode,
      `unknown sync policy ${syncPolicy}: use none, manual, automated or auto`,
    );
  }
  if (!isAutomated && !syncOption) return undefined;
  const automated = { ...(autoPrune && { prune: true }), ...(selfHeal && { selfHeal: true }) };
  return { ...(isAutomated && { automated }), ...(syncOption && { syncOptions: syncOption }) };
}
