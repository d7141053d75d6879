import { ignoredInCluster, ignoredInRepository, type KubeObject, printTime } from '#base/model';
import { type Ctx, runAll, sha256, type Task } from '#base/std';
import type { Clusters, Repositories, SettingsWatch } from '#control/live';
import { type NotificationProblem, notificationNames } from '#control/notify';
import type { RbacProblem } from '#engine';
import { hasReason, type KubeClient } from '#kubernetes/client';

type Deps = {
  readonly kube: Pick<KubeClient, 'create'>;
  readonly namespace: string;
  readonly settings: Pick<SettingsWatch, 'current' | 'changes' | 'whenSynced'>;
  readonly clusters: Pick<Clusters, 'secrets' | 'secretChanges'>;
  readonly repositories: Pick<Repositories, 'secrets' | 'secretChanges' | 'whenSynced'>;
};
type Target = Pick<KubeObject, 'apiVersion' | 'kind' | 'metadata'>;
/** A setting or a key without effect, and the object that has it. */
type Ignored = { readonly target: Target; readonly key: string; readonly message: string };

/** The maximum number of problems of one ConfigMap that are reported as Events. */
const mostNamed = 10;

/**
 * Reports what users have configured and Fairlead does not use: each setting of a ConfigMap and each key of a cluster's or
 * repository's Secret, by name, in the log and as a Warning Event on its object. Once for each process; an Event is not
 * repeated while the cluster keeps it.
 */
export function reportIgnored(deps: Deps): Task {
  const { settings, clusters, repositories, namespace } = deps;
  const inSettings = (): Ignored[] =>
    settings.current.ignored.map(({ configMap, ...one }) => ({
      ...one,
      target: configMapOf(namespace, configMap),
    }));
  return (ctx) =>
    runAll(ctx, [
      async (inner) => {
        const changes = settings.changes(inner);
        await settings.whenSynced(inner);
        await reportAll(inner, deps, { changes, ignored: inSettings });
      },
      async (inner) => {
        const changes = repositories.secretChanges(inner);
        await repositories.whenSynced(inner);
        const ignored = () => ofSecrets(repositories.secrets(), ignoredInRepository);
        await reportAll(inner, deps, { changes, ignored });
      },
      (inner) =>
        reportAll(inner, deps, {
          changes: clusters.secretChanges(inner),
          ignored: () => ofSecrets(clusters.secrets(), ignoredInCluster),
        }),
    ]);
}

function ofSecrets(
  secrets: readonly KubeObject[],
  ignoredIn: (secret: KubeObject) => readonly Omit<Ignored, 'target'>[],
): Ignored[] {
  return secrets.flatMap((secret) => {
    const target = { apiVersion: 'v1', kind: 'Secret', metadata: secret.metadata };
    return ignoredIn(secret).map((one) => ({ ...one, target }));
  });
}

async function reportAll(
  ctx: Ctx,
  { kube }: Pick<Deps, 'kube'>,
  { changes, ignored }: { readonly changes: AsyncIterable<unknown>; readonly ignored: () => Ignored[] },
): Promise<void> {
  let reported = new Set<string>();
  const report = async (): Promise<void> => {
    const before = reported;
    const all = ignored().map((one) => ({ ...one, id: `${one.target.metadata.name} ${one.key}` }));
    reported = new Set(all.map(({ id }) => id));
    for (const { id, target, key, message } of all) {
      if (before.has(id)) continue;
      ctx.log.warn('setting ignored', { [fieldOf(target)]: target.metadata.name, key, message });
      await raise(ctx, kube, target, `${key}: ${message}`);
    }
  };
  await report();
  for await (const _change of changes) await report();
}

const fieldOf = ({ kind }: Target): string => (kind === 'Secret' ? 'secret' : 'configMap');

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

/** dev server §6.1: a key of a ConfigMap of notifications that cannot be used is reported on it; the others stay in force. */
export async function reportNotificationProblems(
  ctx: Ctx,
  kube: Deps['kube'],
  {
    namespace,
    name = notificationNames.applications.cm,
    problems,
  }: {
    readonly namespace: string;
    readonly name?: string;
    readonly problems: readonly NotificationProblem[];
  },
): Promise<void> {
  const target = configMapOf(namespace, name);
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
