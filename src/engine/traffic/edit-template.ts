import { equal, isObject } from '#base/std';
import { applyEdits, layoutsOf, parse, setValue } from '#lang/yaml';
import { documentsIn, joinDocuments, notEditable, readValue, readValues } from './documents.ts';
import { identityIn, mergeChange, type TemplateChange } from './merge-template.ts';

type Path = readonly (string | number)[];

/** More edits than a person reads in one commit; a document is read again after each. */
const mostEdits = 200;

/**
 * The text with the same change made to `spec.template` of one of its documents: the whole Service, or a patch that has a part of
 * it. Comments and layout of what stays are kept. The result is read again: it must be the same documents with that change, or
 * InvalidSpec is thrown and nothing is edited.
 */
export function editTemplate(text: string, at: number, change: TemplateChange): string {
  const documents = documentsIn(text);
  const document = documents[at];
  if (!document) throw unsafe('the document is missing');
  const value = readValue(document);
  if (!isObject(value)) throw unsafe('it is no YAML mapping');
  const wanted = withTemplate(value, change);
  const edited = new Editor(document.lines.join(document.end)).write([], value, wanted);
  if (edited === undefined) throw unsafe('its layout cannot be edited without changing something else');
  const lines = edited.split(document.end);
  const result = joinDocuments(documents.with(at, { ...document, lines }));
  if (!equal(readValues(result), readValues(text).with(at, wanted)))
    throw unsafe('an anchor or its layout would change something else');
  return result;
}

const unsafe = (why: string) => notEditable('spec.template', why);

function withTemplate(value: Readonly<Record<string, unknown>>, change: TemplateChange): unknown {
  const spec = value.spec ?? {};
  if (!isObject(spec)) throw unsafe('its spec is no mapping');
  return { ...value, spec: { ...spec, template: mergeChange(spec.template ?? undefined, change) } };
}

/** One document while it is edited, from the smallest change that its layout permits to the largest. */
class Editor {
  #text: string;
  #left = mostEdits;

  constructor(text: string) {
    this.#text = text;
  }

  /** The text with another value at the path; undefined: its layout does not permit it. */
  write(path: Path, before: unknown, after: unknown): string | undefined {
    if (equal(before, after)) return this.#text;
    const start = this.#text;
    if (this.#writeParts(path, before, after)) return this.#text;
    this.#text = start;
    return this.#set(path, after) ? this.#text : undefined;
  }

  #writeParts(path: Path, before: unknown, after: unknown): boolean {
    if (isObject(before) && isObject(after)) {
      const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
      return names.every((name) => this.#writePart([...path, name], before[name], after[name]));
    }
    return Array.isArray(before) && Array.isArray(after) && this.#writeItems(path, before, after);
  }

  #writePart = (path: Path, before: unknown, after: unknown): boolean =>
    before === undefined || after === undefined
      ? equal(before, after) || this.#set(path, after)
      : this.write(path, before, after) !== undefined;

  /** Items that go, then those that change, then those that are added at the end; another order is another list. */
  #writeItems(path: Path, before: readonly unknown[], after: readonly unknown[]): boolean {
    const field = String(path.at(-1) ?? '');
    const nameOf = (item: unknown, at: number): unknown => identityIn(field, item) ?? `item ${at}`;
    const wanted = after.map(nameOf);
    const isGone = (item: unknown, at: number): boolean => !wanted.includes(nameOf(item, at));
    const gone = before.flatMap((item, at) => (isGone(item, at) ? [at] : []));
    const kept = before.filter((item, at) => !isGone(item, at));
    const isOrdered = kept.every((item, at) => equal(nameOf(item, before.indexOf(item)), wanted[at]));
    if (!isOrdered || kept.length === 0) return false;
    if (!gone.reverse().every((at) => this.#set([...path, at], undefined))) return false;
    return after.every((item, at) => this.#writePart([...path, at], kept[at], item));
  }

  #set(path: Path, value: unknown): boolean {
    this.#left -= 1;
    const [layout] = this.#left >= 0 ? layoutsOf(this.#text) : [];
    const edit = layout && setValue(layout, path, value, this.#text);
    if (!edit) return false;
    const text = applyEdits(this.#text, [edit]);
    if (!reads(text, path, value)) return false;
    this.#text = text;
    return true;
  }
}

/** Whether a text has a value at a path, and is YAML at all. */
function reads(text: string, path: Path, value: unknown): boolean {
  try {
    let found: unknown = parse(text, { duplicateKeys: 'reject' });
    for (const step of path) found = (found as Record<string | number, unknown> | null)?.[step];
    // an item that was removed has another in its place
    return typeof path.at(-1) === 'number' && value === undefined ? true : equal(found, value);
  } catch {
    return false;
  }
}
