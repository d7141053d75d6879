import type { Command } from 'commander';
import type { Application } from '#base/model';
import { isObject } from '#base/std';
import { applications } from '#serve/api';
import type { CliDeps } from '../../cli-deps.ts';
import { examples } from '../../input/examples.ts';
import { given, pairsOf, unlessEmpty } from '../../input/flag-values.ts';
import { collect, collectList } from '../../input/lists.ts';
import { manifestsOf } from '../../input/read-manifests.ts';
import { readable, withApiVersion } from '../../input/readable.ts';
import { ExitError, type Io, usageExitCode } from '../../io.ts';
import { printAs } from '../../output/print.ts';
import { namespaced } from './app-flags.ts';
import {
  addSpecFlags,
  readLiteralValues,
  type SpecFlags,
  warnOfOptions,
  withSpecFlags,
} from './spec-flags.ts';

export type CreateFlags = SpecFlags & {
  file?: string;
  setFinalizer?: boolean;
  label?: string[];
  annotations?: string[];
  name?: string;
  upsert?: boolean;
  validate: boolean;
  appNamespace?: string;
  output?: string;
};

export function addMetadataFlags(command: Command): Command {
  return namespaced(addSpecFlags(command))
    .option('-f, --file <path>', 'an Application manifest: a file, a URL or (-) standard input')
    .option('--name <name>', 'the name, as an argument gives it; with --file it is of no use')
    .option('--validate', 'check the repository and render it first; =false leaves that out', true)
    .option('--set-finalizer', 'deleting the application deletes its resources')
    .option('-l, --label <name=value>', 'a label for the application; may be repeated', collectList)
    .option('--annotations <name=value>', 'an annotation for the application; may be repeated', collect);
}

export function addCreate(app: Command, { open }: CliDeps): void {
  const create = addMetadataFlags(app.command('create [name]'))
    .description('create an application from flags or a file')
    .option('--upsert', 'replace an application that differs')
    .option('-o, --output <format>', 'print the result as json or yaml')
    .action(async (name: string | undefined, flags: CreateFlags) => {
      const { io, session } = await open();
      const { upsert, validate } = flags;
      for (const body of await applicationsFrom(io, name, flags)) {
        const created = await session.call(applications.create, { query: { upsert, validate }, body });
        io.out(
          flags.output ? printAs(flags.output, created) : `application '${created.metadata.name}' created\n`,
        );
      }
    });
  examples(
    create,
    'fairlead app create guestbook --repo https://github.com/argoproj/argocd-example-apps.git --path guestbook \\',
    '  --dest-server https://kubernetes.default.svc --dest-namespace default',
    'fairlead app create nginx --repo https://charts.example.com --helm-chart nginx --revision 1.2.3 \\',
    '  --dest-name in-cluster --dest-namespace web --helm-set replicaCount=2',
    'fairlead app create -f applications.yaml --upsert',
  );
}

/** The Applications of a file with the flags applied to them, or the one that the flags describe. */
export async function applicationsFrom(
  io: Io,
  name: string | undefined,
  given: CreateFlags,
): Promise<readonly Application[]> {
  const flags = await readLiteralValues(given);
  warnOfOptions(io, flags);
  if (flags.file === undefined) return [fromFlags(name ?? flags.name, flags)];
  const found = await manifestsOf<Application>(flags.file, 'Application');
  const [first] = found;
  if (name && found.length === 1 && first?.metadata.name !== name) {
    throw new ExitError(
      usageExitCode,
      `app name '${name}' does not match app spec metadata.name '${first?.metadata.name}'`,
    );
  }
  const wanted = name ? found.filter(({ metadata }) => metadata.name === name) : found;
  return wanted.map((app) => withFlags(corrected(io, app), flags));
}

/** dev server §11 10, 11: what other guides print is corrected with a warning, or refused with the remedy. */
function corrected(io: Io, app: Application): Application {
  const { name } = app.metadata;
  if (!isObject(app.spec)) throw new ExitError(usageExitCode, `Application ${name} has no spec`);
  if ('destinations' in app.spec)
    throw new ExitError(
      usageExitCode,
      `Application ${name}: spec.destinations does not exist; an application has one destination, an ApplicationSet makes one application for each`,
    );
  // flags may say where to deploy to; what is still missing then, the server names
  const spec = { ...app.spec, destination: app.spec.destination ?? {} };
  return readable(withApiVersion(io, { ...app, spec }));
}

function fromFlags(name: string | undefined, flags: CreateFlags): Application {
  if (!name || !flags.repo) throw new ExitError(usageExitCode, 'create needs a name and --repo, or --file');
  const spec = { project: 'default', destination: {} };
  const app = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', metadata: { name }, spec };
  return withFlags(app as Application, flags);
}

function withFlags(app: Application, flags: CreateFlags): Application {
  const { appNamespace: namespace, label, annotations, setFinalizer } = flags;
  const { metadata } = app;
  const finalizer = 'resources-finalizer.argocd.argoproj.io';
  const finalizers = new Set([...(metadata.finalizers ?? []), ...(setFinalizer ? [finalizer] : [])]);
  return {
    ...app,
    metadata: {
      ...metadata,
      ...given({
        namespace: namespace ?? metadata.namespace,
        labels: unlessEmpty({ ...metadata.labels, ...pairsOf(label ?? []) }),
        annotations: unlessEmpty({ ...metadata.annotations, ...pairsOf(annotations ?? []) }),
        finalizers: finalizers.size > 0 ? [...finalizers] : undefined,
      }),
    },
    spec: withSpecFlags({ spec: app.spec, position: 0 }, flags),
  };
}
