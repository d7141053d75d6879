import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { asKubeObject, type KubeObject } from '#base/model';
import { isObject, type JsonObject, printJson } from '#base/std';
import { createKubeClient } from '#kubernetes/client';
import { parse } from '#lang/yaml';
import { eventually } from '../eventually.ts';
import { type Shell, shell } from './kubectl.ts';
import { openTarget, type Target } from './target.ts';

// What kubectl tells about our own kinds, on the embedded cluster or that of FAIRLEAD_TEST_KUBECONFIG.
const folder = new URL('../../deploy/crds/', import.meta.url);
const definitions = readdirSync(folder).map((file) =>
  asKubeObject(parse(readFileSync(new URL(file, folder), 'utf8')), file),
);
let target: Target;
let kubectl: Shell;

beforeAll(async () => {
  target = await openTarget();
  const kube = createKubeClient({ transport: target.transport.admin });
  for (const one of definitions) await kube.apply(target.ctx, one, { fieldManager: 'fairlead', force: true });
  kubectl = await shell('kubectl', target.kubeconfig);
});
afterAll(async () => {
  await kubectl?.close();
  await target?.close();
});

test.each([
  ['app.spec.syncPolicy', 'Default: only when a user starts one.'],
  ['app.spec.sources.helm.valuesObject', 'values is then ignored.'],
  ['app.operation.sync.syncStrategy.hook.force', 'deleted and recreated.'],
  ['app.status.operationState.syncResult.resources.hookPhase', 'Running, Succeeded, Failed'],
  ['appproject.spec.syncWindows', 'an open deny beats every allow'],
  ['applicationset.spec.strategy.rollingSync.steps.maxUpdate', 'as a number or a percentage'],
])('kubectl explain %s', async (path, words) => {
  const told = async () => (await kubectl.run(`explain ${path}`)).replaceAll(/\s+/g, ' ');
  await eventually(async () => expect(await told()).toContain(words), 60_000);
});

type Schema = JsonObject & {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema;
};

/** Paths of all fields below that nobody described; what every object has is described by the cluster. */
function undescribed({ properties = {}, items, additionalProperties }: Schema, path: string): string[] {
  const standard = new Set(path === '' ? ['apiVersion', 'kind', 'metadata'] : []);
  const inner = Object.entries(properties)
    .filter(([name]) => !standard.has(name))
    .flatMap(([name, field]) => [
      ...(typeof field.description === 'string' ? [] : [`${path}.${name}`]),
      ...undescribed(field, `${path}.${name}`),
    ]);
  const below = [items, additionalProperties].filter(isObject) as Schema[];
  return [...inner, ...below.flatMap((schema) => undescribed(schema, path))];
}

type Definition = KubeObject<{ versions: { schema: { openAPIV3Schema: Schema } }[] }>;

test.each(definitions)('every field of $metadata.name is described', (definition) => {
  const [version] = (definition as Definition).spec?.versions ?? [];
  expect(version && undescribed(version.schema.openAPIV3Schema, '')).toEqual([]);
});

test.each(definitions)('$metadata.name fits into the annotation of kubectl apply', (definition) => {
  expect(new TextEncoder().encode(printJson(definition)).length).toBeLessThan(256 * 1024);
});
