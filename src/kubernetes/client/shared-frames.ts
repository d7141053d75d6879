import { Lru } from '#base/std';

/** The size of the frames that not all watches of one kind have read yet, in characters. */
const capacity = 500_000;

type Frame<T> = { readonly value: T; readonly line: string; left: number };
type Kind<T> = { watches: number; readonly frames: Lru<Frame<T>> };

/** How one watch reads its frames, until it leaves. */
export type FrameReader<T> = { read(line: string): T; leave(): void };

/**
 * A kind that we manage and that drives our controllers is watched twice: in one namespace by its controller,
 * and cluster-wide by the cluster cache. The API server sends both the same bytes: they are parsed once, and
 * both watches share one object.
 */
export class SharedFrames<T> {
  readonly #kinds = new Map<string, Kind<T>>();
  readonly #parse: (line: string) => T;

  constructor(parse: (line: string) => T) {
    this.#parse = parse;
  }

  join(name: string): FrameReader<T> {
    const kind: Kind<T> = this.#kinds.get(name) ?? {
      watches: 0,
      frames: new Lru({ capacity, weigh: ({ line }: Frame<T>) => line.length }),
    };
    this.#kinds.set(name, kind);
    kind.watches++;
    return {
      read: (line) => this.#read(kind, line),
      leave: () => {
        kind.watches--;
        if (kind.watches === 0) this.#kinds.delete(name);
        if (kind.watches === 1) kind.frames.clear();
      },
    };
  }

  #read({ watches, frames }: Kind<T>, line: string): T {
    if (watches === 1) return this.#parse(line);
    const id = idIn(line);
    const known = frames.get(id);
    if (known && known.line === line) {
      known.left--;
      if (known.left === 0) frames.delete(id);
      return known.value;
    }
    const value = this.#parse(line);
    frames.set(id, { value, line, left: watches - 1 });
    return value;
  }
}

const versionField = '"resourceVersion":"';

/** A short key that two lines hardly share: a lookup by the whole line would hash every character. */
function idIn(line: string): string {
  const at = Math.max(0, line.indexOf(versionField));
  return `${line.length} ${line.slice(at, at + versionField.length + 20)}`;
}
