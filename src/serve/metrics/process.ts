import { performance } from 'node:perf_hooks';
import { Counter, Gauge, type Registry } from 'prom-client';

/**
 * The metrics of a process, read at the scrape. The library's own set would wake the process every ten milliseconds to
 * measure its delay; the utilization of the event loop costs nothing.
 */
export function addProcessMetrics(registry: Registry, version: string): void {
  const registers = [registry];
  const seconds = (microseconds: number) => microseconds / 1e6;
  const cpu = new Counter({
    name: 'process_cpu_seconds_total',
    help: 'Processor time, of the user and of the system.',
    registers,
    collect: () => {
      const { user, system } = process.cpuUsage();
      cpu.reset();
      cpu.inc(seconds(user + system));
    },
  });
  const read = (name: string, help: string, value: () => number) => {
    const gauge: Gauge = new Gauge({ name, help, registers, collect: () => gauge.set(value()) });
  };
  read('process_resident_memory_bytes', 'Resident memory.', () => process.memoryUsage.rss());
  read('process_start_time_seconds', 'When the process began, in seconds since 1970.', () =>
    Math.round(performance.timeOrigin / 1000),
  );
  read('nodejs_heap_size_total_bytes', 'Heap, whole.', () => process.memoryUsage().heapTotal);
  read('nodejs_heap_size_used_bytes', 'Heap, used.', () => process.memoryUsage().heapUsed);
  let last = performance.eventLoopUtilization();
  read(
    'nodejs_eventloop_utilization',
    'Share of the time since the last scrape that the loop was busy.',
    () => {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, last);
      last = now;
      return utilization;
    },
  );
  const info = (name: string, help: string, labels: Record<string, string>) =>
    new Gauge({ name, help, labelNames: Object.keys(labels), registers }).set(labels, 1);
  info('nodejs_version_info', 'Version of Node.', { version: process.version });
  info('argocd_info', 'Version of the program.', { version: `v${version}` });
}
