import { readFileSync } from 'node:fs';
import type { KubeObject } from '#base/model';
import { parseJson } from '#base/std';
import type { KindSchemas } from '#serve/api';

type Definition = KubeObject<{
  readonly names: { readonly kind: string };
  readonly versions: readonly { readonly schema: { readonly openAPIV3Schema: unknown } }[];
}>;

/** The schemas of our kinds, as their definitions have them. */
export function readKindSchemas(file: string): KindSchemas {
  const definitions = parseJson(readFileSync(file, 'utf8')) as readonly Definition[];
  const schemas = definitions.map(({ spec }) => [
    spec?.names.kind,
    spec?.versions[0]?.schema.openAPIV3Schema,
  ]);
  return Object.fromEntries(schemas) as KindSchemas;
}
