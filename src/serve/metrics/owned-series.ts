export type Labels = Readonly<Record<string, string>>;

type OwnedSeriesOptions = {
  /** Labels whose values come from outside. */
  readonly open: readonly string[];
  /** Series that one owner may have; further ones are reported with empty open labels. */
  readonly most: number;
};

/** The series of one family by their owner: one owner cannot create unlimited series, and they are removed with it. */
export class OwnedSeries {
  readonly #family: { remove(labels: Labels): void };
  readonly #options: OwnedSeriesOptions;
  readonly #known = new Map<string, Map<string, Labels>>();

  constructor(family: { remove(labels: Labels): void }, options: OwnedSeriesOptions) {
    this.#family = family;
    this.#options = options;
  }

  /** The labels to report an owner's value under. The caller must pass them in the same order every time. */
  of(owner: string, labels: Labels): Labels {
    const known = this.#known.get(owner) ?? new Map<string, Labels>();
    this.#known.set(owner, known);
    const id = JSON.stringify(Object.values(labels));
    return known.get(id) ?? this.#admit(known, id, labels);
  }

  forget(owner: string): void {
    for (const labels of this.#known.get(owner)?.values() ?? []) this.#family.remove(labels);
    this.#known.delete(owner);
  }

  #admit(known: Map<string, Labels>, id: string, labels: Labels): Labels {
    const { open, most } = this.#options;
    const isFull = known.size >= most;
    const admitted = isFull ? { ...labels, ...Object.fromEntries(open.map((one) => [one, ''])) } : labels;
    known.set(isFull ? JSON.stringify(Object.values(admitted)) : id, admitted);
    return admitted;
  }
}
