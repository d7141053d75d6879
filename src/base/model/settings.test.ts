import { describe, expect, test } from 'vitest';
import { defaultSettings } from './default-settings.ts';
import { parseSettings, type SettingsInput } from './parse-settings.ts';
import type { Settings } from './settings.ts';

// every JSON text is YAML, which is all these tests need of it
const parse = (input: SettingsInput, last?: Settings): Settings => parseSettings(input, JSON.parse, last);
const cm = (data: Record<string, string>, last?: Settings): Settings => parse({ cm: data }, last);
const params = (data: Record<string, string>): Settings => parse({ params: data });
const yaml = (value: unknown): string => JSON.stringify(value);
const complaints = ({ problems }: Settings): string[] =>
  problems.map((p) => `${p.severity} ${p.key}: ${p.message}`);

test('nothing configured gives the defaults', () => {
  expect(parse({})).toEqual(defaultSettings);
  expect(cm({ url: '', 'timeout.reconciliation': '', 'application.instanceLabelKey': '' })).toEqual(
    defaultSettings,
  );
});

describe('times', () => {
  test('are durations, or seconds where the key says so', () => {
    const settings = parse({
      cm: {
        'timeout.reconciliation': '3m',
        'timeout.hard.reconciliation': '0',
        'users.session.duration': '7d',
      },
      params: { 'controller.sync.timeout.seconds': '90', 'controller.self.heal.backoff.cap.seconds': '10' },
    });
    expect(settings.refresh).toEqual({ intervalMs: 180_000, jitterMs: 60_000, hardIntervalMs: 0 });
    expect(settings.server.sessionMs).toBe(7 * 86_400_000);
    expect(settings.controller).toMatchObject({
      syncTimeoutMs: 90_000,
      selfHealBackoff: { firstMs: 2000, factor: 3, capMs: 10_000 },
    });
    expect(settings.problems).toEqual([]);
  });
  test('in the wrong map are used, with a warning', () => {
    const settings = params({ 'timeout.reconciliation': '60s' });
    expect(settings.refresh.intervalMs).toBe(60_000);
    expect(complaints(settings)).toEqual([
      'warning timeout.reconciliation: belongs in argocd-cm; it is used from here all the same',
    ]);
    const both = parse({
      cm: { 'timeout.reconciliation': '1s' },
      params: { 'timeout.reconciliation': '60s' },
    });
    expect(both.refresh.intervalMs).toBe(1000);
  });
  test('of the repo server are never taken for the poll interval', () => {
    const settings = params({ 'controller.repo.server.timeout.seconds': '300' });
    expect(settings.controller.repoTimeoutMs).toBe(300_000);
    expect(settings.refresh.intervalMs).toBe(120_000);
  });
});

describe('a malformed value', () => {
  test('is named with the fix and keeps the default', () => {
    const settings = parse({
      cm: { 'timeout.reconciliation': '3', 'admin.enabled': 'nope', 'resource.exclusions': '{"a":1}' },
      params: {
        'controller.status.processors': '0',
        'controller.diff.server.side': 'maybe',
        'reposerver.max.combined.directory.manifests.size': 'big',
        'applicationsetcontroller.policy': 'delete-everything',
        'controller.sync.timeout.seconds': '-5',
      },
    });
    expect({ ...settings, problems: [], given: [] }).toEqual(defaultSettings);
    expect(settings.given).toContainEqual({
      configMap: 'argocd-cm',
      key: 'timeout.reconciliation',
      value: '3',
    });
    expect(settings.problems.map((p) => [p.configMap, p.key, p.severity])).toEqual([
      ['argocd-cm', 'timeout.reconciliation', 'error'],
      ['argocd-cm', 'resource.exclusions', 'error'],
      ['argocd-cmd-params-cm', 'controller.status.processors', 'error'],
      ['argocd-cmd-params-cm', 'controller.sync.timeout.seconds', 'error'],
      ['argocd-cmd-params-cm', 'controller.diff.server.side', 'error'],
      ['argocd-cmd-params-cm', 'reposerver.max.combined.directory.manifests.size', 'error'],
      ['argocd-cm', 'admin.enabled', 'error'],
      ['argocd-cmd-params-cm', 'applicationsetcontroller.policy', 'error'],
    ]);
    expect(complaints(settings)).toContain(
      'error controller.status.processors: "0" is not an integer of at least 1',
    );
    expect(complaints(settings)).toContain('error resource.exclusions: not valid: the value must be a list');
  });
  test('keeps the last good value when there was one, and a removed one falls back to the default', () => {
    const good = cm({
      'timeout.reconciliation': '5m',
      url: 'https://x',
      'resource.customizations.health.Pod': 'return 1',
    });
    const bad = cm({ 'timeout.reconciliation': '5 minutes' }, good);
    expect(bad.refresh.intervalMs).toBe(300_000);
    expect(bad.url).toBe('');
    expect(bad.resources.overrides).toEqual({});
  });
});

