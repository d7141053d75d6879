import { expect, test } from 'vitest';
import type { KubeObject } from '#base/model';
import { applyEdits, parse } from '#lang/yaml';
import { type Diagnosis, type DoctorRender, diagnoseFiles, diagnoseLive } from './diagnose.ts';
import { targetWarnings } from './examine.ts';
import { kustomizationRoots, readDoctorFile } from './files.ts';

const base = `apiVersion: serving.knative.dev/v1
kind: Service
metadata:
  name: web
spec:
  template:
    spec:
      containers:
        - name: web
          image: web:latest
          startupProbe:
            httpGet: {path: /}
          resources:
            limits: {cpu: 1000m}
`;
const patch = `apiVersion: serving.knative.dev/v1
kind: Service
metadata:
  name: web
spec:
  template:
    spec:
      containers:
        - name: web
          env:
            - {name: A, value: b}
`;
const files = (texts: Readonly<Record<string, string>>) =>
  Object.entries(texts).map(([path, text]) => readDoctorFile(path, text));
const places = ({ findings }: Diagnosis): string[] =>
  findings
    .filter(({ severity }) => severity !== 'note')
    .map(({ check, file, line }) => `${check.id} ${file}:${line}`);

const tree = {
  'base/kustomization.yaml': 'resources: [web.yaml]\ncommonLabels: {app: web}\n',
  'base/web.yaml': base,
  'prod/kustomization.yaml':
    'resources: [../base]\nnamePrefix: prod-\nimages:\n- name: web\n  newTag: stable\n',
  'prod/patch.yaml': patch,
};

const { 'prod/patch.yaml': _patch, ...unpatched } = tree;

function render(object: object, texts: Readonly<Record<string, string>> = tree): DoctorRender {
  return { dir: 'prod', objects: [object as KubeObject], files: files(texts).toReversed() };
}

test('the kustomizations that no other one builds on are rendered; components are not', () => {
  const texts = {
    ...tree,
    'part/kustomization.yaml': 'kind: Component\n',
    'alone/kustomization.yml': 'resources: [a.yaml, ../../../outside]\n',
    'a.yaml': 'kind: Kustomization\n',
  };
  expect(kustomizationRoots(files(texts))).toEqual(['prod', 'alone']);
});

test('a fault of a rendered object is reported where its value is written', () => {
  const object = parse(base) as { metadata: { name: string }; spec: object };
  object.metadata.name = 'prod-web';
  const result = diagnoseFiles({ files: files(unpatched), renders: [render(object, unpatched)] });
  expect(places(result)).toEqual([
    'knative-probe-port base/web.yaml:12',
    'quantity-form base/web.yaml:14',
    'image-moving-tag base/web.yaml:10',
  ]);
  const edits = result.findings.flatMap(({ edit }) => edit ?? []);
  expect(applyEdits(base, edits)).toBe(
    base.replace('{path: /}', '{path: /, port: 8080}').replace('{cpu: 1000m}', '{cpu: "1"}'),
  );
});

test('what no file contains is reported at the field of the kustomization that causes it', () => {
  const object = parse(base.replace('web:latest', 'web:stable')) as { spec: Record<string, unknown> };
  object.spec.selector = { app: 'web' };
  const found = places(diagnoseFiles({ files: files(tree), renders: [render(object)] }));
  expect(found).toContain('knative-selector base/kustomization.yaml:2');
  expect(found).toContain('image-moving-tag prod/kustomization.yaml:3');
});

test('what comes from nowhere is reported at the kustomization that is rendered', () => {
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, data: { a: 'aA==' } };
  expect(places(diagnoseFiles({ files: files(tree), renders: [render(secret)] }))).toEqual([
    'plain-secret prod/kustomization.yaml:1',
  ]);
});

test('a patch that replaces the list of containers is reported in the patch, with what is lost', () => {
  const object = parse(patch) as object;
  const { findings } = diagnoseFiles({ files: files(tree), renders: [render(object)] });
  expect(findings[0]).toMatchObject({
    file: 'prod/patch.yaml',
    line: 8,
    severity: 'error',
    message: 'a patch replaces the list of containers: image, resources, startupProbe of the base are lost',
  });
});

