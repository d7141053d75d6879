import { parseAll } from '#lang/yaml';
import { emptyConfig, type FieldLists, type KustomizeConfig, listNames, mergeConfigs } from './config.ts';
import { decline } from './decline.ts';
import { fieldOf, gvkOf } from './field-entry.ts';
import type { FieldSpec } from './field-path.ts';
import { compareKinds } from './order.ts';
import { checkWriting } from './read.ts';
import type { ReferredKind } from './reference-table.ts';
import { list, only } from './typed.ts';
import { asFields, type FieldMap } from './values.ts';

/** The files of `configurations` as one config (sources KE-2). */
export function readConfigs(texts: readonly string[]): KustomizeConfig {
  return texts.map(readConfig).reduce(mergeConfigs, emptyConfig);
}

function readConfig(text: string): KustomizeConfig {
  checkWriting(text);
  const documents = parseAll(text, { duplicateKeys: 'reject', limits: { depth: 20 } });
  if (documents.length !== 1) decline('a configuration of several documents, or none');
  const file = asFields(documents[0]?.value, 'a configuration');
  only(file, [...listNames, 'nameReference'].join(' '));
  const lists: Record<string, readonly FieldSpec[]> = {};
  for (const name of listNames) lists[name] = list(file[name], fieldOf).sort(compareKinds);
  return { ...(lists as FieldLists), nameReference: list(file.nameReference, referenceOf) };
}

function referenceOf(entry: FieldMap): ReferredKind {
  only(entry, 'group version kind fieldSpecs');
  return { target: gvkOf(entry), referrers: list(entry.fieldSpecs, fieldOf) };
}
