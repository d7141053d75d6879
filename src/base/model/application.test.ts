import { describe, expect, test } from 'vitest';
import {
  type Application,
  asApplication,
  destinationProblem,
  effectiveSources,
  hasMultipleSources,
  historyLimit,
  instanceName,
  isAutomated,
  normalizeSpec,
  projectName,
  qualifiedName,
  revisionsFor,
  sameDestination,
  sourceProblems,
} from './application.ts';
import type { ApplicationSpec } from './application-spec.ts';
import { type AppProject, tokensOf } from './project.ts';
import {
  explicitSourceType,
  isRefOnly,
  repositoryKind,
  type Source,
  sameSource,
  sameSources,
} from './source.ts';

const git: Source = { repoURL: 'https://example.com/apps.git', path: 'web' };
const destination = { server: 'https://kubernetes.default.svc', namespace: 'web' };
const spec = (fields: Partial<ApplicationSpec> = {}): ApplicationSpec => ({
  project: 'p',
  source: git,
  destination,
  ...fields,
});
const app = (fields: Partial<ApplicationSpec> = {}, namespace = 'argocd'): Application => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name: 'web', namespace },
  spec: spec(fields),
});
const hydrator = {
  drySource: { repoURL: 'https://example.com/dry', path: 'a', targetRevision: 'main' },
  syncSource: { targetBranch: 'env/prod', path: 'out' },
};

describe('names', () => {
  test('an app outside the control plane carries its namespace', () => {
    expect(instanceName(app(), 'argocd')).toBe('web');
    expect(instanceName(app({}, 'team'), 'argocd')).toBe('team_web');
    expect(qualifiedName(app({}, 'team'))).toBe('team/web');
    expect(qualifiedName({ ...app(), metadata: { name: 'web' } })).toBe('web');
    expect(projectName(app({ project: '' }))).toBe('default');
  });
});

describe('sources (A-5)', () => {
  test('the hydrator wins over sources, which win over source (SRC-1)', () => {
    expect(effectiveSources(spec())).toEqual([git]);
    expect(effectiveSources(spec({ sources: [{ ...git, path: 'b' }] }))).toEqual([{ ...git, path: 'b' }]);
    expect(effectiveSources(spec({ sources: [git], sourceHydrator: hydrator }))).toEqual([
      { repoURL: 'https://example.com/dry', path: 'out', targetRevision: 'env/prod' },
    ]);
    const elsewhere = {
      ...hydrator,
      syncSource: { ...hydrator.syncSource, repoURL: 'https://example.com/wet' },
    };
    expect(effectiveSources(spec({ sourceHydrator: elsewhere }))[0]?.repoURL).toBe('https://example.com/wet');
    expect(effectiveSources({ destination })).toEqual([]);
  });
  test('one in the list is already many, unless there is a hydrator', () => {
    expect(hasMultipleSources(spec({ sources: [git] }))).toBe(true);
    expect(hasMultipleSources(spec({ sources: [] }))).toBe(false);
    expect(hasMultipleSources(spec({ sources: [git], sourceHydrator: hydrator }))).toBe(false);
  });
  test('recorded revisions hold while they fit the sources (A-9)', () => {
    const two = spec({ sources: [git, { ...git, targetRevision: 'v1' }] });
    expect(revisionsFor(two, ['a', 'b'])).toEqual(['a', 'b']);
    expect(revisionsFor(two, ['a'])).toEqual(['', 'v1']);
  });
  test('have a kind and at most one type (SRC-5)', () => {
    expect(repositoryKind(git)).toBe('git');
    expect(repositoryKind({ repoURL: 'oci://r/x' })).toBe('oci');
    expect(repositoryKind({ repoURL: 'oci://r/x', chart: 'c' })).toBe('helm');
    expect(isRefOnly({ repoURL: 'https://example.com/v', ref: 'values' })).toBe(true);
    expect(isRefOnly({ ...git, ref: 'values' })).toBe(false);
    expect(explicitSourceType(git)).toBeUndefined();
    expect(explicitSourceType({ ...git, directory: {} })).toBe('Directory');
    expect(() => explicitSourceType({ ...git, plugin: {}, helm: {}, kustomize: {} })).toThrow(
      'multiple application sources defined: Kustomize,Helm,Plugin',
    );
  });
});

describe('source equality (A-7)', () => {
  test('is by value, whatever the order of keys', () => {
    const values = (valuesObject: Record<string, unknown>): Source => ({ ...git, helm: { valuesObject } });
    expect(sameSource(values({ a: 1, b: { c: 2 } }), values({ b: { c: 2n }, a: 1 }))).toBe(true);
    expect(sameSource(values({ a: 1 }), values({ a: '1' }))).toBe(false);
    expect(sameSource(git, undefined)).toBe(false);
    expect(sameSource(undefined, undefined)).toBe(true);
    expect(sameSources([git], [{ ...git }])).toBe(true);
    expect(sameSources([git], [])).toBe(false);
  });
  test('in plugin parameters empty is missing', () => {
    const plugin = (extra: object): Source => ({ ...git, plugin: { parameters: [{ name: 'p', ...extra }] } });
    expect(sameSource(plugin({ map: {}, array: [] }), plugin({}))).toBe(true);
    expect(sameSource(plugin({ map: { a: 'b' } }), plugin({}))).toBe(false);
    expect(sameSource(plugin({ array: ['x'] }), plugin({ array: ['x'] }))).toBe(true);
  });
});

