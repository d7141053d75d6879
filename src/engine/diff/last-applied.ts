import { annotation, type KubeObject } from '#base/model';
import { parseJson } from '#base/std';

/** What an object says was applied to it last; undefined: it says nothing, or nothing that can be read. */
export function lastAppliedOf({ metadata }: KubeObject): unknown {
  const text = metadata.annotations?.[annotation.lastApplied];
  if (!text) return undefined;
  try {
    return parseJson(text);
  } catch {
    return undefined; // somebody edited it by hand: then nothing is known of what was applied before
  }
}
