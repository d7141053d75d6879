import { compileGlob } from '#base/std';

/** A pattern over whole paths: `*`, `?` and classes stay inside one name, `**` stands for any number of folders. */
export type PathGlob = {
  matches(path: string): boolean;
  /** Something below the folder may match; false lets a walk skip it. */
  mayHold(folder: string): boolean;
};

type Segment = ((name: string) => boolean) | 'any';

/** A name that does not compile as a pattern matches itself. */
export function compilePathGlob(pattern: string): PathGlob {
  const segments = pattern.split('/').map((segment): Segment => {
    if (segment === '**') return 'any';
    return compileGlob(segment.replace(/\*+/g, '*').replace(/\[\^/g, '[!')) ?? ((name) => name === segment);
  });
  return {
    matches: (path) => reach(segments, path.split('/')).has(segments.length),
    mayHold: (folder) => [...reach(segments, folder.split('/'))].some((at) => at < segments.length),
  };
}

/** Which segments may come next after these names. */
function reach(segments: readonly Segment[], names: readonly string[]): ReadonlySet<number> {
  let places = closed(segments, new Set([0]));
  for (const name of names) {
    const next = new Set<number>();
    for (const at of places) {
      const segment = segments[at];
      if (segment === 'any') next.add(at);
      else if (segment?.(name)) next.add(at + 1);
    }
    places = closed(segments, next);
  }
  return places;
}

/** `**` may match no folder at all. */
function closed(segments: readonly Segment[], places: ReadonlySet<number>): ReadonlySet<number> {
  const all = new Set(places);
  for (const at of all) if (segments[at] === 'any') all.add(at + 1);
  return all;
}
