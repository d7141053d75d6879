import { expect, test } from 'vitest';
import { type Application, type ApplicationSet, defaultSettings } from '#base/model';
import { realClock, silent } from '#base/std';
import { type GeneratorDeps, previewApplicationSet, SetEvaluator } from '#control/generators';

const ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
const project = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'AppProject',
  metadata: { name: 'default' },
  spec: {},
};
/** A list generator reads nothing but these. */
const facts = {
  settings: () => defaultSettings,
  projects: { get: (_namespace: string, name: string) => (name === 'default' ? project : undefined) },
  clusters: { secrets: () => [], knows: () => true },
  namespace: 'argocd',
};
const evaluator = new SetEvaluator(facts as unknown as GeneratorDeps);

const setOf = (spec: object, metadata: object = {}): ApplicationSet =>
  ({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'ApplicationSet',
    metadata: { name: 'shop', namespace: 'argocd', uid: 'u1', ...metadata },
    spec: {
      template: {
        metadata: { name: 'shop-{{env}}' },
        spec: {
          project: 'default',
          source: { repoURL: 'https://example.com/shop', path: '{{env}}' },
          destination: { server: 'https://kubernetes.default.svc', namespace: 'shop' },
        },
      },
      ...spec,
    },
  }) as ApplicationSet;
const listOf = (...names: readonly string[]) => ({ list: { elements: names.map((env) => ({ env })) } });

async function liveOf(set: ApplicationSet): Promise<Application[]> {
  const owner = {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'ApplicationSet',
    name: 'shop',
    uid: 'u1',
    controller: true,
    blockOwnerDeletion: true,
  };
  const { applications } = await evaluator.evaluateOnce(ctx, set);
  return applications.map((app) => ({ ...app, metadata: { ...app.metadata, ownerReferences: [owner] } }));
}

const preview = (set: ApplicationSet, live: readonly Application[]) =>
  previewApplicationSet(ctx, { ...facts, evaluator, apps: { list: () => live } }, set);

test('a preview names what is created, updated and deleted (sources ASN-5)', async () => {
  const live = await liveOf(setOf({ generators: [listOf('dev', 'prod')] }));
  const [, prod] = live;
  const drifted = live.map((app) =>
    app === prod ? { ...app, spec: { ...app.spec, project: 'other' } } : app,
  );
  const { changes, applications, problem } = await preview(
    setOf({ generators: [listOf('prod', 'qa')] }),
    drifted,
  );
  expect(problem).toBeUndefined();
  expect(applications.map(({ metadata }) => metadata.name)).toEqual(['shop-prod', 'shop-qa']);
  expect(changes.map(({ action, application }) => `${action} ${application}`)).toEqual([
    'delete argocd/shop-dev',
    'update argocd/shop-prod',
    'create argocd/shop-qa',
  ]);
});

test('an unchanged set changes nothing', async () => {
  const set = setOf({ generators: [listOf('dev')] });
  expect((await preview(set, await liveOf(set))).changes).toEqual([]);
});

test('an error in a generator is the whole preview', async () => {
  const broken = setOf({ generators: [{ list: { elements: [{ env: 1 }] } }] });
  const { changes, problem } = await preview(broken, await liveOf(setOf({ generators: [listOf('dev')] })));
  expect(changes).toEqual([]);
  expect(problem).toContain('spec.generators[0].list');
});

test('the same parameters give the very same applications', async () => {
  const set = setOf({ generators: [listOf('a', 'b')] });
  const first = await evaluator.evaluate(ctx, 'argocd/shop', set);
  const second = await evaluator.evaluate(ctx, 'argocd/shop', structuredClone(set));
  expect(second.applications).toBe(first.applications);
});
