import { equal } from '#base/std';
import { anyType, isObject, type JsonObject, type TypeNode } from '#kubernetes/schema';
import { type Element, fieldElement } from './element.ts';
import { type FieldSet, FieldSetBuilder } from './field-set.ts';
import { childType, itemElement, type OwnedList, type OwnershipShape, shapeOf } from './shape.ts';

export type FieldComparison = {
  readonly added: FieldSet;
  readonly removed: FieldSet;
  readonly modified: FieldSet;
};

/** Which fields differ between two values of one type, by structured-merge-diff's rules. */
export function compareFields(before: unknown, after: unknown, type: TypeNode): FieldComparison {
  const comparison = new Comparison();
  comparison.compare(before, after, type);
  return comparison.result();
}

const nothing: JsonObject = Object.freeze({});

/** undefined is an absent side; null is a value. */
class Comparison {
  readonly #path: Element[] = [];
  readonly #added = new FieldSetBuilder();
  readonly #removed = new FieldSetBuilder();
  readonly #modified = new FieldSetBuilder();

  result(): FieldComparison {
    return { added: this.#added.build(), removed: this.#removed.build(), modified: this.#modified.build() };
  }

  compare(before: unknown, after: unknown, type: TypeNode): void {
    if (before === after) return;
    const former = this.#formerShape(before, after, type);
    if (former) this.#compareAs(former, before, after);
    const wasLeaf = this.#compareAs(shapeOf(type, after === undefined ? before : after), before, after);
    if (wasLeaf) return;
    if (before === undefined) this.#added.insert(this.#path);
    else if (after === undefined) this.#removed.insert(this.#path);
  }

  /** A value of unknown type may have changed its kind: then each side is compared by its own kind. */
  #formerShape(before: unknown, after: unknown, type: TypeNode): OwnershipShape | undefined {
    if (type.kind !== 'any' || before === undefined || after === undefined) return undefined;
    const former = shapeOf(type, before);
    return former.kind === shapeOf(type, after).kind ? undefined : former;
  }

  #compareAs(shape: OwnershipShape, before: unknown, after: unknown): boolean {
    if (shape.kind === 'list') return this.#compareLists(before, after, shape.list);
    if (shape.kind === 'map') return this.#compareMaps(before, after, shape.type);
    return this.#compareLeaves(before, after);
  }

  #compareLeaves(before: unknown, after: unknown): true {
    if (before === undefined) this.#added.insert(this.#path);
    else if (after === undefined) this.#removed.insert(this.#path);
    else if (!equal(before, after)) this.#modified.insert(this.#path);
    return true;
  }

  #within(element: Element, before: unknown, after: unknown, type: TypeNode): void {
    this.#path.push(element);
    this.compare(before, after, type);
    this.#path.pop();
  }

  #compareMaps(before: unknown, after: unknown, type: TypeNode): boolean {
    const left = isObject(before) ? before : nothing;
    const right = isObject(after) ? after : nothing;
    const names = Object.keys(left);
    const others = Object.keys(right);
    // two empty ones are a leaf: {} and null differ
    if (names.length + others.length === 0) return this.#compareLeaves(before, after);
    for (const name of names) {
      const now = Object.hasOwn(right, name) ? right[name] : undefined;
      this.#within(fieldElement(name), left[name], now, childType(type, name) ?? anyType);
    }
    for (const name of others) {
      if (names.length > 0 && Object.hasOwn(left, name)) continue;
      this.#within(fieldElement(name), undefined, right[name], childType(type, name) ?? anyType);
    }
    return false;
  }

  #compareLists(before: unknown, after: unknown, list: OwnedList): boolean {
    const left = byElement(before, list);
    const right = byElement(after, list);
    if (left.size === 0 && right.size === 0) return this.#compareLeaves(before, after);
    for (const [element, items] of left) this.#compareItems(element, [items, right.get(element) ?? []], list);
    for (const [element, items] of right) {
      if (!left.has(element)) this.#compareItems(element, [[], items], list);
    }
    return false;
  }

  /** Items that share a key are compared as one lump. */
  #compareItems(element: Element, [before, after]: [unknown[], unknown[]], { items }: OwnedList): void {
    if (before.length <= 1 && after.length <= 1) {
      this.#within(element, before[0], after[0], items);
    } else if (before.length >= 2 && after.length >= 2) {
      if (!equal(before, after)) this.#modified.insert(this.#path, element);
    } else if (before.length >= 2) {
      if (after.length === 1) this.#within(element, undefined, after[0], items);
      this.#removed.insert(this.#path, element);
    } else {
      if (before.length === 1) this.#within(element, before[0], undefined, items);
      this.#added.insert(this.#path, element);
    }
  }
}

function byElement(value: unknown, list: OwnedList): Map<Element, unknown[]> {
  const found = new Map<Element, unknown[]>();
  if (!Array.isArray(value)) return found;
  for (const item of value) {
    const element = itemElement(item, list);
    const same = found.get(element);
    if (same === undefined) found.set(element, [item]);
    else same.push(item);
  }
  return found;
}
