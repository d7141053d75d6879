/** What Go's reflect package calls the kind of a type, as far as templates can meet it. */
export type Kind =
  | 'bool'
  | 'string'
  | 'int'
  | 'int32'
  | 'int64'
  | 'uint8'
  | 'uint32'
  | 'uint64'
  | 'float64'
  | 'complex128'
  | 'slice'
  | 'map'
  | 'struct'
  | 'ptr'
  | 'interface'
  | 'func'
  | 'reflect';

/** A Go type. Types are compared by identity: make one for each name and no more. */
export type GoType = {
  readonly name: string;
  readonly kind: Kind;
  /** Of a slice, a map or a pointer. */
  readonly elem?: GoType;
};

const make = (name: string, kind: Kind, elem?: GoType): GoType =>
  elem ? { name, kind, elem } : { name, kind };

const any = make('interface {}', 'interface');
const string = make('string', 'string');
const int = make('int', 'int');
const uint8 = make('uint8', 'uint8');
const anys = make('[]interface {}', 'slice', any);

/** The types that values and parameters have. Maps have string keys, always. */
export const types = {
  any,
  string,
  int,
  uint8,
  anys,
  bool: make('bool', 'bool'),
  int32: make('int32', 'int32'),
  int64: make('int64', 'int64'),
  uint32: make('uint32', 'uint32'),
  uint64: make('uint64', 'uint64'),
  float64: make('float64', 'float64'),
  complex128: make('complex128', 'complex128'),
  /** A parameter that takes a value as it is, nil and absent ones included. */
  raw: make('reflect.Value', 'reflect'),
  strings: make('[]string', 'slice', string),
  ints: make('[]int', 'slice', int),
  bytes: make('[]uint8', 'slice', uint8),
  lists: make('[][]interface {}', 'slice', anys),
  map: make('map[string]interface {}', 'map', any),
  stringMap: make('map[string]string', 'map', string),
  maps: make('[]map[string]interface {}', 'slice', make('map[string]interface {}', 'map', any)),
  func: make('func', 'func'),
  time: make('time.Time', 'struct'),
  duration: make('time.Duration', 'int64'),
  month: make('time.Month', 'int'),
  weekday: make('time.Weekday', 'int'),
} as const;

const signed: ReadonlySet<Kind> = new Set(['int', 'int32', 'int64']);
const unsigned: ReadonlySet<Kind> = new Set(['uint8', 'uint32', 'uint64']);

export const isSigned = (kind: Kind): boolean => signed.has(kind);
export const isUnsigned = (kind: Kind): boolean => unsigned.has(kind);
export const isInteger = (kind: Kind): boolean => signed.has(kind) || unsigned.has(kind);

const bits: Partial<Record<Kind, number>> = {
  int: 64,
  int64: 64,
  int32: 32,
  uint8: 8,
  uint32: 32,
  uint64: 64,
};

/** An integer as a variable of that kind holds it: what does not fit wraps around. */
export function wrap(kind: Kind, value: bigint): bigint {
  const width = bits[kind] ?? 64;
  return isUnsigned(kind) ? BigInt.asUintN(width, value) : BigInt.asIntN(width, value);
}

const nillable: ReadonlySet<Kind> = new Set(['func', 'interface', 'map', 'ptr', 'slice', 'reflect']);

export const canBeNil = (type: GoType): boolean => nillable.has(type.kind);