test('switches that only know one word say so when they meet another', () => {
  const settings = cm({
    'exec.enabled': 'True',
    'cluster.inClusterEnabled': 'no',
    'application.sync.impersonation.enabled': 'true',
    'application.sync.impersonation.enforced': 'false',
    'users.anonymous.enabled': 'false',
  });
  expect(settings.server.execEnabled).toBe(false);
  expect(settings.inClusterEnabled).toBe(true);
  expect(settings.impersonation).toEqual({ enabled: true, enforced: false });
  expect(complaints(settings)).toEqual([
    'warning cluster.inClusterEnabled: "no" has no effect; write "false"',
    'warning exec.enabled: "True" has no effect; write "true"',
  ]);
});

describe('tracking', () => {
  test('has three methods, and an unknown one counts as annotation', () => {
    expect(cm({ 'application.resourceTrackingMethod': 'annotation+label' }).tracking.method).toBe(
      'annotation+label',
    );
    const label = cm({
      'application.resourceTrackingMethod': 'label',
      installationID: 'a',
      'application.instanceLabelKey': 'x/y',
    });
    expect(label.tracking).toEqual({ method: 'label', installationId: 'a', instanceLabelKey: 'x/y' });
    const unknown = cm({ 'application.resourceTrackingMethod': 'labels' }, label);
    expect(unknown.tracking.method).toBe('annotation');
    expect(complaints(unknown)[0]).toContain('"labels" is not one of annotation, label, annotation+label');
  });
});

describe('resources', () => {
  test('are filtered by lists', () => {
    const settings = cm({
      'resource.exclusions': yaml([{ apiGroups: ['*'], kinds: ['Event'] }]),
      'resource.inclusions': yaml([{ clusters: ['https://x'] }]),
      'resource.respectRBAC': 'strict',
      'resource.sensitive.mask.annotations': 'a, b',
    });
    expect(settings.resources).toMatchObject({
      exclusions: [{ apiGroups: ['*'], kinds: ['Event'], clusters: [] }],
      inclusions: [{ apiGroups: [], kinds: [], clusters: ['https://x'] }],
      respectRbac: 'strict',
      sensitiveAnnotations: ['a', 'b'],
    });
  });
  test.each<[unknown, string]>([
    ['crd', 'crd'],
    ['none', 'none'],
    ['off', 'none'],
    [false, 'none'],
    ['all', 'all'],
    ['what', 'all'],
    [undefined, 'all'],
  ])('ignoreResourceStatusField %j means %s', (value, wanted) => {
    const options = yaml({ ignoreResourceStatusField: value, ignoreAggregatedRoles: true });
    expect(cm({ 'resource.compareoptions': options }).resources).toMatchObject({
      ignoreStatusField: wanted,
      ignoreAggregatedRoles: true,
      ignoreDifferencesOnResourceUpdates: true,
    });
  });
});

