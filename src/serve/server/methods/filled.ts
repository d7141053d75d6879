/** The entries that have a value; switches that are off and empty texts are left out (compat server §2.3). */
export function filled<T extends object>(fields: T): Partial<T> {
  const isEmpty = (value: unknown): boolean =>
    value === undefined || value === '' || value === false || value === 0 || isBare(value);
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => !isEmpty(value))) as Partial<T>;
}

const isBare = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;