describe('normalisation (A-17)', () => {
  test('leaves a clean spec as it is', () => {
    const clean = spec({ syncPolicy: { automated: {} }, sources: [git] });
    expect(normalizeSpec(clean)).toBe(clean);
  });
  test('names the project and drops what is empty', () => {
    const source: Source = {
      ...git,
      helm: { releaseName: '', valueFiles: [] },
      kustomize: {},
      directory: { recurse: false },
    };
    const { project: _, ...untitled } = spec({ source, syncPolicy: { syncOptions: [] } });
    expect(normalizeSpec(untitled)).toEqual({ project: 'default', source: git, destination });
  });
  test('keeps what says something', () => {
    const kept: Source[] = [
      { ...git, directory: { include: '*.yaml' } },
      { ...git, helm: { valuesObject: {} } },
      { ...git, kustomize: { images: ['a:1'] } },
      { ...git, plugin: {} },
    ];
    for (const source of kept) expect(normalizeSpec(spec({ source })).source).toBe(source);
    const policy = { managedNamespaceMetadata: {} };
    expect(normalizeSpec(spec({ syncPolicy: policy })).syncPolicy).toBe(policy);
  });
  test('reaches into every source, and is finished after one go', () => {
    const dirty = spec({ sources: [git, { ...git, directory: { jsonnet: { libs: [] } } }] });
    const clean = normalizeSpec(dirty);
    expect(clean.sources).toEqual([git, git]);
    expect(normalizeSpec(clean)).toBe(clean);
    expect(dirty.sources?.[1]?.directory).toBeDefined();
  });
});

describe('validation', () => {
  test('of the shape of sources (SRC-2, SRC-3, SRC-4, MS-2)', () => {
    expect(sourceProblems(spec())).toEqual([]);
    expect(sourceProblems({ destination })).toEqual([
      'spec.source.repoURL and either spec.source.path or spec.source.chart are required',
    ]);
    const chart = { repoURL: 'https://example.com/charts', chart: 'web' };
    expect(sourceProblems(spec({ source: chart }))).toEqual([
      'spec.source.targetRevision is required if the manifest source is a helm chart',
    ]);
    expect(sourceProblems(spec({ source: { ...chart, targetRevision: '1.*' } }))).toEqual([]);
    const refs = [
      { repoURL: 'u', ref: 'a.b' },
      { repoURL: 'u', ref: 'v' },
      { repoURL: 'u', ref: 'v' },
      { repoURL: 'u' },
    ];
    expect(sourceProblems(spec({ sources: refs }))).toEqual([
      'spec.sources[3].repoURL and one of its path, chart or ref are required',
      "sources.ref a.b cannot contain any special characters except '_' and '-'",
      'invalid sources: multiple sources had the same `ref` key',
    ]);
    const named = [
      { ...git, name: 'a' },
      { ...git, name: 'a' },
    ];
    expect(sourceProblems(spec({ sources: named }))).toEqual([
      'invalid sources: multiple sources had the same `name`',
    ]);
  });
  test('of the destination (A-13)', () => {
    expect(destinationProblem({ server: 's' })).toBeUndefined();
    expect(destinationProblem({ name: 'n' })).toBeUndefined();
    expect(destinationProblem({ server: 's', name: 'n' })).toContain(
      "can't have both name and server defined",
    );
    expect(destinationProblem({})).toContain('needs either a server or a name');
    expect(sameDestination({ server: 'https://a/' }, { server: 'https://a', namespace: '' })).toBe(true);
    expect(sameDestination({ server: 'https://a' }, { name: 'https://a' })).toBe(false);
  });
  test('of a manifest that claims to be an Application', () => {
    expect(asApplication(app(), 'x').metadata.name).toBe('web');
    expect(() => asApplication({ ...app(), kind: 'AppProject' }, 'f.yaml')).toThrow(
      'f.yaml: expected an Application, found argoproj.io/v1alpha1 AppProject',
    );
    expect(() => asApplication({ ...app(), spec: null }, 'f.yaml')).toThrow('f.yaml: spec is missing');
    expect(() => asApplication({ ...app(), spec: {} }, 'f.yaml')).toThrow(
      'f.yaml: spec.destination is missing',
    );
  });
});

test('automation is on when it is there and not switched off', () => {
  expect(isAutomated(spec({ syncPolicy: { automated: {} } }))).toBe(true);
  expect(isAutomated(spec({ syncPolicy: { automated: { enabled: false } } }))).toBe(false);
  expect(isAutomated(spec())).toBe(false);
});
test('ten deployments are remembered unless the spec says otherwise', () => {
  expect([historyLimit(spec()), historyLimit(spec({ revisionHistoryLimit: -3 }))]).toEqual([10, 0]);
});

test('tokens of a role come from spec and status, newest first, without repeats (P-22)', () => {
  const project: AppProject = {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AppProject',
    metadata: { name: 'p' },
    spec: { roles: [{ name: 'ci', jwtTokens: [{ iat: 1 }, { iat: 3, id: 'b' }] }] },
    status: {
      jwtTokensByRole: {
        ci: {
          items: [
            { iat: 3, id: 'b' },
            { iat: 2, id: 'a' },
          ],
        },
      },
    },
  };
  expect(tokensOf(project, 'ci').map(({ id }) => id)).toEqual(['b', 'a', '1']);
  expect(tokensOf(project, 'nobody')).toEqual([]);
});