describe('customizations (D-9)', () => {
  const rule = { jsonPointers: ['/spec/x'], jqPathExpressions: ['.a'], managedFieldsManagers: ['m'] };
  const pointers = (...jsonPointers: string[]) => ({
    jsonPointers,
    jqPathExpressions: [],
    managedFieldsManagers: [],
  });
  test('come from one map and from split keys, which win field by field', () => {
    const settings = cm({
      'resource.customizations': yaml({
        'apps/Deployment': {
          'health.lua': 'one',
          ignoreDifferences: yaml(rule),
          'health.lua.useOpenLibs': true,
        },
        '/Pod': { actions: 'discovery.lua: x' },
      }),
      'resource.customizations.health.apps_Deployment': 'two',
      'resource.customizations.ignoreDifferences.all': yaml({ jsonPointers: ['/status'] }),
      'resource.customizations.useOpenLibs.Pod': 'true',
      'resource.customizations.ignoreResourceUpdates.serving.knative.dev_Service': yaml({
        jsonPointers: ['/x'],
      }),
      'resource.customizations.knownTypeFields.x.io_Y': yaml([{ field: 'spec.t', type: 'core/v1/PodSpec' }]),
    });
    expect(settings.problems).toEqual([]);
    expect(settings.resources.overrides).toEqual({
      'apps/Deployment': { healthLua: 'two', ignoreDifferences: rule, useOpenLibs: true },
      Pod: { actions: 'discovery.lua: x', useOpenLibs: true },
      '*/*': { ignoreDifferences: pointers('/status') },
      'serving.knative.dev/Service': { ignoreResourceUpdates: pointers('/x') },
      'x.io/Y': { knownTypeFields: [{ field: 'spec.t', type: 'core/v1/PodSpec' }] },
    });
  });
  test('one bad key is skipped, the others load (X-28)', () => {
    const settings = cm({
      'resource.customizations.health.cert_manager_io_Certificate': 'return',
      'resource.customizations.heath.Pod': 'return',
      'resource.customizations.health.Job': 'good',
      'resource.customizations.ignoreDifferences.Job': '{"jsonPointers":"/x"}',
    });
    expect(settings.resources.overrides).toEqual({ Job: { healthLua: 'good' } });
    expect(complaints(settings)).toEqual([
      'error resource.customizations.health.cert_manager_io_Certificate: the part after the type must be GROUP_KIND, KIND or all; dots in the group stay dots',
      'error resource.customizations.heath.Pod: the type must be one of health, useOpenLibs, actions, ignoreDifferences, ignoreResourceUpdates, knownTypeFields',
      'error resource.customizations.ignoreDifferences.Job: ignoreDifferences.jsonPointers must be a list of strings',
    ]);
  });
  test('a broken rule stays as it last was, and so does a broken map', () => {
    const key = 'resource.customizations.ignoreDifferences.Job';
    const good = cm({
      [key]: yaml({ jsonPointers: ['/x'] }),
      'resource.customizations': yaml({ Pod: { 'health.lua': 'h' } }),
    });
    const bad = cm({ [key]: '{', 'resource.customizations': '{' }, good);
    expect(bad.resources.overrides).toEqual(good.resources.overrides);
    expect(bad.problems.map((p) => p.key)).toEqual(['resource.customizations', key]);
  });
  test('what is wrong inside the map is named by its kind', () => {
    const settings = cm({
      'resource.customizations': yaml({
        Pod: { health: 'x', actions: 3, 'health.lua.useOpenLibs': 'si' },
        Job: 1,
      }),
    });
    expect(complaints(settings)).toEqual([
      'warning resource.customizations: Pod has an unknown field "health"; known are health.lua, health.lua.useOpenLibs, actions, ignoreDifferences, ignoreResourceUpdates, knownTypeFields',
      'error resource.customizations: Pod: actions must be text',
      'error resource.customizations: Pod: health.lua.useOpenLibs must be true or false',
      'error resource.customizations: the entry Job must be a map',
    ]);
    const list = cm({ 'resource.customizations': '[]' });
    expect(complaints(list)).toEqual([
      'error resource.customizations: the value must be a map keyed group/Kind',
    ]);
  });
  test('a kind called __proto__ harms nobody', () => {
    const { overrides } = cm({ 'resource.customizations': '{"__proto__":{"health.lua":"x"}}' }).resources;
    expect(Object.keys(overrides)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(overrides)).toBe(Object.prototype);
  });
});

