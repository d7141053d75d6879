import { annotation, type KubeObject } from '#base/model';
import { parseJson } from '#base/std';

/** The object in the last-applied annotation; undefined: the annotation is missing or unreadable. */
export function lastAppliedOf({ metadata }: KubeObject): unknown {
  const text = metadata.annotations?.[annotation.lastApplied];
  if (!text) return undefined;
  try {
    return parseJson(text);
  } catch {
    return undefined; // a user edited the annotation by hand: the last applied object is unknown
  }
}
