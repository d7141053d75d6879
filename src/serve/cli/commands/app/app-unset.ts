import type { Command } from 'commander';
import { type ApplicationSpec, effectiveSources, type Source } from '#base/model';
import { equal } from '#base/std';
import { applications } from '#serve/api';
import type { CliDeps } from '../../cli-deps.ts';
import { examples } from '../../input/examples.ts';
import { collect } from '../../input/lists.ts';
import { ExitError, usageExitCode } from '../../io.ts';
import { positionOf } from './app-change.ts';
import { type NameFlags, namespaced, refOfName } from './app-flags.ts';
import { imageName } from './source-flags.ts';

type UnsetFlags = NameFlags & {
  parameter?: string[];
  values?: string[];
  valuesLiteral?: boolean;
  ignoreMissingValueFiles?: boolean;
  passCredentials?: boolean;
  nameprefix?: boolean;
  namesuffix?: boolean;
  kustomizeNamespace?: boolean;
  kustomizeImage?: string[];
  kustomizeReplica?: string[];
  kustomizeVersion?: boolean;
  ignoreMissingComponents?: boolean;
  pluginEnv?: string[];
  ref?: boolean;
  sourcePosition?: string;
  sourceName?: string;
};

export function addUnset(app: Command, { open }: CliDeps): void {
  const unset = namespaced(app.command('unset <name>'))
    .description('remove overrides from a source of an application')
    .option('-p, --parameter <name>', 'a Helm parameter; may be repeated', collect)
    .option('--values <file>', 'a Helm value file; may be repeated', collect)
    .option('--values-literal', 'the Helm values in the Application')
    .option('--ignore-missing-value-files', 'that missing value files are passed over')
    .option('--pass-credentials', 'that credentials are sent to all hosts')
    .option('--nameprefix', 'the name prefix of Kustomize')
    .option('--namesuffix', 'the name suffix of Kustomize')
    .option('--kustomize-namespace', 'the namespace of Kustomize')
    .option('--kustomize-image <name>', 'an image of Kustomize; may be repeated', collect)
    .option('--kustomize-replica <name>', 'replicas of Kustomize; may be repeated', collect)
    .option('--kustomize-version', 'the version of Kustomize')
    .option('--ignore-missing-components', 'that missing components are passed over')
    .option('--plugin-env <name>', 'a variable of the plugin; may be repeated', collect)
    .option('--ref', 'the name that other sources use for this one')
    .option('--source-position <number>', 'the source to change, of several; the first is 1')
    .option('--source-name <name>', 'the source to change, by its name')
    .action(async (name: string, flags: UnsetFlags) => {
      const { session } = await open();
      const ref = refOfName(name, flags);
      const { spec } = await session.call(applications.get, ref);
      const at = positionOf(spec, flags);
      const source = effectiveSources(spec)[at] ?? { repoURL: '' };
      const left = unsetIn(source, flags);
      if (equal(left, source)) {
        throw new ExitError(
          usageExitCode,
          `nothing to unset: application '${name}' has none of what the flags name`,
        );
      }
      await session.call(applications.updateSpec, { ...ref, body: replaced(spec, at, left) });
    });
  examples(
    unset,
    'fairlead app unset guestbook --kustomize-image registry.example.com/app',
    'fairlead app unset nginx -p replicaCount --values values-prod.yaml',
  );
}

const replaced = (spec: ApplicationSpec, at: number, source: Source): ApplicationSpec =>
  spec.sources?.length
    ? { ...spec, sources: spec.sources.map((one, index) => (index === at ? source : one)) }
    : { ...spec, source };

/** The source without the overrides that the flags name; blocks that become empty stay, as they choose the tool. */
function unsetIn(source: Source, flags: UnsetFlags): Source {
  const { helm, kustomize, plugin } = source;
  return without(
    {
      ...source,
      ...(helm && { helm: unsetHelm(helm, flags) }),
      ...(kustomize && { kustomize: unsetKustomize(kustomize, flags) }),
      ...(plugin && {
        plugin: { ...plugin, ...kept('env', plugin.env, (one) => !flags.pluginEnv?.includes(one.name)) },
      }),
    },
    { ref: flags.ref },
  );
}

function unsetHelm(helm: NonNullable<Source['helm']>, flags: UnsetFlags): NonNullable<Source['helm']> {
  return without(
    {
      ...helm,
      ...kept('parameters', helm.parameters, ({ name = '' }) => !flags.parameter?.includes(name)),
      ...kept('valueFiles', helm.valueFiles, (file) => !flags.values?.includes(file)),
    },
    {
      values: flags.valuesLiteral,
      valuesObject: flags.valuesLiteral,
      ignoreMissingValueFiles: flags.ignoreMissingValueFiles,
      passCredentials: flags.passCredentials,
    },
  );
}

function unsetKustomize(
  kustomize: NonNullable<Source['kustomize']>,
  flags: UnsetFlags,
): NonNullable<Source['kustomize']> {
  const images = flags.kustomizeImage?.map(imageName);
  return without(
    {
      ...kustomize,
      ...kept('images', kustomize.images, (image) => !images?.includes(imageName(image))),
      ...kept('replicas', kustomize.replicas, ({ name }) => !flags.kustomizeReplica?.includes(name)),
    },
    {
      namePrefix: flags.nameprefix,
      nameSuffix: flags.namesuffix,
      namespace: flags.kustomizeNamespace,
      version: flags.kustomizeVersion,
      ignoreMissingComponents: flags.ignoreMissingComponents,
    },
  );
}

const kept = <K extends string, T>(name: K, list: readonly T[] | undefined, isKept: (one: T) => boolean) =>
  (list ? { [name]: list.filter(isKept) } : {}) as { [N in K]?: T[] };

function without<T extends object>(object: T, flags: { readonly [K in keyof T]?: boolean | undefined }): T {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !flags[key as keyof T])) as T;
}
