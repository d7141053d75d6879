/** Freezes plain data all the way down; what is frozen already is taken to be so all the way, and skipped. */
export function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const key in value) freeze(value[key]);
  return value;
}
