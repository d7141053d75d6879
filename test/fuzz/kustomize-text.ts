import type { Random } from './random.ts';

/** A scalar that is written exactly so, whatever a reader makes of it. */
export class Raw {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A scalar of several lines that are written exactly so, each as deep as it must be. */
class RawBlock {
  readonly header: string;
  readonly lines: readonly string[];

  constructor(header: string, lines: readonly string[]) {
    this.header = header;
    this.lines = lines;
  }

  text(pad: string): string {
    return `${this.header}\n${this.lines.map((line) => (line === '' ? '' : `${pad}${line}`)).join('\n')}`;
  }
}

/** Writes a value as YAML in one of the many ways in which people do. */
export function written(value: unknown, random: Random): string {
  if (random.chance(0.15) && isJson(value)) return `${JSON.stringify(value, null, random.pick([0, 2]))}\n`;
  return new Writer(random).document(value);
}

function isJson(value: unknown): boolean {
  if (value instanceof Raw || value instanceof RawBlock || typeof value === 'bigint') return false;
  return typeof value !== 'object' || value === null || Object.values(value).every(isJson);
}

const isPlain = (text: string, mayBeBoolean: boolean): boolean =>
  /^[A-Za-z][\w./-]*$/.test(text) &&
  !/^(?:true|false|null)$/i.test(text) &&
  (mayBeBoolean || !/^(?:y|n|yes|no|on|off)$/i.test(text));

class Writer {
  readonly #random: Random;
  /** How much deeper than their key lists stand. */
  readonly #listIndent: number;

  constructor(random: Random) {
    this.#random = random;
    this.#listIndent = random.pick([0, 2]);
  }

  document(value: unknown): string {
    const comment = this.#random.chance(0.1) ? '# a comment\n' : '';
    return `${comment}${this.#block(value, 0).replace(/^\n/, '')}\n`;
  }

  /** What follows `key:`. */
  #block(value: unknown, indent: number): string {
    if (Array.isArray(value) && value.length > 0) {
      if (this.#random.chance(0.05)) return ` ${this.#flow(value)}`;
      const at = indent + (indent === 0 ? 0 : this.#listIndent) - (indent === 0 ? 0 : 2);
      return value
        .map((item) => `${this.#between(at)}\n${' '.repeat(at)}-${this.#item(item, at + 2)}`)
        .join('');
    }
    if (isMap(value)) {
      if (this.#random.chance(0.05)) return ` ${this.#flow(value)}`;
      const pad = `\n${' '.repeat(indent)}`;
      return Object.entries(value)
        .map(
          ([key, inner]) =>
            `${this.#between(indent)}${pad}${this.#key(key)}:${this.#block(inner, indent + 2)}${this.#comment(inner)}`,
        )
        .join('');
    }
    return this.#scalar(value, indent);
  }

  #item(item: unknown, indent: number): string {
    const text = isMap(item) ? this.#block(item, indent) : this.#scalar(item, indent);
    const isBelow = text.startsWith(`\n${' '.repeat(indent)}`) && /^\n *[^\s#]/.test(text);
    return isBelow ? ` ${text.slice(indent + 1)}` : text;
  }

  /** A comment or an empty line, as deep as what follows, or not. */
  #between(indent: number): string {
    if (!this.#random.chance(0.03) || indent === 0) return '';
    const pad = ' '.repeat(this.#random.pick([indent, indent, 0, indent + 2]));
    return this.#random.pick(['\n', `\n${pad}# between`, `\n${pad}# a: b\n\n${pad}# - c`]);
  }

  #comment(value: unknown): string {
    const isShort = typeof value === 'number' || typeof value === 'boolean';
    return isShort && this.#random.chance(0.05) ? ' # why' : '';
  }

  #key(key: string): string {
    return /^[\w./-]+$/.test(key) && !/^[\d.+-]/.test(key) ? key : JSON.stringify(key);
  }

  #scalar(value: unknown, indent: number): string {
    if (value instanceof Raw) return value.text === '' ? '' : ` ${value.text}`;
    if (value instanceof RawBlock) return ` ${value.text(' '.repeat(Math.max(indent, 2)))}`;
    if (Array.isArray(value)) return ' []';
    if (typeof value === 'object' && value !== null) return ' {}';
    if (typeof value === 'string') return ` ${this.#text(value, indent)}`;
    return ` ${String(value)}`;
  }