describe('accounts', () => {
  test('admin is there, others are listed with what they may', () => {
    const { accounts } = cm({
      'accounts.ci': 'apiKey',
      'accounts.ci.enabled': 'false',
      'accounts.admin': 'apiKey',
    }).server;
    expect(accounts).toEqual([
      { name: 'admin', enabled: true, capabilities: ['login', 'apiKey'] },
      { name: 'ci', enabled: false, capabilities: ['apiKey'] },
    ]);
    expect(cm({ 'admin.enabled': 'false' }).server.accounts[0]?.enabled).toBe(false);
  });
  test('fail closed, and say so', () => {
    const settings = cm({ 'accounts.a': 'login, fly', 'accounts.a.enabled': 'flase', 'accounts.b.c.d': 'x' });
    expect(settings.server.accounts[1]).toEqual({ name: 'a', enabled: false, capabilities: ['login'] });
    expect(complaints(settings)).toEqual([
      'warning accounts.a: unknown capability fly; use apiKey, login or both',
      'error accounts.a.enabled: "flase" is not "true" or "false"; the account stays off',
      'error accounts.b.c.d: an account key is accounts.NAME or accounts.NAME.enabled, and NAME has no dots',
    ]);
  });
});

describe('rendering', () => {
  test('engines are on unless the text is something other than true', () => {
    expect(
      cm({ 'helm.enable': 'false', 'jsonnet.enable': 'true', 'kustomize.enable': 'yes' }).render,
    ).toMatchObject({
      helmEnabled: false,
      jsonnetEnabled: true,
      kustomizeEnabled: false,
    });
  });
  test('an empty list of schemes switches remote values off', () => {
    expect(cm({ 'helm.valuesFileSchemes': '' }).render.helmValuesFileSchemes).toEqual([]);
    expect(cm({ 'helm.valuesFileSchemes': 's3, https' }).render.helmValuesFileSchemes).toEqual([
      's3',
      'https',
    ]);
  });
  test('kustomize versions have a path and options', () => {
    const settings = cm({
      'kustomize.buildOptions': '--enable-helm',
      'kustomize.path.v5.0': '/bin/k5',
      'kustomize.buildOptions.v5.0': '--x',
      'kustomize.version.v5.0': '/bin/other',
    });
    expect(settings.render.kustomizeBuildOptions).toBe('--enable-helm');
    expect(settings.render.kustomizeVersions).toEqual([
      { version: 'v5.0', path: '/bin/k5', buildOptions: '--x' },
    ]);
    expect(complaints(settings)[0]).toContain('version v5.0 already has a path');
  });
  test('sizes are quantities', () => {
    const size = (text: string) =>
      params({ 'reposerver.max.combined.directory.manifests.size': text }).render;
    expect(size('1Mi').maxCombinedDirectoryManifestsSize).toBe(1_048_576);
  });
});

test('aliases are taken, with a word on what Argo CD reads (X-27)', () => {
  const alias = cm({ 'resource.server-side-diff': 'true' });
  expect(alias.controller.serverSideDiff).toBe(true);
  expect(complaints(alias)[0]).toContain('controller.diff.server.side in argocd-cmd-params-cm');
  const both = {
    cm: { 'resource.server-side-diff': 'true' },
    params: { 'controller.diff.server.side': 'false' },
  };
  expect(parse(both).controller.serverSideDiff).toBe(false);
  const labels = params({ 'metrics.application.labels': 'team', 'ignore.normalizer.jq.timeout': '2s' });
  expect(labels.controller).toMatchObject({ metricsApplicationLabels: ['team'], jqTimeoutMs: 2000 });
  expect(complaints(labels)).toEqual([
    'warning metrics.application.labels: is used, but Argo CD reads controller.metrics.application.labels',
  ]);
});

