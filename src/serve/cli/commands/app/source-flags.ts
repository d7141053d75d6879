import type { Command } from 'commander';
import type { HelmOptions, JsonnetOptions, KustomizeOptions, PluginOptions, Source } from '#base/model';
import { given, pairsOf, unlessEmpty } from '../../input/flag-values.ts';
import { collect, collectList } from '../../input/lists.ts';
import { ExitError, usageExitCode } from '../../io.ts';

/** Flags that set how a source is rendered, with the names of `argocd app create`. */
export type SourceFlags = {
  parameter?: string[];
  values?: string[];
  valuesLiteralFile?: string;
  helmSet?: string[];
  helmSetString?: string[];
  helmSetFile?: string[];
  helmVersion?: string;
  helmPassCredentials?: boolean;
  helmSkipCrds?: boolean;
  helmSkipTests?: boolean;
  helmSkipSchemaValidation?: boolean;
  helmNamespace?: string;
  helmKubeVersion?: string;
  helmApiVersions?: string[];
  releaseName?: string;
  ignoreMissingValueFiles?: boolean;
  kustomizeImage?: string[];
  kustomizeReplica?: string[];
  kustomizeVersion?: string;
  kustomizeNamespace?: string;
  kustomizeCommonLabel?: string[];
  kustomizeCommonAnnotation?: string[];
  kustomizeLabelWithoutSelector?: boolean;
  kustomizeLabelIncludeTemplates?: boolean;
  kustomizeForceCommonLabel?: boolean;
  kustomizeForceCommonAnnotation?: boolean;
  kustomizeKubeVersion?: string;
  kustomizeApiVersions?: string[];
  ignoreMissingComponents?: boolean;
  nameprefix?: string;
  namesuffix?: string;
  directoryRecurse?: boolean;
  directoryInclude?: string;
  directoryExclude?: string;
  jsonnetExtVarStr?: string[];
  jsonnetExtVarCode?: string[];
  jsonnetTlaStr?: string[];
  jsonnetTlaCode?: string[];
  jsonnetLibs?: string[];
  configManagementPlugin?: string;
  pluginEnv?: string[];
};

export function addSourceFlags(command: Command): Command {
  return addOtherFlags(addKustomizeFlags(addHelmFlags(command)));
}

function addHelmFlags(command: Command): Command {
  return command
    .option('--values <file>', 'a Helm value file; may be repeated', collect)
    .option('-p, --parameter <name=value>', 'a Helm parameter; may be repeated', collect)
    .option('--helm-set <name=value>', 'the same as --parameter', collect)
    .option('--helm-set-string <name=value>', 'a Helm parameter that stays a text; may be repeated', collect)
    .option('--helm-set-file <name=file>', 'a Helm parameter read from a file; may be repeated', collect)
    .option('--release-name <name>', 'the Helm release')
    .option('--helm-version <version>', 'the Helm version, for example v3')
    .option('--helm-pass-credentials', 'send credentials to all hosts of a chart repository')
    .option('--helm-skip-crds', 'leave out the custom resource definitions of a chart')
    .option('--helm-skip-tests', 'leave out the tests of a chart')
    .option('--helm-skip-schema-validation', 'do not check the values with the schema of a chart')
    .option('--helm-namespace <name>', 'the namespace that a chart is rendered with')
    .option('--helm-kube-version <version>', 'the Kubernetes version that a chart is rendered for')
    .option('--helm-api-versions <version>', 'an API that a chart finds; may be repeated', collectList)
    .option('--ignore-missing-value-files', 'pass over value files that are not there');
}

