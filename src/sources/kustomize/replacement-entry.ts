import { decline } from './decline.ts';
import { type PatchTarget, targetOf } from './entries.ts';
import { isAbsent, list, only, textIn, texts } from './typed.ts';
import { asFields, type FieldMap } from './values.ts';

/** How a value is extracted from a text, or inserted into one. */
export type FieldOptions = { readonly delimiter: string; readonly index: number; readonly create: boolean };

export type ReplacementSource = {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
  readonly fieldPath: string;
  readonly options: FieldOptions;
};

export type ReplacementTarget = {
  readonly select: PatchTarget;
  readonly reject: readonly PatchTarget[];
  readonly fieldPaths: readonly string[];
  readonly options: FieldOptions;
};

/** A value of one object, or a text, that is put into fields of others (sources KR-1). */
export type Replacement = {
  readonly source: ReplacementSource | string;
  readonly targets: readonly ReplacementTarget[];
};

/** An entry of `replacements`: a replacement, or a file of them. */
export type ReplacementEntry = { readonly path: string } | Replacement;

export function replacementEntry(entry: FieldMap): ReplacementEntry {
  if (!isAbsent(entry.path)) {
    only(entry, 'path');
    return { path: textIn(entry.path) };
  }
  return replacementOf(entry);
}

export function replacementOf(entry: FieldMap): Replacement {
  only(entry, 'source sourceValue targets');
  const { source, sourceValue, targets } = entry;
  if (isAbsent(source) === isAbsent(sourceValue) || !Array.isArray(targets)) decline('an odd replacement');
  return {
    source: isAbsent(source) ? textIn(sourceValue) : sourceOf(asFields(source, 'source')),
    targets: list(targets, targetEntry),
  };
}

const defaultPath = 'metadata.name';

function sourceOf(source: FieldMap): ReplacementSource {
  only(source, 'group version kind name namespace fieldPath options');
  return {
    group: textIn(source.group),
    version: textIn(source.version),
    kind: textIn(source.kind),
    name: textIn(source.name),
    namespace: textIn(source.namespace),
    fieldPath: textIn(source.fieldPath) || defaultPath,
    options: optionsOf(source.options),
  };
}

function targetEntry(target: FieldMap): ReplacementTarget {
  only(target, 'select reject fieldPaths options');
  const paths = texts(target.fieldPaths);
  return {
    select: targetOf(asFields(target.select, 'select')),
    reject: list(target.reject, targetOf),
    fieldPaths: paths.length === 0 ? [defaultPath] : paths,
    options: optionsOf(target.options),
  };
}

function optionsOf(value: unknown): FieldOptions {
  const options = isAbsent(value) ? {} : asFields(value, 'options');
  only(options, 'delimiter index create');
  const index = options.index ?? 0;
  if (typeof index !== 'number' || !Number.isSafeInteger(index)) decline('an odd index');
  const create = options.create ?? false;
  if (typeof create !== 'boolean') decline('something where true or false should be');
  return { delimiter: textIn(options.delimiter), index, create };
}
