import { decline } from './decline.ts';
import { fieldOf } from './field-entry.ts';
import type { FieldSpec } from './field-path.ts';
import { flag, isAbsent, list, only, type Pairs, pairs, textIn, texts } from './typed.ts';
import { asFields, type FieldMap } from './values.ts';

export type LabelEntry = {
  readonly pairs: Pairs;
  readonly includeSelectors: boolean;
  readonly includeTemplates: boolean;
  /** Additional fields of its own. */
  readonly fields: readonly FieldSpec[];
};

export type PatchTarget = {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
  readonly labelSelector: string;
  readonly annotationSelector: string;
};

export type PatchEntry = {
  readonly path: string;
  readonly patch: string;
  readonly target: PatchTarget | undefined;
  readonly mayRename: boolean;
  readonly mayChangeKind: boolean;
};

export type ImageEntry = {
  readonly name: string;
  readonly newName: string;
  readonly newTag: string;
  readonly digest: string;
  readonly tagSuffix: string;
};

export type GeneratorOptions = {
  readonly labels: Pairs;
  readonly annotations: Pairs;
  readonly disableNameSuffixHash: boolean;
  readonly immutable: boolean;
};

export type ReplicaEntry = { readonly name: string; readonly count: number };

export type GeneratorEntry = {
  readonly name: string;
  readonly namespace: string;
  readonly behavior: string;
  readonly type: string;
  readonly literals: readonly string[];
  readonly files: readonly string[];
  readonly envs: readonly string[];
  readonly options: GeneratorOptions;
};

export function labelEntry(entry: FieldMap): LabelEntry {
  only(entry, 'pairs includeSelectors includeTemplates fields');
  return {
    pairs: pairs(entry.pairs),
    includeSelectors: flag(entry.includeSelectors),
    includeTemplates: flag(entry.includeTemplates),
    fields: list(entry.fields, fieldOf),
  };
}

export function patchEntry(entry: FieldMap): PatchEntry {
  only(entry, 'path patch target options');
  const options = isAbsent(entry.options) ? {} : asFields(entry.options, 'options');
  only(options, 'allowNameChange allowKindChange');
  const target = isAbsent(entry.target) ? undefined : targetOf(asFields(entry.target, 'target'));
  return {
    path: textIn(entry.path),
    patch: textIn(entry.patch),
    target,
    mayRename: flag(options.allowNameChange),
    mayChangeKind: flag(options.allowKindChange),
  };
}

export function targetOf(target: FieldMap): PatchTarget {
  only(target, 'group version kind name namespace labelSelector annotationSelector');
  return {
    group: textIn(target.group),
    version: textIn(target.version),
    kind: textIn(target.kind),
    name: textIn(target.name),
    namespace: textIn(target.namespace),
    labelSelector: textIn(target.labelSelector),
    annotationSelector: textIn(target.annotationSelector),
  };
}

export function imageEntry(entry: FieldMap): ImageEntry {
  only(entry, 'name newName newTag digest tagSuffix');
  return {
    name: textIn(entry.name),
    newName: textIn(entry.newName),
    newTag: textIn(entry.newTag),
    digest: textIn(entry.digest),
    tagSuffix: textIn(entry.tagSuffix),
  };
}

export function replicaEntry(entry: FieldMap): ReplicaEntry {
  only(entry, 'name count');
  const { count } = entry;
  if (typeof count !== 'number' || !Number.isSafeInteger(count)) decline('an odd count of replicas');
  return { name: textIn(entry.name), count };
}

export function generatorOptions(value: unknown): GeneratorOptions {
  const options = isAbsent(value) ? {} : asFields(value, 'options');
  only(options, 'labels annotations disableNameSuffixHash immutable');
  return {
    labels: pairs(options.labels),
    annotations: pairs(options.annotations),
    disableNameSuffixHash: flag(options.disableNameSuffixHash),
    immutable: flag(options.immutable),
  };
}

const generatorFields = 'name namespace behavior literals files envs env options';

/** compat sources KG-6: an entry's own labels and annotations win; a flag set in either is set. */
export function generatorEntry(
  entry: FieldMap,
  common: GeneratorOptions,
  more: readonly string[],
): GeneratorEntry {
  only(entry, [generatorFields, ...more].join(' '));
  const own = generatorOptions(entry.options);
  const env = textIn(entry.env);
  return {
    name: textIn(entry.name),
    namespace: textIn(entry.namespace),
    behavior: textIn(entry.behavior),
    type: textIn(entry.type),
    literals: texts(entry.literals),
    files: texts(entry.files),
    envs: [...texts(entry.envs), ...(env === '' ? [] : [env])],
    options: {
      labels: { ...common.labels, ...own.labels },
      annotations: { ...common.annotations, ...own.annotations },
      disableNameSuffixHash: common.disableNameSuffixHash || own.disableNameSuffixHash,
      immutable: common.immutable || own.immutable,
    },
  };
}
