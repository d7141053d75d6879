import type { Application } from '#base/model';
import { type Ctx, runAll, type Task } from '#base/std';
import { openReach } from '#control/deliver';
import { runWorkers, WorkQueue } from '#control/runtime';
import { DeliveryLog } from './delivery-log.ts';
import { Outbox, type OutboxEntry } from './outbox.ts';
import type { NotificationControllerDeps } from './pass-deps.ts';
import { Passes } from './reconcile.ts';
import { sendEntries } from './send.ts';
import { Undelivered } from './undelivered.ts';

/** A host that does not respond delays the messages of its own applications only. */
const fewestWorkers = 10;

const reloadMs = 5_000;

/** compat server §6.5: notifies the subscribers of applications, once for each transition. */
export function notificationController(deps: NotificationControllerDeps): Task {
  const { apps, projects, configs } = deps;
  return async (ctx) => {
    const queue = new WorkQueue({ clock: ctx.clock, ...(deps.hooks && { hooks: deps.hooks }) });
    const log = new DeliveryLog(deps);
    const reach = openReach(deps.outside, log.threads);
    const records = new Undelivered({ ...deps, dropped: (entry) => reportUnrecorded(ctx, deps, entry) });
    const passes = new Passes(deps, { queue, log, records });
    const outbox = new Outbox({
      configOf: (namespace) => configs.find(namespace),
      records,
      send: (inner, entries, config) => sendEntries(inner, reach, entries, config),
      delivered: (inner, entries, attempts) => passes.delivered(inner, entries, attempts),
      failed: (inner, entries, failure) => passes.failed(inner, entries, failure),
    });
    const appChanges = apps.changes(ctx);
    const configChanges = configs.changes(ctx);
    const projectChanges = projects.changes(ctx);
    const settingsChanges = deps.settings.changes(ctx);
    await Promise.all([apps.whenSynced(ctx), configs.whenSynced(ctx)]);
    await log.load(ctx).catch((error: unknown) => ctx.log.warn('delivery log not read', { error }));
    const restore = async (inner: Ctx): Promise<boolean> => {
      try {
        passes.restore(inner, outbox, await records.load(inner));
        return true;
      } catch (error) {
        if (!inner.signal.aborted) inner.log.warn('undelivered notifications not read', { error });
        return false;
      }
    };
    const isRestored = await restore(ctx);
    const addAll = (isConcerned: (app: Application) => boolean = () => true): void => {
      for (const app of apps.list()) if (isConcerned(app)) queue.add(keyOf(app), 'bulk');
    };
    addAll();
    const workers = Math.max(fewestWorkers, deps.settings.current.notifications.processors);
    await runAll(ctx, [
      async () => {
        for await (const { before, after } of appChanges) {
          if (after) queue.add(keyOf(after as Application));
          else if (before) passes.gone(before as Application);
        }
      },
      async (inner) => {
        await reportProblems(inner, deps);
        for await (const namespace of configChanges) {
          await reportProblems(inner, deps);
          outbox.retryNow(namespace);
          addAll();
        }
      },
      async () => {
        for await (const { before, after } of projectChanges) {
          const { name } = (after ?? before)?.metadata ?? {};
          addAll(({ spec }) => spec?.project === name);
        }
      },
      async () => {
        for await (const { before, after } of settingsChanges)
          if (before.url !== after.url || before.notifications !== after.notifications) addAll();
      },
      (inner) => deps.events.run(inner),
      (inner) => log.run(inner),
      (inner) => records.run(inner),
      (inner) => outbox.run(inner),
      async (inner) => {
        if (isRestored) return;
        do await inner.clock.sleep(reloadMs, inner.signal);
        while (!(await restore(inner)));
      },
      (inner) => runWorkers(inner, queue, (one, key) => passes.reconcile(one, outbox, key), { workers }),
    ]);
  };
}

const keyOf = ({ metadata }: Application): string => `${metadata.namespace ?? ''}/${metadata.name}`;

function reportUnrecorded(
  ctx: Ctx,
  { observe }: NotificationControllerDeps,
  { app, due }: OutboxEntry,
): void {
  const { service, recipient } = due.destination;
  observe?.unrecorded(due.trigger, service);
  ctx.log.warn('undelivered notification not recorded: no room, a restart may lose it', {
    ...{ namespace: app.namespace, app: app.name, trigger: due.trigger, service, recipient },
  });
}

/** dev server §6.1: an unusable key is reported in the log and on its ConfigMap. */
async function reportProblems(ctx: Ctx, { configs, onProblems }: NotificationControllerDeps): Promise<void> {
  const config = configs.central;
  for (const { severity, key, message } of config.problems)
    ctx.log.warn(severity === 'error' ? 'notification setting not usable' : 'notification setting to check', {
      namespace: config.namespace,
      key,
      message,
    });
  if (config.problems.length > 0) await onProblems?.(ctx, config);
}
