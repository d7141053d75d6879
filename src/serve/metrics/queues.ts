import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** The metrics of a queue; the hooks of the reconcile loop. */
export type QueueMetrics = {
  onAdd(key: string): void;
  onStart(key: string, waitedMs: number): void;
  onDone(key: string, ms: number): void;
  onRetry(key: string, delayMs: number): void;
};

/** compat: the buckets of every Kubernetes controller, from ten nanoseconds to ten seconds. */
const buckets = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1, 10];
const labelNames = ['name'];

/** compat server §7.1: `workqueue_*`, by the names of Argo CD's queues. */
export function queueMetrics(registry: Registry): (name: string) => QueueMetrics {
  const registers = [registry];
  const running = new Map<string, Map<string, number>>();
  const ages = (name: string) => [...(running.get(name)?.values() ?? [])].map(secondsSince);
  const depth = new Gauge({ name: 'workqueue_depth', help: 'Keys that wait.', labelNames, registers });
  const adds = new Counter({ name: 'workqueue_adds_total', help: 'Keys added.', labelNames, registers });
  const retries = new Counter({ name: 'workqueue_retries_total', help: 'Retries.', labelNames, registers });
  const histogram = (name: string, help: string) =>
    new Histogram({ name, help, labelNames, buckets, registers });
  const waited = histogram('workqueue_queue_duration_seconds', 'How long a key waited.');
  const worked = histogram('workqueue_work_duration_seconds', 'How long a pass took.');
  const unfinished = new Gauge({
    name: 'workqueue_unfinished_work_seconds',
    help: 'How long the passes under way have taken, together.',
    labelNames,
    registers,
    collect: () => {
      for (const name of running.keys())
        unfinished.set(
          { name },
          ages(name).reduce((sum, age) => sum + age, 0),
        );
    },
  });
  const longest = new Gauge({
    name: 'workqueue_longest_running_processor_seconds',
    help: 'How long the longest pass under way has taken.',
    labelNames,
    registers,
    collect: () => {
      for (const name of running.keys()) longest.set({ name }, Math.max(0, ...ages(name)));
    },
  });
  return (name) => {
    const mine = new Map<string, number>();
    running.set(name, mine);
    depth.set({ name }, 0); // a new queue begins empty, whatever the last one of that name contained
    return {
      onAdd: () => {
        adds.inc({ name });
        depth.inc({ name });
      },
      onStart: (key, waitedMs) => {
        depth.dec({ name });
        waited.observe({ name }, waitedMs / 1000);
        mine.set(key, performance.now());
      },
      onDone: (key, ms) => {
        worked.observe({ name }, ms / 1000);
        mine.delete(key);
      },
      onRetry: () => retries.inc({ name }),
    };
  };
}

const secondsSince = (begin: number): number => (performance.now() - begin) / 1000;
