import { parseAll } from '#lang/yaml';
import { isObject } from '#std';
import { decline } from './decline.ts';
import { checkWriting } from './read.ts';
import { asFields, type Fields } from './values.ts';

export type Pairs = Readonly<Record<string, string>>;

type LabelEntry = {
  readonly pairs: Pairs;
  readonly includeSelectors: boolean;
  readonly includeTemplates: boolean;
};

export type Target = {
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
  readonly target: Target | undefined;
};

export type ImageEntry = {
  readonly name: string;
  readonly newName: string;
  readonly newTag: string;
  readonly digest: string;
};

type GeneratorOptions = {
  readonly labels: Pairs;
  readonly annotations: Pairs;
  readonly disableNameSuffixHash: boolean;
  readonly immutable: boolean;
};

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

/** The fields of a kustomization that we know, with legacy ones in their new place (KX-1). */
export type Kustomization = {
  readonly isComponent: boolean;
  readonly resources: readonly string[];
  readonly components: readonly string[];
  readonly namePrefix: string;
  readonly nameSuffix: string;
  readonly namespace: string;
  readonly commonLabels: Pairs;
  readonly labels: readonly LabelEntry[];
  readonly commonAnnotations: Pairs;
  readonly patchesStrategicMerge: readonly string[];
  readonly patches: readonly PatchEntry[];
  readonly patchesJson6902: readonly PatchEntry[];
  readonly images: readonly ImageEntry[];
  readonly replicas: readonly { readonly name: string; readonly count: number }[];
  readonly configMapGenerator: readonly GeneratorEntry[];
  readonly secretGenerator: readonly GeneratorEntry[];
  readonly sortOrder: 'legacy' | 'fifo' | undefined;
};

/** Reads a kustomization by the strictest of rules: what is not exactly as it is documented is not ours. */
export function readKustomization(text: string): Kustomization {
  checkWriting(text);
  const documents = parseAll(text, { duplicateKeys: 'reject', limits: { depth: 30 } });
  if (documents.length !== 1) decline('a kustomization of several documents, or none');
  const file = asFields(documents[0]?.value, 'a kustomization');
  only(file, known);
  const isComponent = kindOf(file);
  const options = generatorOptions(file.generatorOptions);
  const kustomization: Kustomization = {
    isComponent,
    resources: [...texts(file.resources), ...texts(file.bases)],
    components: texts(file.components),
    namePrefix: textIn(file.namePrefix),
    nameSuffix: textIn(file.nameSuffix),
    namespace: textIn(file.namespace),
    commonLabels: pairs(file.commonLabels),
    labels: list(file.labels, labelEntry),
    commonAnnotations: pairs(file.commonAnnotations),
    patchesStrategicMerge: texts(file.patchesStrategicMerge),
    patches: list(file.patches, patchEntry),
    patchesJson6902: list(file.patchesJson6902, patchEntry),
    images: [...list(file.images, imageEntry), ...list(file.imageTags, imageEntry)],
    replicas: list(file.replicas, replicaEntry),
    configMapGenerator: list(file.configMapGenerator, (entry) => generatorEntry(entry, options, [])),
    secretGenerator: list(file.secretGenerator, (entry) => generatorEntry(entry, options, ['type'])),
    sortOrder: sortOrder(file.sortOptions),
  };
  // compat 3.2: an empty one is an error
  const isEmpty = Object.values(kustomization).every((value) => typeof value !== 'object' || isBare(value));
  if (isEmpty) decline('a kustomization that may be empty');
  return kustomization;
}

const isBare = (value: object): boolean => Object.keys(value).length === 0;

const known =
  'apiVersion kind metadata resources bases components namePrefix nameSuffix namespace commonLabels labels commonAnnotations patchesStrategicMerge patches patchesJson6902 images imageTags replicas configMapGenerator secretGenerator generatorOptions sortOptions';

