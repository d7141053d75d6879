import { type Application, type KubeObject, printTime } from '#base/model';
import { type Ctx, runAll, sha256, type Task } from '#base/std';
import type { Informer, ObjectChange, SettingsWatch } from '#control/live';
import type { RbacProblem } from '#engine';
import { hasReason, type KubeClient } from '#kubernetes/client';

type Deps = {
  readonly kube: Pick<KubeClient, 'create' | 'find'>;
  readonly namespace: string;
  readonly settings: Pick<SettingsWatch, 'current' | 'changes' | 'dataOf' | 'dataChanges' | 'whenSynced'>;
  readonly apps: Pick<Informer<Application>, 'list' | 'changes' | 'whenSynced'>;
};
type Target = Pick<KubeObject, 'apiVersion' | 'kind' | 'metadata'>;

const subscription = /^notifications\.argoproj\.io\/(?:subscribe\.|subscriptions$)/;
const notSent = 'not supported yet: no notification is sent';
/** The maximum number of names in one log line. */
const mostNamed = 10;

/**
 * Reports what users have configured and Fairlead does not use: each setting by name in the log and as a Warning Event on its
 * ConfigMap, notification annotations as an Event on their Application. Once for each process; an Event is not repeated while
 * the cluster keeps it.
 */
export function reportIgnored(deps: Deps): Task {
  return async (ctx) => {
    const { settings, apps } = deps;
    const changes = settings.changes(ctx);
    const dataChanges = settings.dataChanges(ctx);
    const appChanges = apps.changes(ctx);
    await Promise.all([settings.whenSynced(ctx), apps.whenSynced(ctx)]);
    await runAll(ctx, [
      (inner) => reportSettings(inner, deps, changes),
      (inner) => reportNotificationMaps(inner, deps, dataChanges),
      (inner) => reportSubscriptions(inner, deps, appChanges),
    ]);
  };
}

async function reportSettings(
  ctx: Ctx,
  { kube, namespace, settings }: Deps,
  changes: AsyncIterable<unknown>,
): Promise<void> {
  let reported = new Set<string>();
  const report = async (): Promise<void> => {
    const ignored = settings.current.ignored.map((one) => ({ ...one, id: `${one.configMap} ${one.key}` }));
    const before = reported;
    reported = new Set(ignored.map(({ id }) => id));
    for (const { id, configMap, key, message } of ignored) {
      if (before.has(id)) continue;
      ctx.log.warn('setting ignored', { configMap, key, message });
      await raise(ctx, kube, configMapOf(namespace, configMap), `${key}: ${message}`);
    }
  };
  await report();
  for await (const _change of changes) await report();
}

const notificationNames = { ConfigMap: 'argocd-notifications-cm', Secret: 'argocd-notifications-secret' };

async function reportNotificationMaps(
  ctx: Ctx,
  { kube, namespace, settings }: Deps,
  changes: AsyncIterable<{ readonly name: string }>,
): Promise<void> {
  let reported = '';
  const report = async (): Promise<void> => {
    const keys = Object.keys(settings.dataOf(notificationNames.ConfigMap)).sort();
    if (keys.length === 0 || keys.join() === reported) return;
    reported = keys.join();
    await reportKeys(ctx, kube, configMapOf(namespace, notificationNames.ConfigMap), keys);
  };
  await report();
  await reportSecret(ctx, kube, namespace);
  for await (const { name } of changes) if (name === notificationNames.ConfigMap) await report();
}

async function reportSecret(ctx: Ctx, kube: Deps['kube'], namespace: string): Promise<void> {
  const target = { ...configMapOf(namespace, notificationNames.Secret), kind: 'Secret' };
  const found = await kube
    .find(ctx, { ...target, namespace, name: notificationNames.Secret })
    .catch((error: unknown) => {
      if (!ctx.signal.aborted) ctx.log.debug('notification secret not read', { error });
      return undefined;
    });
  const keys = Object.keys((found as { data?: object } | undefined)?.data ?? {}).sort();
  if (keys.length > 0) await reportKeys(ctx, kube, target, keys);
}

