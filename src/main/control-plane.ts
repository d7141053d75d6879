import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { applicationController, applicationSetController, createEvents } from '#controllers';
import type { KubeClient } from '#kube';
import { Pushes } from '#live';
import { listenServer, loadCredentials, warnUnverified } from '#server';
import { isWithin } from '#source';
import type { Ctx, Task } from '#std';
import { shipped, type UpConfig } from './config.ts';
import { describeRevision } from './describe-revision.ts';
import { type Knowledge, openKnowledge } from './knowledge.ts';

/** The control plane on one cluster: what it knows, who acts on it and who answers. */
export type ControlPlane = {
  readonly tasks: readonly Task[];
  serve(ctx: Ctx): Promise<{ url: string; run: Task }>;
  close(): Promise<void>;
};

export async function openControlPlane(
  kube: KubeClient,
  config: UpConfig,
  git: string,
): Promise<ControlPlane> {
  const knowledge = await openKnowledge(kube, config, git);
  const pushes = new Pushes();
  return {
    tasks: [...knowledge.tasks, ...controllersOn(knowledge, pushes)],
    serve: (ctx) => serve(ctx, config, knowledge, pushes),
    close: () => knowledge.close(),
  };
}

function controllersOn(knowledge: Knowledge, pushes: Pushes): Task[] {
  const { kube, apps, sets, clusters, world, sources, settings } = knowledge;
  const controller = applicationController(
    {
      kube,
      informer: apps,
      clusters,
      world,
      watchRepository: (ctx, url) => sources.watchLocal(ctx, { url }),
      pushes: (ctx) => pushes.take(ctx),
      satisfies: isWithin,
      settingsChanges: (ctx) => settings.changes(ctx),
      events: createEvents({ kube, component: 'argocd-application-controller' }),
    },
    { statusWorkers: 20, operationWorkers: 10 },
  );
  return [
    applicationSetController({ kube, informer: sets }),
    async (ctx) => {
      await knowledge.whenSynced(ctx);
      await controller(ctx);
    },
  ];
}

async function serve(ctx: Ctx, config: UpConfig, knowledge: Knowledge, pushes: Pushes) {
  const { kube, apps, world, secrets, settings, sources, repositories } = knowledge;
  const { host, port, namespace } = config;
  const credentials = await loadCredentials(ctx, kube, namespace);
  await writePassword(ctx, kube, config);
  const { write: raise } = createEvents({ kube, component: 'argocd-server' });
  const secret = (key: string) => secrets.get(key);
  const webhook = {
    secret,
    maxBytes: () => settings.current.server.webhook.maxBytes,
    pushed: pushes.add.bind(pushes),
  };
  const describe = describeRevision(sources, (url, project) => repositories.find(url, project));
  const deps = { kube, apps, world, credentials, describe, raise, webhook };
  const version = await versionOf();
  const server = { host, port, uiDir: shipped.ui, version, sessionMs: 24 * 3600_000 };
  const { url, run } = await listenServer(ctx, deps, server);
  const warn: Task = async (inner) => {
    await secrets.whenSynced(inner);
    warnUnverified(inner, secret);
  };
  return { url, run: async (inner: Ctx) => void (await Promise.all([run(inner), warn(inner)])) };
}

export async function versionOf(): Promise<string> {
  return (JSON.parse(await readFile(shipped.manifest, 'utf8')) as { version: string }).version;
}

type SecretView = { data?: Record<string, string> };

/** For the person at this machine: the first password, in a file only they can read. */
async function writePassword(ctx: Ctx, kube: KubeClient, { namespace, dataDir }: UpConfig): Promise<void> {
  const ref = { apiVersion: 'v1', kind: 'Secret', namespace, name: 'argocd-initial-admin-secret' };
  const secret = (await kube.find(ctx, ref)) as SecretView | undefined;
  const password = secret?.data?.password;
  if (!password) return;
  const file = join(dataDir, 'admin-password');
  await writeFile(file, `${Buffer.from(password, 'base64').toString('utf8')}\n`, { mode: 0o600 });
  await chmod(file, 0o600);
}
