import { FairleadError, isObject } from '#base/std';

const part = /\.([A-Za-z_][\w-]*)|\[(-?\d+)\]|\[(?:'([^']*)'|"([^"]*)")\]|(\[\*\]|\.\*)/y;

/**
 * The first value at a JSONPath of Kubernetes, such as `{$.data.ok}` or `{.items[0].name}`. Throws InvalidSpec for a form that
 * is not supported and NotFound where the document has no such value.
 */
export function pickPath(document: unknown, path: string): unknown {
  const text = path
    .trim()
    .replace(/^\{(.*)\}$/s, '$1')
    .trim()
    .replace(/^\$/, '');
  let values: unknown[] = [document];
  let at = 0;
  while (at < text.length) {
    part.lastIndex = at;
    const match = part.exec(text);
    if (!match)
      throw new FairleadError(
        'InvalidSpec',
        `jsonPath ${path}: only names, indexes and * are supported, not ${text.slice(at)}`,
      );
    at = part.lastIndex;
    values = values.flatMap((value) => children(value, match));
  }
  if (values.length === 0) throw new FairleadError('NotFound', `Could not find JSONPath in body: ${path}`);
  return values[0];
}

function children(value: unknown, [, name, index, quoted, doubled, star]: RegExpExecArray): unknown[] {
  if (star) return Array.isArray(value) ? value : isObject(value) ? Object.values(value) : [];
  if (index !== undefined) return Array.isArray(value) ? value.slice(Number(index)).slice(0, 1) : [];
  const key = name ?? quoted ?? doubled ?? '';
  return isObject(value) && Object.hasOwn(value, key) ? [value[key]] : [];
}
