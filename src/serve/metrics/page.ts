import { Registry } from 'prom-client';
import { addProcessMetrics } from './process.ts';

/** Text of a few metric families. */
export type Section = () => string | Promise<string>;

/** All metrics of one process. */
export type MetricsPage = {
  readonly contentType: string;
  text(): Promise<string>;
  /** For the files of this room. */
  readonly registry: Registry;
  readonly sections: Section[];
};

/** A page with the metrics of every process; controller and server add theirs. */
export function createMetricsPage(version: string): MetricsPage {
  const registry = new Registry();
  addProcessMetrics(registry, version);
  const sections: Section[] = [];
  return {
    registry,
    sections,
    contentType: registry.contentType,
    text: async () => {
      const own = await Promise.all(sections.map((section) => section()));
      return [...own, await registry.metrics()].filter(Boolean).join('\n');
    },
  };
}
