import { FairleadError, Lru } from '#base/std';
import { isObject, type JsonObject } from '#kubernetes/schema';
import { describeElement, type Element, fieldElement, readElement, sortElements } from './element.ts';

const noMembers: ReadonlySet<Element> = new Set();
/** Most writes leave most managers alone: their sets need not be read and printed again. */
const spelled = new WeakMap<JsonObject, FieldSet>();
/** A thousand objects of one make have the same few sets between them: they share one print of each. */
const prints = new Lru<JsonObject>({ capacity: 512 });
/** Longer prints are not shared: they are hardly ever equal. */
const longestShared = 8192;
const noChildren: ReadonlyMap<Element, FieldSet> = new Map();

/**
 * A set of field paths, as managedFields records it. Immutable; every operation returns a set.
 * A path is in the set when its last element is a member of the node its other elements lead to.
 */
export class FieldSet {
  readonly members: ReadonlySet<Element>;
  /** Never holds an empty set, so equal sets have equal shapes. */
  readonly children: ReadonlyMap<Element, FieldSet>;
  #printed: JsonObject | undefined;

  constructor(members = noMembers, children = noChildren) {
    this.members = members;
    this.children = children;
  }

  /** Set below the class: the compiler renames a class that makes itself while it is being defined, too late. */
  static empty: FieldSet;

  /** Reads FieldsV1 (`{"f:spec": {"f:replicas": {}}}`). Throws InvalidSpec on anything else. */
  static parse(fieldsV1: unknown): FieldSet {
    const known = isObject(fieldsV1) ? spelled.get(fieldsV1) : undefined;
    if (known !== undefined) return known;
    const set = read(fieldsV1);
    if (isObject(fieldsV1)) spelled.set(fieldsV1, set);
    return set;
  }

  /** Paths of plain struct fields: `FieldSet.of([['status'], ['metadata', 'labels']])`. */
  static of(paths: readonly (readonly string[])[]): FieldSet {
    const builder = new FieldSetBuilder();
    for (const path of paths) builder.insert(path.map(fieldElement));
    return builder.build();
  }

  get isEmpty(): boolean {
    return this.members.size === 0 && this.children.size === 0;
  }

  /** The subset below one element. */
  below(element: Element): FieldSet {
    return this.children.get(element) ?? FieldSet.empty;
  }

  /** FieldsV1, keys sorted as Kubernetes sorts them. The same object every time: treat it as frozen. */
  print(): JsonObject {
    if (this.#printed === undefined) {
      this.#printed = shared(this.#print());
      if (!spelled.has(this.#printed)) spelled.set(this.#printed, this);
    }
    return this.#printed;
  }

  #print(): JsonObject {
    const printed: JsonObject = {};
    for (const element of this.#elements()) {
      const child = this.children.get(element);
      if (child === undefined) printed[element] = {};
      else printed[element] = this.members.has(element) ? { '.': {}, ...child.#print() } : child.#print();
    }
    return printed;
  }

  #elements(): Element[] {
    const elements = [...this.members];
    for (const element of this.children.keys()) if (!this.members.has(element)) elements.push(element);
    return sortElements(elements);
  }

  union(other: FieldSet): FieldSet {
    if (other.isEmpty || other === this) return this;
    if (this.isEmpty) return other;
    const children = new Map(this.children);
    for (const [element, child] of other.children) {
      const mine = children.get(element);
      children.set(element, mine === undefined ? child : mine.union(child));
    }
    return new FieldSet(new Set([...this.members, ...other.members]), children);
  }

  intersect(other: FieldSet): FieldSet {
    if (other.isEmpty) return FieldSet.empty;
    return this.#mapped(
      (element) => other.members.has(element),
      (child, element) => child.intersect(other.below(element)),
    );
  }

