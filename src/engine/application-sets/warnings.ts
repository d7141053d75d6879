import {
  type ApplicationSet,
  annotation,
  ignoredFieldText,
  type SetGenerator,
  unknownSetFields,
} from '#base/model';
import { isObject, type JsonObject } from '#base/std';
import { readSyncOptions } from '../sync/options.ts';
import { percentIn } from './apply/delete-guard.ts';
import { modeOf, type SetParameters } from './parameters/set-parameters.ts';
import { flatTags } from './template/flat-text.ts';

/**
 * What is done as the set says, but hardly as its author meant: each names the field and the fix. With the parameter sets of
 * a pass it also names tags that no parameter matches.
 */
export function applicationSetWarnings(
  set: ApplicationSet,
  parameters: readonly SetParameters[] = [],
): string[] {
  return [
    ...unknownSetFields(set).map(ignoredFieldText),
    ...patchWarnings(set),
    ...strategyWarnings(set),
    ...templateWarnings(set),
    ...generatorWarnings(set.spec.generators, 'spec.generators'),
    ...guardWarnings(set),
    ...unreferenced(set),
    ...(parameters.length === 0 || modeOf(set.spec) === 'go' ? [] : unknownTags(set, parameters)),
  ];
}

/** compat sources AST-11. */
function patchWarnings({ spec }: ApplicationSet): string[] {
  if (!spec.templatePatch || spec.goTemplate) return [];
  return [
    'spec.templatePatch is documented for Go templates; it is applied here too, without conditions or loops: set goTemplate: true',
  ];
}

function strategyWarnings({ spec }: ApplicationSet): string[] {
  const { type = '', rollingSync, deletionOrder = '' } = spec.strategy ?? {};
  const isKnown = ['', 'AllAtOnce', 'RollingSync'].includes(type);
  return [
    ...(isKnown
      ? []
      : [`spec.strategy.type "${type}" is unknown and means AllAtOnce; write RollingSync or AllAtOnce`]),
    ...(isKnown && rollingSync && type !== 'RollingSync'
      ? ['spec.strategy.rollingSync has no effect without type: RollingSync']
      : []),
    ...(type === 'RollingSync' && !rollingSync
      ? [
          'spec.strategy.type is RollingSync and rollingSync is missing, which means AllAtOnce; add rollingSync.steps',
        ]
      : []),
    ...(['', 'allatonce', 'reverse'].includes(deletionOrder.toLowerCase())
      ? []
      : [
          `spec.strategy.deletionOrder "${deletionOrder}" is unknown and has no effect; write Reverse or AllAtOnce`,
        ]),
    ...(spec.applyNestedSelectors === undefined
      ? []
      : ['spec.applyNestedSelectors has no effect: selectors of nested generators always apply']),
  ];
}

function templateWarnings({ spec }: ApplicationSet): string[] {
  const { metadata, spec: application } = spec.template;
  const options = application?.syncPolicy?.syncOptions ?? [];
  const plain = options.filter((option) => !option.includes('{{'));
  return [
    ...(metadata?.namespace
      ? ['spec.template.metadata.namespace has no effect: applications live in the namespace of their set']
      : []),
    ...readSyncOptions(plain).unknown.map(
      (option) => `spec.template.spec.syncPolicy.syncOptions: unknown sync option ${option}`,
    ),
    ...(metadata?.annotations?.[annotation.refresh] !== undefined
      ? [
          `spec.template.metadata.annotations: ${annotation.refresh} would be written again in each pass; remove it`,
        ]
      : []),
  ];
}

function generatorWarnings(generators: readonly SetGenerator[], path: string): string[] {
  return generators.flatMap(({ git, matrix, merge }, at) => {
    const where = `${path}[${at}]`;
    return [
      ...(git?.directories?.length && git.files?.length
        ? [`${where}.git has directories and files; files have no effect beside directories`]
        : []),
      ...ignoredTemplates([...(matrix?.generators ?? []), ...(merge?.generators ?? [])], where),
      ...generatorWarnings(matrix?.generators ?? [], `${where}.matrix.generators`),
      ...generatorWarnings(merge?.generators ?? [], `${where}.merge.generators`),
    ];
  });
}

/** compat sources AS-7: only the template of the outer combination counts. */
function ignoredTemplates(children: readonly SetGenerator[], where: string): string[] {
  const hasTemplate = children.some((child) =>
    Object.values<unknown>(child).some((one) => isObject(one) && isObject(one.template)),
  );
  return hasTemplate
    ? [`${where}: the template of a child generator has no effect; write it on the matrix or merge itself`]
    : [];
}

