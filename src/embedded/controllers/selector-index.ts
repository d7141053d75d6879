import type { KubeObject } from '#base/model';
import { serviceKind } from './kinds.ts';
import type { Key, SimulationContext } from './simulation-context.ts';
import { all } from './write.ts';

type Selector = Readonly<Record<string, string>>;

/**
 * The services that may select a pod, indexed by one label each, so that a pod's change does not check all of
 * them.
 */
export class SelectorIndex {
  readonly #byLabel = new Map<string, Map<string, Key>>();
  readonly #labelOf = new Map<string, string>();
  #isFilled = false;

  put(key: Key, selector: Selector | undefined): void {
    const [pair] = Object.entries(selector ?? {});
    const label = pair && labelId(key.namespace, ...pair);
    if (this.#labelOf.get(idOf(key)) === label) return;
    this.drop(key);
    if (label === undefined) return;
    this.#labelOf.set(idOf(key), label);
    const keys = this.#byLabel.get(label) ?? new Map<string, Key>();
    keys.set(idOf(key), key);
    this.#byLabel.set(label, keys);
  }

  drop(key: Key): void {
    const label = this.#labelOf.get(idOf(key));
    if (label === undefined) return;
    this.#labelOf.delete(idOf(key));
    const keys = this.#byLabel.get(label);
    if (keys?.delete(idOf(key)) && keys.size === 0) this.#byLabel.delete(label);
  }

  selecting({ metadata }: KubeObject, context: SimulationContext): readonly Key[] {
    this.#fill(context);
    const { namespace = '', labels = {} } = metadata;
    return Object.entries(labels).flatMap((pair) => [
      ...(this.#byLabel.get(labelId(namespace, ...pair))?.values() ?? []),
    ]);
  }

  /** Events of pods may arrive before those of services. */
  #fill(context: SimulationContext): void {
    if (this.#isFilled) return;
    this.#isFilled = true;
    for (const { metadata, spec } of all(context, serviceKind)) {
      const key = { namespace: metadata.namespace ?? '', name: metadata.name };
      this.put(key, (spec as { selector?: Selector } | undefined)?.selector);
    }
  }
}

const idOf = ({ namespace, name }: Key): string => `${namespace}/${name}`;
const labelId = (namespace: string, key: string, value: string): string => `${namespace}|${key}=${value}`;
