import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ApplicationSet, KubeObject } from '#base/model';
import { appOf, configMap, type Plane, startPlane } from './in-process.ts';
import { conditionOf, listOf, SetsOnPlane } from './sets-on-plane.ts';

// What a set says that has no effect, or another one than its author expects, is reported on the set; and sets take over
// applications, read decisions of other controllers and live in the namespaces of teams.
let plane: Plane;
let sets: SetsOnPlane;

beforeAll(async () => {
  plane = await startPlane();
  sets = new SetsOnPlane(plane);
  await plane.repository.commit({ 'apps/base.yaml': JSON.stringify(configMap('base', {})) });
});
afterAll(() => plane?.stop());

const skip = 'argocd.argoproj.io/skip-reconcile';

test('misspelt fields are named with their place, of the set, its generators, its template and its patch', async () => {
  const template = sets.templateOf('typo');
  await plane.apply(
    sets.setOf('typo', {
      generators: [{ list: { ...listOf('dev').list, elementYaml: '[]' } as object }],
      template: { ...template, spec: { ...template.spec, syncPolcy: {} } as object },
      templatePatch: 'spec: { revisionHistoryLimt: 3 }',
    }),
  );
  const set = await sets.untilWarning('typo', 'spec.templatePatch: spec.revisionHistoryLimt is not a field');
  const { message } = conditionOf(set, 'ConfigurationWarning') ?? {};
  expect(message).toContain('spec.generators[0].list.elementYaml is not a field and has no effect');
  expect(message).toContain('spec.template.spec.syncPolcy is not a field and has no effect; did you mean');
  expect(set.status?.health?.status).toBe('Healthy');
  await sets.untilNames('typo', 'dev');
  expect((await plane.app('typo-dev')).spec).not.toHaveProperty('syncPolcy');
  await sets.remove('ApplicationSet', 'typo');
});

test('a set that cannot be read changes nothing and stops no other', async () => {
  await plane.apply(sets.setOf('odd', { generators: [listOf('a')] }));
  await sets.untilNames('odd', 'a');
  const generators = [{ matrix: { generators: 5 } }];
  await sets.edit('ApplicationSet', 'odd', { spec: { generators } });
  await sets.untilError('odd', 'spec.generators[0].matrix.generators must be a list');
  expect(await sets.namesOf('odd')).toEqual(['odd-a']);
  // a registered cluster makes the controller examine the generators of every set
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: 'far',
      namespace: 'argocd',
      labels: { 'argocd.argoproj.io/secret-type': 'cluster' },
    },
    stringData: { name: 'far', server: 'https://far.example', config: '{}' },
  };
  await plane.apply(secret as KubeObject, sets.setOf('even', { generators: [listOf('a')] }));
  await sets.untilNames('even', 'a');
});

test('a paused application that its set resumes is named, with the way to keep it paused', async () => {
  await plane.apply(sets.setOf('paused', { generators: [listOf('dev', 'prod')] }));
  await sets.untilNames('paused', 'dev', 'prod');
  await plane.edit('paused-dev', { metadata: { annotations: { [skip]: 'true' } } });
  await sets.untilWarning('paused', `the set removed ${skip} from paused-dev`);
  await plane.untilApp('paused-dev', 'resumed', (app) => app.metadata.annotations?.[skip] === undefined);

  await sets.edit('ApplicationSet', 'paused', { spec: { preservedFields: { annotations: [skip] } } });
  await sets.untilSet('paused', 'quiet', (set) => !conditionOf(set, 'ConfigurationWarning'));
  await plane.edit('paused-dev', { metadata: { annotations: { [skip]: 'true' }, labels: { env: 'x' } } });
  const kept = await plane.untilApp(
    'paused-dev',
    'as generated',
    (app) => app.metadata.labels?.env === 'dev',
  );
  expect(kept.metadata.annotations?.[skip]).toBe('true');
});

