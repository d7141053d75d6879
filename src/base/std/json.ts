/**
 * JSON in which numbers survive: an integer that a double cannot hold is kept as a bigint and printed as
 * the same digits. The plain parser and printer do the work whenever no such number is present, which is
 * nearly always.
 *
 * On the way in, each such integer becomes a string made of a marker and its digits; a text that already
 * contains the marker gets a longer one, so that no string of a user's is ever taken for a number.
 */
/**
 * Sixteen digits that could be a number of their own; a digest or a name inside a string hardly ever matches.
 */
const long = /(?:^|[[:,\s-])\d{16,}(?:[\s,\]}]|$)/;
const numeral = /[-+.\deE]+/y;

/** Throws SyntaxError like JSON.parse. Integers that a double cannot hold come back as bigint. */
export function parseJson(text: string): unknown {
  if (!long.test(text)) return JSON.parse(text);
  const mark = unusedIn(text);
  const safe = markUnsafe(text, mark);
  if (safe === text) return JSON.parse(text);
  return JSON.parse(safe, (_key, value) =>
    typeof value === 'string' && value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value,
  );
}

/** Like JSON.stringify of a value that JSON can hold; bigints are printed as bare digits. */
export function printJson(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, null, indent);
  } catch {
    // the plain printer refuses bigints; anything else it refuses, it refuses again below
    return printBig(value, indent);
  }
}

function printBig(value: unknown, indent?: number): string {
  const mark = unusedIn(JSON.stringify(value, (_key, item) => (typeof item === 'bigint' ? null : item)));
  const text = JSON.stringify(
    value,
    (_key, item) => (typeof item === 'bigint' ? `${mark}${item}` : item),
    indent,
  );
  return text.replace(new RegExp(`"${mark}(-?\\d+)"`, 'g'), '$1');
}

/** One walk, stepping over strings whole: digits inside a string are text. */
function markUnsafe(text: string, mark: string): string {
  let safe = '';
  let copied = 0;
  let at = 0;
  while (at < text.length) {
    const char = text[at];
    if (char === '"') {
      at = endOfString(text, at);
      continue;
    }
    numeral.lastIndex = at;
    const found =
      char === '-' || (char !== undefined && char >= '0' && char <= '9')
        ? numeral.exec(text)?.[0]
        : undefined;
    if (found && isUnsafe(found)) {
      safe += `${text.slice(copied, at)}"${mark}${found}"`;
      copied = at + found.length;
    }
    at += found?.length ?? 1;
  }
  return safe + text.slice(copied);
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

const isUnsafe = (digits: string): boolean =>
  /^-?\d{16,}$/.test(digits) && !Number.isSafeInteger(Number(digits));

function unusedIn(text: string): string {
  let mark = 'bigint:';
  while (text.includes(mark)) mark += 'x:';
  return mark;
}