async function reportKeys(
  ctx: Ctx,
  kube: Deps['kube'],
  target: Target,
  keys: readonly string[],
): Promise<void> {
  const { kind, metadata } = target;
  ctx.log.warn('setting ignored', { kind, name: metadata.name, keys: named(keys), message: notSent });
  await raise(ctx, kube, target, `${named(keys)}: ${notSent}`);
}

async function reportSubscriptions(
  ctx: Ctx,
  { kube, apps }: Deps,
  changes: AsyncIterable<ObjectChange>,
): Promise<void> {
  const reported = new Map<string, string>();
  const report = async (app: Application): Promise<void> => {
    const { uid = '', annotations = {} } = app.metadata;
    const keys = Object.keys(annotations)
      .filter((key) => subscription.test(key))
      .sort();
    if ((reported.get(uid) ?? '') === keys.join()) return;
    reported.set(uid, keys.join());
    if (keys.length > 0) await raise(ctx, kube, app, `${named(keys)}: ${notSent}`);
  };
  const subscribed = apps
    .list()
    .filter(({ metadata }) => Object.keys(metadata.annotations ?? {}).some(isSubscription));
  if (subscribed.length > 0) {
    const applications = named(subscribed.map(({ metadata }) => metadata.name));
    ctx.log.warn('notification annotations ignored', { applications, message: notSent });
  }
  for (const app of subscribed) await report(app);
  for await (const { before, after } of changes) {
    if (after) await report(after as Application);
    else reported.delete(before?.metadata.uid ?? '');
  }
}

const isSubscription = (key: string): boolean => subscription.test(key);

const named = (names: readonly string[]): string =>
  names.length > mostNamed
    ? `${names.slice(0, mostNamed).join(', ')} and ${names.length - mostNamed} more`
    : names.join(', ');

const configMapOf = (namespace: string, name: string): Target => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace },
});

/** dev server §5.3: an unusable policy is reported on its ConfigMap too. */
export async function reportPolicy(
  ctx: Ctx,
  kube: Deps['kube'],
  { namespace, problems }: { readonly namespace: string; readonly problems: readonly RbacProblem[] },
): Promise<void> {
  const target = configMapOf(namespace, 'argocd-rbac-cm');
  for (const { key, line, message } of problems.slice(0, mostNamed)) {
    const where = line === undefined ? key : `${key}, line ${line}`;
    const text = `${where}: ${message}; the last usable policy stays in force`;
    await raise(ctx, kube, target, { reason: 'PolicyNotUsable', message: text });
  }
}

/** No work fails because of an Event. Its name is derived from its content: the cluster rejects a second one. */
async function raise(
  ctx: Ctx,
  kube: Deps['kube'],
  { apiVersion, kind, metadata }: Target,
  note: string | { readonly reason: string; readonly message: string },
): Promise<void> {
  const { reason, message } = typeof note === 'string' ? { reason: 'SettingIgnored', message: note } : note;
  const { name, namespace = '', uid } = metadata;
  const id = sha256([kind, name, uid ?? '', message].join('\n')).slice(0, 16);
  const now = printTime(ctx.clock.now());
  const event = {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: `${name.slice(0, 230)}.${id}`, namespace },
    involvedObject: { apiVersion, kind, name, namespace, ...(uid && { uid }) },
    type: 'Warning',
    reason,
    message: message.slice(0, 1024),
    source: { component: 'fairlead' },
    firstTimestamp: now,
    lastTimestamp: now,
    count: 1,
  };
  try {
    await kube.create(ctx, event as KubeObject);
  } catch (error) {
    if (ctx.signal.aborted || hasReason(error, 'AlreadyExists')) return;
    ctx.log.debug('event not written', { kind, name, error });
  }
}
