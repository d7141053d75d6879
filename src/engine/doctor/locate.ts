import type { KubeObject } from '#base/model';
import { equal, isObject } from '#base/std';
import { setScalar, type YamlEdit, type YamlLayout } from '#lang/yaml';
import type { FieldPath, Flaw, Mend } from './check.ts';
import { causeIn, type DoctorFile, type FileObject } from './files.ts';
import { kindKey, valueAt } from './kinds.ts';

/** Where a flaw stands, and the edit that mends it there. */
export type FlawPlace = {
  readonly file: DoctorFile;
  readonly line: number;
  readonly column: number;
  /** The first line of the document; an ignore comment above it is about all of it. */
  readonly documentLine: number;
  readonly edit: YamlEdit | undefined;
};

/** Where a flaw of a manifest that is in a file stands. */
export function placeInFile(source: FileObject, flaw: Flaw): FlawPlace {
  const { file, document, above, line } = source;
  const layout = file.layouts()[document];
  const found = layout?.find([...above, ...flaw.at]);
  const span = found && (found.node.key ?? found.node.span);
  const isBlock = found?.isWhole === true && found.node.style === 'folded';
  return {
    file,
    line: (span?.line ?? line) + (isBlock ? (flaw.lineBelow ?? 0) : 0),
    column: layout?.isExact ? (span?.column ?? 1) : 1,
    documentLine: layout?.line ?? line,
    edit: layout && flaw.mend && editFor(layout, above, flaw.mend, file.text),
  };
}

function editFor(layout: YamlLayout, above: FieldPath, mend: Mend, text: string): YamlEdit | undefined {
  const path = [...above, ...mend.path];
  if ('value' in mend) return setScalar(layout, path, mend.value, text);
  const found = layout.find(path);
  const isPlain =
    found?.isWhole && !found.isShared && found.node.is === 'scalar' && found.node.style === 'plain';
  if (!layout.isExact || !found || !isPlain) return undefined;
  const { start, end } = found.node.span;
  return { start, end, text: `"${text.slice(start, end)}"` };
}

/** The documents that a rendered object may come from: its kind, and its name or a part of it. */
export function sourcesFor(object: KubeObject, files: readonly DoctorFile[]): FileObject[] {
  const { name } = object.metadata;
  const same = byKind(files).get(kindKey(object)) ?? [];
  const exact = same.filter((one) => one.object.metadata.name === name);
  if (exact.length > 0) return exact;
  return same.filter(({ object: { metadata } }) => metadata.name !== '' && name.includes(metadata.name));
}

/** The documents of the files of one kustomization by kind, made once: it may render thousands of objects. */
const indexes = new WeakMap<readonly DoctorFile[], ReadonlyMap<string, FileObject[]>>();

function byKind(files: readonly DoctorFile[]): ReadonlyMap<string, FileObject[]> {
  const known = indexes.get(files);
  if (known) return known;
  const made = new Map<string, FileObject[]>();
  for (const one of files.flatMap(({ objects }) => objects)) {
    const list = made.get(kindKey(one.object));
    if (list) list.push(one);
    else made.set(kindKey(one.object), [one]);
  }
  indexes.set(files, made);
  return made;
}

/**
 * Where a flaw of a rendered object stands: the document that contains the very value; else the field of a kustomization that
 * causes it; else the document that contains most of the way to it; else the kustomization.
 */
export function placeOfRendered(
  object: KubeObject,
  flaw: Flaw,
  sources: readonly FileObject[],
  kustomizations: readonly DoctorFile[],
): FlawPlace | undefined {
  const value = valueAt(object, flaw.at);
  const moved = sources.map((source) => ({ source, flaw: movedTo(source.object, object, flaw) }));
  // a patch overrides the base, and is read after it
  const same =
    value === undefined
      ? undefined
      : moved.findLast((one) => equal(valueAt(one.source.object, one.flaw.at), value));
  if (same) return placeInFile(same.source, same.flaw);
  for (const file of flaw.causedBy ? kustomizations : []) {
    const field = causeIn(file, flaw.causedBy ?? []);
    if (field !== undefined) return placeInKustomization(file, [field]);
  }
  const [nearest] = moved.toSorted((a, b) => depth(b.source, b.flaw) - depth(a.source, a.flaw));
  if (nearest) return { ...placeInFile(nearest.source, nearest.flaw), edit: undefined };
  const [root] = kustomizations;
  return root && placeInKustomization(root, []);
}

/** How many steps of the way a document has. */
function depth({ object }: FileObject, { at }: Flaw): number {
  let steps = 0;
  while (steps < at.length && valueAt(object, at.slice(0, steps + 1)) !== undefined) steps += 1;
  return steps;
}

/** The flaw in another version of its object, where the items of a list may have other places: they are found by name. */
function movedTo(source: KubeObject, object: KubeObject, flaw: Flaw): Flaw {
  const move = (path: FieldPath): FieldPath => {
    const moved: (string | number)[] = [];
    for (const [at, step] of path.entries()) {
      const item = typeof step === 'number' ? valueAt(object, path.slice(0, at + 1)) : undefined;
      moved.push(indexIn(valueAt(source, moved), item) ?? step);
    }
    return moved;
  };
  const { mend } = flaw;
  return { ...flaw, at: move(flaw.at), ...(mend && { mend: { ...mend, path: move(mend.path) } }) };
}

/** The place in a list of the item with the same name. */
function indexIn(list: unknown, item: unknown): number | undefined {
  const name = nameAt(item);
  const found =
    name !== undefined && Array.isArray(list) ? list.findIndex((one) => nameAt(one) === name) : -1;
  return found < 0 ? undefined : found;
}

const nameAt = (value: unknown): string | undefined =>
  isObject(value) && typeof value.name === 'string' ? value.name : undefined;

function placeInKustomization(file: DoctorFile, path: FieldPath): FlawPlace {
  const [layout] = file.layouts();
  const found = layout?.find(path);
  const span = found && (found.node.key ?? found.node.span);
  const line = layout?.line ?? 1;
  return { file, line: span?.line ?? line, column: span?.column ?? 1, documentLine: line, edit: undefined };
}
