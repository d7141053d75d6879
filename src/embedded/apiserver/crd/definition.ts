import { dns1035LabelProblems, dnsSubdomainProblems } from '#base/model';
import { equal } from '#base/std';
import { isObject, type JsonObject, type Subresource, typeFromCrd } from '#kubernetes/schema';
import { type Item, withField } from '../item.ts';
import type { CustomKind, PrinterColumn, ServedResource } from '../kinds.ts';
import type { FieldError } from '../status.ts';
import { FieldCheck } from '../validate/check.ts';
import { checkReviewVersions, checkWebhookClient } from '../validate/webhooks.ts';
import { type ClientConfig, type HasService, serviceProblem } from '../webhook/call.ts';
import { checkPaths } from './check-paths.ts';
import { checkRootSchema } from './check-schema.ts';
import { isKnownFormat } from './formats.ts';

/** The parts of a CustomResourceDefinition that are needed to serve it; any of them may be missing. */
export type DefinitionSpec = {
  readonly group?: string;
  readonly scope?: string;
  readonly names?: Names;
  readonly versions?: readonly Version[];
  readonly conversion?: {
    readonly strategy?: string;
    readonly webhook?: { readonly clientConfig?: ClientConfig };
  };
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

/** compat cluster 3.12: names derived from the kind, and no conversion. */
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

/** The storage version of a new definition. */
export function storedVersions(item: Item): string[] {
  return (definitionSpec(item).versions ?? []).filter(({ storage }) => storage).map(({ name = '' }) => name);
}

const verbs = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
const subVerbs = ['get', 'patch', 'update'];

/** One resource for each version that the definition serves. */
export function resourcesOf(definition: Item, hasService: HasService): ServedResource[] {
  const spec = definitionSpec(definition);
  return (spec.versions ?? [])
    .filter((version) => version.served)
    .map((version) => ({
      ...resourceOf({ ...spec, names: { ...spec.names, ...namesInUse(definition) } }, version),
      custom: {
        ...customOf(definition, version),
        unconvertible: conversionProblem(spec, hasService),
        isUniform: isUniform(spec),
      },
    }));
}

/** compat cluster 3.15: a kind is served under its accepted names, which may differ from the requested ones. */
function namesInUse({ status }: Item): Names {
  const { acceptedNames = {} } = (isObject(status) ? status : {}) as { acceptedNames?: Names };
  return acceptedNames.kind ? { shortNames: [], ...acceptedNames } : {};
}

/** Whether all versions are equal but for their name. */
function isUniform({ versions = [] }: DefinitionSpec): boolean {
  const [first, ...others] = versions.map(({ schema }) => schema?.openAPIV3Schema);
  return others.every((schema) => equal(schema, first));
}

/** The timeout of a conversion; it cannot be configured. */
const conversionSeconds = 30;

/** compat cluster 3.15: conversion by webhook is accepted, and fails as it does when the webhook is unreachable. */
function conversionProblem(
  { conversion }: DefinitionSpec,
  hasService: HasService,
): (() => string) | undefined {
  if (conversion?.strategy !== 'Webhook') return undefined;
  const client = conversion.webhook?.clientConfig ?? {};
  return () =>
    serviceProblem(client, conversionSeconds, hasService) ??
    `Post "${client.url ?? ''}?timeout=${conversionSeconds}s": not supported yet: conversion by webhook`;
}

function resourceOf(spec: DefinitionSpec, version: Version): Omit<ServedResource, 'custom'> {
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
    collection: `${group}/${plural}`,
    kept: { group, version: stored, kind },
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

function customOf(definition: Item, version: Version): Omit<CustomKind, 'unconvertible' | 'isUniform'> {
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

/** The unknown formats in a definition's schemas, each once. */
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

/** The validation errors of a definition. */
export function definitionErrors(item: Item): readonly FieldError[] {
  const errors: FieldError[] = [];
  const spec = new FieldCheck('', item, errors).field('spec');
  const { group = '', names = {}, versions = [] } = definitionSpec(item);
  if (item.metadata.name !== `${names.plural ?? ''}.${group}`) {
    new FieldCheck('metadata.name', item.metadata.name, errors).invalid(
      'must be spec.names.plural+"."+spec.group',
    );
  }
  spec.field('group').required();
  if (group !== '' && !group.includes('.'))
    spec.field('group').invalid('should be a domain with at least one dot');
  spec.field('group').problems(group === '' ? [] : dnsSubdomainProblems(group));
  spec.field('scope').required();
  spec.field('scope').oneOf(['Cluster', 'Namespaced']);
  checkSchemas(spec, versions);
  checkPaths(spec);
  checkVersions(spec.field('versions'), versions);
  // compat cluster 3.15: the first version once had a field of its own
  const [first] = versions;
  if (first) spec.at('.version', first.name).problems(dns1035LabelProblems(first.name ?? ''));
  checkNames(spec.field('names'));
  checkConversion(spec.field('conversion'));
  if (versions.length === 0) {
    new FieldCheck('status.storedVersions', null, errors).invalid('must have at least one stored version');
  }
  if (spec.field('preserveUnknownFields').value === true) {
    spec
      .field('preserveUnknownFields')
      .invalid(
        'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
      );
  }
  return errors;
}

function checkNames(names: FieldCheck): void {
  const label = (name: FieldCheck, text: string, start = '') => {
    if (!name.isSet) name.required();
    else name.problems(dns1035LabelProblems(text).map((problem) => `${start}${problem}`));
  };
  const mixed = 'may have mixed case, but should otherwise match: ';
  for (const name of ['plural', 'singular'].map((field) => names.field(field))) label(name, name.text);
  for (const name of ['kind', 'listKind'].map((field) => names.field(field))) {
    label(name, name.text.toLowerCase(), mixed);
  }
  for (const name of [...names.field('shortNames').items(), ...names.field('categories').items()]) {
    label(name, name.text);
  }
}

function checkConversion(conversion: FieldCheck): void {
  conversion.field('strategy').oneOf(['None', 'Webhook']);
  const webhook = conversion.field('webhook');
  const client = conversion.at('.webhookClientConfig', webhook.field('clientConfig').value);
  const versions = conversion.at(
    '.conversionReviewVersions',
    webhook.field('conversionReviewVersions').value,
  );
  if (conversion.field('strategy').value !== 'Webhook') return;
  if (client.isSet) checkWebhookClient(client);
  else client.lacking('required when strategy is set to Webhook');
  if (versions.items().length === 0) versions.lacking();
  else checkReviewVersions(versions);
}

function checkVersions(check: FieldCheck, versions: readonly Version[]): void {
  for (const version of check.items()) {
    version.field('name').problems(dns1035LabelProblems(version.field('name').text));
  }
  const names = versions.map(({ name }) => name);
  if (new Set(names).size < names.length) check.invalid('must contain unique version names');
  if (versions.filter((version) => version.storage).length !== 1) {
    check.invalid('must have exactly one version marked as storage version');
  }
}

/** compat cluster 3.15: errors in a schema that all versions share are reported at the definition itself. */
function checkSchemas(spec: FieldCheck, versions: readonly Version[]): void {
  const schemas = versions.map((version) => version.schema?.openAPIV3Schema);
  const [first] = schemas;
  if (first !== undefined && schemas.every((schema) => equal(schema, first))) {
    checkRootSchema(spec.at('.validation.openAPIV3Schema', first));
    return;
  }
  for (const version of spec.field('versions').items()) {
    const schema = version.field('schema').field('openAPIV3Schema');
    if (schema.isSet) checkRootSchema(schema);
    else schema.required(versions.length === 1 ? 'schemas are required' : '');
  }
}

/** compat cluster 3.15: the new storage version is added to the versions that objects may still be stored in. */
export function withStoredVersions(item: Item, subresource: string): Item {
  const status = isObject(item.status) ? item.status : {};
  const known = Array.isArray(status.storedVersions) ? (status.storedVersions as string[]) : [];
  const added = storedVersions(item).filter((version) => !known.includes(version));
  const isWanted = subresource === '' || known.length === 0;
  if (!isWanted || added.length === 0) return item;
  return withField(item, 'status', { ...status, storedVersions: [...known, ...added] });
}

function checkStored(check: FieldCheck, versions: readonly Version[]): void {
  for (const stored of check.field('status').field('storedVersions').items()) {
    const name = stored.text;
    if (versions.some((version) => version.name === name)) continue;
    stored.invalid(
      `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`,
    );
  }
}

/** compat cluster 3.13: a definition's names and scope are immutable. */
export function definitionUpdateErrors(live: Item, next: Item): readonly FieldError[] {
  const errors = [...definitionErrors(next)];
  checkStored(new FieldCheck('', next, errors), definitionSpec(next).versions ?? []);
  const check = new FieldCheck('', next, errors).field('spec');
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
