import { printJson } from '#std';
import { convert } from '../convert.ts';
import type { Item } from '../item.ts';
import { apiVersionOf, type Resource } from '../kinds.ts';
import { type Stored, tailOf } from '../stored.ts';

/** The object in the asked version, made into text once however often it is asked for. */
export function fullText(stored: Stored, resource: Resource): string {
  return headed(resource, tailText(stored, resource, 'form'));
}

const headed = (resource: Resource, tail: string): string =>
  `{"kind":"${resource.kind}","apiVersion":"${apiVersionOf(resource)}",${tail}`;

/** As an item of a list: compat 3.4, built-in kinds leave kind and apiVersion out there, custom ones do not. */
export function listItemText(stored: Stored, resource: Resource): string {
  const tail = tailText(stored, resource, 'passing');
  return resource.custom ? headed(resource, tail) : `{${tail}`;
}

function tailText(stored: Stored, resource: Resource, how: 'form' | 'passing'): string {
  const apiVersion = apiVersionOf(resource);
  if (stored.item.apiVersion === apiVersion || resource.custom) return stored[how]('tail', tailOf);
  return stored[how](`tail of ${apiVersion}`, (item) => tailOf(convert(item, resource)));
}

/** Metadata alone, as kind PartialObjectMetadata. */
export function partialText(stored: Stored, version: string, how: 'form' | 'passing' = 'form'): string {
  const tail = stored[how]('partial', ({ metadata }: Item) => printJson({ metadata }).slice(1));
  return `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/${version}",${tail}`;
}