test('an application that is there already is adopted with its resources (sources ASA-6)', async () => {
  const own = appOf(plane, 'adopted-dev', {
    source: { repoURL: plane.url, path: 'apps', targetRevision: 'main' },
    destination: { server: 'https://kubernetes.default.svc', namespace: 'default' },
    syncPolicy: { automated: {} },
  });
  await plane.apply(own);
  await plane.untilApp('adopted-dev', 'synced', ({ status }) => status?.sync?.status === 'Synced');
  const { uid } = (await plane.app('adopted-dev')).metadata;
  await plane.apply(sets.setOf('adopted', { generators: [listOf('dev')] }));
  const app = await plane.untilApp('adopted-dev', 'owned', ({ metadata }) => !!metadata.ownerReferences);
  expect(app.metadata).toMatchObject({ uid, ownerReferences: [{ name: 'adopted', controller: true }] });
  expect(app.spec.destination?.namespace).toBe('adopted-dev');
});

test('clusters that another controller chooses (sources ASD-1, ASD-2)', async () => {
  const group = 'placement.example.com';
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `decisions.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'decisions', singular: 'decision', kind: 'Decision' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        },
      ],
    },
  };
  const decision = (...clusters: string[]) => ({
    apiVersion: `${group}/v1`,
    kind: 'Decision',
    metadata: { name: 'web', namespace: 'argocd', labels: { app: 'web' } },
    status: { chosen: clusters.map((cluster) => ({ cluster, reason: 'free' })) },
  });
  const data = { apiVersion: `${group}/v1`, kind: 'decisions', statusListKey: 'chosen', matchKey: 'cluster' };
  await plane.apply(
    definition as KubeObject,
    configMap('placement', data, { namespace: 'argocd' }),
    decision('in-cluster', 'nowhere') as KubeObject,
    sets.setOf('chosen', {
      generators: [
        {
          clusterDecisionResource: {
            configMapRef: 'placement',
            labelSelector: { matchLabels: { app: 'web' } },
            requeueAfterSeconds: 10,
          },
        },
      ],
      template: { ...sets.templateOf('chosen'), metadata: { name: 'chosen-{{name}}-{{reason}}' } },
    }),
  );
  await sets.untilNames('chosen', 'in-cluster-free');
  await sets.untilWarning('chosen', 'no cluster is registered for the decisions nowhere');
  await plane.apply(decision() as KubeObject);
  await sets.untilNames('chosen');
});

test('a set of a team, in its namespace (sources ASN-1)', async () => {
  const team = new SetsOnPlane(plane, 'team');
  const project = {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AppProject',
    metadata: { name: 'team', namespace: 'argocd' },
    spec: {
      sourceRepos: ['*'],
      destinations: [{ server: '*', namespace: '*' }],
      sourceNamespaces: ['team'],
    },
  };
  const template = team.templateOf('shop');
  const set = team.setOf('shop', {
    generators: [listOf('dev')],
    template: { ...template, spec: { ...template.spec, project: 'team' } },
  });
  const space: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } };
  await plane.apply(space, project as KubeObject, set);
  await plane.pass(5_000);
  expect(await team.namesOf('shop')).toEqual([]);

  const params = { 'application.namespaces': 'team', 'applicationsetcontroller.namespaces': '/^te.m$/' };
  await plane.apply(configMap('argocd-cmd-params-cm', params, { namespace: 'argocd' }));
  await team.untilNames('shop', 'dev');
  await team.untilUpToDate('shop');
  await plane.until(
    'its application is compared',
    () => plane.app('shop-dev', 'team'),
    ({ status }) => status?.sync?.status === 'OutOfSync',
  );
  const scm = { github: { organization: 'acme', tokenRef: { secretName: 'any', key: 'token' } } };
  await team.edit('ApplicationSet', 'shop', { spec: { generators: [{ scmProvider: scm }] } });
  const refused: ApplicationSet = await team.untilError('shop', 'allowed.scm.providers');
  expect(conditionOf(refused, 'ErrorOccurred')?.message).toContain('spec.generators[0].scmProvider');
  expect(await team.namesOf('shop')).toEqual(['shop-dev']);
});
