export { isObject, type JsonObject } from '#base/std';

/** The kind of a leaf. `int-or-string` keeps its JSON type; `quantity` is compared by value. */
export type ScalarKind =
  | 'string'
  | 'int32'
  | 'int64'
  | 'number'
  | 'boolean'
  | 'bytes'
  | 'time'
  | 'micro-time'
  | 'duration'
  | 'quantity'
  | 'int-or-string';

/** The properties that every node may have. Only custom resources have defaults here. */
type Annotated = { readonly nullable?: boolean; readonly default?: unknown };

type ScalarType = Annotated & { readonly kind: 'scalar'; readonly scalar: ScalarKind };

/** Declared fields. An `open` struct keeps fields it does not declare; a closed one refuses them. */
export type StructType = Annotated & {
  readonly kind: 'struct';
  /** `io.k8s.api.core.v1.Container` for built-in types, '' for anonymous ones. */
  readonly name: string;
  readonly fields: ReadonlyMap<string, SchemaField>;
  readonly atomic: boolean;
  readonly open: boolean;
  /** An object inside an object (x-kubernetes-embedded-resource): its metadata is metadata. */
  readonly embedded?: boolean;
};

/** Free-form string keys, all values of one type. */
type MapType = Annotated & {
  readonly kind: 'map';
  readonly values: TypeNode;
  readonly atomic: boolean;
};

/** `atomic` lists have one owner, `set` lists own scalars one by one, `keyed` lists own items by `keys`. */
export type ListType = Annotated & {
  readonly kind: 'list';
  readonly items: TypeNode;
  readonly merge: 'atomic' | 'set' | 'keyed';
  readonly keys: readonly string[];
};

/** Nothing is known, every field is allowed. Maps merge and lists are atomic, unless all of it is one atom. */
export type AnyType = Annotated & { readonly kind: 'any'; readonly atomic: boolean };

export type TypeNode = ScalarType | StructType | MapType | ListType | AnyType;

/** One declared field of a struct, with everything that the wire formats and the patch formats use. */
export type SchemaField = {
  readonly name: string;
  readonly type: TypeNode;
  readonly required: boolean;
  /** Absent differs from zero: a zero value the user wrote is kept. */
  readonly pointer: boolean;
  /** An empty value is left out when printed; false means it is always printed, as `{}`, `""` or `null`. */
  readonly omitEmpty: boolean;
  /** Strategic merge patch. By default objects merge and lists are replaced; `merge` lists merge by `mergeKey`, or as sets. */
  readonly patch: 'default' | 'merge' | 'replace';
  readonly mergeKey?: string;
  readonly retainKeys: boolean;
  /** The value a missing list key stands for (ContainerPort.protocol is TCP). */
  readonly keyDefault?: string | number | boolean;
  /** Protobuf field numbers; more than one when Go embeds the struct that declares it. */
  readonly proto: readonly number[];
};

export type SchemaGvk = { readonly group: string; readonly version: string; readonly kind: string };

/** The type of a value without a schema. */
export const anyType: AnyType = { kind: 'any', atomic: false };
