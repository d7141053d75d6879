import { expect, test } from 'vitest';
import { type Application, annotation, defaultSettings, type KubeObject } from '#base/model';
import { FairleadError, printJson } from '#base/std';
import { type CrdSchema, typeFromCrd } from '#kubernetes/schema';
import { cases } from '../../../test/cases.ts';
import { defaultTracking } from '../tracking.ts';
import { type DiffOptions, diff } from './diff.ts';
import type { FieldDifference } from './fields.ts';
import { ignoreRules, remarksOn } from './ignore.ts';
import { knownTypes } from './known-types.ts';
import { respectIgnored } from './respect.ts';

type Settings = Parameters<typeof ignoreRules>[1] &
  Pick<DiffOptions, 'ignoreAggregatedRoles' | 'sensitiveAnnotations'>;
type Given = {
  app?: Partial<Application['spec']>;
  annotations?: Record<string, string>;
  settings?: Partial<Settings>;
  tracking?: Partial<DiffOptions['tracking']>;
  lastApplied?: KubeObject;
  /** What the server answered to a dry run, or the sentence it refused it with. */
  dryRun?: KubeObject | string;
  includeWebhooks?: boolean;
  /** The cluster's schema of the target's kind; null: a schema was loaded, and the kind is not in it. */
  schema?: CrdSchema | null;
};
type Wanted = {
  modified?: boolean;
  fields?: FieldDifference[];
  warnings?: string[];
  hints?: string[];
  error?: string;
};

const defaults: Settings = defaultSettings.resources;

function optionsOf({
  app,
  annotations,
  settings,
  tracking,
  includeWebhooks,
  schema,
}: Given = {}): DiffOptions {
  const spec = { destination: { server: 'https://cluster.example' }, ...app };
  const application: Application = {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name: 'app', ...(annotations && { annotations }) },
    spec,
  };
  const all = { ...defaults, ...settings };
  return {
    tracking: { ...defaultTracking, ...tracking },
    rules: ignoreRules(application, all),
    knownTypes: knownTypes(all.overrides),
    ignoreAggregatedRoles: all.ignoreAggregatedRoles,
    sensitiveAnnotations: all.sensitiveAnnotations,
    serverSideApply: spec.syncPolicy?.syncOptions?.includes('ServerSideApply=true') ?? false,
    ...(includeWebhooks && { includeWebhooks }),
    ...(schema !== undefined && { typeOf: () => (schema === null ? undefined : typeFromCrd(schema)) }),
  };
}

function remembering(live: KubeObject, { lastApplied }: Given): KubeObject {
  if (!lastApplied) return live;
  const text = typeof lastApplied === 'string' ? lastApplied : printJson(lastApplied);
  const annotations = { ...live.metadata.annotations, [annotation.lastApplied]: text };
  return { ...live, metadata: { ...live.metadata, annotations } };
}

const answerOf = ({ dryRun }: Given): KubeObject | FairleadError | undefined =>
  typeof dryRun === 'string' ? new FairleadError('InvalidSpec', dryRun) : dryRun;

test.each(cases<Wanted>(new URL('./testdata/', import.meta.url)))('$name', ({ input, expect: wanted }) => {
  const [target, live, given] = input as [KubeObject | null, KubeObject | null, Given];
  const options = optionsOf(given);
  const { warnings = [], hints, error, ...rest } = wanted;
  const run = () =>
    diff(
      {
        target: target ?? undefined,
        live: live ? remembering(live, given) : undefined,
        dryRun: answerOf(given),
      },
      options,
    );
  if (error === undefined) {
    const found: Record<string, unknown> = run();
    expect(Object.fromEntries(Object.keys(rest).map((name) => [name, found[name]]))).toEqual(rest);
  } else expect(run).toThrow(error);
  const remarks = remarksOn(options.rules, [target ?? live ?? []].flat());
  expect(remarks.warnings.concat(options.knownTypes?.warnings ?? [])).toEqual(warnings);
  if (hints) expect(remarks.hints).toEqual(hints);
});

test('a diff does not change what it compares', () => {
  const target = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 's' },
    stringData: { a: 'b' },
  } as KubeObject;
  const live = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 's' },
    data: { a: 'Yg==' },
  } as KubeObject;
  const before = printJson([target, live]);
  diff({ target, live }, optionsOf());
  expect(printJson([target, live])).toBe(before);
});

test.each(cases<KubeObject>(new URL('./testdata/respect/', import.meta.url)))(
  'respecting what is ignored: $name',
  ({ input, expect: wanted }) => {
    const [target, live, given] = input as [KubeObject, KubeObject, Given];
    const before = printJson([target, live]);
    expect(respectIgnored(target, live, optionsOf(given).rules)).toEqual(wanted);
    expect(printJson([target, live])).toBe(before);
  },
);

test('a rule that cannot be read stops a sync that would respect it, too (D-12, D-30)', () => {
  const given: Given = { app: { ignoreDifferences: [{ kind: 'ConfigMap', jqPathExpressions: ['.data['] }] } };
  const object: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } };
  expect(() => respectIgnored(object, object, optionsOf(given).rules)).toThrow('cannot be read');
});

test('a rule of the installation is remarked on only where it concerns an object (X-47)', () => {
  const rules = ignoreRules(
    {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Application',
      metadata: { name: 'app' },
      spec: { destination: { server: 'https://cluster.example' } },
    },
    {
      ...defaults,
      overrides: {
        'apiextensions.k8s.io/CustomResourceDefinition': {
          ignoreDifferences: {
            jsonPointers: ['/metadata/generation', 'nowhere'],
            jqPathExpressions: [],
            managedFieldsManagers: [],
          },
        },
      },
    },
  );
  const definition = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' };
  const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'web' } };
  expect(remarksOn(rules, [service])).toEqual({ warnings: [], hints: [] });
  expect(remarksOn(rules, [service, { ...definition, metadata: { name: 'd' } }])).toEqual({
    warnings: [expect.stringContaining('nowhere')],
    hints: [expect.stringContaining('/metadata/generation')],
  });
});

test('where there is no object there is no difference (D-1)', () => {
  expect(diff({}, optionsOf())).toEqual({ modified: false, fields: [] });
});
