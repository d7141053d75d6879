import type { Command } from 'commander';
import type { HelmOptions, JsonnetOptions, KustomizeOptions, Source } from '#base/model';
import { collect } from '../../input/lists.ts';
import { ExitError, usageExitCode } from '../../io.ts';

/** Flags that set how a source is rendered, with the names of `argocd app create`. */
export type SourceFlags = {
  values?: string[];
  helmSet?: string[];
  helmSetString?: string[];
  helmSetFile?: string[];
  releaseName?: string;
  helmSkipCrds?: boolean;
  helmSkipTests?: boolean;
  ignoreMissingValueFiles?: boolean;
  kustomizeImage?: string[];
  nameprefix?: string;
  namesuffix?: string;
  kustomizeNamespace?: string;
  kustomizeCommonLabel?: string[];
  directoryRecurse?: boolean;
  directoryInclude?: string;
  directoryExclude?: string;
  jsonnetExtVarStr?: string[];
  jsonnetExtVarCode?: string[];
  jsonnetTlaStr?: string[];
  jsonnetTlaCode?: string[];
  jsonnetLibs?: string[];
};

export function addSourceFlags(command: Command): Command {
  return command
    .option('--values <file>', 'a Helm value file; may be repeated', collect)
    .option('-p, --helm-set <name=value>', 'a Helm parameter; may be repeated', collect)
    .option('--helm-set-string <name=value>', 'a Helm parameter that stays a text; may be repeated', collect)
    .option('--helm-set-file <name=file>', 'a Helm parameter read from a file; may be repeated', collect)
    .option('--release-name <name>', 'the Helm release')
    .option('--helm-skip-crds', 'leave out the custom resource definitions of a chart')
    .option('--helm-skip-tests', 'leave out the tests of a chart')
    .option('--ignore-missing-value-files', 'pass over value files that are not there')
    .option('--kustomize-image <image>', 'for example app=registry/app:v2; may be repeated', collect)
    .option('--nameprefix <text>', 'what Kustomize puts before every name')
    .option('--namesuffix <text>', 'what Kustomize puts after every name')
    .option('--kustomize-namespace <name>', 'the namespace Kustomize gives everything')
    .option('--kustomize-common-label <name=value>', 'a label for everything; may be repeated', collect)
    .option('--directory-recurse', 'read folders below the path too')
    .option('--directory-include <glob>', 'the files to read, and no others')
    .option('--directory-exclude <glob>', 'files not to read')
    .option('--jsonnet-ext-var-str <name=value>', 'a Jsonnet variable; may be repeated', collect)
    .option('--jsonnet-ext-var-code <name=code>', 'a Jsonnet variable that is code; may be repeated', collect)
    .option('--jsonnet-tla-str <name=value>', 'an argument of a Jsonnet program; may be repeated', collect)
    .option('--jsonnet-tla-code <name=code>', 'an argument that is code; may be repeated', collect)
    .option('--jsonnet-libs <dir>', 'a folder of Jsonnet libraries; may be repeated', collect);
}

/** The source with the values of the flags; other fields are unchanged. */
export function withSourceFlags(source: Source, flags: SourceFlags): Source {
  const helm = helmOf(flags);
  const kustomize = kustomizeOf(flags);
  const jsonnet = jsonnetOf(flags);
  const directory = {
    ...(flags.directoryRecurse && { recurse: true }),
    ...(flags.directoryInclude !== undefined && { include: flags.directoryInclude }),
    ...(flags.directoryExclude !== undefined && { exclude: flags.directoryExclude }),
    ...(isSet(jsonnet) && { jsonnet: { ...source.directory?.jsonnet, ...jsonnet } }),
  };
  return {
    ...source,
    ...(isSet(helm) && { helm: { ...source.helm, ...helm } }),
    ...(isSet(kustomize) && { kustomize: { ...source.kustomize, ...kustomize } }),
    ...(isSet(directory) && { directory: { ...source.directory, ...directory } }),
  };
}

/** Any of these flags was given. */
export const hasSourceFlags = (flags: SourceFlags): boolean =>
  Object.keys(withSourceFlags({ repoURL: '' }, flags)).length > 1;

const isSet = (options: object): boolean => Object.keys(options).length > 0;

function helmOf(flags: SourceFlags): HelmOptions {
  const parameters = [
    ...named(flags.helmSet),
    ...named(flags.helmSetString).map((one) => ({ ...one, forceString: true })),
  ];
  const files = named(flags.helmSetFile).map(({ name, value }) => ({ name, path: value }));
  return {
    ...(flags.values && { valueFiles: flags.values }),
    ...(parameters.length > 0 && { parameters }),
    ...(files.length > 0 && { fileParameters: files }),
    ...(flags.releaseName && { releaseName: flags.releaseName }),
    ...(flags.helmSkipCrds && { skipCrds: true }),
    ...(flags.helmSkipTests && { skipTests: true }),
    ...(flags.ignoreMissingValueFiles && { ignoreMissingValueFiles: true }),
  };
}

function kustomizeOf(flags: SourceFlags): KustomizeOptions {
  return {
    ...(flags.kustomizeImage && { images: flags.kustomizeImage }),
    ...(flags.nameprefix && { namePrefix: flags.nameprefix }),
    ...(flags.namesuffix && { nameSuffix: flags.namesuffix }),
    ...(flags.kustomizeNamespace && { namespace: flags.kustomizeNamespace }),
    ...(flags.kustomizeCommonLabel && { commonLabels: pairsOf(flags.kustomizeCommonLabel) }),
  };
}

function jsonnetOf(flags: SourceFlags): JsonnetOptions {
  const variables = (texts: readonly string[] | undefined, codes: readonly string[] | undefined) => [
    ...named(texts),
    ...named(codes).map((one) => ({ ...one, code: true })),
  ];
  const extVars = variables(flags.jsonnetExtVarStr, flags.jsonnetExtVarCode);
  const tlas = variables(flags.jsonnetTlaStr, flags.jsonnetTlaCode);
  return {
    ...(extVars.length > 0 && { extVars }),
    ...(tlas.length > 0 && { tlas }),
    ...(flags.jsonnetLibs && { libs: flags.jsonnetLibs }),
  };
}

const named = (texts: readonly string[] = []): { name: string; value: string }[] =>
  Object.entries(pairsOf(texts)).map(([name, value]) => ({ name, value }));

/** `name=value`, the last of a name wins. */
export function pairsOf(texts: readonly string[]): Record<string, string> {
  const pairs = texts.map((text) => {
    const at = text.indexOf('=');
    if (at < 1) throw new ExitError(usageExitCode, `${text} is not name=value`);
    return [text.slice(0, at), text.slice(at + 1)] as const;
  });
  return Object.fromEntries(pairs);
}
