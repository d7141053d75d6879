import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Application } from '#base/model';
import type { GitRepositoryFixture } from '../git-repository.ts';
import { namespace, type Seeds, startSeeds } from './seeds.ts';

// The kinds of Knative Eventing, from Git to the health of the application. The embedded cluster has no Eventing: the test brings the
// definitions, and writes the statuses that its controllers would write.

const kinds = [
  ['eventing.knative.dev', 'v1', 'Broker', 'brokers'],
  ['eventing.knative.dev', 'v1', 'Trigger', 'triggers'],
  ['messaging.knative.dev', 'v1', 'Channel', 'channels'],
  ['messaging.knative.dev', 'v1', 'Subscription', 'subscriptions'],
  ['sources.knative.dev', 'v1', 'PingSource', 'pingsources'],
] as const;

const name = 'orders';
let seeds: Seeds;
let repository: GitRepositoryFixture;

const definition = ([group, version, kind, plural]: (typeof kinds)[number]) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.${group}` },
  spec: {
    ...{
      group,
      scope: 'Namespaced',
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
    },
    versions: [
      {
        ...{ name: version, served: true, storage: true, subresources: { status: {} } },
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
});

const manifest = ([group, version, kind]: (typeof kinds)[number], spec: object) =>
  JSON.stringify({ apiVersion: `${group}/${version}`, kind, metadata: { name }, spec });

const committed = (spec: object): Promise<string> =>
  repository.commit(
    Object.fromEntries(kinds.map((one) => [`${name}/${one[2].toLowerCase()}.yaml`, manifest(one, spec)])),
  );

type Ready = { readonly status: string; readonly reason?: string; readonly message?: string };

/** The status as the controller of the kind writes it, about the generation that it has seen. */
async function report(plural: string, group: string, ready: Ready, observed?: number): Promise<void> {
  const object = `${plural}.${group}/${name}`;
  const { metadata } = JSON.parse(await seeds.kubectl('get', object, '-n', name, '-o', 'json'));
  const condition = { type: 'Ready', lastTransitionTime: '2026-06-01T08:00:00Z', ...ready };
  const status = { observedGeneration: observed ?? metadata.generation, conditions: [condition] };
  const words = ['--subresource=status', '--type=merge', '-p', JSON.stringify({ status })];
  await seeds.kubectl('patch', object, '-n', name, ...words);
}

const untilHealth = (code: string, more: (app: Application) => boolean = () => true): Promise<Application> =>
  seeds.fairlead.until(name, code, (app) => app.status?.health?.status === code && more(app));
const isAt = (revision: string) => (app: Application) =>
  app.status?.operationState?.syncResult?.revision === revision && app.status.sync?.status === 'Synced';

beforeAll(async () => {
  seeds = await startSeeds();
  repository = await seeds.repository('your-org/events');
  for (const one of kinds) await seeds.apply(definition(one));
  await seeds.apply(namespace(name));
});
afterAll(() => seeds?.stop());

test('an application of Eventing kinds is Progressing, Healthy and Degraded as their conditions say', async () => {
  const first = await committed({ delivery: { retry: 1 } });
  await seeds.apply({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name, namespace: 'argocd' },
    spec: {
      source: { repoURL: `file://${repository.dir}`, path: name, targetRevision: 'HEAD' },
      destination: { server: 'https://kubernetes.default.svc', namespace: name },
      syncPolicy: { automated: { selfHeal: true }, retry: { limit: 0 } },
    },
  });
  // no controller has written anything yet
  await untilHealth('Progressing', isAt(first));
  const [last, ...others] = kinds.toReversed();
  if (!last) throw new Error('there are no kinds');
  for (const [group, , , plural] of others) await report(plural, group, { status: 'True' });
  const [group, , , plural] = last;
  await report(plural, group, { status: 'Unknown', reason: 'SinkEmpty', message: 'the sink has no address' });
  const waiting = await untilHealth('Progressing', ({ status }) =>
    Boolean(status?.health?.message?.includes('sink')),
  );
  expect(waiting.status?.health?.message).toContain('the sink has no address');
  await report(plural, group, { status: 'True' });
  await untilHealth('Healthy');
  for (const [one, , kind, all] of kinds) {
    await report(all, one, {
      status: 'False',
      reason: 'NotFound',
      message: `the ${kind} has lost its target`,
    });
    const broken = await untilHealth('Degraded');
    expect(broken.status?.health?.message).toContain(`the ${kind} has lost its target`);
    await report(all, one, { status: 'True' });
    await untilHealth('Healthy');
  }
});

test('a Ready condition about an older generation does not make an application Healthy', async () => {
  const second = await committed({ delivery: { retry: 2 } });
  // every Ready is still True, about the generation before
  await untilHealth('Progressing', isAt(second));
  for (const [group, , , plural] of kinds.slice(1)) await report(plural, group, { status: 'True' });
  const [group, , , plural] = kinds[0];
  await report(plural, group, { status: 'True' }, 1);
  const stale = await untilHealth('Progressing', ({ status }) =>
    (status?.resources ?? []).every(
      ({ kind, health }) => (health?.status === 'Progressing') === (kind === 'Broker'),
    ),
  );
  expect(stale.status?.sync?.status).toBe('Synced');
  await report(plural, group, { status: 'True' });
  await untilHealth('Healthy');
});
