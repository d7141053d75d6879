import { baseName, type KubeObject, linkTarget, parentPath } from '#base/model';
import { FairleadError, isObject } from '#base/std';
import { layoutsOf, readDocuments, type YamlLayout } from '#lang/yaml';
import type { FieldPath } from './check.ts';
import { listAt, textsAt } from './kinds.ts';

/** One manifest of a file. */
export type FileObject = {
  readonly object: KubeObject;
  readonly file: DoctorFile;
  /** The number of the document, from 0. */
  readonly document: number;
  /** The way from the document to the manifest: an item of a List. */
  readonly above: FieldPath;
  /** The line on which the document begins. */
  readonly line: number;
};

/** A file with YAML, read. */
export type DoctorFile = {
  readonly path: string;
  readonly text: string;
  readonly objects: readonly FileObject[];
  /** The content of a kustomization. */
  readonly kustomization: unknown;
  /** Why it could not be read, for a file that seems to hold manifests. */
  readonly problem: { readonly message: string; readonly line: number } | undefined;
  /** How its documents are written; empty where that cannot be said. */
  layouts(): readonly YamlLayout[];
};

const kustomizationNames: ReadonlySet<string> = new Set([
  'kustomization.yaml',
  'kustomization.yml',
  'Kustomization',
]);

/** Whether a path is that of a kustomization. */
export const isKustomization = (path: string): boolean => kustomizationNames.has(baseName(path));

/** Reads a file. Never throws: what cannot be read is a problem of the file, if it seems to hold manifests at all. */
export function readDoctorFile(path: string, text: string): DoctorFile {
  const objects: FileObject[] = [];
  let known: readonly YamlLayout[] | undefined;
  const layouts = (): readonly YamlLayout[] => {
    known ??= layoutsIn(text);
    return known;
  };
  const isKustom = isKustomization(path);
  const file = { path, text, objects, layouts, kustomization: undefined as unknown, problem: undefined };
  try {
    let document = 0;
    for (const { value, line } of readDocuments(text, { name: path })) {
      if (isKustom) file.kustomization ??= value;
      else
        for (const { object, above } of manifestsIn(value))
          objects.push({ object, file, document, above, line });
      document += 1;
    }
  } catch (thrown) {
    const { message } = FairleadError.from(thrown);
    const line = Number(/\bline (\d+)/.exec(message)?.[1] ?? 1);
    const isManifest = isKustom || /^[-\s"{]*apiVersion["']?\s*:/m.test(text);
    return { ...file, problem: isManifest ? { message: message.replace(`${path}: `, ''), line } : undefined };
  }
  return file;
}

function layoutsIn(text: string): readonly YamlLayout[] {
  try {
    return layoutsOf(text);
  } catch {
    return [];
  }
}

/** The manifests of a document; a List is replaced by its items. */
function* manifestsIn(value: unknown): Generator<{ object: KubeObject; above: FieldPath }> {
  if (!isObject(value) || typeof value.apiVersion !== 'string' || typeof value.kind !== 'string') return;
  if (value.kind.endsWith('List') && Array.isArray(value.items)) {
    for (const [at, item] of value.items.entries())
      for (const { object, above } of manifestsIn(item)) yield { object, above: ['items', at, ...above] };
    return;
  }
  const metadata = isObject(value.metadata) ? value.metadata : {};
  const name = typeof metadata.name === 'string' ? metadata.name : '';
  yield { object: { ...value, metadata: { ...metadata, name } } as KubeObject, above: [] };
}

/** The folders of kustomizations that no other one builds on: those that are rendered. */
export function kustomizationRoots(files: readonly DoctorFile[]): string[] {
  const all = files.filter(({ kustomization }) => isObject(kustomization));
  const used = new Set(
    all.flatMap(({ path, kustomization }) =>
      ['resources', 'bases', 'components'].flatMap((field) =>
        textsAt(kustomization, [field]).map((name) => linkTarget(path, name)),
      ),
    ),
  );
  const isComponent = ({ kustomization }: DoctorFile) =>
    isObject(kustomization) && kustomization.kind === 'Component';
  return all
    .filter((file) => !isComponent(file))
    .map(({ path }) => parentPath(path))
    .filter((dir) => !used.has(dir));
}

/** Whether a kustomization has entries under one of these fields. */
export const causeIn = ({ kustomization }: DoctorFile, fields: readonly string[]): string | undefined =>
  fields.find(
    (field) =>
      isObject(kustomization) &&
      (listAt(kustomization, [field]).length > 0 || isObject(kustomization[field])),
  );
