import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import {
  type Application,
  defaultProjectSpec,
  defaultSettings,
  inCluster,
  type KubeObject,
} from '#base/model';
import { type Ctx, realClock, silent } from '#base/std';
import type { ComparisonDeps } from '#control/comparison';
import { Informer, type LiveCluster } from '#control/live';
import { createCluster } from '#embedded';
import { createKubeClient } from '#kubernetes/client';
import { parse } from '#lang/yaml';
import { memoryStore } from '#platform/store';
import { createApplications } from '../applications.ts';
import { operate } from './operate.ts';

const definition = new URL('../../../../../deploy/crds/application.yaml', import.meta.url);
const kind = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application' };
const permitted = { repoURL: 'https://git.example/apps', path: 'a' };
const denied = { repoURL: 'https://joe:marker-url@git.example/other', path: 'a' };

/** Where only one repository is permitted; no test gets as far as reading one. */
function worldOf(generated: string[]): ComparisonDeps {
  const cluster = { server: 'https://c1.example', name: 'c1', record: inCluster } as unknown as LiveCluster;
  const spec = { ...defaultProjectSpec, sourceRepos: [permitted.repoURL] };
  return {
    namespace: 'default',
    settings: () => defaultSettings,
    clusters: { resolve: () => cluster },
    projects: { get: () => ({ ...kind, kind: 'AppProject', metadata: { name: 'narrow' }, spec }) },
    manifests: { generate: async () => generated.push('generated') },
  } as unknown as ComparisonDeps;
}

test.each([
  ['a source', { source: denied }],
  ['one of several sources', { sources: [permitted, denied] }],
])(
  'attack 17: %s that an operation brings along needs the permission of the project',
  async (_what, sync) => {
    const ctx: Ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
    const cluster = await createCluster({ store: memoryStore(), clock: realClock });
    const kube = createKubeClient({ transport: (request) => cluster.handle(request) });
    await kube.create(ctx, parse(await readFile(definition, 'utf8')) as KubeObject);
    await kube.create(ctx, {
      ...kind,
      metadata: { name: 'shop', namespace: 'default' },
      spec: { project: 'narrow', source: permitted, destination: { name: 'c1', namespace: 'd' } },
      operation: { sync },
    } as KubeObject);
    const apps = createApplications({ kube, informer: new Informer<Application>(kube, kind) });
    const generated: string[] = [];
    await operate(ctx, { context: worldOf(generated), apps }, 'default/shop');
    const { operation, status } = (await apps.fetch(ctx, 'default/shop')) as Application;
    expect([operation, status?.operationState?.phase, status?.operationState?.message]).toEqual([
      undefined,
      'Error',
      'project narrow does not permit the repository https://joe:++++++++@git.example/other; add it to spec.sourceRepos',
    ]);
    expect(generated).toEqual([]);
    await cluster.close();
  },
);
