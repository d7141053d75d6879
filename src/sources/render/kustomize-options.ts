import type { KustomizeVersion } from '#base/model';
import { FairleadError } from '#base/std';

/** `kustomize.buildOptions`, parsed (sources KUS-4). */
export type BuildOptions = {
  readonly enableHelm: boolean;
  readonly loadRestrictor: 'LoadRestrictionsRootOnly' | 'LoadRestrictionsNone';
  readonly reorder: 'legacy' | 'none' | undefined;
  readonly managedByLabel: boolean;
  readonly helmKubeVersion: string | undefined;
  readonly helmApiVersions: readonly string[];
  readonly helmDebug: boolean;
};

type Draft = { -readonly [Field in keyof BuildOptions]: BuildOptions[Field] };

type Option = { readonly value: 'none' | 'needed'; readonly set: (draft: Draft, value: string) => void };

const known: Readonly<Record<string, Option>> = {
  '--enable-helm': { value: 'none', set: (draft, value) => (draft.enableHelm = isOn(value)) },
  '--enable-managedby-label': { value: 'none', set: (draft, value) => (draft.managedByLabel = isOn(value)) },
  '--helm-debug': { value: 'none', set: (draft, value) => (draft.helmDebug = isOn(value)) },
  '--helm-kube-version': { value: 'needed', set: (draft, value) => (draft.helmKubeVersion = value) },
  '--helm-api-versions': {
    value: 'needed',
    set: (draft, value) => (draft.helmApiVersions = [...draft.helmApiVersions, ...value.split(',')]),
  },
  '--helm-command': { value: 'needed', set: () => {} }, // compat sources KUS-4: accepted and ignored
  '--load-restrictor': {
    value: 'needed',
    set: (draft, value) => {
      draft.loadRestrictor = oneOf('--load-restrictor', value, [
        'LoadRestrictionsRootOnly',
        'LoadRestrictionsNone',
      ]);
    },
  },
  '--reorder': {
    value: 'needed',
    set: (draft, value) => {
      draft.reorder = oneOf<'legacy' | 'none'>('--reorder', value, ['legacy', 'none']);
    },
  },
};

/**
 * The build options of a source that may name a registered version of Kustomize; `warning` explains to the user what
 * the name does not do. Throws InvalidSpec for a version that is not registered, and for bad options.
 */
export function buildOptionsOf(
  version: string | undefined,
  common: string,
  registered: readonly KustomizeVersion[],
): { readonly build: BuildOptions; readonly warning?: string } {
  if (!version) return { build: parseBuildOptions(common) };
  const known = registered.find((one) => one.version === version);
  if (!known) {
    throw new FairleadError(
      'InvalidSpec',
      `kustomize version ${version} is not registered: leave source.kustomize.version out, or set kustomize.version.${version} in argocd-cm`,
    );
  }
  return {
    build: parseBuildOptions(known.buildOptions ?? common),
    // dev sources DEV-16: the name selects options, never a program
    warning: `kustomize version ${version} chooses its build options only: everything is built with the one Kustomize there is`,
  };
}

/** Throws InvalidSpec for unknown options and for one that would run programs, use the network or write files. */
export function parseBuildOptions(text: string): BuildOptions {
  const draft: Draft = {
    enableHelm: false,
    loadRestrictor: 'LoadRestrictionsRootOnly',
    reorder: undefined,
    managedByLabel: false,
    helmKubeVersion: undefined,
    helmApiVersions: [],
    helmDebug: false,
  };
  const words = text.split(/\s+/).filter((word) => word !== '');
  while (words.length > 0) {
    const [name = '', ...rest] = (words.shift() ?? '').split('=');
    const option = Object.hasOwn(known, name) ? known[name] : undefined;
    if (!option) {
      throw new FairleadError(
        'InvalidSpec',
        `kustomize.buildOptions: ${name} is not allowed; allowed are ${Object.keys(known).join(', ')}`,
      );
    }
    const inline = rest.length > 0 ? rest.join('=') : undefined;
    option.set(draft, inline ?? (option.value === 'needed' ? needed(name, words.shift()) : 'true'));
  }
  return draft;
}

const isOn = (value: string): boolean => /^(1|t|true)$/i.test(value);

function needed(name: string, value: string | undefined): string {
  if (value !== undefined) return value;
  throw new FairleadError('InvalidSpec', `kustomize.buildOptions: ${name} needs a value`);
}

function oneOf<Value extends string>(name: string, value: string, values: readonly Value[]): Value {
  const found = values.find((candidate) => candidate === value);
  if (found) return found;
  throw new FairleadError('InvalidSpec', `kustomize.buildOptions: ${name} must be ${values.join(' or ')}`);
}