test('two overlays with the same fault in their base have one finding', () => {
  const staging = { ...(parse(base) as KubeObject), metadata: { name: 'st-web' } };
  const renders = [
    render(parse(base) as object, unpatched),
    { ...render(staging, unpatched), dir: 'staging' },
  ];
  expect(places(diagnoseFiles({ files: files(unpatched), renders }))).toHaveLength(3);
});

test('a kustomization that cannot be built is a finding, and its files are examined as they are written', () => {
  const renders = [{ dir: 'prod', objects: [], files: [], problem: 'no such base' }];
  const found = places(diagnoseFiles({ files: files(tree), renders }));
  expect(found).toContain('kustomization-unbuilt prod/kustomization.yaml:1');
  expect(found).toContain('knative-probe-port base/web.yaml:12');
});

const application = `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web, finalizers: [resources-finalizer.argocd.argoproj.io]}
spec:
  project: team
  source: {repoURL: 'https://example.com/x', path: apps/web, targetRevision: main}
  destination: {namespace: web}
  ignoreDifferences:
    - group: serving.knative.dev
      kind: Service
      jsonPointers:
        - /status
        - /spec/traffic
  syncPolicy: {automated: {prune: true, selfHeal: true}, syncOptions: [RespectIgnoreDifferences=true]}
`;
const traffic = `apiVersion: serving.knative.dev/v1
kind: Service
metadata: {name: web}
spec: {traffic: [{latestRevision: true, percent: 100}]}
`;

test('a traffic split that an application hides is reported at its ignore rule', () => {
  const all = files({ 'argocd/web.yaml': application, 'repo/apps/web/service.yaml': traffic });
  const { findings } = diagnoseFiles({ files: all, renders: [] });
  const shown = findings.map(({ check, severity, file, line }) => `${severity} ${check.id} ${file}:${line}`);
  expect(shown).toContain('error knative-hidden-traffic argocd/web.yaml:13');
  expect(shown).toContain('note knative-server-side-apply argocd/web.yaml:14');
  const applied = application.replace('RespectIgnoreDifferences', 'ServerSideApply');
  const again = diagnoseFiles({
    files: files({ 'a.yaml': applied, 'apps/web/s.yaml': traffic }),
    renders: [],
  });
  expect(again.findings.map(({ check, severity }) => `${severity} ${check.id}`)).toContain(
    'warning knative-hidden-traffic',
  );
  const undeclared = files({ 'a.yaml': application, 'apps/web/s.yaml': traffic.replace(/spec:.*/, '') });
  expect(places(diagnoseFiles({ files: undeclared, renders: [] }))).toEqual([]);
});

test('a rule of the installation that hides a traffic split is reported at its setting', () => {
  const settings = `apiVersion: v1
kind: ConfigMap
metadata: {name: argocd-cm}
data:
  admin.enabled: "false"
  oidc.config: x
  resource.customizations.ignoreDifferences.serving.knative.dev_Service: |
    jsonPointers:
    - /spec/traffic
`;
  const all = files({ 'cm.yaml': settings, 'apps/web/s.yaml': traffic });
  expect(places(diagnoseFiles({ files: all, renders: [] }))).toEqual(['knative-hidden-traffic cm.yaml:7']);
  expect(places(diagnoseFiles({ files: files({ 'cm.yaml': settings }), renders: [] }))).toEqual([]);
});

test('items of a List are examined, each at its own line', () => {
  const list =
    'apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Secret\n  metadata: {name: a}\n  data: {a: aA==}\n';
  expect(places(diagnoseFiles({ files: files({ 'l.yaml': list }), renders: [] }))).toEqual([
    'plain-secret l.yaml:7',
  ]);
});

test('a comment above a document is about all of it', () => {
  const text = `# fairlead-doctor: ignore plain-secret (of the tests)\napiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData:\n  a: b\n`;
  const result = diagnoseFiles({ files: files({ 's.yaml': text }), renders: [] });
  expect(result).toMatchObject({ findings: [], ignored: 1 });
});

