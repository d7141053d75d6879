import { Counter, type Registry } from 'prom-client';

/** The metrics of notifications. */
export type NotificationMetrics = {
  delivered(trigger: string, service: string, isSuccess: boolean): void;
  evaluated(trigger: string, isTriggered: boolean): void;
  unrecorded(trigger: string, service: string): void;
};

/** Application namespaces may name triggers and services of their own: those beyond this many have no series. */
const mostSeries = 500;

/** compat server §6.5: the counters of the notifications controller. */
export function notificationMetrics(registry: Registry): NotificationMetrics {
  const deliveries = new Counter({
    name: 'argocd_notifications_deliveries_total',
    help: 'Attempts to deliver a notification.',
    labelNames: ['trigger', 'service', 'succeeded'],
    registers: [registry],
  });
  const evaluations = new Counter({
    name: 'argocd_notifications_trigger_eval_total',
    help: 'Evaluations of a condition of a trigger.',
    labelNames: ['name', 'triggered'],
    registers: [registry],
  });
  const unrecorded = new Counter({
    name: 'fairlead_notifications_unrecorded_total',
    help: 'Undelivered notifications for which there was no room in the Secret fairlead-notifications.',
    labelNames: ['trigger', 'service'],
    registers: [registry],
  });
  const seen = new Set<string>();
  const isCounted = (...labels: readonly string[]): boolean => {
    const id = JSON.stringify(labels);
    if (seen.size < mostSeries) seen.add(id);
    return seen.has(id);
  };
  return {
    delivered: (trigger, service, isSuccess) => {
      const succeeded = String(isSuccess);
      if (isCounted(trigger, service, succeeded)) deliveries.inc({ trigger, service, succeeded });
    },
    evaluated: (name, isTriggered) => {
      const triggered = String(isTriggered);
      if (isCounted(name, triggered)) evaluations.inc({ name, triggered });
    },
    unrecorded: (trigger, service) => {
      if (isCounted('unrecorded', trigger, service, '')) unrecorded.inc({ trigger, service });
    },
  };
}
