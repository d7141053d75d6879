import { Counter, type Registry } from 'prom-client';
import type { Application } from '#model';
import { identityOf } from './applications.ts';

type Labels = Readonly<Record<string, string>>;
type Options = {
  readonly name: string;
  readonly help: string;
  /** Besides those that say which application. */
  readonly labels: readonly string[];
};

/** Series of one application; what comes after is counted under empty labels. */
const most = 300;

/** A counter for each application, which goes when the application does. */
export class AppCounter {
  readonly #counter: Counter;
  readonly #labels: readonly string[];
  readonly #known = new Map<string, Map<string, Labels>>();

  constructor(registry: Registry, { name, help, labels }: Options) {
    this.#labels = labels;
    const labelNames = ['namespace', 'name', 'project', ...labels];
    this.#counter = new Counter({ name, help, labelNames, registers: [registry] });
  }

  inc(app: Application, more: Labels, by = 1): void {
    const key = keyOf(app);
    const known = this.#known.get(key) ?? new Map<string, Labels>();
    this.#known.set(key, known);
    const id = JSON.stringify([app.spec?.project ?? '', ...this.#labels.map((label) => more[label] ?? '')]);
    const labels = known.get(id) ?? this.#admit(known, id, { ...identityOf(app), ...more });
    this.#counter.inc({ ...labels }, by);
  }

  forget(app: Application): void {
    const key = keyOf(app);
    for (const labels of this.#known.get(key)?.values() ?? []) this.#counter.remove({ ...labels });
    this.#known.delete(key);
  }

  #admit(known: Map<string, Labels>, id: string, labels: Labels): Labels {
    const isFull = known.size >= most;
    const admitted = isFull
      ? { ...labels, ...Object.fromEntries(this.#labels.map((one) => [one, ''])) }
      : labels;
    known.set(isFull ? '' : id, admitted);
    return admitted;
  }
}

const keyOf = ({ metadata }: Application): string => `${metadata.namespace}/${metadata.name}`;
