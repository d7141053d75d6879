import { type Application, groupOf, isKind, type KubeObject, type Settings } from '#base/model';
import { FairleadError, isObject } from '#base/std';
import { glob } from '../glob.ts';
import { compileDeletion, type JqTimeout } from './jq.ts';
import { parsePointer, printPointer, without } from './pointer.ts';

/** One thing that a rule removes from an object: the value at a path, or the selection of an expression. */
type Removal = (object: KubeObject) => KubeObject;

/** A rule and the objects it is for. Names and namespaces match exactly, groups and kinds by glob (engine D-10). */
type IgnoreRule = {
  readonly group: string;
  readonly kind: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly removals: readonly Removal[];
  readonly managers: readonly string[];
  /** The paths that are written out, as pointers or as plain expressions. */
  readonly paths: readonly (readonly string[])[];
  /**
   * Whether the removed fields are independent of the rest of the object; those of an expression may depend
   * on it.
   */
  readonly isPlain: boolean;
  /** The Application's own, not the installation's. */
  readonly isOwn: boolean;
  readonly warnings: readonly string[];
  readonly hints: readonly string[];
};

/**
 * All rules of one comparison. Create them again for the next: they record which expressions ran out of
 * steps.
 */
export type IgnoreRules = {
  readonly rules: readonly IgnoreRule[];
  /** compat engine D-12: an expression that cannot be read; nothing can be compared until it is put right. */
  readonly problem?: string;
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

/** All rules in order: the Application's, then the installation's, then `/status` (engine D-8). */
export function ignoreRules(
  app: Application,
  settings: ResourceSettings,
  limits: JqTimeout = {},
): IgnoreRules {
  const own = (app.spec.ignoreDifferences ?? []).map((rule): Raw => ({ ...rule, group: rule.group ?? '' }));
  const system = Object.entries(settings.overrides).flatMap(([key, { ignoreDifferences }]): Raw[] =>
    ignoreDifferences ? [{ ...kindOfKey(key), ...ignoreDifferences }] : [],
  );
  const problems: string[] = [];
  const read = (isOwn: boolean) => (raw: Raw) => readRule(raw, { isOwn, limits, problems });
  const rules = [
    ...[...own, ...presets(app)].map(read(true)),
    ...[...system, ...statusRules(settings)].map(read(false)),
  ];
  return { rules, ...(problems[0] !== undefined && { problem: problems[0] }) };
}

/** Rules that could not be honoured, and rules that match nothing; never dropped silently. */
export type IgnoreRemarks = { readonly warnings: readonly string[]; readonly hints: readonly string[] };

/** The remarks on the Application's own rules, and on those of the installation that concern one of its objects. */
export function remarksOn(rules: IgnoreRules, objects: readonly KubeObject[]): IgnoreRemarks {
  const concern = rules.rules.filter(
    (rule) =>
      (rule.warnings.length > 0 || rule.hints.length > 0) &&
      (rule.isOwn || objects.some((object) => ofKind(object, rules).rules.includes(rule))),
  );
  return {
    warnings: concern.flatMap(({ warnings }) => warnings),
    hints: concern.flatMap(({ hints }) => hints),
  };
}

// compat engine D-9, D-15: group/Kind, a bare Kind or /Kind for core, all (or a star for each) for everything
function kindOfKey(key: string): { group: string; kind: string } {
  if (key === 'all' || key === '.all') return { group: '*', kind: '*' };
  const slash = key.indexOf('/');
  return slash < 0 ? { group: '', kind: key } : { group: key.slice(0, slash), kind: key.slice(slash + 1) };
}

/** engine X-6: the Application enables presets by name; none is on by default. */
const presetAnnotation = 'fairlead.io/ignore-presets';
const knativeRuntime: Raw = {
  group: 'serving.knative.dev',
  kind: 'Service',
  jsonPointers: [
    '/status',
    '/spec/traffic',
    '/metadata/annotations/serving.knative.dev~1creator',
    '/metadata/annotations/serving.knative.dev~1lastModifier',
  ],
};

function presets({ metadata }: Application): Raw[] {
  const requested = metadata.annotations?.[presetAnnotation]?.split(',').map((name) => name.trim()) ?? [];
  return requested.includes('knative-runtime') ? [knativeRuntime] : [];
}

const where = ({ group, kind }: Raw): string => `ignoreDifferences for ${group || 'core'}/${kind}`;

type RuleContext = { readonly isOwn: boolean; readonly limits: JqTimeout; readonly problems: string[] };

function readRule(raw: Raw, { isOwn, limits, problems }: RuleContext): IgnoreRule {
  const { group, kind, name, namespace, jsonPointers = [], jqPathExpressions = [] } = raw;
  const pointers = jsonPointers
    .flatMap((text) => [parsePointer(text) ?? []])
    .filter((path) => path.length > 0);
  const expressions = jqPathExpressions.map((text) => ({ text, path: plainPath(text) }));
  const deletions = expressions.flatMap(({ text, path }) =>
    path ? [remover(path)] : readDeletion(text, { raw, limits, problems }),
  );
  const paths = [...pointers, ...expressions.flatMap(({ path }) => (path ? [path] : []))];
  return {
    group,
    kind,
    ...(name && { name }),
    ...(namespace && { namespace }),
    removals: [...pointers.map(remover), ...deletions],
    managers: raw.managedFieldsManagers ?? [],
    paths,
    isPlain: expressions.every(({ path }) => path),
    isOwn,
    warnings: warningsOf(raw),
    hints: hintsOf(raw, paths),
  };
}

/** compat engine D-11: a path to nowhere removes nothing. */
const remover =
  (path: readonly string[]): Removal =>
  (object) =>
    without(object, path);

const plain = /^(?:\.[A-Za-z_][A-Za-z0-9_]*)+$/;

/** Most expressions are paths of names, and deleting one is what a pointer does; undefined for all others. */
function plainPath(expression: string): string[] | undefined {
  const text = expression.trim();
  return plain.test(text) ? text.slice(1).split('.') : undefined;
}

type Reading = { readonly raw: Raw; readonly limits: JqTimeout; readonly problems: string[] };

function readDeletion(text: string, { raw, limits, problems }: Reading): Removal[] {
  try {
    return [compileDeletion(text, limits)];
  } catch (thrown) {
    const { message } = FairleadError.from(thrown);
    problems.push(`${where(raw)}: the jq expression ${JSON.stringify(text)} cannot be read: ${message}`);
    return [];
  }
}

function warningsOf(rule: Raw): string[] {
  const bad = (rule.jsonPointers ?? []).filter((text) => (parsePointer(text)?.length ?? 0) === 0);
  return bad.map((text) => `${where(rule)}: "${text}" is no JSON pointer; write it like /spec/replicas`);
}

/** engine X-47: what only the server writes is not declared, so it cannot differ. */
function hintsOf(rule: Raw, paths: IgnoreRule['paths']): string[] {
  const idle = paths.filter(([first, second]) => first === 'metadata' && second === 'generation');
  return idle.map(
    (path) => `${where(rule)}: ${printPointer(path)} never differs, so ignoring it does nothing`,
  );
}

/** compat engine §3.3 */
function statusRules({ ignoreStatusField }: ResourceSettings): Raw[] {
  if (ignoreStatusField === 'none') return [];
  const kinds =
    ignoreStatusField === 'crd'
      ? { group: 'apiextensions.k8s.io', kind: 'CustomResourceDefinition' }
      : { group: '*', kind: '*' };
  return [{ ...kinds, jsonPointers: ['/status'] }];
}

/** The effect of the rules on one object. */
export type Ignored = {
  readonly removals: readonly Removal[];
  readonly managers: readonly string[];
  readonly paths: readonly (readonly string[])[];
  readonly isPlain: boolean;
};

/** Everything that applies to an object, in the rules' order. */
export function ignoredIn(object: KubeObject, rules: IgnoreRules): Ignored {
  const { name, namespace = '' } = object.metadata;
  const byKind = ofKind(object, rules);
  const isForAll = byKind.rules.every((rule) => rule.name === undefined && rule.namespace === undefined);
  if (isForAll) return byKind.together;
  return joined(
    byKind.rules.filter(
      (rule) =>
        (rule.name === undefined || rule.name === name) &&
        (rule.namespace === undefined || rule.namespace === namespace),
    ),
  );
}

type OfKind = { readonly rules: readonly IgnoreRule[]; readonly together: Ignored };
/** Globs are matched once for each kind, not once for each object. */
const known = new WeakMap<IgnoreRules, Map<string, OfKind>>();

function ofKind(object: KubeObject, rules: IgnoreRules): OfKind {
  const kinds = known.get(rules) ?? new Map<string, OfKind>();
  known.set(rules, kinds);
  const group = groupOf(object);
  const key = `${group}/${object.kind}`;
  const found = kinds.get(key);
  if (found) return found;
  const matching = rules.rules.filter((rule) => glob(rule.group, group) && glob(rule.kind, object.kind));
  const made = { rules: matching, together: joined(matching) };
  kinds.set(key, made);
  return made;
}

const joined = (rules: readonly IgnoreRule[]): Ignored => ({
  removals: rules.flatMap(({ removals }) => removals),
  managers: rules.flatMap(({ managers }) => managers),
  paths: rules.flatMap(({ paths }) => paths),
  isPlain: rules.every(({ isPlain }) => isPlain),
});

/**
 * compat engine D-13: each side on its own, so removing an item from one list only shifts the items behind
 * it. The kind and the name of an object cannot be ignored.
 */
export function ignore(object: KubeObject, { removals }: Pick<Ignored, 'removals'>): KubeObject {
  const rest = removals.reduce((left, remove) => remove(left), object);
  if (rest.apiVersion && rest.kind && isObject(rest.metadata)) return rest;
  const { apiVersion, kind, metadata } = object;
  const { name, namespace } = metadata;
  const identity = { name, ...(namespace !== undefined && { namespace }) };
  return { ...rest, apiVersion, kind, metadata: isObject(rest.metadata) ? rest.metadata : identity };
}

export const isSecret = (object: KubeObject): boolean => isKind(object, '', 'Secret');
