import { isObject } from '#std';
import { decline } from './decline.ts';
import { type FieldSpec, isSelected, type Place, specs, visitField } from './field-path.ts';
import { nameOf, type Resource, remember } from './resource.ts';
import { plainName } from './values.ts';

const namespaceFields: readonly FieldSpec[] = [
  ...specs([{ group: 'apiregistration.k8s.io', kind: 'APIService' }], '+spec/service/namespace'),
  ...specs(
    [{ group: 'apiextensions.k8s.io', kind: 'CustomResourceDefinition' }],
    'spec/conversion/webhook/clientConfig/service/namespace',
  ),
];

/** Puts every object that may have a namespace into one (KT-6). */
export function setNamespace(resources: readonly Resource[], text: string): void {
  const namespace = plainName(text, 'namespace');
  for (const resource of resources) {
    remember(resource);
    const { metadata, object, kind } = resource;
    if (!resource.isClusterScoped) metadata.namespace = namespace;
    if (object.apiVersion === 'v1' && kind === 'Namespace') metadata.name = namespace;
    if (kind === 'RoleBinding' || kind === 'ClusterRoleBinding') setSubjects(object.subjects, namespace);
    setFields(resource, namespace);
  }
}

function setFields(resource: Resource, namespace: string): void {
  const found = ({ holder, key }: Place): void => {
    if (typeof holder[key] === 'object' && holder[key] !== null) decline('a namespace that is no text');
    holder[key] = namespace;
  };
  for (const { path, create, ...gvk } of namespaceFields) {
    if (isSelected(resource, gvk)) visitField(resource, { path, create: create ? 'text' : undefined, found });
  }
}

/** compat KT-6: only an account called `default`; others follow their ServiceAccount, if it is there. */
function setSubjects(subjects: unknown, namespace: string): void {
  if (subjects === undefined || subjects === null) return;
  if (!Array.isArray(subjects)) decline('subjects that are no list');
  for (const subject of subjects) {
    if (!isObject(subject)) decline('a subject that is no map');
    if (subject.name === 'default') subject.namespace = namespace;
  }
}

const unnamed = (resource: Resource): boolean =>
  resource.kind === 'CustomResourceDefinition' ||
  resource.kind === 'Namespace' ||
  (resource.kind === 'APIService' && resource.group === 'apiregistration.k8s.io');

/** Puts a prefix before the names of objects (KT-7). */
export function addPrefix(resources: readonly Resource[], prefix: string): void {
  for (const resource of resources) {
    if (unnamed(resource)) continue;
    resource.prefixes = [...resource.prefixes, prefix];
    rename(resource, `${prefix}${nameOf(resource)}`);
  }
}

/** Puts a suffix behind the names of objects (KT-7). */
export function addSuffix(resources: readonly Resource[], suffix: string): void {
  for (const resource of resources) {
    if (unnamed(resource)) continue;
    resource.suffixes = [...resource.suffixes, suffix];
    rename(resource, `${nameOf(resource)}${suffix}`);
  }
}

export function rename(resource: Resource, name: string): void {
  remember(resource);
  resource.metadata.name = plainName(name, 'a name');
}
