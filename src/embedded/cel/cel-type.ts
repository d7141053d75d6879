/** The type of an expression. */
export type CelType =
  | { readonly is: 'simple'; readonly name: SimpleName }
  | { readonly is: 'list'; readonly items: CelType }
  | { readonly is: 'map'; readonly keys: CelType; readonly values: CelType }
  | { readonly is: 'object'; readonly name: string; readonly fields: ReadonlyMap<string, CelType> }
  | { readonly is: 'type'; readonly of: CelType | undefined }
  /** `optional_type(int)`, `kubernetes.Quantity`: a name and its type parameters. */
  | { readonly is: 'opaque'; readonly name: string; readonly of: readonly CelType[] }
  /** A type parameter in a signature. */
  | { readonly is: 'param'; readonly name: string };

type SimpleName =
  | 'bool'
  | 'int'
  | 'uint'
  | 'double'
  | 'string'
  | 'bytes'
  | 'null_type'
  | 'dyn'
  | 'error'
  | 'timestamp'
  | 'duration';

const simple = (name: SimpleName): CelType => ({ is: 'simple', name });

/** The types that have no parts. */
export const simpleTypes = {
  bool: simple('bool'),
  int: simple('int'),
  uint: simple('uint'),
  double: simple('double'),
  string: simple('string'),
  bytes: simple('bytes'),
  null: simple('null_type'),
  dyn: simple('dyn'),
  error: simple('error'),
  timestamp: simple('timestamp'),
  duration: simple('duration'),
} as const;

export const listOf = (items: CelType): CelType => ({ is: 'list', items });
export const mapOf = (keys: CelType, values: CelType): CelType => ({ is: 'map', keys, values });
export const opaque = (name: string, ...of: CelType[]): CelType => ({ is: 'opaque', name, of });
export const optionalOf = (type: CelType): CelType => opaque('optional_type', type);

export const isDyn = (type: CelType): boolean =>
  type.is === 'simple' && (type.name === 'dyn' || type.name === 'error');
export const isNull = (type: CelType): boolean => type.is === 'simple' && type.name === 'null_type';
export const isOptional = (type: CelType): type is Extract<CelType, { is: 'opaque' }> =>
  type.is === 'opaque' && type.name === 'optional_type';

/** The type as error messages print it. */
export function printType(type: CelType): string {
  switch (type.is) {
    case 'simple':
      return type.name === 'null_type' ? 'null' : type.name === 'error' ? '!error!' : type.name;
    case 'list':
      return `list(${printType(type.items)})`;
    case 'map':
      return `map(${printType(type.keys)}, ${printType(type.values)})`;
    case 'type':
      return type.of === undefined ? 'type' : `type(${printType(type.of)})`;
    case 'opaque':
      return type.of.length === 0 ? type.name : `${type.name}(${type.of.map(printType).join(', ')})`;
    default:
      return type.name;
  }
}

export function sameType(a: CelType, b: CelType): boolean {
  if (a === b) return true;
  if (a.is !== b.is) return false;
  switch (a.is) {
    case 'list':
      return sameType(a.items, (b as typeof a).items);
    case 'map':
      return sameType(a.keys, (b as typeof a).keys) && sameType(a.values, (b as typeof a).values);
    case 'type': {
      const other = (b as typeof a).of;
      return a.of === undefined || other === undefined ? a.of === other : sameType(a.of, other);
    }
    case 'opaque': {
      const other = b as typeof a;
      if (a.name !== other.name || a.of.length !== other.of.length) return false;
      return a.of.every((part, index) => sameType(part, other.of[index] as CelType));
    }
    default:
      return a.name === (b as typeof a).name;
  }
}

/** One overload of a function, written `string.(string, int) -> list(string)`. */
export type CelSignature = {
  readonly isMember: boolean;
  readonly args: readonly CelType[];
  readonly result: CelType;
};

/** Parses a signature; single capitals are type parameters. */
export function readSignature(text: string): CelSignature {
  const tokens = text.match(/->|[A-Za-z_][\w.]*(?<!\.)|[(),.]/g) ?? [];
  let at = 0;
  const next = (): string => tokens[at++] ?? '';
  const accept = (wanted: string): boolean => {
    if (tokens[at] !== wanted) return false;
    at += 1;
    return true;
  };
  const types = (): CelType[] => {
    const found: CelType[] = [];
    while (!accept(')')) {
      found.push(type());
      accept(',');
    }
    return found;
  };
  const type = (): CelType => {
    const name = next();
    return typeNamed(name, accept('(') ? types() : []);
  };
  const target = tokens[at] === '(' ? [] : [type()];
  accept('.');
  accept('(');
  const args = [...target, ...types()];
  accept('->');
  return { isMember: target.length > 0, args, result: type() };
}

function typeNamed(name: string, of: readonly CelType[]): CelType {
  if (Object.hasOwn(simpleTypes, name)) return simpleTypes[name as keyof typeof simpleTypes];
  const [first = simpleTypes.dyn, second = simpleTypes.dyn] = of;
  if (name === 'list') return listOf(first);
  if (name === 'map') return mapOf(first, second);
  if (name === 'type') return { is: 'type', of: of[0] };
  if (name === 'optional') return optionalOf(first);
  return /^[A-Z]$/.test(name) ? { is: 'param', name } : opaque(name, ...of);
}
