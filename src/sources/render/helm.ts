import type { FileTree, HelmOptions } from '#base/model';
import { FairleadError, printJson } from '#base/std';
import { dependencies } from './helm-dependencies.ts';
import type { HelmArgument, HelmContext, HelmPlan, PlannedFile } from './helm-plan.ts';
import { fileParameter, valueFiles } from './helm-values.ts';
import { plainVersion } from './kube-version.ts';

/** Plans the render of the chart in a folder (sources 4.1). The variables in the options have been replaced already. */
export async function planHelm(
  tree: FileTree,
  path: string,
  options: HelmOptions,
  context: HelmContext,
): Promise<HelmPlan> {
  checkVersion(options.version);
  const fileParameters = (options.fileParameters ?? []).map(({ name = '', path: file = '' }) =>
    argument(fileParameter(tree, path, file, context), 'set-file', `${name}=`),
  );
  const files: PlannedFile[] = [...valueFiles(tree, path, options, context), ...inlineValues(options)];
  const args: HelmArgument[] = [
    ...['template', '.', '--name-template', options.releaseName || context.releaseName],
    ...environment(options, context),
    ...parameters(options),
    ...fileParameters.flatMap((file) => ['--set-file', file]),
    ...files.flatMap((file) => ['--values', argument(file, 'values')]),
    ...switches(options),
  ];
  return { args, ...(await dependencies(tree, path)) };
}

const argument = (file: PlannedFile, as: 'values' | 'set-file', prefix = ''): HelmArgument => ({
  file,
  as,
  prefix,
});

function checkVersion(version = ''): void {
  if (['', 'v3', 'v4'].includes(version)) return; // compat sources 0.1: all mean the helm that we run
  throw new FairleadError(
    'InvalidSpec',
    `helm version '${version}' is not supported: leave helm.version out`,
  );
}

function environment(options: HelmOptions, context: HelmContext): string[] {
  const kube = options.kubeVersion || context.kubeVersion;
  const namespace = options.namespace || context.namespace;
  const own = options.apiVersions ?? [];
  const apis = own.length > 0 ? own : context.apiVersions;
  return [
    ...(namespace ? ['--namespace', namespace] : []),
    ...(kube ? ['--kube-version', plainVersion(kube)] : []),
    ...apis.flatMap((api) => ['--api-versions', api]),
  ];
}

function switches(options: HelmOptions): string[] {
  return [
    ...(options.skipCrds ? [] : ['--include-crds']),
    ...(options.skipSchemaValidation ? ['--skip-schema-validation'] : []),
    ...(options.skipTests ? ['--skip-tests'] : []),
  ];
}

/** compat sources 4.1: `valuesObject` wins, and `values` is then ignored. */
function inlineValues({ values, valuesObject }: HelmOptions): PlannedFile[] {
  const text = valuesObject === undefined ? values : printJson(valuesObject);
  return text ? [{ name: 'values-of-the-application.yaml', text }] : [];
}

/** compat sources HLM-1: the last of one name wins; dev sources DEV-19: the rest keep the order of the list. */
function parameters({ parameters: all = [] }: HelmOptions): string[] {
  const groups = { '--set': new Map<string, string>(), '--set-string': new Map<string, string>() };
  for (const { name = '', value = '', forceString = false } of all) {
    const group = groups[forceString ? '--set-string' : '--set'];
    group.delete(name);
    group.set(name, escapeCommas(value));
  }
  return Object.entries(groups).flatMap(([flag, group]) =>
    [...group].flatMap(([name, value]) => [flag, `${name}=${value}`]),
  );
}

/** compat sources 4.1: a comma ends a value unless it is escaped or the whole value is a list. */
function escapeCommas(value: string): string {
  return value.startsWith('{') && value.endsWith('}') ? value : value.replace(/(?<!\\),/g, '\\,');
}
