import type { Value } from './kustomize-objects.ts';
import { anyText, written } from './kustomize-text.ts';
import type { Random } from './random.ts';

/** A kustomization that features are added to, and what is known of it. */
export type Growing = {
  readonly dir: string;
  readonly kustomization: Value;
  readonly objects: readonly Value[];
  readonly files: Record<string, string | Uint8Array>;
};

type Feature = (growing: Growing, random: Random) => void;

/** Adds features that few kustomizations have, each with a likelihood. */
export function addFeatures(growing: Growing, random: Random, likelihood: number): void {
  if (growing.objects.length === 0) return;
  for (const feature of features) if (random.chance(likelihood)) feature(growing, random);
}

const nameOf = ({ metadata }: Value): string => String((metadata as Value).name);

const paths = [
  ...['metadata.name', 'metadata.name', 'metadata.namespace', 'metadata.labels.app', 'spec.replicas'],
  ...['data.one', 'spec.template.spec.containers[0].image', 'spec.type', 'metadata.annotations.note'],
];

/** Whether a path leads somewhere in an object. */
function leads(object: Value, path: string): boolean {
  let at: unknown = object;
  for (const part of path.replaceAll('[0]', '.0').split('.')) {
    if (typeof at !== 'object' || at === null) return false;
    if (part === '*' || part.startsWith('[')) at = (at as Value)['0'];
    else at = (at as Value)[part];
  }
  return at !== undefined && at !== null;
}

/** One of the paths that lead somewhere; seldom any. */
function fittingPath(object: Value, choices: readonly string[], random: Random): string {
  const fitting = choices.filter((path) => leads(object, path));
  return random.pick(fitting.length === 0 || random.chance(0.04) ? choices : fitting);
}

/** Variables, and an object that uses them. */
const addVars: Feature = ({ dir, kustomization, objects, files }, random) => {
  const name = `V_${dir}`;
  const object = random.pick(objects);
  const { namespace } = object.metadata as Value;
  const isPlaced = namespace !== undefined && random.chance(0.3);
  const reference = { apiVersion: object.apiVersion, kind: object.kind, name: nameOf(object) };
  const fieldPath = fittingPath(object, paths, random);
  kustomization.vars = [
    {
      name,
      objref: { ...reference, ...(isPlaced ? { namespace } : {}) },
      ...(fieldPath === 'metadata.name' && random.chance(0.5)
        ? {}
        : { fieldref: { [random.pick(['fieldpath', 'fieldPath'])]: fieldPath } }),
    },
  ];
  const text = (): string =>
    random.pick([`$(${name})`, `a-$(${name})-b`, `$$(${name})`, '$(NONE) $x $', `$(${name}`]);
  const template = {
    metadata: { annotations: { uses: text() } },
    spec: {
      containers: [{ name: 'c', image: 'i', args: [text(), text()], env: [{ name: 'E', value: text() }] }],
    },
  };
  const metadata = { name: `uses-${dir}`, annotations: { a: text() }, labels: { l: text() } };
  const uses = { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: { template } };
  files[`${dir}/uses.yaml`] = written(uses, random);
  kustomization.resources = [...(kustomization.resources as string[]), 'uses.yaml'];
};

const sourcePaths = paths.map((path) => path.replace('[0]', '.0'));
const targetPaths = [
  ...['metadata.annotations.copied', 'metadata.labels.app', 'spec.replicas', 'data.one', 'data.new'],
  ...['spec.template.spec.containers.*.image', 'spec.template.spec.containers.[name=main].image'],
  ...[
    'spec.template.spec.containers.[name=main].env.[name=A].value',
    'spec.template.spec.containers.0.image',
  ],
  ...['metadata.annotations.note', 'metadata.name', 'spec.template.metadata', 'spec.selector'],
];

const selector = (object: Value, random: Random): Value =>
  random.pick<() => Value>([
    () => ({ kind: object.kind, name: nameOf(object) }),
    () => ({ kind: object.kind }),
    () => ({ name: random.pick(['w.*', 'web|db', nameOf(object)]) }),
    () => ({ kind: object.kind, namespace: random.pick(['team-a', 'default', '.*']) }),
    () => ({ labelSelector: 'app=web' }),
  ])();

const fieldOptions = (random: Random): Value => ({
  ...(random.chance(0.5) ? { create: true } : {}),
  ...(random.chance(0.4)
    ? { delimiter: random.pick(['/', '-', ':', '.']), index: random.pick([0, 1, -1, 5]) }
    : {}),
});

