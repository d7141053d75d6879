import { argoApiVersion } from '#base/model';
import { isObject, type JsonObject } from '#base/std';

/**
 * The fields below one field: `any` for a field that is not checked further, a tree for objects and for lists
 * of them.
 */
type Fields = { readonly [name: string]: 'any' | Fields };

const fields = (names: string): Fields =>
  Object.fromEntries(names.split(' ').map((name) => [name, 'any' as const]));

const nameValue = fields('name value');
const renderers: Fields = {
  helm: {
    ...fields('valueFiles values valuesObject releaseName version passCredentials ignoreMissingValueFiles'),
    ...fields('skipCrds skipTests skipSchemaValidation namespace kubeVersion apiVersions'),
    parameters: fields('name value forceString'),
    fileParameters: fields('name path'),
  },
  kustomize: {
    ...fields('namePrefix nameSuffix images commonLabels commonAnnotations commonAnnotationsEnvsubst'),
    ...fields(
      'forceCommonLabels forceCommonAnnotations labelWithoutSelector labelIncludeTemplates namespace',
    ),
    ...fields('components ignoreMissingComponents version kubeVersion apiVersions'),
    replicas: fields('name count'),
    patches: {
      ...fields('path patch options'),
      target: fields('group version kind name namespace annotationSelector labelSelector'),
    },
  },
  directory: {
    ...fields('recurse include exclude disableExtensionFilter'),
    jsonnet: { extVars: fields('name value code'), tlas: fields('name value code'), libs: 'any' },
  },
  plugin: { name: 'any', env: nameValue, parameters: fields('name string map array') },
};
const source: Fields = { ...fields('repoURL path targetRevision chart ref name tagPrefix'), ...renderers };

/** compat §1.2 … §1.7: everything an Application's spec may hold. */
const applicationSpec: Fields = {
  ...fields('project revisionHistoryLimit'),
  source,
  sources: source,
  sourceHydrator: {
    drySource: { ...fields('repoURL targetRevision path'), ...renderers },
    syncSource: fields('targetBranch path repoURL'),
    hydrateTo: fields('targetBranch'),
  },
  destination: fields('server name namespace'),
  syncPolicy: {
    automated: fields('enabled prune selfHeal allowEmpty'),
    syncOptions: 'any',
    retry: { ...fields('limit refresh'), backoff: fields('duration factor maxDuration') },
    managedNamespaceMetadata: fields('labels annotations'),
  },
  ignoreDifferences: fields('group kind name namespace jsonPointers jqPathExpressions managedFieldsManagers'),
  info: nameValue,
};

/**
 * dev engine A-19: the reasons to reject an Application before any lookup: an API group that does not exist,
 * and every unknown field under spec. Argo CD drops unknown fields without an error.
 */
export function admissionProblems(object: {
  readonly apiVersion?: unknown;
  readonly spec?: unknown;
}): string[] {
  const { apiVersion, spec } = object;
  return [
    //
    ...(apiVersion === undefined || apiVersion === argoApiVersion
      ? []
      : [
          `apiVersion ${JSON.stringify(apiVersion)} does not exist for an Application; write ${argoApiVersion}`,
        ]),
    ...(isObject(spec) ? unknownFields(spec, applicationSpec, 'spec') : []),
  ];
}

function unknownFields(value: JsonObject, known: Fields, path: string): string[] {
  return Object.entries(value).flatMap(([name, inner]) => {
    const below = Object.hasOwn(known, name) ? known[name] : undefined;
    const place = `${path}.${name}`;
    if (below === undefined) return [hints[place] ?? `${place} is not a field; ${nearest(name, known)}`];
    if (below === 'any') return [];
    const items = Array.isArray(inner) ? inner : [inner];
    return items.flatMap((item, i) =>
      isObject(item) ? unknownFields(item, below, Array.isArray(inner) ? `${place}[${i}]` : place) : [],
    );
  });
}

const hints: Readonly<Record<string, string>> = {
  // never fanned out implicitly
  'spec.destinations':
    'spec.destinations is not a field: an Application has one destination; ' +
    'write an ApplicationSet with a list generator, one element for each cluster',
};

/** The field that was probably meant: the same letters, or nearly. */
function nearest(name: string, known: Fields): string {
  const letters = (text: string): string => text.toLowerCase().replace(/s$/, '');
  const meant = Object.keys(known).find((one) => letters(one) === letters(name));
  return meant ? `did you mean ${meant}?` : `there are ${Object.keys(known).join(', ')}`;
}
