import type { ApplicationSet } from '#base/model';
import { isObject } from '#base/std';
import { parse, print } from '#lang/yaml';
import { declaredSet } from './declared.ts';

export const declaredSetText = (set: ApplicationSet): string => print(declaredSet(set));

/** The set of a text. Throws with the line where it is no YAML, and names what is missing. */
export function setIn(text: string): ApplicationSet {
  const value = parse(text);
  if (!isObject(value) || value.kind !== 'ApplicationSet')
    throw new Error('want one object of kind ApplicationSet');
  const { metadata, spec } = value;
  if (!isObject(metadata) || typeof metadata.name !== 'string' || metadata.name === '')
    throw new Error('metadata.name is missing');
  if (!isObject(spec) || !Array.isArray(spec.generators) || !isObject(spec.template))
    throw new Error('want spec.generators and spec.template');
  return value as unknown as ApplicationSet;
}

type Start = {
  readonly id: string;
  readonly label: string;
  readonly generator: string;
  readonly name: string;
};

const repo = 'https://git.example.com/shop/deploy.git';

/** A new set begins with one of the generators. */
const starts: readonly Start[] = [
  {
    id: 'git-folders',
    label: 'each folder of a repository',
    name: '{{ .path.basename }}',
    generator: `git:\n        repoURL: ${repo}\n        revision: HEAD\n        directories:\n          - path: apps/*`,
  },
  {
    id: 'git-files',
    label: 'each file of a repository',
    name: '{{ .name }}',
    generator: `git:\n        repoURL: ${repo}\n        revision: HEAD\n        files:\n          - path: apps/*/config.json`,
  },
  {
    id: 'clusters',
    label: 'each cluster',
    name: 'shop-{{ .name }}',
    generator: 'clusters:\n        selector:\n          matchLabels:\n            environment: production',
  },
  {
    id: 'list',
    label: 'each entry of a list',
    name: 'shop-{{ .region }}',
    generator: 'list:\n        elements:\n          - region: eu\n          - region: us',
  },
  {
    id: 'pull-requests',
    label: 'each open pull request',
    name: 'shop-{{ .number }}',
    generator:
      'pullRequest:\n        github:\n          owner: shop\n          repo: deploy\n          labels:\n            - preview\n        requeueAfterSeconds: 300',
  },
];

export const setStarts: readonly { readonly value: string; readonly label: string }[] = starts.map(
  ({ id, label }) => ({ value: id, label }),
);

/** The text of a new set with the generator of that name. */
export function startText(id: string): string {
  const { generator, name } = starts.find((one) => one.id === id) ?? (starts[0] as Start);
  const isFolder = id === 'git-folders';
  const server = id === 'clusters' ? '"{{ .server }}"' : 'https://kubernetes.default.svc';
  return `apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata:
  name: shop
spec:
  goTemplate: true
  goTemplateOptions:
    - missingkey=error
  generators:
    - ${generator}
  template:
    metadata:
      name: "${name}"
    spec:
      project: default
      source:
        repoURL: ${repo}
        targetRevision: HEAD
        path: ${isFolder ? '"{{ .path.path }}"' : 'apps/shop'}
      destination:
        server: ${server}
        namespace: "${name}"
      syncPolicy:
        syncOptions:
          - CreateNamespace=true
`;
}
