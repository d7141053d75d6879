import { JsonnetError } from './fault.ts';

export type Flags = {
  readonly alternate: boolean;
  readonly zero: boolean;
  readonly left: boolean;
  readonly blank: boolean;
  readonly sign: boolean;
  readonly capitals: boolean;
};

/** One `%…` of a format. */
export type Directive = {
  readonly key: string | undefined;
  readonly flags: Flags;
  readonly width: number | '*';
  readonly precision: number | '*' | undefined;
  readonly type: 'd' | 'o' | 'x' | 'f' | 'e' | 'g' | 'c' | 's' | '%';
};

const directive = /%(?:\(([^)]*)\))?([#0\- +]*)(\*|\d*)(?:\.(\*|\d*))?[hlL]?([diuoxXeEfFgGcs%])/y;

/** A format, cut into texts and directives. */
export function parseFormat(text: string): (string | Directive)[] {
  const parts: (string | Directive)[] = [];
  let at = 0;
  for (;;) {
    const start = text.indexOf('%', at);
    if (start < 0) break;
    if (start > at) parts.push(text.slice(at, start));
    directive.lastIndex = start;
    const found = directive.exec(text);
    if (!found)
      throw new JsonnetError(
        `the format has a % that nothing known follows: ${JSON.stringify(text.slice(start, start + 8))}`,
      );
    parts.push(directiveOf(found));
    at = start + found[0].length;
  }
  if (at < text.length) parts.push(text.slice(at));
  return parts;
}

function directiveOf([, key, flags = '', width = '', precision, letter = 's']: RegExpExecArray): Directive {
  return {
    key,
    flags: {
      alternate: flags.includes('#'),
      zero: flags.includes('0'),
      left: flags.includes('-'),
      blank: flags.includes(' '),
      sign: flags.includes('+'),
      capitals: letter !== letter.toLowerCase(),
    },
    width: width === '*' ? '*' : Number(width),
    precision: precision === undefined || precision === '*' ? precision : Number(precision),
    type: (/[iu]/.test(letter) ? 'd' : letter.toLowerCase()) as Directive['type'],
  };
}
