import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KubeObject, Source } from '#base/model';
import { isObject, printJson } from '#base/std';
import { parseAll } from '#lang/yaml';
import type { GeneratedManifests } from '#sources/manifests';
import { type GitRepositoryFixture, gitRepository } from '../git-repository.ts';
import { type ManifestsFixture, manifestsFixture } from '../manifests.ts';
import { allFiles, documents, manifest, manifests } from '../seeds/documents.ts';
import { comparable, type Result, realEngine } from './real-engine.ts';

// the sources that the users' documents name, rendered from trees that hold the files those documents print or describe
const treeOf: Readonly<Record<string, string>> = {
  'https://github.com/your-org/my-app-manifests': 'my-app-manifests',
  'https://github.com/example/platform-live.git': 'platform-live',
};
const trees = ['ecommerce-infra', ...Object.values(treeOf)];

let fixture: ManifestsFixture;
const repositories = new Map<string, GitRepositoryFixture>();

beforeAll(async () => {
  fixture = await manifestsFixture();
  for (const tree of trees) {
    const repository = await gitRepository(join(fixture.folder, tree));
    await cp(join(import.meta.dirname, 'testdata/seeds', tree), repository.dir, { recursive: true });
    await repository.commit({});
    repositories.set(tree, repository);
  }
});
afterAll(() => fixture.close());

type Wanted = { name: string; namespace: string; source: Partial<Source> };

const placeOf = (tree: string): string => repositories.get(tree)?.dir ?? '';

/** Renders a source as the Application of a document would, from a tree of ours. */
function generate(tree: string, { name, namespace, source }: Wanted): Promise<GeneratedManifests> {
  const sources = [{ ...source, repoURL: placeOf(tree), targetRevision: 'main' }];
  const app = { name, project: 'default' };
  return fixture.manifests.generate(
    fixture.ctx,
    fixture.request({}, { app, sources, destinationNamespace: namespace }),
  );
}

/** The real engine on the work tree of the same repository. */
const kustomized = (tree: string, path: string): Promise<Result> =>
  realEngine(fixture, fixture.kustomize, ['.'], join(placeOf(tree), path));

function templated(
  tree: string,
  { name, namespace, source }: Wanted,
  flags: readonly string[],
): Promise<Result> {
  const usual = [
    'template',
    name,
    '.',
    '--namespace',
    namespace,
    '--include-crds',
    '--kube-version',
    '1.33.4',
  ];
  return realEngine(fixture, fixture.helm, [...usual, ...flags], join(placeOf(tree), source.path ?? '.'));
}

/** The Application that a manifest is, or the one its template makes of parameters. */
function wanted(object: KubeObject, parameters: Readonly<Record<string, string>>): Wanted {
  const { metadata, spec } = view(view(object.spec)?.template) ?? object;
  const { source, destination } = view(spec) ?? {};
  const text = printJson({ name: view(metadata)?.name, namespace: view(destination)?.namespace, source });
  return JSON.parse(
    text.replace(/\{\{([\w.]+)\}\}/g, (_all, name: string) => parameters[name] ?? `<${name}>`),
  );
}

const view = (value: unknown): Record<string, unknown> | undefined => (isObject(value) ? value : undefined);

/** What the generators of a set yield, in the words of its document; an Application needs none. */
const parametersOf: Readonly<Record<string, readonly Record<string, string>[]>> = {
  '002/appset-list.yaml': ['dev', 'staging', 'prod'].map((env) => ({
    env,
    cluster: env,
    namespace: `my-app-${env}`,
  })),
  '002/appset-clusters.yaml': [{ name: 'us-east' }, { name: 'eu-west' }],
  '002/appset-git.yaml': ['dev', 'staging', 'prod'].map((env) => ({
    path: `k8s/overlays/${env}`,
    'path.basename': env,
  })),
  '002/appset-cluster-overlays.yaml': ['staging', 'production'].map((env) => ({
    name: env,
    'values.env': env,
  })),
  '002/appset-merge.yaml': ['dev', 'staging', 'prod'].map((env) => ({ env })),
  '002/appset-matrix.yaml': ['frontend', 'backend', 'worker'].map((component) => ({
    name: 'us-east',
    component,
    path: `k8s/overlays/prod/${component}`,
  })),
  '004/appset-list.yaml': ['prod-us', 'prod-eu'].map((cluster) => ({ cluster, namespace: 'payments-prod' })),
};

