import { expect, test } from 'vitest';
import type { Application } from './application.ts';
import { isSecretName, maskApplication, maskerOf, secretMask, unmasked } from './mask.ts';

const app = (source: object, more: object = {}): Application =>
  ({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name: 'app', namespace: 'argocd' },
    spec: { project: 'default', destination: {}, source: { repoURL: 'https://git.example/x', ...source } },
    ...more,
  }) as Application;
const textOf = (value: unknown): string => JSON.stringify(value);

test.each([
  [
    'password',
    'db.rootPassword',
    'auth.token',
    'API_KEY',
    'apiKey',
    'aws-access-key',
    'tls.key',
    'clientSecret',
  ],
])('names like %s look secret', (...names) => {
  expect(names.filter((name) => !isSecretName(name))).toEqual([]);
});

test('other names do not', () => {
  const names = ['image.tag', 'replicas', 'keycloak.enabled', 'monkey', 'compass', 'hostname', 'keys'];
  expect(names.filter(isSecretName)).toEqual([]);
});

test.each([
  ['https://user:s3cret-pass@git.example/x', `https://user:${secretMask}@git.example/x`],
  ['https://ghp_s3cret@git.example/x', `https://${secretMask}@git.example/x`],
  ['https://:s3cret-pass@git.example/x', `https://:${secretMask}@git.example/x`],
  ['https://u:a@b:s3cret@git.example/x', `https://u:${secretMask}@git.example/x`],
  ['ssh://git:s3cret-pass@git.example/x', `ssh://git:${secretMask}@git.example/x`],
  ['ssh://git@git.example/x', 'ssh://git@git.example/x'],
  ['git@git.example:x', 'git@git.example:x'],
  ['https://git.example/x', 'https://git.example/x'],
])('the URL %s is shown as %s', (repoURL, shown) => {
  expect(maskApplication(app({ repoURL })).spec.source?.repoURL).toBe(shown);
});

const pairs = [
  { name: 'db.password', value: 'marker-1' },
  { name: 'image.tag', value: 'v1' },
];
const sources: Record<string, object> = {
  'Helm parameters': { helm: { parameters: pairs } },
  'Helm values': { helm: { values: 'image: x\ndb:\n  password: marker-1 # a comment\n  user: joe\n' } },
  'a block of Helm values': { helm: { values: 'tls:\n  key: |\n    marker-1\n    more\n  crt: y\n' } },
  'a map below a secret key': { helm: { values: 'secrets:\n  a: marker-1\n  b: {c: marker-1}\nother: 1\n' } },
  'a flow map of Helm values': { helm: { values: 'db: {user: joe, "password": "marker-1"}\n' } },
  'an object of Helm values': { helm: { valuesObject: { db: { password: 'marker-1', user: 'joe' } } } },
  'a list below a secret key': { helm: { valuesObject: { tokens: [{ a: 'marker-1' }] } } },
  'variables of a plugin': { plugin: { env: [{ name: 'API_TOKEN', value: 'marker-1' }] } },
  'parameters of a plugin': {
    plugin: { parameters: [{ name: 'token', array: ['marker-1'], map: { a: 'marker-1' } }] },
  },
  'variables of Jsonnet': {
    directory: { jsonnet: { extVars: [{ name: 'secret', value: 'marker-1' }], tlas: [] } },
  },
};

test.each(Object.entries(sources))('%s are hidden wherever they turn up', (_what, source) => {
  const given = app(source);
  const applied = JSON.stringify(given);
  const full = app(source, {
    metadata: { name: 'app', annotations: { 'kubectl.kubernetes.io/last-applied-configuration': applied } },
    operation: { sync: { source: given.spec.source } },
    status: {
      history: [{ source: given.spec.source }],
      sync: { comparedTo: { source: given.spec.source } },
      conditions: [{ message: 'helm failed: --set db.password=marker-1: no' }],
      operationState: { message: 'marker-1', syncResult: { source: given.spec.source } },
    },
  });
  const shown = textOf(maskApplication(full));
  expect(shown).not.toContain('marker-1');
  expect(shown).toContain(secretMask);
  expect(unmasked(maskApplication(given).spec, given.spec)).toEqual(given.spec);
});