test('hostile files end in findings or in nothing, never in an error', () => {
  const odd = [
    'apiVersion: [1]\nkind: {}\n',
    'apiVersion: v1\nkind: Secret\nmetadata: 7\ndata: [1]\nstringData: null\n',
    'apiVersion: argoproj.io/v1alpha1\nkind: AppProject\nspec: {roles: {a: 1}, destinations: [null, 7], sourceRepos: 1}\n',
    'apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nspec: {template: 1, generators: [1, {matrix: {generators: 3}}]}\n',
    'apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nspec: {template: {metadata: [], spec: []}}\n',
    'apiVersion: argoproj.io/v1alpha1\nkind: Application\nspec: {sources: [null], syncPolicy: [], ignoreDifferences: [1, {jsonPointers: 3}]}\n',
    'apiVersion: argoproj.io/v1alpha1\nkind: Rollout\nspec: {strategy: {canary: {steps: [1, null]}}, template: 1}\n',
    'apiVersion: apps/v1\nkind: Deployment\nspec: {template: {spec: {containers: [null, 1, {env: [1], resources: {limits: 1}}]}}}\n',
    'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: argocd-rbac-cm}\ndata: {policy.csv: 1, policy.default: [1]}\n',
    'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: constructor}\ndata: {__proto__: x}\n',
    'apiVersion: serving.knative.dev/v1\nkind: Service\nspec: {traffic: {a: 1}, template: {spec: {containers: {a: 1}}}}\n',
    '\u0000',
    `apiVersion: v1\n${'['.repeat(2000)}`,
  ];
  for (const text of odd)
    expect(
      () => diagnoseFiles({ files: files({ 'a.yaml': text, 'kustomization.yaml': text }), renders: [] }),
      text,
    ).not.toThrow();
});

const live = (traffics: unknown, revisions: readonly string[] | undefined): Diagnosis => {
  const app = parse(application) as KubeObject;
  const service = { ...(parse(traffic) as KubeObject), spec: { traffic: traffics } };
  return diagnoseLive({ objects: [app], targets: new Map([[app, [service]]]), revisionsOf: () => revisions });
};

test('on an installation a pin to a Revision that is gone is an error, and one that exists is fine', () => {
  const pin = [{ revisionName: 'web-1', percent: 100 }];
  const found = live(pin, ['web-2']).findings.find(({ check }) => check.id === 'knative-pinned-traffic');
  expect(found).toMatchObject({
    severity: 'error',
    application: 'web',
    object: 'Service web',
    file: undefined,
  });
  expect(live(pin, ['web-1']).findings.some(({ check }) => check.id === 'knative-pinned-traffic')).toBe(
    false,
  );
});

test('warnings on an application are about what will fail, and name the object, the cause and the fix', () => {
  const target = parse(base) as KubeObject;
  const [probe, quantity, image, ...others] = targetWarnings([target]);
  expect(probe).toBe(
    'Service web: the startupProbe of container web names no port, and Knative makes it 0, which Kubernetes refuses; set startupProbe.httpGet.port to 8080',
  );
  expect([quantity, image]).toEqual([
    expect.stringMatching(/^Service web: cpu in the limits of container web is 1000m, .*; write it as/),
    expect.stringMatching(/^Service web: the image of container web has the tag latest; name a version/),
  ]);
  expect(others).toEqual([]);
});

test('a container without an image is what a patch has left of it, in a target and not in a file', () => {
  const replaced = 'container web has no image: a patch that lists containers replaces the list of the base';
  expect(targetWarnings([parse(patch) as KubeObject])).toEqual([expect.stringContaining(replaced)]);
  expect(places(diagnoseFiles({ files: files({ 'patch.yaml': patch }), renders: [] }))).toEqual([]);
});

const plain: KubeObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: { template: { spec: { containers: [{ name: 'web', image: 'web:latest' }] } } },
};

test('what is hygiene elsewhere warns on the application for Knative alone, unless the settings want more', () => {
  expect(targetWarnings([plain])).toEqual([]);
  const moving = expect.stringContaining('the image of container web has the tag latest');
  const unlimited = expect.stringContaining('container web has no resources.limits');
  expect(targetWarnings([plain], 'warnings')).toEqual(expect.arrayContaining([moving]));
  expect(targetWarnings([plain], 'warnings')).not.toContainEqual(unlimited);
  expect(targetWarnings([plain], 'all')).toEqual(expect.arrayContaining([moving, unlimited]));
});

test('a hundred manifests with the same mistake are two sentences and a number', () => {
  const many = Array.from({ length: 100 }, (_, at) => ({
    ...(parse(base.replace('cpu: 1000m', 'cpu: 1').replace('web:latest', 'web:1')) as KubeObject),
    metadata: { name: `web-${at}` },
  }));
  expect(targetWarnings(many)).toEqual([
    expect.stringMatching(/^Service web-0: the startupProbe/),
    expect.stringMatching(/^Service web-1: the startupProbe/),
    'and 98 more of the kind: a probe names no port where Knative needs one (knative-probe-port)',
  ]);
});

