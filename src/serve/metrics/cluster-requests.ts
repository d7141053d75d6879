import { Gauge, Histogram } from 'prom-client';
import type { Transport } from '#kubernetes/client';
import type { MetricsPage } from './page.ts';
import { RequestMetrics } from './requests.ts';

/** The metrics of the requests to each cluster, by its address. */
export type ClusterRequestMetrics = {
  /** The same transport, with its requests counted. */
  counted(transport: Transport, server: string): Transport;
  /** The number of watch events that were processed together, and the milliseconds it took. */
  processed(server: string, changes: number, ms: number): void;
  /** The cluster was removed: removes its series. */
  gone(server: string): void;
};

/** compat server §7.1 */
export function createClusterRequestMetrics({ registry }: MetricsPage): ClusterRequestMetrics {
  const requests = new RequestMetrics(registry);
  const by = { labelNames: ['server'], registers: [registry] };
  const batches = new Histogram({
    name: 'argocd_resource_events_processing',
    help: 'How long it took to take in changes that came together, in seconds.',
    buckets: [0.25, 0.5, 1, 2, 4, 8, 16],
    ...by,
  });
  const sizes = new Gauge({
    name: 'argocd_resource_events_processed_in_batch',
    help: 'How many changes came together the last time.',
    ...by,
  });
  return {
    counted: (transport, server) => requests.counted(transport, hostOf(server)),
    processed: (server, changes, ms) => {
      batches.observe({ server }, ms / 1000);
      sizes.set({ server }, changes);
    },
    gone: (server) => {
      requests.forget(hostOf(server));
      batches.remove({ server });
      sizes.remove({ server });
    },
  };
}

/** compat server §7.1: `host` is the host and the port of the address. */
const hostOf = (server: string): string => (URL.canParse(server) ? new URL(server).host : server);
