import type { KubeObject } from '#base/model';

/** Which run of which operation made a hook: what a restarted controller recognises it by (engine R-43). */
export const hookRunAnnotation = 'fairlead.io/hook-run';

export function isTrue(object: KubeObject, key: string): boolean {
  return object.metadata.annotations?.[key] === 'true';
}

/** An object with one annotation set, or removed when the value is undefined. Shares everything else. */
export function annotate<T extends KubeObject>(object: T, key: string, value: string | undefined): T {
  const { [key]: before, ...rest } = object.metadata.annotations ?? {};
  if (before === value) return object;
  const next = value === undefined ? rest : { ...rest, [key]: value };
  return { ...object, metadata: { ...object.metadata, annotations: next } };
}