  /** Without the paths of the other set; paths below them stay. Itself if there were none. */
  subtract(other: FieldSet): FieldSet {
    if (other.isEmpty) return this;
    return this.#mapped(
      (element) => !other.members.has(element),
      (child, element) => child.subtract(other.below(element)),
    );
  }

  /** Without the paths of the other set and everything below them. Itself if there were none. */
  subtractTrees(other: FieldSet): FieldSet {
    if (other.isEmpty) return this;
    return this.#mapped(
      (element) => !other.members.has(element),
      (child, element) =>
        other.members.has(element) ? FieldSet.empty : child.subtractTrees(other.below(element)),
    );
  }

  #mapped(
    keep: (element: Element) => boolean,
    change: (child: FieldSet, element: Element) => FieldSet,
  ): FieldSet {
    const members = filtered(this.members, keep);
    let children: Map<Element, FieldSet> | undefined;
    for (const [element, child] of this.children) {
      const next = change(child, element);
      if (next === child) continue;
      children ??= new Map(this.children);
      if (next.isEmpty) children.delete(element);
      else children.set(element, next);
    }
    if (members === this.members && children === undefined) return this;
    return new FieldSet(members, children ?? this.children);
  }

  equals(other: FieldSet): boolean {
    if (this === other) return true;
    if (this.members.size !== other.members.size || this.children.size !== other.children.size) return false;
    for (const element of this.members) if (!other.members.has(element)) return false;
    for (const [element, child] of this.children) if (!child.equals(other.below(element))) return false;
    return true;
  }

  /** Readable paths, `.spec.containers[name="web"].image`, in the set's order. */
  paths(): string[] {
    const elements = this.#elements();
    const members = elements.filter((element) => this.members.has(element)).map(describeElement);
    const below = elements.flatMap((element) => {
      const here = describeElement(element);
      return this.below(element)
        .paths()
        .map((path) => here + path);
    });
    return [...members, ...below];
  }
}
FieldSet.empty = new FieldSet();

/** The elements to keep; the same set when that is all of them. */
function filtered(elements: ReadonlySet<Element>, keep: (element: Element) => boolean): ReadonlySet<Element> {
  let kept: Set<Element> | undefined;
  for (const element of elements) {
    if (keep(element)) continue;
    kept ??= new Set(elements);
    kept.delete(element);
  }
  return kept ?? elements;
}

/** An equal print that exists already, if there is one. */
function shared(printed: JsonObject): JsonObject {
  const text = JSON.stringify(printed);
  if (text.length > longestShared) return printed;
  const known = prints.get(text);
  if (known !== undefined) return known;
  prints.set(text, printed);
  return printed;
}

function fieldsOf(fieldsV1: unknown): JsonObject {
  if (isObject(fieldsV1)) return fieldsV1;
  if (fieldsV1 === undefined || fieldsV1 === null) return {};
  throw new FairleadError('InvalidSpec', 'fieldsV1 in managedFields is not an object');
}

/** Collects paths one by one. */
export class FieldSetBuilder {
  // made when something comes: most nodes have only members, or only children
  #members: Set<Element> | undefined;
  #children: Map<Element, FieldSetBuilder> | undefined;

  /** `last`, if given, is one more element after the path. */
  insert(path: readonly Element[], last?: Element): void {
    const end = last === undefined ? path.length - 1 : path.length;
    const member = last ?? path[end];
    if (member === undefined) return;
    const node = this.#descend(path, end);
    node.#members ??= new Set();
    node.#members.add(member);
  }

  #descend(path: readonly Element[], end: number): FieldSetBuilder {
    let node: FieldSetBuilder = this;
    for (let depth = 0; depth < end; depth++) node = node.#child(path[depth] ?? '');
    return node;
  }

  #child(element: Element): FieldSetBuilder {
    const known = this.#children?.get(element);
    if (known !== undefined) return known;
    const child = new FieldSetBuilder();
    this.#children ??= new Map();
    this.#children.set(element, child);
    return child;
  }

  build(): FieldSet {
    if (this.#members === undefined && this.#children === undefined) return FieldSet.empty;
    if (this.#children === undefined) return new FieldSet(this.#members);
    const children = new Map<Element, FieldSet>();
    for (const [element, child] of this.#children) children.set(element, child.build());
    return new FieldSet(this.#members, children);
  }
}

function read(fieldsV1: unknown): FieldSet {
  const members = new Set<Element>();
  const children = new Map<Element, FieldSet>();
  for (const [text, below] of Object.entries(fieldsOf(fieldsV1))) {
    const element = text === '.' ? undefined : readElement(text);
    if (element === undefined) continue;
    const child = read(below);
    if (child.isEmpty || Object.hasOwn(fieldsOf(below), '.')) members.add(element);
    if (!child.isEmpty) children.set(element, child);
  }
  return members.size + children.size === 0 ? FieldSet.empty : new FieldSet(members, children);
}
