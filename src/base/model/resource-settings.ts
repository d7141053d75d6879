import { isObject } from '#base/std';
import { parseBool } from './annotations.ts';
import { readOverrides } from './resource-overrides.ts';
import type { Settings } from './settings.ts';
import { readKustomizeVersions } from './settings-families.ts';
import { type Readers, yamlList, yamlValue } from './settings-reader.ts';
import { filterOf, wrong } from './settings-yaml.ts';

/** Which resources are seen, and how they are compared. */
export function resourcesFrom(readers: Readers, last: Settings): Settings['resources'] {
  const { cm } = readers;
  return {
    exclusions: yamlList(readers, 'resource.exclusions', (s) => s.resources.exclusions, filterOf),
    inclusions: yamlList(readers, 'resource.inclusions', (s) => s.resources.inclusions, filterOf),
    overrides: readOverrides(cm, readers.yaml, last.resources.overrides),
    ...compareOptionsFrom(readers),
    ignoreResourceUpdatesEnabled: cm.flag(
      'resource.ignoreResourceUpdatesEnabled',
      (s) => s.resources.ignoreResourceUpdatesEnabled,
    ),
    respectRbac: cm.oneOf('resource.respectRBAC', (s) => s.resources.respectRbac, ['', 'normal', 'strict']),
    customLabels: cm.list('resource.customLabels', (s) => s.resources.customLabels),
    includeEventLabelKeys: cm.list(
      'resource.includeEventLabelKeys',
      (s) => s.resources.includeEventLabelKeys,
    ),
    excludeEventLabelKeys: cm.list(
      'resource.excludeEventLabelKeys',
      (s) => s.resources.excludeEventLabelKeys,
    ),
    sensitiveAnnotations: cm.list(
      'resource.sensitive.mask.annotations',
      (s) => s.resources.sensitiveAnnotations,
    ),
  };
}

type CompareOptions = 'ignoreAggregatedRoles' | 'ignoreStatusField' | 'ignoreDifferencesOnResourceUpdates';

function compareOptionsFrom(readers: Readers): Pick<Settings['resources'], CompareOptions> {
  const pick = ({ resources: r }: Settings) => ({
    ignoreAggregatedRoles: r.ignoreAggregatedRoles,
    ignoreStatusField: r.ignoreStatusField,
    ignoreDifferencesOnResourceUpdates: r.ignoreDifferencesOnResourceUpdates,
  });
  return yamlValue(readers, 'resource.compareoptions', pick, (value) => {
    if (value !== null && !isObject(value)) throw wrong('the value', 'a map');
    const { ignoreAggregatedRoles, ignoreResourceStatusField, ignoreDifferencesOnResourceUpdates } =
      value ?? {};
    return {
      ignoreAggregatedRoles: parseBool(String(ignoreAggregatedRoles)) ?? false,
      ignoreStatusField: statusField(ignoreResourceStatusField),
      ignoreDifferencesOnResourceUpdates: parseBool(String(ignoreDifferencesOnResourceUpdates)) ?? true,
    };
  });
}

/** compat: YAML may have parsed `off` and `false` as booleans; an unknown value means all. */
function statusField(value: unknown): 'all' | 'crd' | 'none' {
  const text = String(value);
  if (text === 'crd') return 'crd';
  return ['none', 'off', 'false'].includes(text) ? 'none' : 'all';
}

/** How manifests are rendered. */
export function renderFrom({ cm, params }: Readers): Settings['render'] {
  // compat: empty counts as true, any other text than "true" as false
  const enabled = (key: string): boolean => !cm.has(key) || cm.data[key] === 'true';
  const schemes = cm.data['helm.valuesFileSchemes'];
  const extracted = (kind: 'helm' | 'oci', pick: (settings: Settings) => number): number => {
    const isDisabled = params.flag(`reposerver.disable.${kind}.manifest.max.extracted.size`, () => false);
    return isDisabled ? 0 : params.bytes(`reposerver.${kind}.manifest.max.extracted.size`, pick);
  };
  return {
    kustomizeEnabled: enabled('kustomize.enable'),
    helmEnabled: enabled('helm.enable'),
    jsonnetEnabled: enabled('jsonnet.enable'),
    kustomizeBuildOptions: cm.text('kustomize.buildOptions', (s) => s.render.kustomizeBuildOptions),
    kustomizeVersions: readKustomizeVersions(cm),
    helmValuesFileSchemes:
      schemes === '' ? [] : cm.list('helm.valuesFileSchemes', (s) => s.render.helmValuesFileSchemes),
    maxCombinedDirectoryManifestsSize: params.bytes(
      'reposerver.max.combined.directory.manifests.size',
      (s) => s.render.maxCombinedDirectoryManifestsSize,
    ),
    allowOutOfBoundsSymlinks: params.flag(
      'reposerver.allow.oob.symlinks',
      (s) => s.render.allowOutOfBoundsSymlinks,
    ),
    maxChartExtractedSize: extracted('helm', (s) => s.render.maxChartExtractedSize),
    maxArtifactExtractedSize: extracted('oci', (s) => s.render.maxArtifactExtractedSize),
    ociMediaTypes: params.list('reposerver.oci.layer.media.types', (s) => s.render.ociMediaTypes),
    submodulesEnabled: params.flag('reposerver.enable.git.submodule', (s) => s.render.submodulesEnabled),
    gitRequestTimeoutMs: params.duration(
      'reposerver.git.request.timeout',
      (s) => s.render.gitRequestTimeoutMs,
    ),
    includeHiddenDirectories: params.flag(
      'reposerver.include.hidden.directories',
      (s) => s.render.includeHiddenDirectories,
    ),
    cacheMs: params.duration('reposerver.repo.cache.expiration', (s) => s.render.cacheMs),
    parallelism: params.integer('reposerver.parallelism.limit', (s) => s.render.parallelism),
  };
}
