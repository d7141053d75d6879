/** The authentication that a server requires, by its `WWW-Authenticate` header. Schemes and names are in lower case. */
export type Challenge = { readonly scheme: string; readonly parameters: ReadonlyMap<string, string> };

const space = /[\s,]*/y;
const word = /[!#$%&'*+.^_`|~0-9A-Za-z-]+/y;
const value = /\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]*))/y;

/** Parses the challenges of a header, in its order. An invalid one ends the list. */
export function readChallenges(header: string): Challenge[] {
  const challenges: { scheme: string; parameters: Map<string, string> }[] = [];
  let at = 0;
  const match = (shape: RegExp): RegExpExecArray | null => {
    shape.lastIndex = at;
    const found = shape.exec(header);
    if (found) at = shape.lastIndex;
    return found;
  };
  for (match(space); at < header.length; match(space)) {
    const name = match(word)?.[0].toLowerCase();
    if (name === undefined) break;
    const given = match(value);
    if (!given) challenges.push({ scheme: name, parameters: new Map() });
    else challenges.at(-1)?.parameters.set(name, (given[1] ?? given[2] ?? '').replace(/\\(.)/g, '$1'));
  }
  return challenges;
}
