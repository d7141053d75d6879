import type { Rows } from '../function-table.ts';
import {
  CelError,
  type CelValue,
  Duration,
  ListValue,
  MapValue,
  none,
  OptionalValue,
  Timestamp,
  Uint,
} from '../value.ts';

function isZero(value: CelValue): boolean {
  if (value instanceof ListValue) return value.items.length === 0;
  if (value instanceof MapValue) return value.entries.size === 0;
  if (value instanceof Uint8Array) return value.length === 0;
  if (value instanceof Uint) return value.value === 0n;
  if (value instanceof Duration || value instanceof Timestamp) return value.nanos === 0n;
  return value === null || value === '' || value === false || value === 0 || value === 0n;
}

/** Optional values. */
export const optionalRows: Rows = {
  'optional.of': [['(A) -> optional(A)', (value: CelValue) => new OptionalValue(value)]],
  'optional.none': [['() -> optional(A)', () => none]],
  'optional.ofNonZeroValue': [
    ['(A) -> optional(A)', (value: CelValue) => (isZero(value) ? none : new OptionalValue(value))],
  ],
  'optional.unwrap': [['(list(optional(A))) -> list(A)', unwrap]],
  unwrapOpt: [['list(optional(A)).() -> list(A)', unwrap]],
  hasValue: [['optional(A).() -> bool', ({ value }: OptionalValue) => value !== undefined]],
  value: [
    [
      'optional(A).() -> A',
      ({ value }: OptionalValue) =>
        value === undefined ? new CelError('optional.none() dereference') : value,
    ],
  ],
  or: [['optional(A).(optional(A)) -> optional(A)', (a: OptionalValue) => a]],
  orValue: [['optional(A).(A) -> A', (a: CelValue) => a]],
};

function unwrap({ items }: ListValue): CelValue {
  return new ListValue(
    items.flatMap((item) => (item instanceof OptionalValue && item.value !== undefined ? [item.value] : [])),
  );
}