const annotated = (annotations: object): KubeObject => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'migrate', annotations: annotations as Record<string, string> },
});

test('a wave or a hook that has no effect, and a selector that a Rollout writes, warn on the application, each once', () => {
  const hook = annotated({
    'argocd.argoproj.io/hook': 'Presync',
    'argocd.argoproj.io/sync-wave': 'first',
    'argocd.argoproj.io/hook-delete-policy': 'HookSucceeded',
  });
  const service = parse(
    'apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec: {selector: {app: web, rollouts-pod-template-hash: abc}}\n',
  ) as KubeObject;
  const how =
    'write a phase such as PreSync, a policy such as HookSucceeded, and a whole number for the wave';
  const wanted = [
    `Job migrate: the wave "first" is no whole number; ${how}`,
    `Job migrate: Presync is not one of PreSync, Sync, PostSync, SyncFail, Skip, PreDelete, PostDelete; ${how}`,
    'Service web: the selector of web has a fixed rollouts-pod-template-hash; remove the key from spec.selector',
  ];
  expect(targetWarnings([hook, service])).toEqual(wanted);
  expect(targetWarnings([hook, structuredClone(hook), service]), 'each sentence once').toEqual(wanted);
});

test('what only some clusters refuse, and habits, do not warn on the application', () => {
  const fine = annotated({
    'argocd.argoproj.io/hook': 'PreSync,PostSync',
    'argocd.argoproj.io/sync-wave': '-5',
  });
  const [wanted] = [parse(traffic) as KubeObject];
  for (const one of [fine, wanted]) expect(targetWarnings([one])).toEqual([]);
});

test('warnings of an object are computed once', () => {
  let reads = 0;
  const { metadata, ...rest } = annotated({ 'argocd.argoproj.io/sync-wave': 'first' });
  const counted = {
    ...rest,
    get metadata() {
      reads += 1;
      return metadata;
    },
  };
  const first = targetWarnings([counted]);
  const readOnce = reads;
  expect(first).toHaveLength(1);
  expect(targetWarnings([counted])).toEqual(first);
  expect(reads).toBe(readOnce);
});

const sidecar = (probe: string): KubeObject =>
  parse(`apiVersion: serving.knative.dev/v1
kind: Service
metadata: {name: web}
spec:
  template:
    spec:
      containers:
        - {name: web, image: web:1, ports: [{containerPort: 8000}]}
        - {name: side, image: side:1, ${probe}}
`) as KubeObject;
const features = (data: object): KubeObject =>
  ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'config-features', namespace: 'knative-serving' },
    data,
  }) as KubeObject;

test('a probe of a sidecar warns on the application only where it fails whatever the settings of Knative are', () => {
  expect(targetWarnings([sidecar('livenessProbe: {httpGet: {path: /, port: 9000}}')])).toEqual([]);
  expect(targetWarnings([sidecar('livenessProbe: {httpGet: {path: /}}')])).toEqual([
    'Service web: the livenessProbe of container side is not on the serving container, and Knative refuses it there unless ' +
      'multi-container-probing is enabled; even then it fails, because it has no number of a port; remove it, or enable ' +
      'multi-container-probing in ConfigMap knative-serving/config-features and set livenessProbe.httpGet.port to the number of its port',
  ]);
});

test('settings of Knative among the files decide about the probes of a sidecar', () => {
  const found = (...objects: readonly KubeObject[]): string[] =>
    diagnoseFiles({
      files: files(Object.fromEntries(objects.map((one, at) => [`${at}.json`, JSON.stringify(one)]))),
      renders: [],
    })
      .findings.filter(
        ({ check }) => check.id === 'knative-sidecar-probe' || check.id === 'knative-probe-port',
      )
      .map(({ severity, message, fix }) => `${severity}: ${message}; ${fix}`);
  const target = sidecar('livenessProbe: {httpGet: {path: /, port: 9000}}');
  const enabling = 'enable multi-container-probing in ConfigMap knative-serving/config-features';
  const words = 'the livenessProbe of container side is not on the serving container, and';
  expect(found(target)).toEqual([
    `warning: ${words} Knative refuses it there unless multi-container-probing is enabled; remove it, or ${enabling}`,
  ]);
  expect(found(target, features({ 'multi-container-probing': 'disabled' }))).toEqual([
    `error: ${words} multi-container-probing is off: Knative refuses it; remove it, or ${enabling}`,
  ]);
  const on = features({ 'multi-container-probing': 'enabled' });
  expect(found(target, on)).toEqual([]);
  expect(found(sidecar('readinessProbe: {grpc: {}}'), on)).toEqual([
    'error: the readinessProbe of container side names no port, so that Knative cannot carry it out; set readinessProbe.grpc.port to the number of its port',
  ]);
});

