import { expect, test } from 'vitest';
import { readApplicationSet } from '#base/model';
import {
  ApplicationRenderer,
  branchParameters,
  clusterFacts,
  clusterParameters,
  type DecisionFacts,
  decisionParameters,
  directoryParameters,
  type Evaluation,
  evaluateGenerators,
  fileParameters,
  isDirectoryGenerator,
  listParameters,
  type OpenPullRequest,
  pluginParameters,
  pullRequestParameters,
  type RepositoryBranch,
  type SetParameters,
  selectDirectories,
  selectFiles,
  type TerminalGenerator,
} from '#engine';
import { cases } from '../../../test/cases.ts';

type Facts = {
  clusters?: any[];
  directories?: string[];
  files?: Record<string, string>;
  decisions?: DecisionFacts;
  reply?: unknown;
  branches?: RepositoryBranch[];
  pullRequests?: OpenPullRequest[];
  isDoublestar?: boolean;
  withHidden?: boolean;
};

/** The facts of a case, read as the controller reads those of a cluster and of repositories. */
function producer(facts: Facts, { texts }: ApplicationRenderer) {
  const secrets = (facts.clusters ?? []).map(({ labels, annotations, ...data }) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: `cluster-${data.name}`,
      labels: { 'argocd.argoproj.io/secret-type': 'cluster', ...labels },
      ...(annotations ? { annotations } : {}),
    },
    stringData: data,
  }));
  const clusters = clusterFacts(secrets);
  return async (item: TerminalGenerator): Promise<readonly SetParameters[]> => {
    switch (item.kind) {
      case 'list':
        return listParameters(item.generator, texts.mode);
      case 'clusters':
        return clusterParameters(item.generator, clusters, texts);
      case 'git': {
        const { generator } = item;
        const { directories = [], files = {} } = facts;
        if (isDirectoryGenerator(generator)) {
          const chosen = selectDirectories(generator.directories ?? [], directories, facts);
          return directoryParameters(generator, chosen, texts);
        }
        return selectFiles(generator.files ?? [], Object.keys(files), facts).flatMap((path) =>
          fileParameters(generator, { path, text: files[path] ?? '' }, texts),
        );
      }
      case 'clusterDecisionResource':
        return decisionParameters(
          { ...facts.decisions, objects: facts.decisions?.objects ?? [], clusters },
          item.generator.values,
          texts.mode,
        ).sets;
      case 'plugin':
        return pluginParameters(item.generator, facts.reply, texts);
      case 'scmProvider':
        return (facts.branches ?? []).map((branch) => branchParameters(branch, item.generator.values, texts));
      case 'pullRequest':
        return (facts.pullRequests ?? []).map((one) =>
          pullRequestParameters(one, item.generator.values, texts),
        );
    }
  };
}

type Outcome = { parameters?: unknown[]; applications?: unknown[]; problems?: string[] };

test.each(cases<Outcome>(new URL('./testdata/evaluate/', import.meta.url)))(
  '$name',
  async ({ input, expect: wanted }) => {
    const [spec, facts = {}] = input;
    const set = readApplicationSet({
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'ApplicationSet',
      metadata: { name: 'set', namespace: 'argocd' },
      spec,
    });
    expect(set.unreadable ?? []).toEqual([]);
    const renderer = new ApplicationRenderer(set);
    const produce = producer(facts, renderer);
    const { results, problems }: Evaluation = await evaluateGenerators(set.spec.generators, {
      renderer: renderer.texts,
      produce,
    });
    const rendered = renderer.render(results);
    const failures = [
      ...problems.map(({ path, error }) => `${path}: ${error.message}`),
      ...(wanted.applications ? rendered.problems : []),
    ];
    if (wanted.problems) expect(failures).toEqual(wanted.problems);
    else expect(failures).toEqual([]);
    if (wanted.parameters) expect(results.map(({ parameters }) => parameters)).toEqual(wanted.parameters);
    if (wanted.applications) expect(rendered.applications).toEqual(wanted.applications);
  },
);

test('more parameter sets than the limit are refused before they are combined', async () => {
  const many = Array.from({ length: 200 }, (_, at) => ({ n: String(at) }));
  const others = Array.from({ length: 200 }, (_, at) => ({ m: String(at) }));
  const matrix = { generators: [{ list: { elements: many } }, { list: { elements: others } }] };
  const set = readApplicationSet({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'ApplicationSet',
    metadata: { name: 'set' },
    spec: { generators: [{ matrix }, { list: { elements: [{ n: 'a' }] } }], template: {} },
  });
  const renderer = new ApplicationRenderer(set);
  const { results, problems } = await evaluateGenerators(set.spec.generators, {
    renderer: renderer.texts,
    produce: producer({}, renderer),
  });
  expect(results).toHaveLength(1);
  expect(problems.map(({ path, error }) => [path, error.code, error.message])).toEqual([
    [
      'spec.generators[0].matrix',
      'LimitExceeded',
      expect.stringContaining('at most 20000 are allowed: narrow it with a selector'),
    ],
  ]);
});

test('an unchanged parameter set renders to the very same application in the next pass (invariant 11)', () => {
  const spec = { generators: [], template: { metadata: { name: '{{name}}' } } };
  const set = { apiVersion: 'argoproj.io/v1alpha1', kind: 'ApplicationSet', metadata: { name: 'set' }, spec };
  const renderer = new ApplicationRenderer(set);
  const render = (...names: string[]) =>
    renderer.render(names.map((name) => ({ parameters: { name } }))).applications;
  const [a, b] = render('a', 'b');
  expect(render('b', 'c', 'a').map((app) => [app === a, app === b])).toEqual([
    [false, true],
    [false, false],
    [true, false],
  ]);
  expect(renderer.isFor({ ...set, spec: structuredClone(spec) })).toBe(true);
  expect(renderer.isFor({ ...set, spec: { ...spec, goTemplate: true } })).toBe(false);
});