const replacement = (objects: readonly Value[], random: Random): Value => {
  const from = random.pick(objects);
  const to = random.pick(objects);
  const options = (likelihood: number): Value =>
    random.chance(likelihood) ? { options: fieldOptions(random) } : {};
  const source = {
    kind: from.kind,
    name: nameOf(from),
    fieldPath: fittingPath(from, sourcePaths, random),
    ...options(0.2),
  };
  return {
    ...(random.chance(0.1) ? { sourceValue: anyText(random) } : { source }),
    targets: [
      {
        select: random.chance(0.5) ? { kind: to.kind, name: nameOf(to) } : selector(to, random),
        ...(random.chance(0.2) ? { reject: [selector(random.pick(objects), random)] } : {}),
        fieldPaths: [random.chance(0.2) ? random.pick(targetPaths) : fittingPath(to, targetPaths, random)],
        ...options(0.6),
      },
    ],
  };
};

const addReplacements: Feature = ({ dir, kustomization, objects, files }, random) => {
  const made = replacement(objects, random);
  const isFile = random.chance(0.3);
  kustomization.replacements = [isFile ? { path: 'replacement.yaml' } : made];
  if (isFile) files[`${dir}/replacement.yaml`] = written(random.chance(0.5) ? [made] : made, random);
};

const anyKind = (objects: readonly Value[], random: Random): Value =>
  random.chance(0.3) ? {} : { kind: random.pick(objects).kind };

const field = (objects: readonly Value[], path: string, random: Random): Value => ({
  ...anyKind(objects, random),
  path,
  ...(random.chance(0.4) ? { create: true } : {}),
});

const addConfigurations: Feature = ({ dir, kustomization, objects, files }, random) => {
  const one = (...choices: string[]): Value[] => [field(objects, random.pick(choices), random)];
  const referrer = {
    kind: random.pick(objects).kind,
    path: random.pick(['metadata/annotations/note', 'data/one']),
  };
  const config = random.pick<() => Value>([
    () => ({ labels: one('spec/labels', 'spec/template/metadata/labels', 'metadata/labels') }),
    () => ({ commonLabels: one('spec/labels', 'spec/selector/matchLabels') }),
    () => ({ commonAnnotations: one('spec/annotations', 'metadata/annotations') }),
    () => ({ namePrefix: one('metadata/name', 'spec/prefixed', 'metadata/labels/app') }),
    () => ({ nameSuffix: one('metadata/name', 'spec/serviceName') }),
    () => ({ namespace: one('spec/namespace', 'subjects/namespace', 'metadata/annotations/in') }),
    () => ({ images: one('spec/image', 'spec/template/spec/containers/image') }),
    () => ({ replicas: [{ kind: 'CronJob', path: 'spec/parallel', create: true }] }),
    () => ({ varReference: one('data', 'spec/type') }),
    () => ({ nameReference: [{ kind: random.pick(objects).kind, fieldSpecs: [referrer] }] }),
    () => ({ nameReference: [{ kind: 'ConfigMap', version: 'v1', fieldSpecs: [referrer] }] }),
  ])();
  files[`${dir}/config.yaml`] = written(config, random);
  kustomization.configurations = ['config.yaml'];
};

const nameField = (objects: readonly Value[], random: Random): Value[] => [
  { ...anyKind(objects, random), path: 'metadata/name' },
];

const transformer = (objects: readonly Value[], random: Random): Value => {
  const labels = [{ path: 'metadata/labels', create: true, ...anyKind(objects, random) }];
  const target = selector(random.pick(objects), random);
  const { namespace: _namespace, labelSelector: _labels, ...plain } = target;
  return random.pick<() => Value>([
    () => ({ kind: 'PrefixTransformer', prefix: 'p-', fieldSpecs: nameField(objects, random) }),
    () => ({ kind: 'SuffixTransformer', suffix: '-s', fieldSpecs: nameField(objects, random) }),
    () => ({
      kind: 'PrefixSuffixTransformer',
      prefix: 'p-',
      suffix: '-s',
      fieldSpecs: nameField(objects, random),
    }),
    () => ({ kind: 'LabelTransformer', labels: { app: 'plugin' }, fieldSpecs: labels }),
    () => ({
      kind: 'AnnotationsTransformer',
      annotations: { by: anyText(random) },
      fieldSpecs: [{ path: 'metadata/annotations', create: true }],
    }),
    () => ({ kind: 'ReplacementTransformer', replacements: [replacement(objects, random)] }),
    () => ({
      kind: 'ImageTagTransformer',
      imageTag: { name: 'nginx', newTag: 'p' },
      fieldSpecs: [{ path: 'spec/image' }],
    }),
    () => ({
      kind: 'PatchTransformer',
      target,
      patch: '- {op: add, path: /metadata/labels, value: {by: patch}}',
    }),
    () => ({
      kind: 'PatchJson6902Transformer',
      target: { name: '.*', ...plain },
      jsonOp: '[{"op": "add", "path": "/metadata/labels", "value": {"by": "op"}}]',
    }),
    () => ({
      kind: 'NamespaceTransformer',
      metadata: { name: 'n', namespace: 'plugged' },
      ...(random.chance(0.5) ? { unsetOnly: true } : {}),
      ...(random.chance(0.5)
        ? { setRoleBindingSubjects: random.pick(['none', 'allServiceAccounts', 'defaultOnly']) }
        : {}),
      fieldSpecs: [{ path: 'metadata/name', kind: 'Namespace', create: true }],
    }),
  ])();
};

