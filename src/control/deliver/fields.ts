import { FairleadError, isObject, type JsonObject } from '#base/std';
import { parse } from '#lang/yaml';
import type { Delivery } from './service.ts';

/** The block of the template for this service; empty where it has none. */
export const partOf = ({ notification }: Delivery): JsonObject =>
  isObject(notification.part) ? notification.part : {};

/** A field as text; empty when it is absent. */
export function text(fields: JsonObject, name: string): string {
  const value = fields[name];
  return typeof value === 'string'
    ? value
    : typeof value === 'number' || typeof value === 'boolean'
      ? String(value)
      : '';
}

/** A field as text without surrounding space; undefined when there is none. */
export const filled = (fields: JsonObject, name: string): string | undefined =>
  text(fields, name).trim() || undefined;

export const flag = (fields: JsonObject, name: string): boolean => text(fields, name).trim() === 'true';

export const map = (fields: JsonObject, name: string): JsonObject => {
  const value = fields[name];
  return isObject(value) ? value : {};
};

/** A field that is a list or map, or the text of one in YAML or JSON; undefined when it is empty. Throws InvalidSpec. */
export function structure(fields: JsonObject, name: string): unknown {
  const value = fields[name];
  if (typeof value !== 'string') return value ?? undefined;
  if (value.trim() === '') return undefined;
  try {
    return parse(value, { name });
  } catch (error) {
    throw new FairleadError(
      'InvalidSpec',
      `${name} of the template is neither JSON nor YAML: ${FairleadError.from(error).message}`,
    );
  }
}

/** Only the fields that have a value. */
export function given(fields: Readonly<Record<string, unknown>>): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== ''),
  );
}

/** The secret or address that a recipient's name stands for in an option. Throws InvalidSpec with the known names. */
export function byRecipient({ options, recipient }: Delivery, option: string): string {
  const table = map(options, option);
  const found = Object.hasOwn(table, recipient) ? text(table, recipient) : '';
  if (found !== '') return found;
  throw new FairleadError(
    'InvalidSpec',
    `${option} has no ${recipient || 'recipient without a name'}; it has ${Object.keys(table).join(', ') || 'nothing'}`,
  );
}

export const json = { 'content-type': 'application/json; charset=utf-8' };
export const bearer = (token: string): { authorization: string } => ({ authorization: `Bearer ${token}` });
export const basic = (username: string, password: string): { authorization: string } => ({
  authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
});

/** A URL and a path below it, joined by one slash. */
export const below = (url: string, path: string): string =>
  path === '' ? url : `${url.replace(/\/+$/, '')}/${path.replace(/^\/+/, '')}`;

export const insecureOf = (options: JsonObject): { insecure?: boolean } =>
  flag(options, 'insecureSkipVerify') ? { insecure: true } : {};
