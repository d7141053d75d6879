import { ExitError, usageExitCode } from '../io.ts';

/** The fields that have a value; `exactOptionalPropertyTypes` permits no undefined ones. */
export function given<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}

/** Undefined for an object without fields. */
export const unlessEmpty = <T extends object>(fields: T): T | undefined =>
  Object.keys(fields).length > 0 ? fields : undefined;

/** `name=value`, the last of a name wins. */
export function pairsOf(texts: readonly string[]): Record<string, string> {
  const pairs = texts.map((text) => {
    const at = text.indexOf('=');
    if (at < 1) throw new ExitError(usageExitCode, `${text} is not name=value`);
    return [text.slice(0, at), text.slice(at + 1)] as const;
  });
  return Object.fromEntries(pairs);
}

/** The value of a flag that must be a whole number. */
export function wholeNumber(flag: string, text: string): number {
  if (/^-?\d{1,15}$/.test(text)) return Number(text);
  throw new ExitError(usageExitCode, `${flag} ${text} is not a whole number`);
}
