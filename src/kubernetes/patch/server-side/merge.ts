import { equal, FairleadError } from '#base/std';
import { anyType, isObject, type TypeNode } from '#kubernetes/schema';
import { describeElement, type Element } from './element.ts';
import { childType, itemElement, type OwnedList, shapeOf } from './shape.ts';

/**
 * The live value merged with an applied configuration: the configuration wins where both have a value, the
 * rest stays. undefined means absent on either side and in the result. An unchanged value is the live value
 * itself.
 */
export function mergeTyped(live: unknown, applied: unknown, type: TypeNode): unknown {
  if (live === applied || live === undefined) return applied === undefined ? live : applied;
  const shape = shapeOf(type, applied === undefined ? live : applied);
  if (shape.kind === 'leaf') return applied === undefined || equal(live, applied) ? live : applied;
  if (applied === undefined) return live;
  return shape.kind === 'list' ? mergeLists(live, applied, shape.list) : mergeMaps(live, applied, shape.type);
}

function mergeMaps(live: unknown, applied: unknown, type: TypeNode): unknown {
  const left = isObject(live) ? live : {};
  const right = isObject(applied) ? applied : {};
  const names = Object.keys(right);
  // both empty is a leaf: the difference between {} and null is worth keeping
  if (names.length === 0) return Object.keys(left).length === 0 ? applied : left;
  const changed: [string, unknown][] = [];
  for (const name of names) {
    const before = Object.hasOwn(left, name) ? left[name] : undefined;
    const value = mergeTyped(before, right[name], childType(type, name) ?? anyType);
    if (value !== before) changed.push([name, value]);
  }
  return changed.length === 0 ? left : Object.fromEntries([...Object.entries(left), ...changed]);
}

type Item = { readonly element: Element; readonly value: unknown };

const itemsOf = (value: unknown, list: OwnedList): Item[] =>
  Array.isArray(value) ? value.map((item) => ({ element: itemElement(item, list), value: item })) : [];

function mergeLists(live: unknown, applied: unknown, list: OwnedList): unknown {
  const left = itemsOf(live, list);
  const right = itemsOf(applied, list);
  if (left.length === 0 && right.length === 0) return applied;
  const merged = new ListMerge(left, right, list).run();
  return isSame(merged, live) ? live : merged;
}

const isSame = (items: readonly unknown[], live: unknown): boolean =>
  Array.isArray(live) && live.length === items.length && items.every((item, at) => item === live[at]);

/** Applied items are in their own order; live-only items keep their position among their neighbours. */
class ListMerge {
  readonly #left: readonly Item[];
  readonly #right: readonly Item[];
  readonly #type: TypeNode;
  readonly #applied = new Map<Element, unknown>();
  readonly #live = new Map<Element, unknown>();
  readonly #shared: Element[];
  readonly #done = new Set<Element>();
  readonly #out: unknown[] = [];

  constructor(left: readonly Item[], right: readonly Item[], list: OwnedList) {
    this.#left = left;
    this.#right = right;
    this.#type = list.items;
    for (const { element, value } of right) {
      if (this.#applied.has(element)) {
        throw new FairleadError('InvalidSpec', `duplicate entries for key ${describeElement(element)}`);
      }
      this.#applied.set(element, value);
    }
    // a live item that occurs twice is not merged into, it is replaced
    for (const { element, value } of left)
      this.#live.set(element, this.#live.has(element) ? undefined : value);
    this.#shared = right.map(({ element }) => element).filter((element) => this.#live.has(element));
    this.#shared.reverse();
  }

  run(): unknown[] {
    let [l, r] = [0, 0];
    while (l < this.#left.length || r < this.#right.length) {
      const [live, applied] = [this.#left[l], this.#right[r]];
      if (live !== undefined && this.#passes(live, applied)) {
        l += 1;
        continue;
      }
      if (live !== undefined && (this.#done.has(live.element) || live.element === applied?.element)) l += 1;
      if (applied !== undefined) {
        this.#take(applied);
        r += 1;
      }
    }
    return this.#out;
  }

  /**
   * True when the live cursor may advance alone: the item is copied, or it follows at its position in the
   * configuration.
   */
  #passes(live: Item, applied: Item | undefined): boolean {
    if (!this.#applied.has(live.element)) {
      this.#out.push(live.value);
      return true;
    }
    const next = this.#shared.at(-1);
    return (
      applied !== undefined && live.element !== applied.element && next !== undefined && next !== live.element
    );
  }

  #take({ element, value }: Item): void {
    this.#done.add(element);
    if (this.#shared.at(-1) === element) this.#shared.pop();
    this.#out.push(mergeTyped(this.#live.get(element), value, this.#type));
  }
}
