import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { asKubeObject, type KubeObject } from '#base/model';
import { parseJson, printJson } from '#base/std';
import { createKubeClient, type KubeClient } from '#kubernetes/client';
import { parse } from '#lang/yaml';
import { readText } from '../conformance/stream.ts';
import { openTarget, type Target } from '../conformance/target.ts';
import { eventually } from '../eventually.ts';
import { allFiles, manifest, manifests } from './documents.ts';

// The definitions of deploy/crds in a cluster, the embedded one or that of FAIRLEAD_TEST_KUBECONFIG, and what it answers to
// everything the users' documents print. As kubectl does, unknown fields are asked to be refused.
const folder = new URL('../../deploy/crds/', import.meta.url);
let target: Target;
let kube: KubeClient;

beforeAll(async () => {
  target = await openTarget();
  kube = createKubeClient({ transport: target.transport.admin });
  for (const file of readdirSync(folder)) {
    const definition = asKubeObject(parse(readFileSync(new URL(file, folder), 'utf8')), file);
    await kube.apply(target.ctx, definition, { fieldManager: 'fairlead', force: true });
  }
  await eventually(async () => {
    for (const file of Object.values(plurals)) expect(await isEstablished(file)).toBe(true);
  }, 60_000);
});
afterAll(() => target?.close());

const plurals: Readonly<Record<string, string>> = {
  Application: 'applications',
  AppProject: 'appprojects',
  ApplicationSet: 'applicationsets',
};

type Conditions = { conditions?: { type: string; status: string }[] };

async function isEstablished(plural: string): Promise<boolean> {
  const ref = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' };
  const { status } = await kube.get(target.ctx, { ...ref, name: `${plural}.argoproj.io` });
  const { conditions = [] } = status as Conditions;
  return conditions.some((one) => one.type === 'Established' && one.status === 'True');
}

/** What the cluster says to an object; nothing is stored. */
async function answerTo(object: KubeObject): Promise<{ status: number; message: string }> {
  const path = `/apis/argoproj.io/v1alpha1/namespaces/default/${plurals[object.kind]}`;
  const { namespace: _, ...metadata } = object.metadata;
  const { status, body } = await target.transport.admin({
    method: 'POST',
    path: `${path}?dryRun=All&fieldValidation=Strict`,
    headers: { 'content-type': 'application/json' },
    body: new TextEncoder().encode(printJson({ ...object, apiVersion: 'argoproj.io/v1alpha1', metadata })),
    signal: target.ctx.signal,
  });
  const { message = '' } = parseJson(await readText(body)) as { message?: string };
  return { status, message };
}

// parts of an Application that a document shows for another reason, and the one that X-20 is about
const partial = [
  '002/app-many-destinations.yaml',
  '002/app-subscribed.yaml',
  '002/ignore-drift.yaml',
  '002/override-annotation.yaml',
  '003/app-cilium.yaml',
  '004/ignore-replicas.yaml',
];
const whole = allFiles()
  .filter((file) => !partial.includes(file))
  .flatMap((file) => manifests(file).map((object) => ({ file, object, name: object.metadata.name })))
  .filter(({ object }) => object.kind in plurals);

test('there is something to accept', () => expect(whole.length).toBeGreaterThan(20));

test.each(whole)('$file: $name is accepted, every field of it', async ({ object }) => {
  expect(await answerTo(object)).toEqual({ status: 201, message: '' });
});

const basic = manifest<KubeObject<Record<string, unknown>>>('002/app-basic.yaml');
const changed = (spec: object): KubeObject => ({ ...basic, spec: { ...basic.spec, ...spec } });

test.each([
  [
    'several destinations (X-20)',
    manifest('002/app-many-destinations.yaml'),
    'an ApplicationSet with a list generator',
  ],
  ['no destination', manifest('002/override-annotation.yaml'), 'say which cluster'],
  [
    'a destination without a cluster (A-13)',
    changed({ destination: { namespace: 'a' } }),
    'by its name (in-cluster)',
  ],
  [
    'a cluster named twice (A-13)',
    changed({ destination: { server: 'https://a.example', name: 'a' } }),
    'by its server or by its name, not by both',
  ],
  ['an unknown field (A-19)', changed({ syncPolciy: {} }), 'unknown field "spec.syncPolciy"'],
  [
    'a generator of no kind (AS-6)',
    { ...manifest('002/appset-list.yaml'), spec: { generators: [{}], template: {} } },
    'a generator is one of list, clusters, git',
  ],
])('%s: refused, with what to write instead', async (_, object, hint) => {
  const { status, message } = await answerTo(object);
  expect([400, 422]).toContain(status);
  expect(message).toContain(hint);
});
