import { decline } from './decline.ts';
import {
  type GeneratorEntry,
  generatorEntry,
  generatorOptions,
  imageEntry,
  patchEntry,
  replicaEntry,
  targetOf,
} from './entries.ts';
import { fieldOf } from './field-entry.ts';
import type { FieldSpec } from './field-path.ts';
import { setImage } from './images.ts';
import { addAnnotations, addPairs } from './labels.ts';
import { addPrefix, addSuffix, type SubjectMode, setNamespace } from './names.ts';
import { applyJsonPatches, applyMergePatches, applyPatch } from './patches.ts';
import { replacementEntry } from './replacement-entry.ts';
import { loadReplacements, replaceFields } from './replacements.ts';
import { setReplicas } from './scale.ts';
import { step, type Transformer } from './transform.ts';
import { flag, isAbsent, list, only, pairs, textIn, texts } from './typed.ts';
import { asFields, type FieldMap } from './values.ts';

/** The settings of an object of `transformers`, without its apiVersion, kind and metadata. */
type Settings = { readonly name: string; readonly settings: FieldMap; readonly metadata: FieldMap };

const fieldsIn = (value: unknown): FieldSpec[] => list(value, fieldOf);

/** The builtin transformers, by the kinds of the objects that configure them (sources KE-4). */
const transformers: Readonly<Record<string, (settings: Settings) => Transformer>> = {
  AnnotationsTransformer: ({ name, settings }) => {
    only(settings, 'annotations fieldSpecs');
    const [added, fields] = [pairs(settings.annotations), fieldsIn(settings.fieldSpecs)];
    return step(name, (all) => addAnnotations(all, added, fields));
  },
  ImageTagTransformer: ({ name, settings }) => {
    only(settings, 'imageTag fieldSpecs');
    const image = imageEntry(asFields(settings.imageTag, 'imageTag'));
    const fields = fieldsIn(settings.fieldSpecs);
    return step(name, (all) => setImage(all, image, fields));
  },
  LabelTransformer: ({ name, settings }) => {
    only(settings, 'labels fieldSpecs');
    const [added, fields] = [pairs(settings.labels), fieldsIn(settings.fieldSpecs)];
    return step(name, (all) => addPairs(all, added, fields));
  },
  NamespaceTransformer: ({ name, settings, metadata }) => {
    only(settings, 'fieldSpecs unsetOnly setRoleBindingSubjects');
    const fields = fieldsIn(settings.fieldSpecs);
    const unsetOnly = flag(settings.unsetOnly);
    const subjects = subjectMode(textIn(settings.setRoleBindingSubjects));
    const namespace = textIn(metadata.namespace);
    return step(name, (all) => {
      if (namespace !== '') setNamespace(all, namespace, { fields, unsetOnly, subjects });
    });
  },
  PatchJson6902Transformer: ({ name, settings }) => {
    only(settings, 'target path jsonOp');
    const target = targetOf(asFields(settings.target, 'target'));
    const patch = { ...noPatch, path: textIn(settings.path), patch: textIn(settings.jsonOp), target };
    return step(name, (all, context) => applyJsonPatches(all, [patch], context));
  },
  PatchStrategicMergeTransformer: ({ name, settings }) => {
    only(settings, 'paths patches');
    const text = textIn(settings.patches);
    const entries = [...texts(settings.paths), ...(text === '' ? [] : [text])];
    if (entries.length === 0) decline('a patch that is empty');
    return { name, run: (resources, context) => applyMergePatches(resources, entries, context) };
  },
  PatchTransformer: ({ name, settings }) => {
    const patch = patchEntry(settings);
    return { name, run: (resources, context) => applyPatch(resources, patch, context) };
  },
  PrefixSuffixTransformer: ({ name, settings }) => {
    only(settings, 'prefix suffix fieldSpecs');
    const [prefix, suffix] = [textIn(settings.prefix), textIn(settings.suffix)];
    const fields = neededFields(settings);
    return step(name, (all) => {
      addPrefix(all, prefix, fields);
      addSuffix(all, suffix, fields);
    });
  },
  PrefixTransformer: ({ name, settings }) => {
    only(settings, 'prefix fieldSpecs');
    const [prefix, fields] = [textIn(settings.prefix), neededFields(settings)];
    return step(name, (all) => addPrefix(all, prefix, fields));
  },
  ReplacementTransformer: ({ name, settings }) => {
    only(settings, 'replacements');
    const entries = list(settings.replacements, replacementEntry);
    return step(name, async (all, context) =>
      replaceFields(all, await loadReplacements(entries, context), context),
    );
  },
  ReplicaCountTransformer: ({ name, settings }) => {
    only(settings, 'replica fieldSpecs');
    const entry = replicaEntry(asFields(settings.replica, 'replica'));
    const fields = fieldsIn(settings.fieldSpecs);
    return step(name, (all) => setReplicas(all, entry, fields));
  },
  SuffixTransformer: ({ name, settings }) => {
    only(settings, 'suffix fieldSpecs');
    const [suffix, fields] = [textIn(settings.suffix), neededFields(settings)];
    return step(name, (all) => addSuffix(all, suffix, fields));
  },
};

const noPatch = { mayRename: false, mayChangeKind: false };

/** compat: without any, kustomize reports an error. */
function neededFields({ fieldSpecs }: FieldMap): FieldSpec[] {
  return isAbsent(fieldSpecs) ? decline('a prefix or suffix for no fields') : fieldsIn(fieldSpecs);
}

function subjectMode(text: string): SubjectMode {
  if (text === '') return 'defaultOnly';
  const isKnown = text === 'defaultOnly' || text === 'allServiceAccounts' || text === 'none';
  return isKnown ? text : decline('an odd choice of subjects');
}

/** The transformer that an object of `transformers` configures. */
export function transformerOf(object: FieldMap): Transformer {
  const read = settingsOf(object);
  const make = Object.hasOwn(transformers, read.name) ? transformers[read.name] : undefined;
  return make ? make(read) : decline('a transformer that is not built in');
}

/** The settings of an object of `generators`. */
export type KustomizeGenerator = { readonly kind: 'ConfigMap' | 'Secret'; readonly entry: GeneratorEntry };

const generated: Readonly<Record<string, KustomizeGenerator['kind']>> = {
  ConfigMapGenerator: 'ConfigMap',
  SecretGenerator: 'Secret',
};

/** The generator that an object of `generators` configures. compat sources KG-6: only its own options apply. */
export function generatorOf(object: FieldMap): KustomizeGenerator {
  const { name, settings, metadata } = settingsOf(object);
  const kind =
    (Object.hasOwn(generated, name) ? generated[name] : undefined) ??
    decline('a generator that is not built in');
  const entry = generatorEntry(settings, generatorOptions(undefined), kind === 'Secret' ? ['type'] : []);
  return {
    kind,
    entry: {
      ...entry,
      name: entry.name || textIn(metadata.name),
      namespace: entry.namespace || textIn(metadata.namespace),
    },
  };
}

function settingsOf({ apiVersion, kind, metadata, ...settings }: FieldMap): Settings {
  if (apiVersion !== 'builtin') decline('a plugin that is not built in');
  return { name: String(kind), settings, metadata: asFields(metadata, 'metadata') };
}