function addKustomizeFlags(command: Command): Command {
  return command
    .option('--kustomize-image <image>', 'for example app=registry/app:v2; may be repeated', collect)
    .option('--kustomize-replica <name=count>', 'the replicas of a workload; may be repeated', collect)
    .option('--kustomize-version <version>', 'one of the configured Kustomize versions')
    .option('--nameprefix <text>', 'what Kustomize puts before every name')
    .option('--namesuffix <text>', 'what Kustomize puts after every name')
    .option('--kustomize-namespace <name>', 'the namespace Kustomize gives everything')
    .option('--kustomize-common-label <name=value>', 'a label for everything; may be repeated', collect)
    .option(
      '--kustomize-common-annotation <name=value>',
      'an annotation for everything; may be repeated',
      collect,
    )
    .option('--kustomize-label-without-selector', 'common labels stay out of selectors')
    .option('--kustomize-label-include-templates', 'common labels are put into templates too')
    .option('--kustomize-force-common-label', 'common labels replace labels that are there')
    .option('--kustomize-force-common-annotation', 'common annotations replace those that are there')
    .option('--kustomize-kube-version <version>', 'the Kubernetes version that Kustomize renders charts for')
    .option('--kustomize-api-versions <version>', 'an API that charts find; may be repeated', collectList)
    .option('--ignore-missing-components', 'pass over components that are not there');
}

function addOtherFlags(command: Command): Command {
  return command
    .option('--directory-recurse', 'read folders below the path too')
    .option('--directory-include <glob>', 'the files to read, and no others')
    .option('--directory-exclude <glob>', 'files not to read')
    .option('--jsonnet-ext-var-str <name=value>', 'a Jsonnet variable; may be repeated', collect)
    .option('--jsonnet-ext-var-code <name=code>', 'a Jsonnet variable that is code; may be repeated', collect)
    .option('--jsonnet-tla-str <name=value>', 'an argument of a Jsonnet program; may be repeated', collect)
    .option('--jsonnet-tla-code <name=code>', 'an argument that is code; may be repeated', collect)
    .option('--jsonnet-libs <dir>', 'a folder of Jsonnet libraries; may be repeated', collect)
    .option('--config-management-plugin <name>', 'the plugin that renders the source')
    .option('--plugin-env <name=value>', 'a variable for the plugin; may be repeated', collect);
}

/** The source with the values of the flags; other fields are unchanged. Named things are replaced by name, lists as a whole. */
export function withSourceFlags(source: Source, flags: SourceFlags): Source {
  const blocks = given({
    helm: unlessEmpty(helmOf(flags, source.helm)),
    kustomize: unlessEmpty(kustomizeOf(flags, source.kustomize)),
    directory: unlessEmpty(directoryOf(flags, source.directory?.jsonnet)),
    plugin: unlessEmpty(pluginOf(flags, source.plugin)),
  });
  const { helm, kustomize, directory, plugin } = source;
  return {
    ...source,
    ...(blocks.helm && { helm: { ...helm, ...blocks.helm } }),
    ...(blocks.kustomize && { kustomize: { ...kustomize, ...blocks.kustomize } }),
    ...(blocks.directory && { directory: { ...directory, ...blocks.directory } }),
    ...(blocks.plugin && { plugin: { ...plugin, ...blocks.plugin } }),
  };
}

/** Any of these flags was given. */
export const hasSourceFlags = (flags: SourceFlags): boolean =>
  Object.keys(withSourceFlags({ repoURL: '' }, flags)).length > 1;

function helmOf(flags: SourceFlags, before: HelmOptions = {}): HelmOptions {
  const parameters = [
    ...named([...(flags.parameter ?? []), ...(flags.helmSet ?? [])]),
    ...named(flags.helmSetString).map((one) => ({ ...one, forceString: true })),
  ];
  const files = named(flags.helmSetFile).map(({ name, value }) => ({ name, path: value }));
  return given({
    valueFiles: flags.values,
    values: flags.valuesLiteralFile,
    parameters: parameters.length > 0 ? byName(before.parameters, parameters) : undefined,
    fileParameters: files.length > 0 ? byName(before.fileParameters, files) : undefined,
    releaseName: flags.releaseName,
    version: flags.helmVersion,
    passCredentials: flags.helmPassCredentials,
    skipCrds: flags.helmSkipCrds,
    skipTests: flags.helmSkipTests,
    skipSchemaValidation: flags.helmSkipSchemaValidation,
    namespace: flags.helmNamespace,
    kubeVersion: flags.helmKubeVersion,
    apiVersions: flags.helmApiVersions,
    ignoreMissingValueFiles: flags.ignoreMissingValueFiles,
  });
}