const pinnedWith = (...settings: readonly object[]): string[] =>
  diagnoseFiles({
    files: files({
      'web.yaml':
        'apiVersion: serving.knative.dev/v1\nkind: Service\nmetadata: {name: web}\nspec: {traffic: [{revisionName: web-1, percent: 100}]}\n',
      ...Object.fromEntries(settings.map((one, at) => [`settings-${at}.yaml`, JSON.stringify(one)])),
    }),
    renders: [],
  })
    .findings.filter(({ check }) => check.id === 'knative-pinned-traffic')
    .map(({ severity, message }) => `${severity}: ${message.replace(/.*does not create/, '')}`);
const collection = (data: object): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'config-gc', namespace: 'knative-serving' },
  data,
});

test('the way back of a Rollout over Knative is judged by the garbage collection that Git configures (RK-13)', () => {
  const text =
    'apiVersion: argoproj.io/v1alpha1\nkind: Rollout\nmetadata: {name: web}\nspec: {strategy: {canary: {steps: [{setWeight: 5}], trafficRouting: {plugins: {fairlead.io/knative: {service: shop}}}}}}\n';
  const found = (...settings: readonly object[]): string[] =>
    diagnoseFiles({
      files: files({
        'rollout.yaml': text,
        ...Object.fromEntries(settings.map((one, at) => [`settings-${at}.yaml`, JSON.stringify(one)])),
      }),
      renders: [],
    })
      .findings.filter(({ check }) => check.id === 'knative-history-collected')
      .map(({ message }) => message);
  expect(found(), 'nothing says, and the defaults keep twenty').toEqual([]);
  expect(found(collection({}))).toEqual([]);
  expect(found(collection({ 'min-non-active-revisions': '0' }))).toEqual([
    'the Rollout needs the Revision of shop before the stable one; while no live traffic names it, Knative collects it by config-gc 48h after its creation and 15h after its last traffic',
  ]);
  const disabled = { 'retain-since-create-time': 'disabled', 'retain-since-last-active-time': 'disabled' };
  expect(found(collection({ 'min-non-active-revisions': '0', ...disabled }))).toEqual([]);
  expect(
    found(collection({ ...disabled, 'max-non-active-revisions': '0' })),
    'whatever their age',
  ).toHaveLength(1);
});

test('a pin to a Revision is judged by the garbage collection that Git configures', () => {
  const collected = '; while no live traffic names it, Knative collects it by config-gc';
  expect(pinnedWith()).toEqual(['warning: ']);
  expect(pinnedWith(collection({}))).toEqual([
    `warning: ${collected} 48h after its creation and 15h after its last traffic unless it is among the newest 20`,
  ]);
  const quick = {
    'retain-since-create-time': 'disabled',
    'retain-since-last-active-time': '1h',
    'min-non-active-revisions': '0',
    'max-non-active-revisions': '5',
  };
  const words = `warning: ${collected} 1h after its last traffic, and at once unless it is among the newest 5`;
  expect(pinnedWith(collection(quick))).toEqual([words]);
  expect(pinnedWith(collection({}), collection(quick)), 'the strictest of several').toEqual([words]);
  const operated = {
    apiVersion: 'operator.knative.dev/v1beta1',
    kind: 'KnativeServing',
    metadata: { name: 'serving' },
  };
  expect(pinnedWith({ ...operated, spec: { config: { gc: quick } } })).toEqual([words]);
  const never = {
    'retain-since-create-time': 'disabled',
    'retain-since-last-active-time': 'disabled',
    'max-non-active-revisions': 'disabled',
  };
  expect(pinnedWith(collection(never))).toEqual([
    'note: ; config-gc collects no Revision, but a new cluster cannot create it',
  ]);
});
