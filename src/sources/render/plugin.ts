import { type FileTree, isWithin, type PluginOptions, type Source, walk } from '#base/model';
import { FairleadError, isObject, printJson } from '#base/std';
import { type BuildEnv, expandEnv } from './build-env.ts';
import { plainVersion } from './kube-version.ts';
import { compilePathGlob } from './path-glob.ts';

/** A program and its arguments. */
type Words = readonly string[];

/** A config management plugin as its plugin.yaml describes it (sources CMP-2). `name` is the one that sources use. */
export type Plugin = {
  readonly name: string;
  readonly init?: Words;
  readonly generate: Words;
  /** How it is selected without being named: by a pattern of files below the folder, or by the output of a program. */
  readonly discover?: { readonly glob: string } | { readonly command: Words };
};

/** Reads a plugin.yaml. Throws InvalidSpec with the file and the missing field. */
export function readPlugin(value: unknown, where: string): Plugin {
  const fail = (what: string): FairleadError => new FairleadError('InvalidSpec', `${where}: ${what}`);
  if (!isObject(value) || value.kind !== 'ConfigManagementPlugin' || !isObject(value.spec)) {
    throw fail('expected a ConfigManagementPlugin with a spec');
  }
  const { metadata, spec } = value;
  const name = isObject(metadata) ? metadata.name : undefined;
  if (typeof name !== 'string' || name === '') throw fail('metadata.name is missing');
  const generate = wordsOf(spec.generate);
  if (!generate) throw fail('spec.generate.command is missing');
  const init = wordsOf(spec.init);
  const discover = discoveryOf(spec.discover);
  const version = typeof spec.version === 'string' ? spec.version : '';
  return {
    name: version === '' ? name : `${name}-${version}`, // compat sources CMP-3
    generate,
    ...(init && { init }),
    ...(discover && { discover }),
  };
}

function wordsOf(value: unknown): Words | undefined {
  if (!isObject(value)) return undefined;
  const words = [value.command, value.args].flatMap((part) => (Array.isArray(part) ? part.map(String) : []));
  return Array.isArray(value.command) && value.command.length > 0 ? words : undefined;
}

/** compat sources CMP-4: a file name is used before a pattern, and a pattern before a command. */
function discoveryOf(value: unknown): Plugin['discover'] {
  if (!isObject(value)) return undefined;
  if (typeof value.fileName === 'string' && value.fileName !== '') return { glob: value.fileName };
  if (!isObject(value.find)) return undefined;
  if (typeof value.find.glob === 'string' && value.find.glob !== '') return { glob: value.find.glob };
  const command = wordsOf(value.find);
  return command && { command };
}

/** A file below the folder matches the pattern (sources CMP-4). */
export function hasMatch(tree: FileTree, path: string, pattern: string): boolean {
  const glob = compilePathGlob(pattern.replace(/^\.\//, ''));
  const below = (file: string): string => (path === '' ? file : file.slice(path.length + 1));
  for (const entry of walk(tree, path, (dir) => glob.mayHold(below(dir)))) {
    if (isWithin(entry.path, path) && glob.matches(below(entry.path))) return true;
  }
  return false;
}

/** The plugin a source names. Throws InvalidSpec when there is none of that name. */
export function namedPlugin(plugins: readonly Plugin[], { plugin }: Source): Plugin | undefined {
  if (!plugin?.name) return undefined;
  const found = plugins.find(({ name }) => name === plugin.name);
  if (found) return found;
  const known = plugins.map(({ name }) => name).join(', ') || 'none';
  throw new FairleadError(
    'InvalidSpec',
    `no config management plugin ${plugin.name}: known are ${known}; put its plugin.yaml into the folder of --plugins (sockets of sidecars are not used)`,
  );
}

type Kube = { readonly version: string; readonly apiVersions: readonly string[] };

/** The environment of a plugin (sources CMP-5). Undefined variables are collected. */
export function pluginEnv(
  { env = [], parameters = [] }: PluginOptions,
  build: BuildEnv,
  kube: Kube,
  unknown: Set<string>,
): Record<string, string> {
  return {
    ...build,
    KUBE_VERSION: kube.version === '' ? '' : plainVersion(kube.version),
    KUBE_API_VERSIONS: kube.apiVersions.join(','),
    ...Object.fromEntries(
      env.map(({ name, value }) => [`ARGOCD_ENV_${name}`, expandEnv(value, build, unknown)]),
    ),
    ARGOCD_APP_PARAMETERS: printJson(parameters),
    ...Object.fromEntries(parameters.flatMap(parameterVariables)),
  };
}

type Parameter = NonNullable<PluginOptions['parameters']>[number];

function parameterVariables({ name = '', string, array, map }: Parameter): (readonly [string, string])[] {
  const variable = (...parts: string[]): string => ['PARAM', name, ...parts].map(shouted).join('_');
  return [
    ...(string === undefined ? [] : [[variable(), string] as const]),
    ...(array ?? []).map((value, at) => [variable(String(at)), value] as const),
    ...Object.entries(map ?? {}).map(([key, value]) => [variable(key), value] as const),
  ];
}

const shouted = (text: string): string => text.toUpperCase().replace(/[^A-Z0-9]/g, '_');
