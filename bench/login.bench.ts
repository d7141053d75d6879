import { readFile } from 'node:fs/promises';
import { verify } from '@node-rs/bcrypt';
import type { Application, AppProject } from '#base/model';
import { type Ctx, realClock, runAll, silent } from '#base/std';
import { Informer, SecretValues, SettingsWatch } from '#control/live';
import { createCluster } from '#embedded';
import { createKubeClient } from '#kubernetes/client';
import { memoryStore } from '#platform/store';
import { openAuth } from '#serve/server';
import type { Figure } from './harness.ts';
import { reconcileInFlood } from './login/reconcile-in-flood.ts';

// What a flood of logins costs everything else that reads files: the longest read during 60 logins, as the API checks passwords and as
// libuv's thread pool would, in the same run. A reconcile waits for a few such reads and may be delayed by 100 ms, which is also
// measured whole, on the started program.

const flood = 60;

export async function figures(): Promise<Figure[]> {
  const stop = new AbortController();
  const clock = { ...realClock, sleep: () => new Promise<void>((resolve) => setImmediate(resolve)) };
  const ctx: Ctx = { signal: stop.signal, log: silent, clock };
  const cluster = await createCluster({ store: memoryStore(), clock: realClock });
  const kube = createKubeClient({ transport: (request) => cluster.handle(request) });
  const namespace = 'default';
  const secret = new SecretValues({ kube, namespace });
  const settings = new SettingsWatch({ kube, namespace });
  const argo = { apiVersion: 'argoproj.io/v1alpha1', namespace };
  const apps = new Informer<Application>(kube, { ...argo, kind: 'Application' });
  const projects = new Informer<AppProject>(kube, { ...argo, kind: 'AppProject' });
  const auth = await openAuth(ctx, {
    kube,
    namespace,
    secret,
    settings,
    projects,
    apps,
    limits: { maxConcurrent: 0 },
  });
  const running = runAll(ctx, [(inner) => secret.run(inner), (inner) => settings.run(inner), auth.run]);
  await settings.whenSynced(ctx);
  const hash = Buffer.from(secret.data()?.['admin.password'] ?? '', 'base64').toString();
  const login = (i: number) =>
    auth.logins.login(ctx, { username: 'admin', password: 'wrong', address: `a${i}` }).catch(() => {});
  const idle = await longestRead(() => realClock.sleep(1000, ctx.signal));
  const ours = await longestRead(() => all(login));
  const theirs = await longestRead(() => all(() => verify('wrong', hash)));
  stop.abort();
  await running;
  await cluster.close();
  const { quiet, flooded } = await reconcileInFlood(flood);
  return [
    { name: 'commit to synced, median', value: quiet, unit: 'ms' },
    {
      name: `  while ${flood} connections send wrong logins`,
      value: flooded - quiet,
      ...{ unit: 'ms more', target: 100 },
    },
    { name: `longest file read during ${flood} logins`, value: ours - idle, unit: 'ms more', target: 100 },
    { name: '  against hashes on the shared pool', value: ours / theirs, unit: '×', target: 0.25 },
  ];
}

const all = (one: (i: number) => Promise<unknown>) =>
  Promise.all(Array.from({ length: flood }, (_, i) => one(i)));

async function longestRead(during: () => Promise<unknown>): Promise<number> {
  let isOver = false;
  const over = during().then(() => {
    isOver = true;
  });
  let longest = 0;
  while (!isOver) {
    const began = performance.now();
    await readFile(import.meta.filename);
    longest = Math.max(longest, performance.now() - began);
  }
  await over;
  return longest;
}
