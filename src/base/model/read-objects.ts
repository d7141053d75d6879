import { isObject, type JsonObject } from '#base/std';
import type { Application } from './application.ts';
import type { ApplicationSpec } from './application-spec.ts';
import type { KubeObject } from './kube-object.ts';
import type { AppProject } from './project.ts';
import { named, type Shape, shaped } from './shape.ts';
import { type UnknownField, withoutUnknown } from './unknown-fields.ts';

const text = (names: string) => named('text', names);
const flags = (names: string) => named('flag', names);
const names = (list: string) => named('name', list);
const texts = (names: string) => named(['text'], names);

const token: Shape = { id: 'text', ...named('number', 'iat exp') };
const rules: Shape = [{ ...names('group kind'), name: 'text' }];

const projectSpec: Shape = {
  ...text('description'),
  ...texts('sourceRepos sourceNamespaces'),
  permitOnlyProjectScopedClusters: 'flag',
  destinations: [text('server name namespace')],
  destinationServiceAccounts: [{ ...names('server defaultServiceAccount'), namespace: 'text' }],
  clusterResourceWhitelist: rules,
  clusterResourceBlacklist: rules,
  namespaceResourceWhitelist: rules,
  namespaceResourceBlacklist: rules,
  orphanedResources: { warn: 'flag', ignore: [text('group kind name')] },
  syncWindows: [
    {
      ...text('kind schedule duration timeZone description'),
      ...texts('applications namespaces clusters'),
      ...flags('manualSync andOperator syncOverrun'),
    },
  ],
  signatureKeys: [names('keyID')],
  sourceIntegrity: { git: { policies: [{ repos: [names('url')], gpg: { mode: 'text', keys: ['text'] } }] } },
  roles: [{ name: 'name', ...text('description'), ...texts('policies groups'), jwtTokens: [token] }],
};

const nameValues: Shape = [names('name value')];
const variables: Shape = [{ ...names('name value'), code: 'flag' }];
const selector = text('group version kind name namespace annotationSelector labelSelector');

const renderers = {
  helm: {
    ...text('values releaseName version namespace kubeVersion'),
    ...texts('valueFiles apiVersions'),
    ...flags('passCredentials ignoreMissingValueFiles skipCrds skipTests skipSchemaValidation'),
    valuesObject: {},
    parameters: [{ ...text('name value'), forceString: 'flag' }],
    fileParameters: [text('name path')],
  },
  kustomize: {
    ...text('namePrefix nameSuffix namespace version kubeVersion'),
    ...texts('images components apiVersions'),
    ...flags('commonAnnotationsEnvsubst forceCommonLabels forceCommonAnnotations labelWithoutSelector'),
    ...flags('labelIncludeTemplates ignoreMissingComponents'),
    ...named('map', 'commonLabels commonAnnotations'),
    replicas: [{ name: 'name', count: 'any' }],
    patches: [{ ...text('path patch'), target: selector, options: {} }],
  },
  directory: {
    ...flags('recurse disableExtensionFilter'),
    ...text('include exclude'),
    jsonnet: { extVars: variables, tlas: variables, libs: ['text'] },
  },
  plugin: {
    name: 'text',
    env: nameValues,
    parameters: [{ ...text('name string'), map: 'map', array: ['text'] }],
  },
} satisfies Record<string, Shape>;

const source: Shape = {
  repoURL: 'name',
  ...text('path targetRevision chart ref name tagPrefix'),
  ...renderers,
};
const retry: Shape = {
  ...named('number', 'limit'),
  refresh: 'flag',
  backoff: { ...text('duration maxDuration'), factor: 'number' },
};

export const applicationSpec = {
  project: 'text',
  revisionHistoryLimit: 'number',
  source,
  sources: [source],
  sourceHydrator: {
    drySource: { repoURL: 'name', ...text('targetRevision path'), ...renderers },
    syncSource: { ...names('targetBranch path'), repoURL: 'text' },
    hydrateTo: names('targetBranch'),
  },
  destination: text('server name namespace'),
  syncPolicy: {
    automated: flags('enabled prune selfHeal allowEmpty'),
    syncOptions: ['text'],
    retry,
    managedNamespaceMetadata: named('map', 'labels annotations'),
  },
  ignoreDifferences: [
    {
      kind: 'name',
      ...text('group name namespace'),
      ...texts('jsonPointers jqPathExpressions managedFieldsManagers'),
    },
  ],
  info: nameValues,
} satisfies Record<string, Shape>;

/**
 * A project as a cluster sent it. Nulls are left out, as the peer's decoder does; a project with a field of another type
 * is `unreadable` and permits nothing, because a list that cannot be read may be the one that denies.
 */
export function readProject(object: KubeObject): AppProject {
  const problems: string[] = [];
  const spec = shaped(object.spec, projectSpec, 'spec', problems) ?? {};
  if (problems.length > 0) return { ...object, spec: {}, unreadable: problems } as AppProject;
  return (spec === object.spec ? object : { ...object, spec }) as AppProject;
}

/**
 * An Application as a cluster sent it, without its nulls and without the parts of its spec that have another type; with
 * any of those it is `unreadable` and neither compared nor synced.
 */
export function readApplication(object: KubeObject): Application {
  const problems: string[] = [];
  const spec = isObject(object.spec)
    ? readParts(object.spec, problems)
    : shaped(object.spec, {}, 'spec', problems);
  if (problems.length > 0)
    return { ...object, spec: (spec ?? {}) as ApplicationSpec, unreadable: problems } as Application;
  return (spec === object.spec ? object : { ...object, spec }) as Application;
}

/** compat engine §1.2 … §1.7: the spec of an Application without fields that there are not; `found` gets these with their paths. */
export const knownApplicationSpec = <Spec>(spec: Spec, path: string, found: UnknownField[]): Spec =>
  withoutUnknown(spec, applicationSpec, path, found) as Spec;

/** A part in which anything is wrong is left out whole: half a source would be another source. */
function readParts(spec: JsonObject, problems: string[]): JsonObject {
  const next: Record<string, unknown> = {};
  let isChanged = false;
  for (const [name, value] of Object.entries(spec)) {
    const found: string[] = [];
    const read = shaped(value, shapes.get(name) ?? 'any', `spec.${name}`, found);
    problems.push(...found);
    isChanged ||= read !== value || found.length > 0;
    if (read !== undefined && found.length === 0) next[name] = read;
  }
  return isChanged ? (next as JsonObject) : spec;
}

const shapes: ReadonlyMap<string, Shape> = new Map(Object.entries(applicationSpec));
