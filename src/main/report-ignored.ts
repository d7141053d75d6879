import { type KubeObject, printTime } from '#base/model';
import { type Ctx, sha256, type Task } from '#base/std';
import type { SettingsWatch } from '#control/live';
import type { NotificationProblem } from '#control/notify';
import type { RbacProblem } from '#engine';
import { hasReason, type KubeClient } from '#kubernetes/client';

type Deps = {
  readonly kube: Pick<KubeClient, 'create'>;
  readonly namespace: string;
  readonly settings: Pick<SettingsWatch, 'current' | 'changes' | 'whenSynced'>;
};
type Target = Pick<KubeObject, 'apiVersion' | 'kind' | 'metadata'>;

/** The maximum number of problems of one ConfigMap that are reported as Events. */
const mostNamed = 10;

/**
 * Reports what users have configured and Fairlead does not use: each setting by name in the log and as a Warning Event on its
 * ConfigMap. Once for each process; an Event is not repeated while the cluster keeps it.
 */
export function reportIgnored(deps: Deps): Task {
  return async (ctx) => {
    const { settings } = deps;
    const changes = settings.changes(ctx);
    await settings.whenSynced(ctx);
    await reportSettings(ctx, deps, changes);
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

/** dev server §6.1: a key of argocd-notifications-cm that cannot be used is reported on it; the others stay in force. */
export async function reportNotificationProblems(
  ctx: Ctx,
  kube: Deps['kube'],
  { namespace, problems }: { readonly namespace: string; readonly problems: readonly NotificationProblem[] },
): Promise<void> {
  const target = configMapOf(namespace, 'argocd-notifications-cm');
  for (const { severity, key, message } of problems.slice(0, mostNamed)) {
    const reason = severity === 'error' ? 'SettingNotUsable' : 'SettingToCheck';
    await raise(ctx, kube, target, { reason, message: `${key}: ${message}` });
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
