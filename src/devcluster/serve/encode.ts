import { printJson } from '#std';
import { convert } from '../convert.ts';
import type { Item } from '../item.ts';
import { apiVersionOf, type Resource } from '../kinds.ts';
import { type Stored, tailOf } from '../stored.ts';

/** The object in the asked version, made into text once however often it is asked for. */
export function fullText(stored: Stored, resource: Resource): string {
  return `{"kind":"${resource.kind}","apiVersion":"${apiVersionOf(resource)}",${tailText(stored, resource)}`;
}

/** As an item of a list: compat 3.4, built-in kinds leave kind and apiVersion out there, custom ones do not. */
export function listItemText(stored: Stored, resource: Resource): string {
  return resource.custom ? fullText(stored, resource) : `{${tailText(stored, resource)}`;
}

function tailText(stored: Stored, resource: Resource): string {
  if (stored.item.apiVersion === apiVersionOf(resource) || resource.custom)
    return stored.form('tail', tailOf);
  return stored.form(`tail of ${apiVersionOf(resource)}`, (item) => tailOf(convert(item, resource)));
}

/** Metadata alone, as kind PartialObjectMetadata. */
export function partialText(stored: Stored, version: string): string {
  const tail = stored.form('partial', ({ metadata }: Item) => printJson({ metadata }).slice(1));
  return `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/${version}",${tail}`;
}
