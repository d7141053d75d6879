import { isObject } from '#base/std';
import { parseAll } from '#lang/yaml';
import { decline } from './decline.ts';
import {
  type GeneratorEntry,
  generatorEntry,
  generatorOptions,
  type ImageEntry,
  imageEntry,
  type LabelEntry,
  labelEntry,
  type PatchEntry,
  patchEntry,
  type ReplicaEntry,
  replicaEntry,
} from './entries.ts';
import { type BuildMetadata, notesOf } from './provenance.ts';
import { checkWriting } from './read.ts';
import { type ReplacementEntry, replacementEntry } from './replacement-entry.ts';
import { fold, isAbsent, list, only, type Pairs, pairs, textIn, texts } from './typed.ts';
import { asFields, type FieldMap } from './values.ts';
import { type Var, varEntry } from './vars.ts';

/** The fields of a kustomization that we support, with legacy ones under their new names (sources KX-1). */
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
  readonly replicas: readonly ReplicaEntry[];
  readonly replacements: readonly ReplacementEntry[];
  readonly vars: readonly Var[];
  readonly configurations: readonly string[];
  readonly crds: readonly string[];
  readonly generators: readonly string[];
  readonly transformers: readonly string[];
  readonly configMapGenerator: readonly GeneratorEntry[];
  readonly secretGenerator: readonly GeneratorEntry[];
  readonly notes: BuildMetadata | undefined;
  readonly sortOrder: 'legacy' | 'fifo' | undefined;
};

/** Parses a kustomization strictly: declines anything that is not exactly as documented. */
export function readKustomization(text: string): Kustomization {
  checkWriting(text);
  const documents = parseAll(text, { duplicateKeys: 'lastWins', limits: { depth: 30 } });
  if (documents.length !== 1) decline('a kustomization of several documents, or none');
  const file = fold(asFields(documents[0]?.value, 'a kustomization'), known);
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
    replacements: list(file.replacements, replacementEntry),
    vars: list(file.vars, varEntry),
    configurations: texts(file.configurations),
    crds: texts(file.crds),
    generators: texts(file.generators),
    transformers: texts(file.transformers),
    configMapGenerator: list(file.configMapGenerator, (entry) => generatorEntry(entry, options, [])),
    secretGenerator: list(file.secretGenerator, (entry) => generatorEntry(entry, options, ['type'])),
    notes: notesOf(file.buildMetadata),
    sortOrder: sortOrder(file.sortOptions),
  };
  // compat sources 3.2: an empty one is an error
  const { isComponent: _isComponent, ...content } = kustomization;
  const isEmpty = Object.values(content).every((value) => value === undefined || isBare(value));
  if (isEmpty) decline('a kustomization that may be empty');
  return kustomization;
}

const isBare = (value: object | string): boolean => Object.keys(value).length === 0;

const known =
  'apiVersion kind metadata resources bases components namePrefix nameSuffix namespace commonLabels labels commonAnnotations patchesStrategicMerge patches patchesJson6902 images imageTags replicas replacements vars configurations crds generators transformers configMapGenerator secretGenerator generatorOptions buildMetadata sortOptions';

function kindOf({ apiVersion, kind, metadata }: FieldMap): boolean {
  if (isObject(metadata)) only(metadata, 'name namespace labels annotations');
  else if (metadata !== undefined) decline('odd metadata');
  const isComponent = kind === 'Component';
  const expected = `kustomize.config.k8s.io/${isComponent ? 'v1alpha1' : 'v1beta1'}`;
  if (kind !== undefined && kind !== 'Kustomization' && !isComponent) decline('another kind');
  if (apiVersion !== undefined && apiVersion !== expected) decline('another apiVersion');
  return isComponent;
}

function sortOrder(value: unknown): 'legacy' | 'fifo' | undefined {
  if (isAbsent(value)) return undefined;
  const options = asFields(value, 'sortOptions');
  only(options, 'order');
  const { order } = options;
  return order === 'legacy' || order === 'fifo' ? order : decline('an odd sort order');
}
