import type { ApplicationSet } from './application-set.ts';
import type { KubeObject } from './kube-object.ts';
import { applicationSpec } from './read-objects.ts';
import { named, type Shape, shaped } from './shape.ts';
import { type UnknownField, withoutUnknown } from './unknown-fields.ts';

const text = (names: string) => named('text', names);
const texts = (names: string) => named(['text'], names);

const requirement: Shape = { ...named('name', 'key operator'), values: ['text'] };
const selector: Shape = { matchLabels: 'map', matchExpressions: [requirement] };
const template: Shape = {
  metadata: { ...text('name namespace'), ...named('map', 'labels annotations'), finalizers: ['text'] },
  spec: applicationSpec,
};
const polled = { template, values: 'map', requeueAfterSeconds: 'number' } satisfies Record<string, Shape>;
const provider: Shape = {};
const gitItem: Shape = { path: 'name', exclude: 'flag' };

const terminal = {
  selector,
  list: { template, elements: [{}], elementsYaml: 'text' },
  clusters: { template, values: 'map', selector, flatList: 'flag' },
  git: {
    ...polled,
    repoURL: 'name',
    ...text('revision pathParamPrefix'),
    directories: [gitItem],
    files: [gitItem],
  },
  scmProvider: {
    ...polled,
    ...named(provider, 'github gitlab gitea bitbucket bitbucketServer azureDevOps awsCodeCommit'),
    cloneProtocol: 'text',
    filters: [{ ...text('repositoryMatch labelMatch branchMatch'), ...texts('pathsExist pathsDoNotExist') }],
  },
  clusterDecisionResource: { ...polled, configMapRef: 'name', name: 'text', labelSelector: selector },
  pullRequest: {
    ...polled,
    ...named(provider, 'github gitlab gitea bitbucket bitbucketServer azuredevops'),
    filters: [text('branchMatch targetBranchMatch titleMatch')],
    continueOnRepoNotFoundError: 'flag',
  },
  plugin: { ...polled, configMapRef: { name: 'name' }, input: { parameters: {} } },
} satisfies Record<string, Shape>;

/** compat sources AS-4: two combinations may stand inside each other, no more. */
const combining = (inner: Shape): Record<string, Shape> => ({
  ...terminal,
  matrix: { template, generators: [inner] },
  merge: { template, generators: [inner], mergeKeys: ['text'] },
});

const specShape: Shape = {
  generators: [combining(combining(terminal))],
  template,
  templatePatch: 'text',
  goTemplate: 'flag',
  goTemplateOptions: ['text'],
  syncPolicy: { applicationsSync: 'text', preserveResourcesOnDeletion: 'flag' },
  strategy: {
    ...text('type deletionOrder'),
    rollingSync: { steps: [{ matchExpressions: [requirement], maxUpdate: 'any' }] },
  },
  preservedFields: texts('annotations labels'),
  ignoreApplicationDifferences: [{ name: 'text', ...texts('jsonPointers jqPathExpressions') }],
  applyNestedSelectors: 'flag',
};

/**
 * An ApplicationSet as a cluster sent it, without its nulls; generators and template are there, empty where they are
 * missing. With a field of another type it is `unreadable` and must not be evaluated: half a generator is another generator.
 */
export function readApplicationSet(object: KubeObject): ApplicationSet {
  const problems: string[] = [];
  const read = shaped(object.spec, specShape, 'spec', problems) as
    | Partial<ApplicationSet['spec']>
    | undefined;
  const spec =
    read?.generators && read.template
      ? read
      : { ...read, generators: read?.generators ?? [], template: read?.template ?? {} };
  if (problems.length > 0) return { ...object, spec, unreadable: problems } as ApplicationSet;
  return (spec === object.spec ? object : { ...object, spec }) as ApplicationSet;
}

/** The fields under spec that an ApplicationSet does not have; what a provider's own settings have is read by its client. */
export function unknownSetFields({ spec }: Pick<ApplicationSet, 'spec'>): UnknownField[] {
  const found: UnknownField[] = [];
  withoutUnknown(spec, specShape, 'spec', found);
  return found;
}
