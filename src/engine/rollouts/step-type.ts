import { anyType, findNamedType, type SchemaField, type StructType, type TypeNode } from '#kubernetes/schema';

// compat rollouts RN-8: the fields of a step in the order of the peer's types, which the hash of the steps depends on.

type Shape = { readonly type: TypeNode; readonly omitEmpty?: boolean; readonly pointer?: boolean };

const string: TypeNode = { kind: 'scalar', scalar: 'string' };
const int: TypeNode = { kind: 'scalar', scalar: 'int32' };
const boolean: TypeNode = { kind: 'scalar', scalar: 'boolean' };
const intOrString: TypeNode = { kind: 'scalar', scalar: 'int-or-string' };
const map = (values: TypeNode): TypeNode => ({ kind: 'map', values, atomic: false });
const list = (items: TypeNode): TypeNode => ({ kind: 'list', items, merge: 'atomic', keys: [] });

const always = (type: TypeNode): Shape => ({ type, omitEmpty: false });
const optional = (type: TypeNode): Shape => ({ type, omitEmpty: true });
const pointer = (type: TypeNode): Shape => ({ type, omitEmpty: true, pointer: true });

function struct(shapes: Readonly<Record<string, Shape>>): StructType {
  const fields = Object.entries(shapes).map(([name, shape]): [string, SchemaField] => [
    name,
    {
      name,
      type: shape.type,
      required: false,
      pointer: shape.pointer === true,
      omitEmpty: shape.omitEmpty !== false,
      patch: 'default',
      retainKeys: false,
      proto: [],
    },
  ]);
  return { kind: 'struct', name: '', fields: new Map(fields), atomic: false, open: false };
}

const metadata = struct({ labels: optional(map(string)), annotations: optional(map(string)) });
const fieldRef = struct({ fieldPath: always(string) });
const argument = struct({
  name: always(string),
  value: optional(string),
  valueFrom: pointer(struct({ podTemplateHashValue: pointer(string), fieldRef: pointer(fieldRef) })),
});
const dryRun = struct({ metricName: always(string) });
const analysis = struct({
  templates: optional(list(struct({ templateName: always(string), clusterScope: pointer(boolean) }))),
  args: optional(list(argument)),
  dryRun: optional(list(dryRun)),
  measurementRetention: optional(list(struct({ metricName: always(string), limit: always(int) }))),
  analysisRunMetadata: pointer(metadata),
});
const match = struct({ exact: optional(string), prefix: optional(string), regex: optional(string) });
const selector = findNamedType('meta/v1/LabelSelector') ?? anyType;
const experiment = struct({
  templates: always(
    list(
      struct({
        name: always(string),
        specRef: always(string),
        replicas: pointer(int),
        metadata: always(metadata),
        selector: pointer(selector),
        weight: pointer(int),
        service: pointer(struct({ name: optional(string) })),
      }),
    ),
  ),
  duration: optional(string),
  analyses: optional(
    list(
      struct({
        name: always(string),
        templateName: always(string),
        clusterScope: pointer(boolean),
        args: optional(list(argument)),
        requiredForCompletion: optional(boolean),
      }),
    ),
  ),
  dryRun: optional(list(dryRun)),
  analysisRunMetadata: always(metadata),
  scaleDownDelaySeconds: pointer(int),
});

export const stepsType: StructType = struct({
  setWeight: pointer(int),
  pause: pointer(struct({ duration: pointer(intOrString) })),
  experiment: pointer(experiment),
  analysis: pointer(analysis),
  setCanaryScale: pointer(
    struct({ weight: pointer(int), replicas: pointer(int), matchTrafficWeight: optional(boolean) }),
  ),
  setHeaderRoute: pointer(
    struct({
      name: optional(string),
      match: optional(
        list(
          struct({
            headerName: always(string),
            headerValue: { type: match, pointer: true, omitEmpty: false },
          }),
        ),
      ),
    }),
  ),
  setMirrorRoute: pointer(
    struct({
      name: always(string),
      match: optional(
        list(struct({ method: pointer(match), path: pointer(match), headers: optional(map(match)) })),
      ),
      percentage: pointer(int),
    }),
  ),
  plugin: pointer(struct({ name: always(string), config: optional(anyType) })),
});
