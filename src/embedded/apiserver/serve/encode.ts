import { printJson } from '#base/std';
import { convert } from '../convert.ts';
import type { Item } from '../item.ts';
import { apiVersionOf, type ServedResource } from '../kinds.ts';
import { type Stored, tailOf } from '../stored.ts';

/** The object in the requested version. */
export function fullText(stored: Stored, resource: ServedResource): string {
  return headed(resource, tailText(stored, resource));
}

const headed = (resource: ServedResource, tail: string): string =>
  `{"kind":"${resource.kind}","apiVersion":"${apiVersionOf(resource)}",${tail}`;

/** As an item of a list: compat cluster 3.4, built-in kinds leave kind and apiVersion out there, custom ones do not. */
export function listItemText(stored: Stored, resource: ServedResource): string {
  const tail = tailText(stored, resource);
  return resource.custom ? headed(resource, tail) : `{${tail}`;
}

function tailText(stored: Stored, resource: ServedResource): string {
  const apiVersion = apiVersionOf(resource);
  const isSame =
    stored.item.apiVersion === apiVersion || (resource.custom?.isUniform && !resource.custom.unconvertible);
  if (isSame) return stored.form('tail', tailOf);
  return stored.form(`tail of ${apiVersion}`, (item) => tailOf(convert(item, resource)));
}

/** Metadata alone, as kind PartialObjectMetadata. */
export function partialText(stored: Stored, version: string): string {
  const tail = stored.form('partial', ({ metadata }: Item) => printJson({ metadata }).slice(1));
  return `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/${version}",${tail}`;
}
