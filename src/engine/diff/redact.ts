import { annotation, encodeBase64Text, type KubeObject } from '#base/model';
import { parseJson, printJson } from '#base/std';
import { isObject, type JsonObject } from '#kubernetes/schema';
import { annotate } from '../annotations.ts';
import { isSecret } from './ignore.ts';

export type RedactOptions = { readonly sensitiveAnnotations: readonly string[] };
type Sides = { readonly target?: KubeObject; readonly live?: KubeObject };

const first = 8;
const further = 4;

/**
 * compat engine D-32, D-33: both sides of a Secret with every value replaced by plus signs. Equal values of a
 * key get equally many, different values differ, so that drift stays visible and nothing else does. Other
 * objects stay unchanged, but for annotations that are configured as sensitive.
 */
export function redact<T extends Sides>(sides: T, { sensitiveAnnotations }: RedactOptions): T {
  const masks = new Map<string, Map<string, string>>();
  const hide = (key: string, value: unknown): string => maskOf(masks, key, value);
  const { target, live } = sides;
  const shown = [target, live].map((object) => object && redactFields(object, sensitiveAnnotations, hide));
  // the inner copies come after both sides, because the order of values decides the masks
  const [maskedTarget, maskedLive] = shown.map(
    (object) => object && redactLastApplied(object, sensitiveAnnotations, hide),
  );
  return { ...sides, ...(maskedTarget && { target: maskedTarget }), ...(maskedLive && { live: maskedLive }) };
}

type Hide = (key: string, value: unknown) => string;

function redactFields(object: KubeObject, sensitive: readonly string[], hide: Hide): KubeObject {
  const masked = sensitive.reduce((next, name) => {
    const value = next.metadata.annotations?.[name];
    return value === undefined ? next : annotate(next, name, hide(`annotation ${name}`, value));
  }, object);
  if (!isSecret(masked)) return masked;
  const { data, stringData, ...rest } = masked as KubeObject & { data?: unknown; stringData?: unknown };
  return {
    ...rest,
    ...(isObject(data) && { data: maskAll(data, hide) }),
    ...(isObject(stringData) && {
      stringData: maskAll(stringData, (key, value) => hide(key, stored(value))),
    }),
  } as KubeObject;
}

/** A value written as stringData is the same value once it is stored. */
const stored = (value: unknown): unknown => (typeof value === 'string' ? encodeBase64Text(value) : value);

function maskAll(fields: JsonObject, hide: Hide): JsonObject {
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, hide(`data ${key}`, value)]));
}

function redactLastApplied(object: KubeObject, sensitive: readonly string[], hide: Hide): KubeObject {
  const text = object.metadata.annotations?.[annotation.lastApplied];
  if (text === undefined || (!isSecret(object) && sensitive.length === 0)) return object;
  return annotate(object, annotation.lastApplied, maskText(text, sensitive, hide));
}

/** A copy that cannot be read may hold anything, so it is masked whole. */
function maskText(text: string, sensitive: readonly string[], hide: Hide): string {
  try {
    const inner = parseJson(text);
    if (isObject(inner) && isObject(inner.metadata)) {
      return printJson(redactFields(inner as unknown as KubeObject, sensitive, hide));
    }
  } catch {
    // falls through: not JSON
  }
  return '+'.repeat(first);
}

function maskOf(masks: Map<string, Map<string, string>>, key: string, value: unknown): string {
  const known = masks.get(key) ?? new Map<string, string>();
  masks.set(key, known);
  const text = printJson(value ?? '');
  const mask = known.get(text) ?? '+'.repeat(first + further * known.size);
  known.set(text, mask);
  return mask;
}
