import type { Key } from '../simulation-context.ts';

/**
 * State that the kubelet keeps in memory to be exact and quick. Losing it costs only precision: objects record
 * times in whole seconds, and after a restart every pod is reconciled anyway.
 */
export class PodNotes {
  readonly #begun = new Map<string, Map<string, number>>();
  readonly #waiting = new Map<string, Map<string, Key>>();

  /** When something began: as kept here, else as the object records if that is long ago, else now. */
  since(key: Key, what: string, { recorded, now }: { recorded: number | undefined; now: number }): number {
    const begun = this.#page(key);
    const noted = begun.get(what);
    if (noted !== undefined) return noted;
    const began = recorded !== undefined && now - recorded > 1000 ? recorded : now;
    begun.set(what, began);
    return began;
  }

  /** Whether this is the first call for this. */
  isNew(key: Key, what: string): boolean {
    const begun = this.#page(key);
    if (begun.has(what)) return false;
    begun.set(what, 0);
    return true;
  }

  /** The pod waits for another object of its namespace. */
  waits(key: Key): void {
    const pods = this.#waiting.get(key.namespace) ?? new Map<string, Key>();
    pods.set(key.name, key);
    this.#waiting.set(key.namespace, pods);
  }

  resolved(key: Key): void {
    this.#waiting.get(key.namespace)?.delete(key.name);
  }

  waitingIn(namespace: string): readonly Key[] {
    return [...(this.#waiting.get(namespace)?.values() ?? [])];
  }

  forget(key: Key): void {
    this.#begun.delete(idOf(key));
    this.resolved(key);
  }

  #page(key: Key): Map<string, number> {
    const page = this.#begun.get(idOf(key)) ?? new Map<string, number>();
    this.#begun.set(idOf(key), page);
    return page;
  }
}

const idOf = ({ namespace, name }: Key): string => `${namespace}/${name}`;
