/** One record as Go's encoding/csv reads it with leading space trimmed; a string is the error. */
export function readRecord(line: string): readonly string[] | string {
  const fields: string[] = [];
  for (let rest = line; ; ) {
    const trimmed = rest.trimStart();
    const field = trimmed.startsWith('"') ? quotedField(trimmed) : plainField(trimmed);
    if (typeof field === 'string') return field;
    fields.push(field.value);
    if (field.rest === undefined) return fields;
    rest = field.rest;
  }
}

/** `rest` is what follows the comma; undefined at the end. */
type Field = { readonly value: string; readonly rest: string | undefined };

function plainField(text: string): Field | string {
  const comma = text.indexOf(',');
  const value = comma < 0 ? text : text.slice(0, comma);
  if (value.includes('"')) {
    return `a quote stands inside the field ${value.trim()}; put the whole field in quotes and double those inside`;
  }
  return { value, rest: comma < 0 ? undefined : text.slice(comma + 1) };
}

const quoted = /^"((?:[^"]|"")*)"(,)?/;

function quotedField(text: string): Field | string {
  const found = quoted.exec(text);
  if (!found) return 'a quoted field is never closed';
  const [all, value = '', comma] = found;
  const rest = text.slice(all.length);
  if (!comma && rest !== '') return 'something stands between a closing quote and the next comma';
  return { value: value.replaceAll('""', '"'), rest: comma ? rest : undefined };
}
