import { type ErrorCode, FairleadError } from '#base/std';

/**
 * An error with a position in the text of one document; it has no excerpt, because the text may contain
 * secrets.
 */
export class YamlError extends Error {
  readonly code: ErrorCode;
  /** UTF-16 offset in the document's text. */
  readonly offset: number;

  constructor(code: ErrorCode, offset: number, message: string) {
    super(message);
    this.code = code;
    this.offset = offset;
  }
}

/** The position of a document in its stream: its number and its first line, both from 1. */
export type DocumentPosition = {
  readonly document: number;
  readonly line: number;
  readonly name: string | undefined;
};

type Position = { readonly line: number; readonly column: number };

/** Line and column of an offset, both from 1. */
export function positionAt(text: string, offset: number): Position {
  const end = Math.min(Math.max(offset, 0), text.length);
  let line = 1;
  let start = 0;
  for (let at = text.indexOf('\n'); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) {
    line += 1;
    start = at + 1;
  }
  return { line, column: end - start + 1 };
}

/** How an error's sentence begins: with the name of the text, where it has one. */
export const label = (name: string | undefined): string => (name === undefined ? '' : `${name}: `);

/** The error a caller sees: what is wrong, in which document, line and column. Other errors pass unchanged. */
export function placed(error: unknown, text: string, place: DocumentPosition): unknown {
  if (!(error instanceof YamlError)) return error;
  const { line, column } = positionAt(text, error.offset);
  const where = `yaml document ${place.document}, line ${place.line + line - 1}, column ${column}`;
  return new FairleadError(error.code, `${label(place.name)}${where}: ${error.message}`);
}