function guardWarnings({ metadata }: ApplicationSet): string[] {
  const text = metadata.annotations?.[annotation.maxDeletePercent];
  if (text === undefined || percentIn(text) !== undefined) return [];
  return [
    `metadata.annotations: ${annotation.maxDeletePercent} is "${text}" and blocks every deletion; write a number from 0 to 100`,
  ];
}

/** What a user declared: the names in list elements and in `values`. */
function declared(generators: readonly SetGenerator[], path: string): { name: string; path: string }[] {
  return generators.flatMap((item, at) => {
    const where = `${path}[${at}]`;
    const { list, matrix, merge } = item;
    const inElements = (list?.elements ?? []).flatMap((element, i) =>
      namesIn(element, `${where}.list.elements[${i}]`),
    );
    const inValues = Object.entries<unknown>(item).flatMap(([kind, one]) =>
      isObject(one) && isObject(one.values) ? namesIn(one.values, `${where}.${kind}.values`) : [],
    );
    return [
      ...inElements,
      ...inValues,
      ...declared(matrix?.generators ?? [], `${where}.matrix.generators`),
      ...declared(merge?.generators ?? [], `${where}.merge.generators`),
    ];
  });
}

const namesIn = (object: JsonObject, path: string): { name: string; path: string }[] =>
  Object.entries(object).flatMap(([name, value]) =>
    name === 'values' && isObject(value) ? namesIn(value, `${path}.values`) : [{ name, path }],
  );

/** compat sources §7: a parameter that nothing uses; booleans and objects of an application need templatePatch. */
function unreferenced({ spec }: ApplicationSet): string[] {
  const { template, templatePatch, generators } = spec;
  const texts = templatesIn([template, templatePatch, generators]).join('\n');
  const keys = new Set(generators.flatMap(mergeKeysOf));
  const seen = new Set<string>();
  return declared(generators, 'spec.generators').flatMap(({ name, path }) => {
    if (seen.has(name) || keys.has(name) || keys.has(`values.${name}`) || isNamed(name, texts)) return [];
    seen.add(name);
    return [`${path}.${name} is never referenced; the template does not contain it between {{ and }}`];
  });
}

const mergeKeysOf = ({ merge, matrix }: SetGenerator): string[] => [
  ...(merge?.mergeKeys ?? []),
  ...[...(merge?.generators ?? []), ...(matrix?.generators ?? [])].flatMap(mergeKeysOf),
];

/** A name stands alone in a template, or the whole of the parameters is used. */
function isNamed(name: string, texts: string): boolean {
  for (let at = texts.indexOf(name); at >= 0; at = texts.indexOf(name, at + 1)) {
    const [before = ' ', after = ' '] = [texts[at - 1], texts[at + name.length]];
    if (!/[\w-]/.test(before) && !/[\w-]/.test(after)) return true;
  }
  return /(?:^|[\s(|])\.(?=[\s)|]|$)|\$(?=[\s)|.]|$)/m.test(texts);
}

/** What stands between braces, of all texts and keys. */
function templatesIn(value: unknown): string[] {
  if (typeof value === 'string') {
    return value.includes('{{')
      ? value
          .split('{{')
          .slice(1)
          .map((part) => part.split('}}')[0] ?? '')
      : [];
  }
  if (Array.isArray(value)) return value.flatMap(templatesIn);
  return isObject(value) ? Object.entries(value).flatMap((entry) => templatesIn(entry)) : [];
}

/** dev sources DEV-13, compat sources ASC-6: tags that stay as text because some parameter set does not have them. */
function unknownTags({ spec }: ApplicationSet, parameters: readonly SetParameters[]): string[] {
  const tags = new Map<string, string>();
  collectTags(spec.template, 'spec.template', tags);
  collectTags(spec.templatePatch, 'spec.templatePatch', tags);
  return [...tags].flatMap(([name, path]) => {
    // a template of Helm is meant to survive
    if (name === '' || name.startsWith('.') || /\s/.test(name)) return [];
    const without = parameters.filter((set) => typeof set[name] !== 'string').length;
    if (without === 0) return [];
    const share =
      without === parameters.length
        ? 'no parameter set has it'
        : `${without} of ${parameters.length} parameter sets lack it`;
    return [`${path}: {{${name}}} stays as text: ${share}`];
  });
}

function collectTags(value: unknown, path: string, tags: Map<string, string>): void {
  if (typeof value === 'string') {
    for (const name of flatTags(value)) if (!tags.has(name)) tags.set(name, path);
  } else if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) collectTags(item, `${path}[${at}]`, tags);
  } else if (isObject(value)) {
    for (const [key, inner] of Object.entries(value)) {
      collectTags(key, path, tags);
      collectTags(inner, `${path}.${key}`, tags);
    }
  }
}
