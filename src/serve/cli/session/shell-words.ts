const word = /(?:"(?:\\.|[^"\\])*"?|'[^']*'?|\\.|[^\s"'\\]|\\$)+/gs;
const piece = /"(?:\\.|[^"\\])*"?|'[^']*'?|\\.|\\$/gs;

/** The words of a command line as a shell splits them: spaces, quotes and backslashes, and nothing else. */
export function shellWords(text: string): string[] {
  return (text.match(word) ?? []).map((raw) => raw.replace(piece, unquoted));
}

function unquoted(part: string): string {
  if (part.startsWith("'")) return part.replace(/^'|'$/g, '');
  const inner = part.startsWith('"') ? part.slice(1).replace(/(?<!\\)"$/, '') : part;
  return inner.replace(/\\(.)/gs, '$1');
}
