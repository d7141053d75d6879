// RFC 7234 §5.5: code, agent, quoted text, and perhaps a quoted date; several may share one header line
const warning = /\d{3} +\S+ +"((?:[^"\\]|\\.)*)"(?: +"[^"]*")?/g;

/** The texts in a `Warning` header, in order; none for a header that is absent or malformed. */
export function warningsIn(header: string | undefined): string[] {
  if (!header) return [];
  return [...header.matchAll(warning)].map(([, text = '']) => text.replace(/\\(.)/g, '$1'));
}