test('an ApplicationSet may choose its policy unless the controller has one (DEV-23)', () => {
  expect(params({}).applicationSet.policyOverride).toBe(true);
  expect(params({ 'applicationsetcontroller.policy': 'create-only' }).applicationSet).toMatchObject({
    policy: 'create-only',
    policyOverride: false,
  });
  const both = {
    'applicationsetcontroller.policy': 'sync',
    'applicationsetcontroller.enable.policy.override': 'true',
  };
  expect(params(both).applicationSet.policyOverride).toBe(true);
});

test('our own switches are off, or what their key says', () => {
  expect(cm({ 'fairlead.application.childHealth': 'strict' }).application.childHealth).toBe('strict');
  expect(complaints(cm({ 'fairlead.application.childHealth': 'on' }))).toEqual([
    'error fairlead.application.childHealth: "on" is not one of off, mirror, strict',
  ]);
  expect(cm({ 'fairlead.metrics.legacy': 'false' }).controller.legacyMetrics).toBe(false);
  expect(cm({}).application.supersede).toBe('off');
  expect(cm({ 'fairlead.operation.supersede': 'retrying' }).application.supersede).toBe('retrying');
});

test('lists, links and the rest of the server are read', () => {
  const settings = parse({
    cm: {
      additionalUrls: yaml(['https://b']),
      globalProjects: yaml([{ projectName: 'g', labelSelector: { matchLabels: { a: 'b' } } }]),
      'application.links': yaml([{ title: 't', url: 'u', 'icon.class': 'i', description: 'd', if: 'true' }]),
      'extension.config': 'a',
      'extension.config.x': 'b',
      'help.chatUrl': 'https://chat',
      'help.download.linux-amd64': '/x',
      'webhook.maxPayloadSizeMB': '1',
    },
    params: {
      'application.namespaces': 'a, team-*',
      'server.api.content.types': 'application/json;text/yaml',
    },
  });
  expect(settings.problems).toEqual([]);
  expect(settings.additionalUrls).toEqual(['https://b']);
  expect(settings.globalProjects).toEqual([{ projectName: 'g', labelSelector: { matchLabels: { a: 'b' } } }]);
  expect(settings.links.application).toEqual([
    { title: 't', url: 'u', iconClass: 'i', description: 'd', if: 'true' },
  ]);
  expect(settings.applicationNamespaces).toEqual(['a', 'team-*']);
  expect(settings.ui).toMatchObject({
    chatUrl: 'https://chat',
    chatText: 'Chat now!',
    downloads: { 'linux-amd64': '/x' },
  });
  expect(settings.server).toMatchObject({
    extensions: { '': 'a', x: 'b' },
    contentTypes: ['application/json', 'text/yaml'],
    webhook: { maxBytes: 1_048_576 },
  });
  expect(params({ 'server.api.content.types': '' }).server.contentTypes).toEqual([]);
});

test.each([
  ['globalProjects', [{ projectName: 'g' }], 'item 1.labelSelector must be a label selector'],
  ['globalProjects', [{ labelSelector: {} }], 'item 1.projectName must be a string'],
  ['project.links', ['x'], 'item 1 must be a map'],
  ['additionalUrls', [1], 'the value must be a list of strings'],
  ['resource.compareoptions', [], 'the value must be a map'],
])('YAML inside %s that does not fit is named by its place', (key, value, message) => {
  expect(complaints(cm({ [key]: yaml(value) }))).toEqual([`error ${key}: not valid: ${message}`]);
});