const plugin = (made: Value): Value => ({ apiVersion: 'builtin', metadata: { name: 'plugin' }, ...made });

function addPlugin(name: string, made: Value, { dir, kustomization, files }: Growing, random: Random): void {
  const text = written(plugin(made), random);
  const isFile = random.chance(0.5) || !text.includes('\n');
  kustomization[name] = [isFile ? `${name}.yaml` : text];
  if (isFile) files[`${dir}/${name}.yaml`] = text;
}

const addTransformer: Feature = (growing, random) =>
  addPlugin('transformers', transformer(growing.objects, random), growing, random);

const addGenerator: Feature = (growing, random) => {
  const kind = random.pick(['ConfigMapGenerator', 'SecretGenerator']);
  const metadata = { name: `plugged-${growing.dir}`, ...(random.chance(0.3) ? { namespace: 'team-a' } : {}) };
  const options = random.chance(0.3) ? { options: { disableNameSuffixHash: true } } : {};
  addPlugin(
    'generators',
    { kind, metadata, literals: [`a=${anyText(random)}`], ...options },
    growing,
    random,
  );
};

/** A patch that gives an object another name, another kind, or both. */
const addRename: Feature = ({ kustomization, objects }, random) => {
  const object = random.pick(objects);
  const { apiVersion, kind } = object;
  const options = random.pick<Value>([
    { allowNameChange: true },
    { allowKindChange: true },
    { allowNameChange: true, allowKindChange: true },
    { allowNameChange: false },
  ]);
  const changed = { apiVersion, kind: random.pick([kind, kind, 'Renamed']), metadata: { name: 'renamed' } };
  const entry = { target: { kind, name: nameOf(object) }, patch: written(changed, random), options };
  const operation = random.pick<Value>([
    { op: 'replace', path: '/metadata/name', value: 'renamed-too' },
    { op: 'replace', path: '/kind', value: 'Renamed' },
    { op: 'add', path: '/metadata/namespace', value: 'moved' },
  ]);
  const byOperation = { target: entry.target, patch: written([operation], random) };
  kustomization.patches = [
    ...((kustomization.patches as Value[]) ?? []),
    random.chance(0.6) ? entry : byOperation,
  ];
};

const addLabelFields: Feature = ({ kustomization, objects }, random) => {
  const fields = [
    field(objects, random.pick(['spec/labels', 'metadata/labels', 'spec/template/metadata/labels']), random),
  ];
  const flags = random.pick<Value>([{}, { includeTemplates: true }, { includeSelectors: true }]);
  kustomization.labels = [{ pairs: { app: 'fields' }, fields, ...flags }];
};

/** An object that is only there for others to refer to. */
const addLocal: Feature = ({ dir, kustomization, files }, random) => {
  const annotations = { 'config.kubernetes.io/local-config': random.pick(['true', 'false', 'x']) };
  const local = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `local-${dir}`, annotations } };
  files[`${dir}/local.yaml`] = written(local, random);
  kustomization.resources = [...(kustomization.resources as string[]), 'local.yaml'];
};

const addSuffixedTag: Feature = ({ kustomization }) => {
  kustomization.images = [{ name: 'nginx', tagSuffix: '-debug' }];
};

/** A field in another case. */
const addCase: Feature = ({ kustomization }, random) => {
  const name = random.pick(Object.keys(kustomization));
  const value = kustomization[name];
  delete kustomization[name];
  kustomization[random.chance(0.5) ? name.toLowerCase() : name.toUpperCase()] = value;
};

const features: readonly Feature[] = [
  ...[addVars, addReplacements, addConfigurations, addTransformer, addGenerator, addRename, addLabelFields],
  ...[addLocal, addSuffixedTag, addCase],
];
