import { Registry } from 'prom-client';
import { addProcessMetrics } from './process.ts';

/** Text of a few families, ready to be shown. */
export type Section = () => string | Promise<string>;

/** Everything that one process tells. */
export type MetricsPage = {
  readonly contentType: string;
  text(): Promise<string>;
  /** For the files of this room. */
  readonly registry: Registry;
  readonly sections: Section[];
};

/** A page with what every process tells of itself; controller and server add theirs. */
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