/** Names are exact here, though kustomize takes them in any case. */
function only(value: Fields, names: string): void {
  const allowed = names.split(' ');
  const other = Object.keys(value).find((key) => !allowed.includes(key));
  if (other !== undefined) decline(`the field ${other}`);
}

function kindOf({ apiVersion, kind, metadata }: Fields): boolean {
  if (isObject(metadata)) only(metadata, 'name');
  else if (metadata !== undefined) decline('odd metadata');
  const isComponent = kind === 'Component';
  const expected = `kustomize.config.k8s.io/${isComponent ? 'v1alpha1' : 'v1beta1'}`;
  if (kind !== undefined && kind !== 'Kustomization' && !isComponent) decline('another kind');
  if (apiVersion !== undefined && apiVersion !== expected) decline('another apiVersion');
  return isComponent;
}

const isAbsent = (value: unknown): value is undefined | null => value === undefined || value === null;

function textIn(value: unknown): string {
  if (isAbsent(value)) return '';
  return typeof value === 'string' ? value : decline('something where a text should be');
}

function flag(value: unknown): boolean {
  if (isAbsent(value)) return false;
  return typeof value === 'boolean' ? value : decline('something where true or false should be');
}

function list<T>(value: unknown, read: (item: Fields) => T): T[] {
  if (isAbsent(value)) return [];
  if (!Array.isArray(value)) decline('something where a list should be');
  return value.map((item) => read(asFields(item, 'an entry')));
}

function texts(value: unknown): string[] {
  if (isAbsent(value)) return [];
  if (!Array.isArray(value)) decline('something where a list should be');
  return value.map((item) => (typeof item === 'string' ? item : decline('an entry that is no text')));
}

function pairs(value: unknown): Pairs {
  if (isAbsent(value)) return {};
  const found = Object.entries(asFields(value, 'pairs'));
  return Object.fromEntries(
    found.map(([key, inner]) => {
      if (key === '__proto__' || key === '') decline('an odd key');
      return [key, typeof inner === 'string' ? inner : decline('a pair that is no text')];
    }),
  );
}

function labelEntry(entry: Fields): LabelEntry {
  only(entry, 'pairs includeSelectors includeTemplates');
  return {
    pairs: pairs(entry.pairs),
    includeSelectors: flag(entry.includeSelectors),
    includeTemplates: flag(entry.includeTemplates),
  };
}

function patchEntry(entry: Fields): PatchEntry {
  only(entry, 'path patch target options');
  if (!isAbsent(entry.options)) {
    const options = asFields(entry.options, 'options');
    only(options, 'allowNameChange allowKindChange');
    if (flag(options.allowNameChange) || flag(options.allowKindChange)) decline('a patch that renames');
  }
  const target = isAbsent(entry.target) ? undefined : targetOf(asFields(entry.target, 'target'));
  return { path: textIn(entry.path), patch: textIn(entry.patch), target };
}

function targetOf(target: Fields): Target {
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

function imageEntry(entry: Fields): ImageEntry {
  only(entry, 'name newName newTag digest');
  return {
    name: textIn(entry.name),
    newName: textIn(entry.newName),
    newTag: textIn(entry.newTag),
    digest: textIn(entry.digest),
  };
}

function replicaEntry(entry: Fields): { name: string; count: number } {
  only(entry, 'name count');
  const { count } = entry;
  if (typeof count !== 'number' || !Number.isSafeInteger(count)) decline('an odd count of replicas');
  return { name: textIn(entry.name), count };
}

function generatorOptions(value: unknown): GeneratorOptions {
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

/** compat KG-6: an entry's own labels and annotations win; the flags count from either. */
function generatorEntry(entry: Fields, common: GeneratorOptions, more: readonly string[]): GeneratorEntry {
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

function sortOrder(value: unknown): 'legacy' | 'fifo' | undefined {
  if (isAbsent(value)) return undefined;
  const options = asFields(value, 'sortOptions');
  only(options, 'order');
  const { order } = options;
  return order === 'legacy' || order === 'fifo' ? order : decline('an odd sort order');
}
