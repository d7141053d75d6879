import { Counter, type Registry } from 'prom-client';
import type { Application } from '#base/model';
import { identityOf } from './applications.ts';
import { type Labels, OwnedSeries } from './owned-series.ts';

type Options = {
  readonly name: string;
  readonly help: string;
  /** Beside those that identify the application. */
  readonly labels: readonly string[];
};

/** Series of one application; further ones are counted under empty labels. */
const most = 300;

/** A counter for each application, removed with the application. */
export class AppCounter {
  readonly #counter: Counter;
  readonly #series: OwnedSeries;

  constructor(registry: Registry, { name, help, labels }: Options) {
    const labelNames = ['namespace', 'name', 'project', ...labels];
    this.#counter = new Counter({ name, help, labelNames, registers: [registry] });
    this.#series = new OwnedSeries(this.#counter, { open: labels, most });
  }

  inc(app: Application, more: Labels, by = 1): void {
    this.#counter.inc(this.#series.of(keyOf(app), { ...identityOf(app), ...more }), by);
  }

  forget(app: Application): void {
    this.#series.forget(keyOf(app));
  }
}

const keyOf = ({ metadata }: Application): string => `${metadata.namespace}/${metadata.name}`;
