import { type Application, groupOf, isKind, type KubeObject, type Settings } from '#model';
import { glob } from '../glob.ts';
import { parsePointer, valueAt, without, withValue } from './pointer.ts';

/** A rule and the objects it is for. Names and namespaces match exactly, groups and kinds by glob (D-10). */
type IgnoreRule = {
  readonly group: string;
  readonly kind: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly paths: readonly (readonly string[])[];
};

export type IgnoreRules = {
  readonly rules: readonly IgnoreRule[];
  /** What could not be honoured, to be told to the user; never dropped in silence. */
  readonly warnings: readonly string[];
};

type Raw = {
  readonly group: string;
  readonly kind: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly jsonPointers?: readonly string[];
  readonly jqPathExpressions?: readonly string[];
  readonly managedFieldsManagers?: readonly string[];
};

type ResourceSettings = Pick<Settings['resources'], 'overrides' | 'ignoreStatusField'>;

/** All rules in order: the Application's, then the installation's, then `/status` (D-8). */
export function ignoreRules({ spec }: Application, settings: ResourceSettings): IgnoreRules {
  const own = (spec.ignoreDifferences ?? []).map((rule): Raw => ({ ...rule, group: rule.group ?? '' }));
  const system = Object.entries(settings.overrides).flatMap(([key, { ignoreDifferences }]): Raw[] =>
    ignoreDifferences ? [{ ...kindOfKey(key), ...ignoreDifferences }] : [],
  );
  const all = [...own, ...system];
  return { rules: [...all.map(readRule), ...statusRules(settings)], warnings: all.flatMap(warningsOf) };
}

// compat D-9, D-15: group/Kind, a bare Kind or /Kind for core, all (or a star for each) for everything
function kindOfKey(key: string): { group: string; kind: string } {
  if (key === 'all' || key === '.all') return { group: '*', kind: '*' };
  const slash = key.indexOf('/');
  return slash < 0 ? { group: '', kind: key } : { group: key.slice(0, slash), kind: key.slice(slash + 1) };
}

function readRule({ group, kind, name, namespace, jsonPointers = [] }: Raw): IgnoreRule {
  const paths = jsonPointers.flatMap((text) => [parsePointer(text) ?? []]).filter((path) => path.length > 0);
  return { group, kind, ...(name && { name }), ...(namespace && { namespace }), paths };
}

function warningsOf(rule: Raw): string[] {
  const where = `ignoreDifferences for ${rule.group || 'core'}/${rule.kind}`;
  const bad = (rule.jsonPointers ?? []).filter((text) => (parsePointer(text)?.length ?? 0) === 0);
  return [
    ...bad.map((text) => `${where}: "${text}" is no JSON pointer; write it like /spec/replicas`),
    ...(rule.jqPathExpressions?.length ? [`not supported yet: jqPathExpressions in ${where}`] : []),
    ...(rule.managedFieldsManagers?.length ? [`not supported yet: managedFieldsManagers in ${where}`] : []),
  ];
}

function statusRules({ ignoreStatusField }: ResourceSettings): IgnoreRule[] {
  if (ignoreStatusField === 'none') return [];
  const where =
    ignoreStatusField === 'crd'
      ? { group: 'apiextensions.k8s.io', kind: 'CustomResourceDefinition' }
      : { group: '*', kind: '*' };
  return [{ ...where, paths: [['status']] }];
}

/** The paths to leave out of one object's comparison. */
export function ignoredPaths(object: KubeObject, { rules }: IgnoreRules): readonly (readonly string[])[] {
  const { name, namespace = '' } = object.metadata;
  const group = groupOf(object);
  return rules.flatMap((rule) => {
    if (rule.name !== undefined && rule.name !== name) return [];
    if (rule.namespace !== undefined && rule.namespace !== namespace) return [];
    return glob(rule.group, group) && glob(rule.kind, object.kind) ? rule.paths : [];
  });
}

/** compat D-13: each side on its own, so removing an item from one list only shifts the items behind it. */
export function ignore<T extends KubeObject>(object: T, paths: readonly (readonly string[])[]): T {
  return paths.reduce((rest, path) => without(rest, path), object);
}

/**
 * compat D-30, for RespectIgnoreDifferences=true: the target with the live object's content wherever a rule ignores
 * it, so that applying it leaves those fields alone. Status is never copied.
 */
export function respectIgnored(target: KubeObject, live: KubeObject, rules: IgnoreRules): KubeObject {
  const paths = ignoredPaths(live, rules).filter(([first]) => first !== 'status');
  return paths.reduce<KubeObject>((next, path) => {
    const held = valueAt(live, path);
    return held === undefined ? without(next, path) : withValue(next, path, held);
  }, target);
}

export const isSecret = (object: KubeObject): boolean => isKind(object, '', 'Secret');