test('what is no secret stays as it is, and so does an Application without any', () => {
  const plain = app({ helm: { parameters: [{ name: 'image.tag', value: 'v1' }], values: 'a: 1\n' } });
  expect(maskApplication(plain)).toBe(plain);
  const { helm } = maskApplication(app({ helm: { parameters: pairs, values: 'a: 1\ntoken: x\nb: 2\n' } }))
    .spec.source as { helm: { parameters: unknown; values: string } };
  expect(helm.parameters).toEqual([
    { name: 'db.password', value: secretMask },
    { name: 'image.tag', value: 'v1' },
  ]);
  expect(helm.values).toBe(`a: 1\ntoken: ${secretMask}\nb: 2\n`);
});

test('a password in the URL of a message is hidden, also when no source has it', () => {
  const shown = maskerOf()({
    message: "fatal: 'https://joe:marker@git.example/x' not found, see http://a:8080/x@y",
  });
  expect(shown.message).toBe(
    `fatal: 'https://joe:${secretMask}@git.example/x' not found, see http://a:8080/x@y`,
  );
});

test('a spec sent back with masks keeps its secrets, in another order and beside changes', () => {
  const stored = app({ repoURL: 'https://u:marker-1@git.example/x', helm: { parameters: pairs } }).spec;
  const read = maskApplication(
    app({ repoURL: 'https://u:marker-1@git.example/x', helm: { parameters: pairs } }),
  ).spec;
  const [password, tag] = (read.source?.helm?.parameters ?? []) as { name: string; value: string }[];
  const sent = {
    ...read,
    source: { ...read.source, helm: { parameters: [{ ...tag, value: 'v2' }, password] } },
  };
  const written = unmasked(sent, stored);
  expect(written.source).toMatchObject({
    repoURL: 'https://u:marker-1@git.example/x',
    helm: {
      parameters: [
        { name: 'image.tag', value: 'v2' },
        { name: 'db.password', value: 'marker-1' },
      ],
    },
  });
});

test.each([
  ['a new Application', undefined],
  ['another parameter', app({ helm: { parameters: [{ name: 'other', value: 'x' }] } }).spec],
])('a mask that stands for nothing is refused: %s', (_what, stored) => {
  const sent = app({ helm: { parameters: [{ name: 'db.password', value: secretMask }] } }).spec;
  expect(() => unmasked(sent, stored)).toThrow('spec.source.helm.parameters[0].value holds ++++++++');
});

test.each([
  ['data of a Secret', JSON.stringify({ kind: 'Secret', metadata: { name: 's' }, data: { a: 'marker-1' } })],
  ['stringData', JSON.stringify({ kind: 'Secret', stringData: { a: 'marker-1' }, type: 'Opaque' })],
  [
    'a copy in its annotations',
    JSON.stringify({ kind: 'Secret', metadata: { annotations: { x: 'marker-1' } } }),
  ],
  ['a list', JSON.stringify({ kind: 'List', items: [{ kind: 'Secret', data: { a: 'marker-1' } }] })],
  ['YAML', 'kind: Secret\nstringData: { a: marker-1 }\n'],
])('the manifests of an operation show nothing of a Secret: %s', (_what, text) => {
  const sync = { manifests: [text, '{"kind":"ConfigMap","data":{"b":"plain"}}'] };
  const shown = maskApplication(
    app({}, { operation: { sync }, status: { operationState: { operation: { sync } } } }),
  );
  expect(textOf(shown)).not.toContain('marker-1');
  expect(shown.operation?.sync?.manifests?.[1]).toContain('plain');
});