function kustomizeOf(flags: SourceFlags, before: KustomizeOptions = {}): KustomizeOptions {
  const { kustomizeImage, kustomizeCommonLabel: labels, kustomizeCommonAnnotation: annotations } = flags;
  const replicas = named(flags.kustomizeReplica).map(({ name, value }) => ({ name, count: countOf(value) }));
  return given({
    images: kustomizeImage && withImages(before.images, kustomizeImage),
    replicas: replicas.length > 0 ? byName(before.replicas, replicas) : undefined,
    version: flags.kustomizeVersion,
    namePrefix: flags.nameprefix,
    nameSuffix: flags.namesuffix,
    namespace: flags.kustomizeNamespace,
    commonLabels: labels && { ...before.commonLabels, ...pairsOf(labels) },
    commonAnnotations: annotations && { ...before.commonAnnotations, ...pairsOf(annotations) },
    labelWithoutSelector: flags.kustomizeLabelWithoutSelector,
    labelIncludeTemplates: flags.kustomizeLabelIncludeTemplates,
    forceCommonLabels: flags.kustomizeForceCommonLabel,
    forceCommonAnnotations: flags.kustomizeForceCommonAnnotation,
    kubeVersion: flags.kustomizeKubeVersion,
    apiVersions: flags.kustomizeApiVersions,
    ignoreMissingComponents: flags.ignoreMissingComponents,
  });
}

function countOf(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new ExitError(usageExitCode, `--kustomize-replica: ${text} is not a number of replicas`);
}

/** compat: an image replaces the one of the same name; `old=new`, `name:tag` and `name@digest` all begin with the name. */
function withImages(before: readonly string[] = [], images: readonly string[]): string[] {
  const changed = new Set(images.map(imageName));
  return [...before.filter((image) => !changed.has(imageName(image))), ...images];
}

export const imageName = (image: string): string => image.split(/=|@|:(?=[^/]*$)/)[0] ?? '';

function directoryOf(flags: SourceFlags, jsonnetBefore: JsonnetOptions = {}) {
  const jsonnet = jsonnetOf(flags, jsonnetBefore);
  return given({
    recurse: flags.directoryRecurse,
    include: flags.directoryInclude,
    exclude: flags.directoryExclude,
    jsonnet: unlessEmpty(jsonnet) && { ...jsonnetBefore, ...jsonnet },
  });
}

function jsonnetOf(flags: SourceFlags, before: JsonnetOptions): JsonnetOptions {
  const variables = (texts: readonly string[] | undefined, codes: readonly string[] | undefined) => [
    ...named(texts),
    ...named(codes).map((one) => ({ ...one, code: true })),
  ];
  const extVars = variables(flags.jsonnetExtVarStr, flags.jsonnetExtVarCode);
  const tlas = variables(flags.jsonnetTlaStr, flags.jsonnetTlaCode);
  return given({
    extVars: extVars.length > 0 ? byName(before.extVars, extVars) : undefined,
    tlas: tlas.length > 0 ? byName(before.tlas, tlas) : undefined,
    libs: flags.jsonnetLibs,
  });
}

function pluginOf(flags: SourceFlags, before: PluginOptions = {}): PluginOptions {
  const env = named(flags.pluginEnv);
  return given({
    name: flags.configManagementPlugin,
    env: env.length > 0 ? byName(before.env, env) : undefined,
  });
}

/** The list with entries replaced by those of the same name, and the others added. */
function byName<T extends { readonly name?: string }>(before: readonly T[] = [], next: readonly T[]): T[] {
  const names = new Set(next.map(({ name }) => name));
  return [...before.filter(({ name }) => !names.has(name)), ...next];
}

const named = (texts: readonly string[] = []): { name: string; value: string }[] =>
  Object.entries(pairsOf(texts)).map(([name, value]) => ({ name, value }));
