import { type KustomizeConfig, mergeFields } from './config.ts';
import type { BuildMeter } from './decline.ts';
import type { LabelEntry } from './entries.ts';
import type { FieldSpec } from './field-path.ts';
import { setImage } from './images.ts';
import type { Kustomization } from './kustomization.ts';
import { addAnnotations, addPairs, ownLabels } from './labels.ts';
import type { Files } from './load.ts';
import { addPrefix, addSuffix, setNamespace } from './names.ts';
import { applyJsonPatches, applyMergePatches, applyPatch } from './patches.ts';
import { loadReplacements, replaceFields } from './replacements.ts';
import type { KustomizeResource } from './resource.ts';
import { setReplicas } from './scale.ts';

/** Where a step runs: the folder whose files it may read. */
export type StepContext = {
  readonly files: Files;
  readonly dir: string;
  readonly meter: BuildMeter;
  /** The build records origins in annotations: see provenance.ts. */
  readonly hasNotes: boolean;
};

/** One transformer of kustomize, ready to run. */
export type Transformer = {
  /** Kustomize's name of it. */
  readonly name: string;
  readonly run: (
    resources: KustomizeResource[],
    context: StepContext,
  ) => Promise<KustomizeResource[]> | KustomizeResource[] | undefined;
};

/** A step that changes objects in place. */
export const step = (
  name: string,
  change: (resources: readonly KustomizeResource[], context: StepContext) => Promise<void> | void,
): Transformer => ({
  name,
  run: async (resources, context) => {
    await change(resources, context);
    return resources;
  },
});

/** The transformers of the fields of a kustomization, in kustomize's order (sources 3.3.1). */
export function stepsOf(kustomization: Kustomization, config: KustomizeConfig): Transformer[] {
  const { namespace, namePrefix, nameSuffix, commonAnnotations, patchesStrategicMerge } = kustomization;
  const { patchesJson6902, replacements } = kustomization;
  return [
    ...when(patchesStrategicMerge.length > 0, {
      name: 'PatchStrategicMergeTransformer',
      run: (resources, context) => applyMergePatches(resources, patchesStrategicMerge, context),
    }),
    ...kustomization.patches.map((patch) => ({
      name: 'PatchTransformer',
      run: (resources: KustomizeResource[], context: StepContext) => applyPatch(resources, patch, context),
    })),
    ...when(
      namespace !== '',
      step('NamespaceTransformer', (all) => setNamespace(all, namespace, { fields: config.namespace })),
    ),
    ...when(
      namePrefix !== '',
      step('PrefixTransformer', (all) => addPrefix(all, namePrefix, config.namePrefix)),
    ),
    ...when(
      nameSuffix !== '',
      step('SuffixTransformer', (all) => addSuffix(all, nameSuffix, config.nameSuffix)),
    ),
    ...labelSteps(kustomization, config),
    ...when(
      Object.keys(commonAnnotations).length > 0,
      step('AnnotationsTransformer', (all) =>
        addAnnotations(all, commonAnnotations, config.commonAnnotations),
      ),
    ),
    ...patchesJson6902.map((patch) =>
      step('PatchJson6902Transformer', (all, context) => applyJsonPatches(all, [patch], context)),
    ),
    ...kustomization.replicas.map((entry) =>
      step('ReplicaCountTransformer', (all) => setReplicas(all, entry, config.replicas)),
    ),
    ...kustomization.images.map((image) =>
      step('ImageTagTransformer', (all, { meter }) => {
        spend(all, meter);
        setImage(all, image, config.images);
      }),
    ),
    ...when(
      replacements.length > 0,
      step('ReplacementTransformer', async (all, context) =>
        replaceFields(all, await loadReplacements(replacements, context), context),
      ),
    ),
  ];
}

const when = (isWanted: boolean, one: Transformer): Transformer[] => (isWanted ? [one] : []);

/** compat: with any labels at all, there is one more transformer for common ones, which may have nothing to do. */
function labelSteps({ labels, commonLabels }: Kustomization, config: KustomizeConfig): Transformer[] {
  if (labels.length === 0 && Object.keys(commonLabels).length === 0) return [];
  const name = 'LabelTransformer';
  return [
    ...labels.map((entry) => {
      const fields = labelFields(entry, config);
      return step(name, (all, { meter }) => {
        spend(all, meter);
        addPairs(all, entry.pairs, fields);
      });
    }),
    step(name, (all) => addPairs(all, commonLabels, config.commonLabels)),
  ];
}

/** compat sources KT-4. */
function labelFields({ fields, includeSelectors, includeTemplates }: LabelEntry, config: KustomizeConfig) {
  const { labels, commonLabels, templateLabels } = config;
  const own = fields.length > 0 || labels.length > 0 ? mergeFields(fields, labels) : undefined;
  if (includeSelectors) return joined(own, commonLabels);
  return includeTemplates ? joined(joined(own, templateLabels), ownLabels) : joined(own, ownLabels);
}

const joined = (
  fields: readonly FieldSpec[] | undefined,
  more: readonly FieldSpec[],
): readonly FieldSpec[] => (fields ? mergeFields(fields, more) : more);

function spend(resources: readonly KustomizeResource[], meter: BuildMeter): void {
  meter.steps(resources.reduce((sum, { nodes }) => sum + nodes, 0));
}
