import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ApplicationSet } from '#base/model';
import { type Ctx, type FairleadError, runAll, type Task } from '#base/std';
import { createEventRecorder, deliveryLogName, readRecords } from '#control/controllers';
import { previewApplicationSet } from '#control/generators';
import { catalog } from '#control/notify';
import { hasPlugin, requestConcernsSet } from '#engine';
import type { KubeClient } from '#kubernetes/client';
import { isLoopback } from '#platform/http';
import { createServerMetrics } from '#serve/metrics';
import {
  ConnectionTests,
  listenServer,
  openAuditSink,
  openAuth,
  PushRecord,
  refreshSets,
  reportUnverified,
} from '#serve/server';
import { describeKeys, isWithin, openUpload } from '#sources/repositories';
import { type Config, shipped } from './config.ts';
import { clusterConnector } from './connect-cluster.ts';
import type { ControlPlane } from './control-plane.ts';
import { describeRevision } from './describe-revision.ts';
import { readKindSchemas } from './kind-schemas.ts';
import { openListener } from './open-listener.ts';
import { azureTokenIn, reachProvider } from './reach-provider.ts';
import { repositoryReader } from './read-repository.ts';
import { reportPolicy } from './report-ignored.ts';
import { versionOf } from './version.ts';

/** A control plane, and why its cluster cannot write now. */
type Served = ControlPlane & { readonly failure: () => FairleadError | undefined };

/**
 * The API and the UI: listens now, serves until the task's ctx stops. Calls `onMade` when credentials that had been deleted
 * were created again.
 */
export async function openServer(
  ctx: Ctx,
  config: Config,
  { caches, pushes, page, failure }: Served,
  onMade: Task = async () => {},
): Promise<{ readonly url: string; readonly run: Task }> {
  const { kube, apps, sets, context, secrets, settings, sources, repositories, projects } = caches;
  const { host, port, namespace } = config;
  const limits = config.logins;
  const auth = await openAuth(ctx, {
    ...{ kube, namespace, secret: secrets, settings, projects, apps, limits, onMade },
    reachProvider: reachProvider(ctx, config, caches),
    records: caches.providers,
    ...(config.azure && { azureToken: azureTokenIn(config.azure) }),
    onPolicyProblems: (inner, problems) => reportPolicy(inner, kube, { namespace, problems }),
  });
  const { write: raise } = createEventRecorder({
    kube,
    component: 'argocd-server',
    labelsOf: caches.eventLabels,
  });
  const audit = openAuditSink({
    sink: () => settings.current.server.auditSink,
    dir: join(config.dataDir, 'audit'),
    namespace,
    raise,
    print: (line) => process.stdout.write(`${line}\n`),
  });
  const secret = (key: string) => secrets.get(key);
  const numbers = createServerMetrics(page);
  const record = new PushRecord({
    kube,
    namespace,
    apps,
    sets,
    satisfies: isWithin,
    deliver: (push) => [pushes.apps, pushes.sets].map((queue) => queue.add(push)).every(Boolean),
    jitterMs: () => settings.current.server.webhook.jitterMs,
  });
  const webhook: Parameters<typeof listenServer>[1]['webhook'] = {
    secret,
    maxBytes: () => settings.current.server.webhook.maxBytes,
    pushed: async (inner, push) => {
      numbers.webhook(push.webUrl);
      return record.accept(inner, push);
    },
    requested: async (inner, event) => {
      numbers.webhook(event.webUrl);
      await sets.whenSynced(inner);
      const concerned = sets.list().filter((set) => requestConcernsSet(set, event) || hasPlugin(set));
      await refreshSets(inner, { kube }, concerned);
    },
  };
  const describe = describeRevision(sources, (url, project) => repositories.find(url, project));
  // metrics name applications and repositories: they are for this machine, or for a port of their own
  const metrics = isLoopback(host) ? page : undefined;
  const onLogin = numbers.login;
  const listener = await openListener(ctx, config, caches);
  const deps = {
    ...{ kube, apps, projects, context, auth, listener, describe, openUpload, raise, audit },
    webhook,
    ...{ metrics, onLogin, failure },
    ...setMethods(caches),
    ...serviceMethods(config, caches),
  };
  const version = await versionOf();
  const kinds = () => readKindSchemas(shipped.definitions);
  const server = { host, port, uiDir: shipped.ui, version, kinds };
  const { url, run } = await listenServer(ctx, deps, server);
  const reporting: Task = async (inner) => {
    const changes = secrets.changes(inner);
    await secrets.whenSynced(inner);
    await reportUnverified(inner, { secret, changes, isReachable: !isLoopback(host) });
  };
  return { url, run: (inner: Ctx) => runAll(inner, [run, reporting, auth.run, record.run]) };
}

/** The dependencies of the services beside applications. */
function serviceMethods(config: Config, caches: ControlPlane['caches']) {
  const { kube, clusters, repositories, sources, settings, notifications } = caches;
  const reader = repositoryReader(sources, () => settings.current);
  return {
    ...{ clusters, reader, connections: new ConnectionTests(reader.probe) },
    withCluster: clusterConnector(kube, config),
    readKeys: describeKeys,
    plugins: caches.plugins,
    notifications: {
      data: () => ({ ...catalog, ...settings.dataOf('argocd-notifications-cm') }),
      configsOf: (namespace: string) => notifications.of(namespace),
      deliveries: () => readRecords(settings.dataOf(deliveryLogName)),
    },
    repositoryOf: (url: string, project: string) => repositories.find(url, project),
    traffic: {
      sources,
      writerOf: (url: string, project: string) => repositories.findWriter(url, project),
    },
  };
}

/** Users may evaluate sets only with Secrets that are labelled for it (sources ASN-3). */
function setMethods({ sets, apps, generators, evaluator }: ControlPlane['caches']) {
  const options = { isTokenStrict: true };
  const deps = { ...generators, evaluator, apps };
  return {
    sets,
    evaluateSet: (ctx: Ctx, set: ApplicationSet) => evaluator.evaluateOnce(ctx, set, options),
    previewSet: (ctx: Ctx, set: ApplicationSet) => previewApplicationSet(ctx, deps, set, options),
  };
}

type SecretView = { data?: Record<string, string> };

/** For the user at this machine: the initial password, in a file only they can read. */
export async function writePassword(
  ctx: Ctx,
  kube: KubeClient,
  { namespace, dataDir }: Config,
): Promise<void> {
  const ref = { apiVersion: 'v1', kind: 'Secret', namespace, name: 'argocd-initial-admin-secret' };
  const secret = (await kube.find(ctx, ref)) as SecretView | undefined;
  const password = secret?.data?.password;
  if (!password) return;
  const file = join(dataDir, 'admin-password');
  await writeFile(file, `${Buffer.from(password, 'base64').toString('utf8')}\n`, { mode: 0o600 });
  await chmod(file, 0o600);
}