/** Rendered below with flags of their own, or not from a folder at all. */
const elsewhere = [
  '002/app-parameterized.yaml',
  '002/appset-cluster-values.yaml',
  '002/appset-matrix-folders.yaml',
];
const isChart = (file: string): boolean => ['004/source-helm.yaml', '004/source-oci.yaml'].includes(file);

const sourced = allFiles().filter(
  (file) => printJson(documents(file)).includes('"repoURL"') && !isChart(file),
);
const renders = sourced
  .filter((file) => !elsewhere.includes(file))
  .flatMap((file) =>
    (manifests(file).length > 0 ? manifests(file) : [fragmentOf(file)]).flatMap((object) =>
      (parametersOf[file] ?? [{}]).map((parameters) => [file, wanted(object, parameters)] as const),
    ),
  )
  .map(([file, want]) => [file, want.source.path ?? '', want] as const);

/** A page may print a spec without its object, or a source without its spec. */
function fragmentOf(file: string): KubeObject {
  const spec = view(documents(file)[0]);
  const metadata = { name: 'fragment' };
  return { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', metadata, spec: spec?.spec ?? spec };
}

test('all sources of the documents are among those rendered, and none with a gap in its name', () => {
  expect(renders.length).toBeGreaterThanOrEqual(24);
  expect(renders.filter(([, path]) => path.includes('<') || path === '')).toEqual([]);
});

describe('every source of the documents renders as the engine itself renders the folder', () => {
  test.each(renders)('%s: %s', async (_file, path, want) => {
    const tree = treeOf[String(want.source.repoURL)] ?? '';
    const { objects, sourceTypes } = await generate(tree, want);
    expect(objects.length).toBeGreaterThan(0);
    if (sourceTypes[0] === 'Kustomize')
      expect(comparable({ objects })).toEqual(comparable(await kustomized(tree, path)));
    else expect(sourceTypes).toEqual(['Directory']);
  });
});

describe('the GitOps tree of the second document', () => {
  const render = (environment: string, source: Partial<Source> = {}) =>
    generate('ecommerce-infra', {
      name: 'product-import',
      namespace: environment,
      source: { path: `apps/product-import/overlays/${environment}`, ...source },
    });
  const scaleOf = ({ objects }: GeneratedManifests): Record<string, string> =>
    (objects[0] as any).spec.template.metadata.annotations;

  test('holds the manifests that the document prints', async () => {
    const read = async (path: string) => {
      const text = await repositories.get('ecommerce-infra')?.git('show', `HEAD:apps/product-import/${path}`);
      return parseAll(text ?? '', { name: path })[0]?.value;
    };
    expect(await read('base/knative-service.yaml')).toEqual(manifest('001/knative-service.yaml'));
    expect(await read('overlays/production/patches/scale.yaml')).toEqual(manifest('001/scale-patch.yaml'));
  });

  test.each(['staging', 'production'])('renders for %s', async (environment) => {
    const { objects } = await render(environment);
    const theirs = await kustomized('ecommerce-infra', `apps/product-import/overlays/${environment}`);
    expect(comparable({ objects })).toEqual(comparable(theirs));
    expect(objects).toMatchObject([
      { kind: 'Service', metadata: { name: 'product-import', namespace: environment } },
    ]);
  });

  test('scales production further than the base and keeps what its patch does not name', async () => {
    expect(scaleOf(await render('production'))).toEqual({
      'autoscaling.knative.dev/min-scale': '0',
      'autoscaling.knative.dev/max-scale': '10',
      'autoscaling.knative.dev/scale-to-zero-pod-retention-period': '15m',
    });
    expect(scaleOf(await render('staging'))['autoscaling.knative.dev/max-scale']).toBe('2');
  });

  test('takes a new image from the Application as from the pipeline that edits the file', async () => {
    const { objects } = await render('production', {
      kustomize: { images: ['ghcr.io/acme/product-import:abc123'] },
    });
    expect(objects[0]?.spec).toMatchObject({
      template: { spec: { containers: [{ image: 'ghcr.io/acme/product-import:abc123' }] } },
    });
  });
});

describe('the chart of the third document', () => {
  const cluster = { name: 'prod-us-east', 'values.env': 'production', 'values.region': 'us-east' };
  const inCluster = (parameters: Record<string, string>): Wanted =>
    wanted(manifest('002/appset-cluster-values.yaml'), { ...cluster, ...parameters });
  const flagsOf = (region: string, name: string, ...files: string[]): string[] => [
    ...files.flatMap((file) => ['--values', file]),
    ...['--set', `cluster.name=${name}`, '--set', `cluster.region=${region}`],
  ];
  const dataOf = ({ objects }: GeneratedManifests): Record<string, string> => (objects[0] as any).data;

  test('is layered: defaults, environment, region, cluster, parameters (HLM-1)', async () => {
    const want = inCluster({});
    const ours = await generate('my-app-manifests', want);
    const files = [
      'values.yaml',
      'values-production.yaml',
      'values-us-east.yaml',
      'values-prod-us-east.yaml',
    ];
    const theirs = await templated('my-app-manifests', want, flagsOf('us-east', 'prod-us-east', ...files));
    expect(comparable(ours)).toEqual(comparable(theirs));
    expect(dataOf(ours)).toEqual({
      replicas: '5',
      debug: 'false',
      cpu: '2',
      requests: '100m',
      domain: 'us-east.example.com',
      cluster: 'prod-us-east/us-east',
    });
  });

  test('says which optional file is missing, and what allows that', async () => {
    const want = inCluster({ name: 'prod-eu-west', 'values.region': 'eu-west' });
    await expect(generate('my-app-manifests', want)).rejects.toThrow(
      /values-prod-eu-west\.yaml does not exist.*ignoreMissingValueFiles/,
    );
  });

  test('renders without the optional file when the Application says so (4.1)', async () => {
    const want = inCluster({ name: 'prod-eu-west', 'values.region': 'eu-west' });
    const helm = { ...want.source.helm, ignoreMissingValueFiles: true };
    const ours = await generate('my-app-manifests', { ...want, source: { ...want.source, helm } });
    const files = ['values.yaml', 'values-production.yaml', 'values-eu-west.yaml'];
    const theirs = await templated('my-app-manifests', want, flagsOf('eu-west', 'prod-eu-west', ...files));
    expect(comparable(ours)).toEqual(comparable(theirs));
    expect(dataOf(ours)).toMatchObject({ replicas: '3', domain: 'eu-west.example.com' });
  });

  test('takes value files and parameters of an Application for a folder that is a kustomization as well', async () => {
    const want = wanted(manifest('002/app-parameterized.yaml'), {});
    const ours = await generate('my-app-manifests', want);
    const flags = ['--values', 'values-prod.yaml', '--set', 'image.tag=v1.2.3', '--set', 'replicaCount=3'];
    expect(comparable(ours)).toEqual(comparable(await templated('my-app-manifests', want, flags)));
    expect(ours.sourceTypes).toEqual(['Helm']);
  });

  test('an image override of a variable that nobody sets changes nothing and is told (DEV-13)', async () => {
    const want = wanted(manifest('002/app-promotion.yaml'), {});
    const { objects, warnings } = await generate('my-app-manifests', want);
    expect(comparable({ objects })).toEqual(
      comparable(await kustomized('my-app-manifests', 'k8s/overlays/prod')),
    );
    expect(warnings).toEqual([expect.stringContaining('IMAGE_TAG')]);
  });
});

describe('the pages themselves, as folders of manifests', () => {
  const pages = ['000', '001', '002', '003', '004'];

  test.each(pages)('%s renders to the manifests it prints, and to no fragment (DIR-12)', async (page) => {
    const { repo } = fixture;
    await cp(join(import.meta.dirname, '../seeds/testdata', page), join(repo.dir, page), { recursive: true });
    await repo.commit({});
    const { objects } = await fixture.manifests.generate(fixture.ctx, fixture.request({ path: page }));
    const printed = allFiles()
      .filter((file) => file.startsWith(page))
      .flatMap(manifests);
    expect(comparable({ objects })).toEqual(comparable({ objects: printed }));
  });
});
