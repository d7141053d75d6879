import { isObject } from '#base/std';
import { decline } from './decline.ts';
import {
  type FieldLocation,
  type FieldSpec,
  isSelected,
  type PartialGvk,
  specs,
  visitField,
} from './field-path.ts';
import { firstKindOf, type KustomizeResource, nameOf, recordFormerName } from './resource.ts';
import { plainName, plainText } from './values.ts';

/** Fields that contain a namespace besides an object's own (sources KT-6). */
export const namespaceFields: readonly FieldSpec[] = [
  ...specs([{ kind: 'Namespace' }], '+metadata/name'),
  ...specs(
    [{ group: 'apiextensions.k8s.io', kind: 'CustomResourceDefinition' }],
    'spec/conversion/webhook/clientConfig/service/namespace',
  ),
  ...specs([{ group: 'apiregistration.k8s.io', kind: 'APIService' }], '+spec/service/namespace'),
];

/** Fields that a prefix or a suffix is added to (sources KT-7). */
export const nameFields: readonly FieldSpec[] = specs([{}], 'metadata/name');

/** Which subjects of bindings get the namespace. */
export type SubjectMode = 'defaultOnly' | 'allServiceAccounts' | 'none';

export type NamespaceOptions = {
  readonly fields: readonly FieldSpec[];
  /** Objects with a namespace keep it. */
  readonly unsetOnly?: boolean;
  readonly subjects?: SubjectMode;
};

/** Sets the namespace of every namespaced object (sources KT-6). */
export function setNamespace(
  resources: readonly KustomizeResource[],
  text: string,
  options: NamespaceOptions,
): void {
  const namespace = plainName(text, 'namespace');
  const set = ({ holder, key }: FieldLocation): void => {
    const before = holder[key];
    if (typeof before === 'object' && before !== null) decline('a namespace that is no text');
    if (options.unsetOnly && before !== undefined && before !== null && before !== '') return;
    holder[key] = namespace;
  };
  for (const resource of resources) {
    recordFormerName(resource);
    const { metadata, object } = resource;
    if (!resource.isClusterScoped) set({ holder: metadata, key: 'namespace' });
    if (isBinding(resource)) setSubjects(object.subjects, options.subjects ?? 'defaultOnly', set);
    setFields(resource, options.fields, set);
    plainName(metadata.name, 'metadata.name');
  }
}

const isBinding = ({ kind }: PartialGvk): boolean => kind === 'RoleBinding' || kind === 'ClusterRoleBinding';

/** compat sources KT-6: an object's own namespace and the subjects of bindings are never set by a configured field. */
function setFields(
  resource: KustomizeResource,
  fields: readonly FieldSpec[],
  set: (place: FieldLocation) => void,
): void {
  for (const field of fields) {
    const { path, create } = field;
    if (!isSelected(resource, field) || isSpecial(resource, field)) continue;
    visitField(resource, { path, create: create ? 'text' : undefined, found: set });
  }
}

function isSpecial({ kind, object }: KustomizeResource, field: FieldSpec): boolean {
  const path = field.path.join('/');
  if (path === 'metadata/name') return object.apiVersion !== 'v1';
  return (
    path === 'metadata/namespace' ||
    (path === 'subjects/namespace' && isBinding({ kind }) && isBinding(field))
  );
}

/** compat sources KT-6: only an account called `default`; others follow their ServiceAccount, if it is there. */
function setSubjects(subjects: unknown, mode: SubjectMode, set: (place: FieldLocation) => void): void {
  if (subjects === undefined || subjects === null || mode === 'none') return;
  if (!Array.isArray(subjects)) decline('subjects that are no list');
  for (const subject of subjects) {
    if (!isObject(subject)) decline('a subject that is no map');
    const isChosen = mode === 'defaultOnly' ? subject.name === 'default' : subject.kind === 'ServiceAccount';
    if (isChosen) set({ holder: subject, key: 'namespace' });
  }
}

/** compat sources KT-7: by the original kind of an object. */
function isUnnamed(resource: KustomizeResource): boolean {
  const kind = firstKindOf(resource);
  if (kind === 'CustomResourceDefinition' || kind === 'Namespace') return true;
  return kind === 'APIService' && resource.group === 'apiregistration.k8s.io';
}

/** Puts a prefix before the names of objects (sources KT-7). */
export function addPrefix(
  resources: readonly KustomizeResource[],
  prefix: string,
  fields: readonly FieldSpec[],
): void {
  affix(resources, fields, (resource, isName) => {
    if (isName && prefix !== '') resource.prefixes = [...resource.prefixes, prefix];
    return prefix === '' ? undefined : (text) => `${prefix}${text}`;
  });
}

/** Puts a suffix behind the names of objects (sources KT-7). */
export function addSuffix(
  resources: readonly KustomizeResource[],
  suffix: string,
  fields: readonly FieldSpec[],
): void {
  affix(resources, fields, (resource, isName) => {
    if (isName && suffix !== '') resource.suffixes = [...resource.suffixes, suffix];
    return suffix === '' ? undefined : (text) => `${text}${suffix}`;
  });
}

type Affix = (resource: KustomizeResource, isName: boolean) => ((text: string) => string) | undefined;

function affix(resources: readonly KustomizeResource[], fields: readonly FieldSpec[], by: Affix): void {
  for (const resource of resources) {
    if (isUnnamed(resource)) continue;
    const first = { group: resource.group, version: resource.version, kind: firstKindOf(resource) };
    for (const field of fields) if (isSelected(first, field)) affixField(resource, field, by);
  }
}

function affixField(resource: KustomizeResource, field: FieldSpec, by: Affix): void {
  const { path, create } = field;
  const isName = path.join('/') === 'metadata/name';
  const changed = by(resource, isName);
  if (!changed) return;
  if (isName) {
    rename(resource, changed(nameOf(resource)));
    return;
  }
  if (!isSelected(resource, field)) return;
  visitField(resource, {
    path,
    create: create ? 'text' : undefined,
    found: ({ holder, key }) => {
      const before = holder[key] ?? '';
      if (typeof before !== 'string') decline('a prefix of what is no text');
      holder[key] = plainText(changed(before), 'a text with a prefix or suffix');
    },
  });
}

export function rename(resource: KustomizeResource, name: string): void {
  recordFormerName(resource);
  resource.metadata.name = plainName(name, 'a name');
}
