import { dnsLabelProblems, dnsSubdomainProblems } from '#model';
import { isObject, type JsonObject, type Subresource, typeFromCrd } from '#schema';
import { equal } from '#std';
import { type Item, withField } from '../item.ts';
import type { CustomKind, PrinterColumn, Resource } from '../kinds.ts';
import type { FieldError } from '../status.ts';
import { Check } from '../validate/check.ts';
import { checkRootSchema } from './check-schema.ts';
import { isKnownFormat } from './formats.ts';

/** The parts of a CustomResourceDefinition that serving it needs; anything may be missing. */
export type DefinitionSpec = {
  readonly group?: string;
  readonly scope?: string;
  readonly names?: Names;
  readonly versions?: readonly Version[];
  readonly conversion?: { readonly strategy?: string };
  readonly preserveUnknownFields?: boolean;
};

export type Names = {
  readonly plural?: string;
  readonly singular?: string;
  readonly kind?: string;
  readonly listKind?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
};

type Version = {
  readonly name?: string;
  readonly served?: boolean;
  readonly storage?: boolean;
  readonly schema?: { readonly openAPIV3Schema?: JsonObject };
  readonly subresources?: {
    readonly status?: JsonObject;
    readonly scale?: {
      readonly specReplicasPath?: string;
      readonly statusReplicasPath?: string;
      readonly labelSelectorPath?: string;
    };
  };
  readonly additionalPrinterColumns?: readonly PrinterColumn[];
  readonly selectableFields?: readonly { readonly jsonPath?: string }[];
};

export const definitionSpec = (item: Item): DefinitionSpec =>
  (isObject(item.spec) ? item.spec : {}) as DefinitionSpec;

/** compat 3.12: names that follow from the kind, and no conversion. */
export function completeDefinition(item: Item): Item {
  const spec = definitionSpec(item);
  const { kind = '' } = spec.names ?? {};
  const names = {
    ...spec.names,
    singular: spec.names?.singular || kind.toLowerCase(),
    listKind: spec.names?.listKind || `${kind}List`,
  };
  return withField(item, 'spec', { ...spec, names, conversion: spec.conversion ?? { strategy: 'None' } });
}

/** The version that objects of a new definition will be kept in. */
export function storedVersions(item: Item): string[] {
  return (definitionSpec(item).versions ?? []).filter(({ storage }) => storage).map(({ name = '' }) => name);
}

const verbs = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
const subVerbs = ['get', 'patch', 'update'];

/** One resource for each version that the definition serves. */
export function resourcesOf(definition: Item): Resource[] {
  const spec = definitionSpec(definition);
  return (spec.versions ?? [])
    .filter((version) => version.served)
    .map((version) => resourceOf(definition, spec, version));
}

function resourceOf(definition: Item, spec: DefinitionSpec, version: Version): Resource {
  const { group = '', names = {} } = spec;
  const { plural = '', kind = '', singular = '', listKind = '' } = names;
  const gvk = { group, version: version.name ?? '', kind };
  const stored = spec.versions?.find((one) => one.storage)?.name ?? gvk.version;
  return {
    ...gvk,
    plural,
    singular,
    listKind,
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    namespaced: spec.scope === 'Namespaced',
    verbs,
    subresources: subresourcesOf(version, gvk),
    hasGeneration: true,
    type: typeFromCrd(version.schema?.openAPIV3Schema, {
      preserveUnknownFields: spec.preserveUnknownFields === true,
    }),
    shelf: `${group}/${plural}`,
    kept: { group, version: stored, kind },
    custom: customOf(definition, version),
  };
}

function subresourcesOf({ subresources }: Version, gvk: Subresource['gvk']): Subresource[] {
  const scale = { group: 'autoscaling', version: 'v1', kind: 'Scale' };
  return [
    ...(subresources?.status ? [{ name: 'status', gvk, verbs: subVerbs }] : []),
    ...(subresources?.scale ? [{ name: 'scale', gvk: scale, verbs: subVerbs }] : []),
  ];
}

const path = (text: string | undefined): string => (text ?? '').replace(/^\./, '');

