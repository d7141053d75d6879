import type { Application } from '#base/model';
import { decideNotifications, readNotifications, renderNotification } from '#control/notify';
import type { BenchCase } from './harness.ts';

const config = readNotifications({
  namespace: 'argocd',
  data: { 'service.slack': 'token: t', 'service.email': 'host: h' },
  secrets: {},
  argocdUrl: 'https://cd.example.com',
});
const triggers = ['on-sync-failed', 'on-health-degraded', 'on-sync-succeeded', 'on-deployed'];
const annotations = Object.fromEntries(
  triggers.flatMap((trigger) => [
    [`notifications.argoproj.io/subscribe.${trigger}.slack`, 'alerts'],
    [`notifications.argoproj.io/subscribe.${trigger}.email`, 'ops@example.com'],
  ]),
);

/** An application with a hundred resources, four triggers and two destinations of each. */
function application(at: number, marks: object = {}): Application {
  const resources = Array.from({ length: 100 }, (_, i) => ({
    kind: 'ConfigMap',
    name: `c${i}`,
    status: 'Synced',
  }));
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: {
      ...{ name: `app-${at}`, namespace: 'argocd', uid: `u${at}` },
      annotations: { ...annotations, 'notified.notifications.argoproj.io': JSON.stringify(marks) },
    },
    spec: {
      project: 'default',
      source: { repoURL: 'https://h/r', path: '.' },
      destination: { namespace: 'x' },
    },
    status: {
      ...{ resources, health: { status: 'Healthy' }, sync: { status: 'Synced', revision: 'abc' } },
      operationState: {
        phase: 'Succeeded',
        finishedAt: '2026-06-01T08:00:00Z',
        syncResult: { revision: 'abc' },
      },
    },
  } as unknown as Application;
}
const subject = (app: Application) => ({ app, project: undefined, now: () => 0, commit: () => undefined });
const { due } = decideNotifications([config], subject(application(0)));
const settled = application(0, Object.fromEntries(due.map(({ mark }) => [mark, 1])));
const changed = Array.from({ length: 1_000 }, (_, at) => application(at));

export const cases: BenchCase[] = [
  {
    name: 'notifications: an unchanged application, nothing to send (at most 50 µs)',
    baseline: 'a copy of the application',
    operations: 100,
    run: () => {
      for (let at = 0; at < 100; at++) {
        const { due: none, marks } = decideNotifications([config], subject(settled));
        if (none.length > 0 || marks) throw new Error('something is due');
      }
    },
    against: () => {
      for (let at = 0; at < 100; at++) structuredClone(settled);
    },
  },
  {
    name: 'notifications: 1,000 applications change at once, decided and rendered (at most 1 s)',
    baseline: 'copies of the applications',
    run: () => {
      for (const before of changed) {
        const app = { ...before }; // a new object, as after a change
        const { due: all } = decideNotifications([config], subject(app));
        for (const one of all) renderNotification(one, subject(app));
      }
    },
    against: () => {
      for (const app of changed) structuredClone(app);
    },
  },
];
