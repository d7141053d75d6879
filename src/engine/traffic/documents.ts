import { FairleadError } from '#base/std';
import { parse } from '#lang/yaml';

/** One document of a YAML stream, as lines without their ends. */
export type TextDocument = { readonly lines: readonly string[]; readonly end: '\n' | '\r\n' };

const mark = /^---(\s|$)/;

/** The documents of a text; each but the first begins with its marker line. Joined they are the text again. */
export function documentsIn(text: string): readonly TextDocument[] {
  const end = text.includes('\r\n') ? '\r\n' : '\n';
  const documents: string[][] = [[]];
  for (const line of text.split(end)) {
    if (mark.test(line)) documents.push([]);
    documents.at(-1)?.push(line);
  }
  return documents.filter((lines, at) => at > 0 || lines.length > 0).map((lines) => ({ lines, end }));
}

export const joinDocuments = (documents: readonly TextDocument[]): string =>
  documents.flatMap(({ lines }) => lines).join(documents[0]?.end ?? '\n');

export const indentOf = (line: string): number => line.length - line.trimStart().length;

/** Neither blank, nor a comment alone, nor the marker of the document. */
export const isContent = (line: string): boolean =>
  /\S/.test(line) && !/^\s*#/.test(line) && !mark.test(line);

/** The value of a document; undefined for what is no YAML, or means two things. */
export function readValue({ lines }: TextDocument): unknown {
  try {
    return parse(lines.join('\n'), { duplicateKeys: 'reject' });
  } catch {
    return undefined;
  }
}

export const readValues = (text: string): unknown[] => documentsIn(text).map(readValue);

/** Why an edit of a field in place is refused. */
export const notEditable = (field: string, why: string): FairleadError =>
  new FairleadError('InvalidSpec', `${field} cannot be edited in place: ${why}`);
