import {
  type ApplicationSet,
  argoApiVersion,
  type KubeObject,
  looseSelectorOf,
  readApplicationSet,
  type SetGenerator,
} from '#base/model';
import { FairleadError } from '#base/std';
import { ignoredIn } from './apply/update.ts';
import { generatorKinds } from './evaluate.ts';
import { listParameters } from './parameters/list.ts';
import { modeOf } from './parameters/set-parameters.ts';
import { SetRenderer } from './template/set-renderer.ts';

const templateOptions: ReadonlySet<string> = new Set([
  'missingkey=default',
  'missingkey=invalid',
  'missingkey=zero',
  'missingkey=error',
]);
const policies: ReadonlySet<string> = new Set(['', 'sync', 'create-only', 'create-update', 'create-delete']);

/** dev sources AS-4, AS-6, AST-4: the reasons to reject an ApplicationSet before anything is read; each names its field. */
export function applicationSetProblems(object: KubeObject): string[] {
  const set = readApplicationSet(object);
  const { spec } = set;
  const shape = [
    ...(object.apiVersion === argoApiVersion
      ? []
      : [`apiVersion "${object.apiVersion}" does not exist for an ApplicationSet; write ${argoApiVersion}`]),
    ...(set.unreadable ?? []),
  ];
  // half a set would be reported for what could not be read
  if (shape.length > 0) return shape;
  return [
    ...(spec.generators.length === 0 ? ['spec.generators is empty; the set would generate nothing'] : []),
    ...spec.generators.flatMap((item, at) =>
      itemProblems(item, { path: `spec.generators[${at}]`, depth: 0 }, set),
    ),
    ...optionProblems(set),
    ...templateProblems(set),
  ];
}

type ItemPosition = { readonly path: string; readonly depth: number };

function itemProblems(item: SetGenerator, { path, depth }: ItemPosition, set: ApplicationSet): string[] {
  const kinds = generatorKinds.filter((kind) => item[kind] !== undefined);
  if (kinds.length === 0) {
    const found = Object.keys(item).filter((name) => name !== 'selector');
    const named = found.length > 0 ? `: ${found.join(', ')}` : '';
    return [`${path} contains unrecognized generators${named}; there are ${generatorKinds.join(', ')}`];
  }
  return [
    ...(depth > 0 && kinds.length > 1
      ? [`${path} has ${kinds.join(' and ')}; a child of a combination has one`]
      : []),
    ...problemOf(`${path}.selector`, () => looseSelectorOf(item.selector)),
    ...combinationProblems(item, { path, depth }, set),
    ...terminalProblems(item, path, set),
  ];
}

function combinationProblems(
  item: SetGenerator,
  { path, depth }: ItemPosition,
  set: ApplicationSet,
): string[] {
  return (['matrix', 'merge'] as const).flatMap((kind) => {
    const combination = item[kind];
    if (!combination) return [];
    const where = `${path}.${kind}`;
    // compat sources AS-4: the schema drops what is nested deeper; dropped generators would delete applications
    if (depth > 1)
      return [
        `${where} is nested too deeply; a combination may hold one more, and that one only simple generators`,
      ];
    const { generators = [] } = combination;
    return [
      ...countProblems(kind, item, where),
      ...generators.flatMap((child, at) =>
        itemProblems(child, { path: `${where}.generators[${at}]`, depth: depth + 1 }, set),
      ),
    ];
  });
}

/** compat sources ASM-1, ASR-1. */
function countProblems(kind: 'matrix' | 'merge', item: SetGenerator, where: string): string[] {
  const { length } = item[kind]?.generators ?? [];
  const found = `${where}.generators has ${length} generators`;
  if (kind === 'matrix') return length === 2 ? [] : [`${found}, Matrix support only two`];
  const hasKeys = (item.merge?.mergeKeys ?? []).length > 0;
  return [
    ...(length < 2 ? [`${found}, Merge requires two or more`] : []),
    ...(hasKeys
      ? []
      : [`${where}.mergeKeys is empty: no merge keys were specified, Merge requires at least one`]),
  ];
}

function terminalProblems(
  { list, git, clusterDecisionResource }: SetGenerator,
  path: string,
  set: ApplicationSet,
): string[] {
  const { directories = [], files = [] } = git ?? {};
  const decision = clusterDecisionResource;
  return [
    ...(list && !list.elementsYaml?.includes('{{')
      ? problemOf(`${path}.list`, () => listParameters(list, modeOf(set.spec)))
      : []),
    ...(git && git.repoURL === '' ? [`${path}.git.repoURL is missing`] : []),
    ...(git && directories.length === 0 && files.length === 0
      ? [`${path}.git selects nothing; set directories or files`]
      : []),
    ...(decision?.name && decision.labelSelector
      ? [`${path}.clusterDecisionResource has both name and labelSelector; keep one of them`]
      : []),
  ];
}

function optionProblems({ spec }: ApplicationSet): string[] {
  const { goTemplateOptions = [], syncPolicy } = spec;
  const policy = syncPolicy?.applicationsSync ?? '';
  return [
    ...goTemplateOptions.flatMap((option, at) =>
      templateOptions.has(option)
        ? []
        : [
            `spec.goTemplateOptions[${at}]: unknown template option "${option}"; there are ${[...templateOptions].join(', ')}`,
          ],
    ),
    ...(policies.has(policy)
      ? []
      : [
          `spec.syncPolicy.applicationsSync: unknown policy "${policy}"; there are ${[...policies].filter(Boolean).join(', ')}`,
        ]),
    ...problemOf('spec.ignoreApplicationDifferences', () => ignoredIn(spec)),
  ];
}

/** What cannot be compiled fails in every pass. */
function templateProblems({ spec }: ApplicationSet): string[] {
  if (spec.goTemplateOptions?.some((option) => !templateOptions.has(option))) return [];
  const renderer = new SetRenderer(spec);
  const { template, templatePatch = '' } = spec;
  return [
    ...problemOf('spec', () => renderer.tree(template, 'template')),
    ...problemOf('spec', () => renderer.tree({ templatePatch })),
  ];
}

function problemOf(path: string, work: () => unknown): string[] {
  try {
    work();
    return [];
  } catch (thrown) {
    const { message } = FairleadError.from(thrown);
    return [path === 'spec' ? `spec.${message}` : `${path}: ${message}`];
  }
}
