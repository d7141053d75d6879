import {
  findNamedType,
  type ScalarKind,
  type SchemaField,
  type StructType,
  type TypeNode,
} from '#kubernetes/schema';

/**
 * compat cluster 5.6: the Go types Knative's webhook decodes objects into, as far as they affect the stored
 * object.
 */

type Shape = { readonly pointer?: boolean; readonly omitEmpty?: boolean };

const field = (name: string, type: TypeNode, shape: Shape = {}): [string, SchemaField] => {
  const { pointer = false, omitEmpty = true } = shape;
  const rest = { required: false, patch: 'default', retainKeys: false, proto: [] } as const;
  return [name, { name, type, pointer, omitEmpty, ...rest }];
};

const scalar = (kind: ScalarKind): TypeNode => ({ kind: 'scalar', scalar: kind });
const listOf = (items: TypeNode): TypeNode => ({ kind: 'list', items, merge: 'atomic', keys: [] });
const struct = (name: string, fields: readonly (readonly [string, SchemaField])[]): StructType => ({
  kind: 'struct',
  name,
  fields: new Map(fields),
  atomic: false,
  open: false,
});

const text = (name: string): [string, SchemaField] => field(name, scalar('string'));
const optional = (name: string, kind: ScalarKind): [string, SchemaField] =>
  field(name, scalar(kind), { pointer: true });
const always = (name: string, type: TypeNode): [string, SchemaField] =>
  field(name, type, { omitEmpty: false });

function builtin(name: string): StructType {
  const found = findNamedType(name);
  if (!found) throw new Error(`no type ${name}`);
  return found;
}

const trafficTarget = struct('TrafficTarget', [
  text('tag'),
  text('revisionName'),
  text('configurationName'),
  optional('latestRevision', 'boolean'),
  optional('percent', 'int64'),
  optional('url', 'string'),
]);

/** The fields of a revision that a pod does not have. */
export const revisionFields = [
  'containerConcurrency',
  'timeoutSeconds',
  'responseStartTimeoutSeconds',
  'idleTimeoutSeconds',
];

const revisionSpec = struct('RevisionSpec', [
  ...builtin('core/v1/PodSpec').fields,
  ...revisionFields.map((name) => optional(name, 'int64')),
]);

export const templateType = struct('RevisionTemplateSpec', [
  always('metadata', builtin('meta/v1/ObjectMeta')),
  always('spec', revisionSpec),
]);

const traffic = field('traffic', listOf(trafficTarget));
const template = always('template', templateType);

const reference = struct('KReference', [
  always('kind', scalar('string')),
  text('namespace'),
  always('name', scalar('string')),
  text('apiVersion'),
  text('group'),
  optional('address', 'string'),
]);
const domainSpec = struct('DomainMappingSpec', [
  always('ref', reference),
  field('tls', struct('SecretTLS', [always('secretName', scalar('string'))]), { pointer: true }),
]);

const kind = (name: string, spec: StructType): [string, StructType] => [
  name,
  struct(name, [always('spec', spec)]),
];

/** By kind: types of objects, with the spec only. */
export const goTypes: ReadonlyMap<string, StructType> = new Map([
  kind('Service', struct('ServiceSpec', [template, traffic])),
  kind('Configuration', struct('ConfigurationSpec', [template])),
  kind('Route', struct('RouteSpec', [traffic])),
  kind('Revision', revisionSpec),
  kind('DomainMapping', domainSpec),
]);

const podFields = [...builtin('core/v1/PodSpec').fields.keys()];
const byName = ['ConfigMapVolumeSource', 'ConfigMapKeySelector', 'SecretKeySelector', 'ConfigMapEnvSource'];
const alsoByName = ['SecretEnvSource', 'ConfigMapProjection', 'SecretProjection'];

/** Structs embedded in others without a name in JSON, which Go's error messages name all the same. */
const embedded: Readonly<Record<string, readonly [string, readonly string[]][]>> = {
  ServiceSpec: [
    ['ConfigurationSpec', ['template']],
    ['RouteSpec', ['traffic']],
  ],
  RevisionSpec: [['PodSpec', podFields]],
  Probe: [['ProbeHandler', ['exec', 'httpGet', 'tcpSocket', 'grpc']]],
  Volume: [['VolumeSource', [...builtin('core/v1/Volume').fields.keys()].filter((name) => name !== 'name')]],
  ...Object.fromEntries(
    [...byName, ...alsoByName].map((name) => [name, [['LocalObjectReference', ['name']]] as const]),
  ),
};

/** The last part of a type's name: `Container`. */
export const shortName = ({ name }: StructType): string => name.slice(name.lastIndexOf('.') + 1);

/** The struct inside `type` that declares the field, if it is not the type itself. */
export const embeddedIn = (type: StructType, name: string): string | undefined =>
  embedded[shortName(type)]?.find(([, fields]) => fields.includes(name))?.[0];
