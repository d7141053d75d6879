import { type Application, type AppProject, defaultSettings } from '#base/model';
import { type Ctx, realClock, runAll, silent } from '#base/std';
import { Informer, SecretValues, SettingsWatch } from '#control/live';
import { createCluster } from '#embedded';
import { createKubeClient } from '#kubernetes/client';
import { memoryStore } from '#platform/store';
import { openAuth } from '#serve/server';
import { LivePolicy } from '../src/serve/server/rbac/live-policy.ts';
import { Permissions } from '../src/serve/server/rbac/permissions.ts';
import type { Figure } from './harness.ts';

// What authentication and authorisation add to a request, with 1,000 policy lines and a user of 200 groups that are all granted a role:
// a token that the server has seen before, and a decision that it has not made before, which the last of the groups allows.

const requests = 5_000;
const groups = Array.from({ length: 200 }, (_, i) => `group-${i}`);
const csv = [
  ...Array.from({ length: 800 }, (_, i) => `p, role:${i % 200}, applications, get, team-${i}/*, allow`),
  ...groups.map((group, i) => `g, ${group}, role:${i}`),
].join('\n');

export async function figures(): Promise<Figure[]> {
  const stop = new AbortController();
  const ctx: Ctx = { signal: stop.signal, log: silent, clock: realClock };
  const cluster = await createCluster({ store: memoryStore(), clock: realClock });
  const kube = createKubeClient({ transport: (request) => cluster.handle(request) });
  const namespace = 'default';
  const [secret, settings] = [new SecretValues({ kube, namespace }), new SettingsWatch({ kube, namespace })];
  const argo = { apiVersion: 'v1', kind: 'ConfigMap', namespace }; // no definitions are needed here
  const apps = new Informer<Application>(kube, argo);
  const projects = new Informer<AppProject>(kube, argo);
  const auth = await openAuth(ctx, { kube, namespace, secret, settings, projects, apps, limits: {} });
  const running = runAll(ctx, [
    ...[secret, settings, apps, projects].map((one) => (inner: Ctx) => one.run(inner)),
    auth.run,
  ]);
  await Promise.all([settings.whenSynced(ctx), projects.whenSynced(ctx)]);
  const issued = Math.floor(Date.now() / 1000) + 1;
  const token = await auth.signToken({ subject: 'admin:login', id: 'bench', issued, notBefore: issued - 1 });
  const { token: own, ...user } = await auth.sessions.verify(ctx, token);
  const sso = { ...user, token: own, subject: { user: 'jane', isLocal: false, claims: { groups } } };
  const policy = policyOf(csv);
  const request = async (i: number): Promise<void> => {
    await auth.sessions.verify(ctx, token);
    const object = `team-799/app-${i}`;
    if (!new Permissions(policy, sso).may({ resource: 'applications', action: 'get', object }))
      throw new Error(`${object} is denied`);
  };
  const first = await perRequest(request);
  const again = await perRequest(request);
  stop.abort();
  await running;
  await cluster.close();
  return [
    { name: 'authentication + a new decision', value: first, unit: 'ms', target: 0.3 },
    { name: '  a decision made before', value: again, unit: 'ms', target: 0.05 },
  ];
}

/** Milliseconds of this process: what else the machine does meanwhile does not count. */
async function perRequest(request: (i: number) => Promise<void>): Promise<number> {
  const began = process.cpuUsage();
  for (let i = 0; i < requests; i++) await request(i);
  const { user, system } = process.cpuUsage(began);
  return (user + system) / 1000 / requests;
}

function policyOf(text: string): LivePolicy {
  const data = { 'policy.csv': text };
  const changes = async function* () {};
  const whenSynced = async () => {};
  return new LivePolicy({
    namespace: 'argocd',
    settings: { current: defaultSettings, dataOf: () => data, changes, dataChanges: changes, whenSynced },
    projects: { get: () => undefined, changes },
    apps: { changes },
  });
}