  #text(text: string, indent: number): string {
    const isBlock = /^[^\s].*\n/.test(text) && !/[ \t]\n|[ \t]$/.test(text) && !text.includes('\r');
    if (isBlock && this.#random.chance(0.8)) return this.#literal(text, indent);
    if (isPlain(text, this.#random.chance(0.2)) && this.#random.chance(0.7)) return text;
    const canSingle = /^[\x20-\x7e]*$/.test(text);
    return canSingle && this.#random.chance(0.4) ? `'${text.replaceAll("'", "''")}'` : JSON.stringify(text);
  }

  #literal(text: string, indent: number): string {
    const end = text.endsWith('\n\n') ? '|+' : text.endsWith('\n') ? '|' : '|-';
    const pad = ' '.repeat(Math.max(indent, 2));
    const lines = text.replace(/\n$/, '').split('\n');
    return `${end}\n${lines.map((line) => (line === '' ? '' : pad + line)).join('\n')}`;
  }

  #flow(value: unknown): string {
    if (Array.isArray(value)) return `[${value.map((item) => this.#flow(item)).join(', ')}]`;
    if (isMap(value)) {
      return `{${Object.entries(value)
        .map(([key, inner]) => `${JSON.stringify(key)}: ${this.#flow(inner)}`)
        .join(', ')}}`;
    }
    if (value instanceof Raw) return value.text;
    if (value instanceof RawBlock) return '"a block"';
    if (typeof value === 'string') return JSON.stringify(value);
    return typeof value === 'object' && value !== null ? '{}' : String(value);
  }
}

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  !(value instanceof Raw) &&
  !(value instanceof RawBlock) &&
  Object.keys(value).length > 0;

const texts = [
  ...[
    'plain',
    'two words',
    '1',
    'true',
    'yes',
    'on',
    '0x10',
    '1.0',
    'null',
    '~',
    '',
    'é😀',
    '2020-01-01',
    '1e3',
  ],
  ...[
    '012',
    '"quoted"',
    "it's",
    ' leading',
    'trailing ',
    'a: b',
    '# no',
    'tab\there',
    'key:',
    '- dash',
    '---',
  ],
  ...['*star', '&amp', '!bang', '%pct', '@at', '{a', '[b', '>', '|', 'x #y', '<b>&c', '$(VAR)', '{{ tpl }}'],
  ...[
    'multi\nline\n',
    'line\n  indented\nend',
    '\n\nstart',
    '  two\nthree\n',
    'ends\n\n',
    'has\ttab\nand\tmore\n',
  ],
  ...[
    'trailing \nspace\n',
    '#!/bin/sh\nset -e\nif [ "$a" != "b" ]; then\n\techo *.txt && exit 1\nfi\n',
    '\ttab',
  ],
  'a rather long text that goes on and on and on, well beyond the eighty columns at which lines may be folded, and more',
  'key: value\nlist:\n- a\n- b: |\n    c\n\n    d\n# end\n',
];

const numbers = [
  '0',
  '1',
  '-5',
  '3.5',
  '0.1',
  '9007199254740993',
  '0644',
  '0o17',
  '0x1F',
  '1_000',
  '.5',
  '1e3',
  '1.0',
];

/** Any scalar, the ordinary ones most often. */
export function anyScalar(random: Random): unknown {
  const choice = random.below(20);
  if (choice < 8) return random.pick(['one', 'two', 'three', 'four']);
  if (choice < 14) return random.pick(texts);
  if (choice < 16) return random.below(100);
  if (choice < 17) return new Raw(random.pick(numbers));
  if (choice < 19) return random.chance(0.5);
  return random.chance(0.5) ? null : new Raw(random.pick(['', '~', 'null', 'True', '2001-02-03']));
}

export const anyText = (random: Random): string => (random.chance(0.5) ? random.pick(texts) : 'some text');

const words = (text: string): string[] => text.trim().split(/\s+/);

/** Ways to write a scalar or a small collection on one line. */
const forms: readonly string[] = [
  ...words(
    '0b11 +12 1. 1e+3 0.10 -0 -0.0 00 08 1:30 12e03 1__0 0x 1_ 1e400 0.1e-7 123456789012345678901 -9223372036854775808',
  ),
  ...words(
    '9223372036854775807 1e17 100000000000000000000 1.5e300 0o 0O17 0X1f 0B1 +.5 -.5 5. 1E5 0777 0o777 1,000 12.30',
  ),
  ...words(
    'Null NULL TRUE False FALSE Yes NO On y n .5e1 <x> a#b a:b http://x:80/y?z=1 -foo ?x :x a&b a*b 50% x@y ~x $x',
  ),
  ...words(
    '2001-12-14t21:59:43.10-05:00 2001-1-1 2001-12-14 2001-13-01 12:30:45 1h30m 5Gi 0.5m sha256:0123 1.2.3 v1',
  ),
  ...[
    '2001-12-14 21:59:43',
    '2001-12-14 21:59:43.5 -5',
    'a # comment',
    "'a' # comment",
    '"a"   ',
    'x   ',
    'a: b',
    '- a',
    "''",
  ],
  ...[
    '""',
    '" "',
    '"\\n"',
    '"a\\nb"',
    "'a''b'",
    '"a\\"b"',
    '"\\u00e9\\t"',
    "' a '",
    '"a\\\\b"',
    '"caf\\xe9"',
    '"#"',
    "'# no'",
  ],
  ...[
    '[]',
    '{}',
    '[ ]',
    '{ }',
    '[a,b]',
    '[a, b,]',
    '{a: b,}',
    '{"a":b}',
    '{"a": "b","c":[1,2]}',
    '[[a],[b]]',
    '[{a: b}]',
    '[a: b]',
  ],
  ...[
    '{a: \'x, y\', b: [c, "d]"]}',
    '[a b, c d]',
    '{a: b # c',
    '[yes, no]',
    '[0644, "0644"]',
    '{a: 1.0}',
    '{? a : b}',
    '[~, a]',
  ],
  'a plain text that is rather long, longer than eighty columns, and longer than a hundred and twenty-eight columns as well, on one line',
  '"a quoted text that is rather long, longer than eighty columns, and longer than a hundred and twenty-eight columns,   with   spaces"',
];

/** The same over several lines; each is as deep as it must be. */
const longForms: readonly (readonly string[])[] = [
  ['plain', 'over lines'],
  ['plain', '', 'with a gap'],
  ['"quoted', 'over lines"'],
  ['"quoted \\', '  over lines"'],
  ['"gap', '', '  here"'],
  ["'single", '', "over 'lines'"],
  ["'single", "  over lines'"],
  ['[a,', 'b,', '  c]'],
  ['{a: b,', ' c: d}'],
  ['{', 'a: b', '}'],
  ['[', '# comment', 'a', ']'],
];

const blockLines = [
  '',
  '',
  'word',
  'two words',
  '  deeper',
  '    deepest',
  'ends in space ',
  '\ttab',
  '# hash',
  '- item',
  'a: b',
];

/** A text in a form that says more than its value does: folded, indented, escaped. */
export function anyForm(random: Random): unknown {
  const choice = random.below(8);
  if (choice < 2) return anyText(random);
  if (choice < 5) return new Raw(random.pick(forms));
  if (choice < 6) return new RawBlock('', random.pick(longForms));
  const header = random.chance(0.9)
    ? random.pick(['|', '|-'])
    : random.pick(['|+', '>', '>-', '>+', '|2', '>2-']);
  const lines = Array.from({ length: random.below(5) }, () => random.pick(blockLines));
  return new RawBlock(header, ['first', ...lines]);
}