function customOf(definition: Item, version: Version): CustomKind {
  const scale = version.subresources?.scale;
  return {
    definition: definition.metadata.name ?? '',
    schema: version.schema?.openAPIV3Schema,
    columns: version.additionalPrinterColumns ?? [],
    selectableFields: (version.selectableFields ?? []).map((field) => path(field.jsonPath)),
    scale: scale && {
      spec: path(scale.specReplicasPath),
      status: path(scale.statusReplicasPath),
      selector: scale.labelSelectorPath === undefined ? undefined : path(scale.labelSelectorPath),
    },
    terminating: definition.metadata.deletionTimestamp !== undefined,
  };
}

/** The formats in a definition's schemas that nobody knows, each once. */
export function unknownFormats(item: Item): string[] {
  const found = new Set<string>();
  const pending: unknown[] = (definitionSpec(item).versions ?? []).map(
    ({ schema }) => schema?.openAPIV3Schema,
  );
  while (pending.length > 0) {
    const schema = pending.pop();
    if (!isObject(schema)) continue;
    const { format, properties, items, additionalProperties } = schema;
    if (typeof format === 'string' && !isKnownFormat(format)) found.add(format);
    pending.push(items, additionalProperties, ...(isObject(properties) ? Object.values(properties) : []));
  }
  return [...found].sort();
}

/** What is wrong with a definition. */
export function definitionErrors(item: Item): readonly FieldError[] {
  const spec = new Check('', item).field('spec');
  const { group = '', names = {}, versions = [] } = definitionSpec(item);
  spec.field('group').required();
  if (group !== '' && !group.includes('.'))
    spec.field('group').invalid('should be a domain with at least one dot');
  spec.field('group').problems(group === '' ? [] : dnsSubdomainProblems(group));
  const named = spec.field('names');
  for (const field of ['plural', 'kind']) named.field(field).required();
  if (names.plural) named.field('plural').problems(dnsLabelProblems(names.plural));
  spec.field('scope').required();
  spec.field('scope').oneOf(['Cluster', 'Namespaced']);
  const wanted = `${names.plural ?? ''}.${group}`;
  if (item.metadata.name !== wanted) {
    new Check('metadata.name', item.metadata.name, spec.errors as FieldError[]).invalid(
      'must be spec.names.plural+"."+spec.group',
    );
  }
  checkVersions(spec.field('versions'), versions);
  checkSchemas(spec, versions);
  if (definitionSpec(item).conversion?.strategy === 'Webhook') {
    spec
      .field('conversion')
      .field('strategy')
      .forbidden('not supported yet: conversion by webhook; use None');
  }
  return spec.errors;
}

function checkVersions(check: Check, versions: readonly Version[]): void {
  if (versions.filter((version) => version.storage).length !== 1) {
    check.invalid('must have exactly one version marked as storage version');
  }
  for (const version of check.items()) {
    version.field('name').required();
    if (!version.field('schema').field('openAPIV3Schema').isSet) {
      version.field('schema').field('openAPIV3Schema').required('schemas are required');
    }
  }
}

/** compat 3.15: a schema that all versions share is spoken of as the definition's own. */
function checkSchemas(spec: Check, versions: readonly Version[]): void {
  const schemas = versions.map((version) => version.schema?.openAPIV3Schema);
  const [first] = schemas;
  if (first !== undefined && schemas.every((schema) => equal(schema, first))) {
    checkRootSchema(spec.at('.validation.openAPIV3Schema', first));
    return;
  }
  for (const version of spec.field('versions').items()) {
    const schema = version.field('schema').field('openAPIV3Schema');
    if (schema.isSet) checkRootSchema(schema);
  }
}

/** compat 3.13: a definition's names and scope are for life. */
export function definitionUpdateErrors(live: Item, next: Item): readonly FieldError[] {
  const errors = [...definitionErrors(next)];
  const check = new Check('', next, errors).field('spec');
  const before = definitionSpec(live);
  check.field('group').immutable(before.group);
  check.field('scope').immutable(before.scope);
  for (const field of ['kind', 'plural'] as const) {
    if (!equal(before.names?.[field], definitionSpec(next).names?.[field])) {
      check.field('names').field(field).invalid('field is immutable');
    }
  }
  return errors;
}
