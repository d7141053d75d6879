import type { HelmOptions, JsonnetOptions, KustomizeOptions, Source } from '#base/model';
import { FairleadError } from '#base/std';
import { type BuildEnv, expandEnv } from './build-env.ts';

/** The `ref` names of an application's sources; undefined for one with a single source. */
export type RefNames = readonly string[] | undefined;

export type Substituted = { readonly source: Source; readonly warnings: readonly string[] };

/** Replaces variables wherever a source may use them (sources ENV-2), and nowhere else. */
export function substitute(source: Source, env: BuildEnv, refs: RefNames): Substituted {
  const unknown = new Set<string>();
  const expand = (text: string): string => expandEnv(text, env, unknown);
  const replaced: Source = {
    ...source,
    ...(source.helm ? { helm: inHelm(source.helm, expand, refs) } : {}),
    ...(source.kustomize ? { kustomize: inKustomize(source.kustomize, expand) } : {}),
    ...(source.directory?.jsonnet
      ? { directory: { ...source.directory, jsonnet: inJsonnet(source.directory.jsonnet, expand) } }
      : {}),
  };
  // dev sources DEV-13: the result is the same as Argo CD's, and the user gets a warning
  const warnings = [...unknown].map(unknownVariable);
  return { source: replaced, warnings };
}

/** The warning about a variable that is not set. */
export const unknownVariable = (name: string): string =>
  `variable $${name} is not known and stands for nothing`;

type Expand = (text: string) => string;

function inHelm(helm: HelmOptions, expand: Expand, refs: RefNames): HelmOptions {
  const path = (text: string): string => inPath(text, expand, refs);
  return {
    ...helm,
    ...(helm.parameters
      ? { parameters: helm.parameters.map((one) => ({ ...one, value: expand(one.value ?? '') })) }
      : {}),
    ...(helm.fileParameters
      ? { fileParameters: helm.fileParameters.map((one) => ({ ...one, path: path(one.path ?? '') })) }
      : {}),
    ...(helm.valueFiles ? { valueFiles: helm.valueFiles.map(path) } : {}),
  };
}

/** compat sources MS-3, MS-6: with several sources a leading `$name` names a source; the rest is expanded. */
function inPath(text: string, expand: Expand, refs: RefNames): string {
  if (refs === undefined || !text.startsWith('$')) return expand(text);
  const slash = text.indexOf('/');
  const name = slash < 0 ? text : text.slice(0, slash);
  if (refs.length === 0) {
    throw new FairleadError(
      'InvalidSpec',
      `source referenced "${name}", but no source has a 'ref' field defined`, // compat sources MS-4
    );
  }
  return name + expand(text.slice(name.length));
}

function inKustomize(kustomize: KustomizeOptions, expand: Expand): KustomizeOptions {
  const { images, commonLabels, commonAnnotations, commonAnnotationsEnvsubst } = kustomize;
  return {
    ...kustomize,
    ...(images ? { images: images.map(expand) } : {}),
    ...(commonLabels ? { commonLabels: inValues(commonLabels, expand) } : {}),
    ...(commonAnnotations && commonAnnotationsEnvsubst
      ? { commonAnnotations: inValues(commonAnnotations, expand) }
      : {}),
  };
}

const inValues = (map: Record<string, string>, expand: Expand): Record<string, string> =>
  Object.fromEntries(Object.entries(map).map(([key, value]) => [key, expand(value)]));

function inJsonnet(jsonnet: JsonnetOptions, expand: Expand): JsonnetOptions {
  const inVariables = (list: NonNullable<JsonnetOptions['extVars']>) =>
    list.map((variable) => ({ ...variable, value: expand(variable.value) }));
  return {
    ...jsonnet,
    ...(jsonnet.extVars ? { extVars: inVariables(jsonnet.extVars) } : {}),
    ...(jsonnet.tlas ? { tlas: inVariables(jsonnet.tlas) } : {}),
  };
}
