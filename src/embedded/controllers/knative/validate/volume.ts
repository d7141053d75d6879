import { dnsLabelProblems, parseQuantity } from '#base/model';
import type { JsonObject } from '#kubernetes/schema';
import { flag, isOn, type KnativeConfig } from '../config.ts';
import {
  both,
  each,
  invalid,
  type KnativeProblem,
  missing,
  neither,
  said,
  under,
  unmasked,
} from './problem.ts';

type VolumeFields = JsonObject & { readonly name?: string };
export type VolumesByName = ReadonlyMap<string, JsonObject>;

/** The kinds of volume that an administrator allows, with Knative's name for each. */
const optional = [
  { field: 'image', word: 'Image', feature: 'kubernetes.podspec-volumes-image' },
  { field: 'emptyDir', word: 'EmptyDir', feature: 'kubernetes.podspec-volumes-emptydir' },
  { field: 'hostPath', word: 'HostPath', feature: 'kubernetes.podspec-volumes-hostpath' },
  { field: 'csi', word: 'CSI', feature: 'kubernetes.podspec-volumes-csi' },
  { field: 'ephemeral', word: 'Ephemeral', feature: 'kubernetes.podspec-volumes-ephemeral' },
] as const;
const claimFeature = 'kubernetes.podspec-persistent-volume-claim';

/** compat cluster 5.6: the order in which Knative checks the kind of a volume. */
const sources = [
  'secret',
  'configMap',
  'projected',
  'emptyDir',
  'persistentVolumeClaim',
  'hostPath',
  'csi',
  'ephemeral',
  'image',
];
const featureOf = (field: string): string | undefined =>
  field === 'persistentVolumeClaim' ? claimFeature : optional.find((one) => one.field === field)?.feature;

export function ofVolumes(
  config: KnativeConfig,
  volumes: readonly JsonObject[],
  mounted: ReadonlySet<string>,
): KnativeProblem[] {
  const seen = new Set<string>();
  return each(volumes as readonly VolumeFields[], (volume) => {
    const { name = '' } = volume;
    const found = [
      ...(seen.has(name) ? [said(`duplicate volume name "${name}"`, 'name')] : []),
      ...(mounted.has(name) ? [] : [said(`volume with name "${name}" not mounted`, 'name')]),
      ...ofVolume(config, volume),
    ];
    seen.add(name);
    return found;
  });
}

function ofVolume(config: KnativeConfig, volume: VolumeFields): KnativeProblem[] {
  const isAllowed = (field: string): boolean => {
    const feature = featureOf(field);
    return feature === undefined || flag(config, feature) !== 'disabled';
  };
  const { name = '', ...source } = volume;
  const wrongName =
    name === '' ? missing('name') : dnsLabelProblems(name).length > 0 ? invalid(name, 'name') : undefined;
  return [
    // compat cluster 5.6: a volume without a valid name gets no other error
    ...(wrongName ? [wrongName] : switchedOff(config, volume)),
    ...unmasked(source, isAllowed),
    ...ofSource(config, source),
  ];
}

function switchedOff(config: KnativeConfig, volume: VolumeFields): KnativeProblem[] {
  const { name, persistentVolumeClaim: claim } = volume;
  const off = optional.filter(({ field, feature }) => volume[field] !== undefined && !isOn(config, feature));
  return [
    ...(claim === undefined ? [] : ofClaim(config, claim as ClaimSource)),
    ...off.map(({ word }) => said(`${word} volume support is disabled, but found ${word} volume ${name}`)),
  ];
}

type ClaimSource = { readonly claimName?: string; readonly readOnly?: boolean };

function ofClaim(config: KnativeConfig, { claimName = '', readOnly = false }: ClaimSource): KnativeProblem[] {
  const found = `but found persistent volume claim ${claimName}`;
  const mayWrite = isOn(config, 'kubernetes.podspec-persistent-volume-write');
  return [
    ...(isOn(config, claimFeature) ? [] : [said(`Persistent volume claim support is disabled, ${found}`)]),
    ...(readOnly || mayWrite
      ? []
      : [said(`Persistent volume write support is disabled, ${found} that is not read-only`)]),
  ];
}

type Item = { readonly key?: string; readonly path?: string };
type Source = {
  readonly items?: readonly Item[];
  readonly name?: string;
  readonly path?: string;
  readonly sources?: readonly JsonObject[];
  readonly medium?: string;
  readonly sizeLimit?: string | number;
};

function ofSource(config: KnativeConfig, source: JsonObject): KnativeProblem[] {
  const set = sources.filter((field) => source[field] !== undefined);
  const { secret, configMap, projected, emptyDir } = source as Readonly<Record<string, Source | undefined>>;
  const found = [
    ...ofItems(secret?.items),
    ...ofItems(configMap?.items),
    ...under('projected', each(projected?.sources, ofProjection)),
    ...under('emptyDir', emptyDir ? ofEmptyDir(emptyDir) : []),
  ];
  if (set.length > 1) return [...found, both(...set)];
  if (set.length === 1) return found;
  const offered = sources.filter((field) => {
    const feature = featureOf(field);
    return feature === undefined || isOn(config, feature);
  });
  return [...found, neither(...offered)];
}

const ofItems = (items: readonly Item[] | undefined): KnativeProblem[] =>
  under(
    'items',
    each(items, ({ key, path }) => [...(key ? [] : [missing('key')]), ...(path ? [] : [missing('path')])]),
  );

function ofEmptyDir({ medium = '', sizeLimit }: Source): KnativeProblem[] {
  const isNegative = sizeLimit !== undefined && parseQuantity(sizeLimit).mantissa < 0n;
  return [
    ...(medium === '' || medium === 'Memory' ? [] : [invalid(medium, 'medium')]),
    ...(isNegative ? [invalid(sizeLimit, 'sizeLimit')] : []),
  ];
}

const projections = ['secret', 'configMap', 'serviceAccountToken', 'downwardAPI'];

function ofProjection(projection: JsonObject): KnativeProblem[] {
  const set = projections.filter((field) => projection[field] !== undefined);
  const found = set.flatMap((field) => under(field, ofPart(field, projection[field] as Source)));
  if (set.length === 0) return [neither(...projections)];
  return set.length > 1 ? [...found, both(...set)] : found;
}

function ofPart(kind: string, part: Source): KnativeProblem[] {
  if (kind === 'serviceAccountToken') return part.path ? [] : [missing('path')];
  if (kind === 'downwardAPI') return under('items', each(part.items as readonly JsonObject[], ofDownward));
  return [...(part.name ? [] : [missing('name')]), ...ofItems(part.items)];
}

function ofDownward({ fieldRef, resourceFieldRef, path }: JsonObject): KnativeProblem[] {
  const refs =
    fieldRef && resourceFieldRef
      ? [said('Within a single item, cannot set both', 'resourceFieldRef', 'fieldRef')]
      : fieldRef || resourceFieldRef
        ? []
        : [neither('fieldRef', 'resourceFieldRef')];
  return [...refs, ...(path ? [] : [missing('path')])];
}
