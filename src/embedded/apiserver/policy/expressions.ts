import {
  authorizerType,
  type CelProgram,
  CelSyntaxError,
  type CelType,
  compileCel,
  listOf,
  mapOf,
  printType,
  simpleTypes,
} from '#embedded/cel';

const { bool, dyn, int, string, timestamp } = simpleTypes;
const { null: nothing } = simpleTypes;

const objectOf = (name: string, fields: Readonly<Record<string, CelType>>): CelType => ({
  is: 'object',
  name,
  fields: new Map(Object.entries(fields)),
});

const kind = objectOf('kubernetes.GroupVersionKind', { group: string, version: string, kind: string });
const resource = objectOf('kubernetes.GroupVersionResource', {
  group: string,
  version: string,
  resource: string,
});
const texts = mapOf(string, string);

const requestType = objectOf('kubernetes.AdmissionRequest', {
  kind,
  resource,
  subResource: string,
  requestKind: kind,
  requestResource: resource,
  requestSubResource: string,
  name: string,
  namespace: string,
  operation: string,
  userInfo: objectOf('kubernetes.UserInfo', {
    username: string,
    uid: string,
    groups: listOf(string),
    extra: mapOf(string, listOf(string)),
  }),
  dryRun: bool,
  options: dyn,
});

const namespaceType = objectOf('kubernetes.Namespace', {
  metadata: objectOf('kubernetes.NamespaceMetadata', {
    name: string,
    generateName: string,
    namespace: string,
    labels: texts,
    annotations: texts,
    UID: string,
    creationTimestamp: timestamp,
    deletionGracePeriodSeconds: int,
    deletionTimestamp: timestamp,
    generation: int,
    resourceVersion: string,
    finalizers: listOf(string),
  }),
  spec: objectOf('kubernetes.NamespaceSpec', { finalizers: listOf(string) }),
  status: objectOf('kubernetes.NamespaceStatus', {
    conditions: listOf(
      objectOf('kubernetes.NamespaceCondition', {
        status: string,
        type: string,
        lastTransitionTime: timestamp,
        message: string,
        reason: string,
      }),
    ),
    phase: string,
  }),
});

/** The variables of a policy's expressions; `variables` has only those declared before. */
export type PolicyScope = {
  readonly hasParams: boolean;
  readonly variables?: ReadonlyMap<string, CelType>;
};

function declarations({ hasParams, variables }: PolicyScope): ReadonlyMap<string, CelType> {
  return new Map<string, CelType>([
    ['object', dyn],
    ['oldObject', dyn],
    ['request', requestType],
    ['authorizer', authorizerType],
    ['namespaceObject', namespaceType],
    ...(hasParams ? [['params', dyn] as const] : []),
    ...(variables
      ? [['variables', { is: 'object', name: 'kubernetes.variables', fields: variables } as const] as const]
      : []),
  ]);
}

export const wantsBool: readonly CelType[] = [bool];
export const wantsText: readonly CelType[] = [string];
export const wantsTextOrNothing: readonly CelType[] = [string, nothing];

const typeName = (type: CelType): string =>
  type.is === 'simple' && type.name === 'null_type' ? 'null_type' : printType(type);

/** The compiled expression, or its error, in the compiler's words. */
export function compileExpression(
  source: string,
  scope: PolicyScope,
  types?: readonly CelType[],
): CelProgram | { readonly error: string } {
  try {
    const program = compileCel(source, declarations(scope), 'policy');
    const got = typeName(program.type);
    if (!types || types.some((type) => typeName(type) === got)) return program;
    const names = types.map(typeName);
    const list = names.length === 1 ? names[0] : `one of [${names.join(' ')}]`;
    return { error: `must evaluate to ${list} but got ${got}` };
  } catch (error) {
    if (error instanceof CelSyntaxError) return { error: `compilation failed: ${error.message}` };
    throw error;
  }
}
