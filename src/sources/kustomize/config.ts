import { decline } from './decline.ts';
import { type FieldSpec, isSelected, type PartialGvk } from './field-path.ts';
import { imageFields } from './images.ts';
import { allLabels, annotations, templateLabels } from './labels.ts';
import { nameFields, namespaceFields } from './names.ts';
import { compareKinds } from './order.ts';
import { type ReferredKind, referredKinds } from './reference-table.ts';
import { replicaFields } from './scale.ts';
import { varFields } from './var-table.ts';

/** The lists of fields that the steps of a build work on (sources KE-2). */
export type FieldLists = {
  readonly namePrefix: readonly FieldSpec[];
  readonly nameSuffix: readonly FieldSpec[];
  readonly namespace: readonly FieldSpec[];
  readonly commonLabels: readonly FieldSpec[];
  readonly labels: readonly FieldSpec[];
  readonly templateLabels: readonly FieldSpec[];
  readonly commonAnnotations: readonly FieldSpec[];
  readonly varReference: readonly FieldSpec[];
  readonly images: readonly FieldSpec[];
  readonly replicas: readonly FieldSpec[];
};

/** What the steps of a build work on: kustomize's own tables, and the additions of `configurations` and `crds`. */
export type KustomizeConfig = FieldLists & { readonly nameReference: readonly ReferredKind[] };

export const defaultConfig: KustomizeConfig = {
  namePrefix: nameFields,
  nameSuffix: nameFields,
  namespace: namespaceFields,
  commonLabels: allLabels,
  labels: [],
  templateLabels,
  commonAnnotations: annotations,
  varReference: varFields,
  images: imageFields,
  replicas: replicaFields,
  nameReference: referredKinds,
};

export const emptyConfig: KustomizeConfig = {
  ...{ namePrefix: [], nameSuffix: [], namespace: [], commonLabels: [], labels: [], templateLabels: [] },
  ...{ commonAnnotations: [], varReference: [], images: [], replicas: [], nameReference: [] },
};

export const listNames = Object.keys(emptyConfig).filter(
  (name) => name !== 'nameReference',
) as (keyof FieldLists)[];

/**
 * Both configs as one. Declines fields that one creates and the other does not.
 * compat sources KE-2: merging into an empty config may drop fields too: those of all kinds that one kind has already.
 */
export function mergeConfigs(config: KustomizeConfig, other: KustomizeConfig): KustomizeConfig {
  if (config === other || other === emptyConfig) return config;
  if (config === emptyConfig && other === defaultConfig) return other;
  const merged: Record<string, readonly FieldSpec[]> = {};
  for (const name of listNames) merged[name] = mergeFields(config[name], other[name]);
  const nameReference = mergeReferences(config.nameReference, other.nameReference);
  return { ...(merged as FieldLists), nameReference };
}

/** compat sources KE-2: a field is a duplicate when the added one selects it. */
export function mergeFields(fields: readonly FieldSpec[], added: readonly FieldSpec[]): readonly FieldSpec[] {
  const result = [...fields];
  for (const field of added) {
    const path = field.path.join('/');
    const known = result.find((one) => one.path.join('/') === path && isSelected(gvkOf(one), field));
    if (known && known.create !== field.create) decline('a field that is configured in two ways');
    if (!known) result.push(field);
  }
  return result.length === fields.length ? fields : result.sort(compareKinds);
}

const gvkOf = ({ group = '', version = '', kind = '' }: PartialGvk): Required<PartialGvk> => ({
  group,
  version,
  kind,
});

const isSame = (one: PartialGvk, other: PartialGvk): boolean => {
  const [a, b] = [gvkOf(one), gvkOf(other)];
  return a.group === b.group && a.version === b.version && a.kind === b.kind;
};

function mergeReferences(
  references: readonly ReferredKind[],
  added: readonly ReferredKind[],
): readonly ReferredKind[] {
  const result = [...references];
  for (const { target, referrers } of added) {
    const at = result.findIndex((one) => isSame(one.target, target));
    const known = result[at];
    if (known) result[at] = { target, referrers: mergeFields(known.referrers, referrers) };
    else result.push({ target, referrers });
  }
  return result.sort((a, b) => compareKinds(a.target, b.target));
}
