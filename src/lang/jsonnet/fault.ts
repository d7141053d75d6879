/** A text that programs come from, and what it is called in messages. */
export type SourceText = { readonly path: string; readonly text: string };

/** A spot in a source text. */
export type SourcePosition = { readonly source: SourceText; readonly at: number };

/** An error of the program. The first position that is set stays: it is the innermost. */
export class JsonnetError extends Error {
  place: SourcePosition | undefined;

  constructor(message: string, place?: SourcePosition) {
    super(message);
    this.place = place;
  }
}

/** Adds a position to an error that passes through it, unless it has one. */
export function placed(error: unknown, place: SourcePosition): unknown {
  if (error instanceof JsonnetError) error.place ??= place;
  return error;
}

/** `file:line:column`, as editors take it; columns count characters from 1. */
export function describePlace({ source, at }: SourcePosition): string {
  const before = source.text.slice(0, at);
  const lineStart = before.lastIndexOf('\n') + 1;
  const line = before.split('\n').length;
  return `${source.path}:${line}:${[...before.slice(lineStart)].length + 1}`;
}
