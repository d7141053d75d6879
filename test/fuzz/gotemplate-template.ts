import { applicationSetFunctions } from '#lang/go-template';
import type { Random } from './random.ts';

/** What every random template is executed with. */
export const data = {
  s: 'hello World',
  e: '',
  n: 8080,
  f: 3.5,
  big: 1_000_000,
  neg: -1,
  z: 0,
  t: true,
  no: false,
  nil: null,
  l: ['b', 'a', 'c', 'a'],
  nums: [3, 1, 2.5],
  m: { b: 'two', a: 1, c: null },
  em: {},
  el: [],
  deep: { a: { b: { c: 'deep' } } },
  u: 'h\u00e9llo w\u00f6rld \u65e5\u672c',
  lm: [
    { n: 'x', v: 1 },
    { n: 'y', v: 2 },
  ],
};

/** Functions whose answer is not the same twice, or that we do not have. */
const excluded =
  /^(?:rand|gen|now$|ago$|uuid|shuffle|bcrypt|htpasswd|derive|buildCustom|encryptAES|decryptAES|keys$|values$)/;

const strings = [
  '"a"',
  '"Hello World"',
  '""',
  '" x  y "',
  '"a,b,,c"',
  '"fooBarBAZ9qux_x-y"',
  '"h\u00e9\u65e5"',
  '"12"',
  '"-7.50"',
  '"0x1F"',
  '"true"',
  '"a\\nb"',
  '"<&>\'"',
  '.s',
  '.e',
  '.u',
];
const ints = ['0', '1', '-1', '2', '3', '5', '7', '12', '40'];
const anys = [
  '.n',
  '.f',
  '.big',
  '.neg',
  '.z',
  '.t',
  '.no',
  '.nil',
  '.l',
  '.nums',
  '.m',
  '.em',
  '.el',
  '.deep',
  '.lm',
  'nil',
  '.missing',
  '1.5',
  '-0.25',
  '1e5',
  "'x'",
  'true',
  '.m.a',
  '.deep.a',
  '(index .l 0)',
  '(list)',
  '(dict)',
  '(list 1 "a" nil)',
  '(dict "a" 1 "b" (list 2))',
  '(until 3)',
  '(splitList "," "a,b")',
  '(split "," "a,b")',
  '(int64 5)',
  '(float64 2)',
];
const pools: Readonly<Record<string, readonly string[]>> = {
  string: strings,
  int: ints,
  int64: ['(int64 3)', '(int64 0)', '5'],
  float64: ['0.5', '1.5', '.f', '-2', '0'],
  bool: ['true', 'false', '.t', '.no', '(eq 1 1)'],
  'map[string]interface {}': [
    '.m',
    '.em',
    '.deep',
    '(dict)',
    '(dict "a" 1 "x" "y")',
    '(dict "a" "" "b" false "c" 0)',
    '(dict "deep" (dict "a" 2))',
    'nil',
  ],
  'time.Time': [
    '(toDate "2006-01-02" "2020-02-03")',
    '(toDate "2006-01-02T15:04:05Z07:00" "2021-12-31T23:59:58+02:00")',
    '(toDate "x" "y")',
  ],
};
const fresh = [
  '(dict)',
  '(dict "a" 1 "x" "y")',
  '(dict "a" "" "b" false "c" 0 "d" (dict "e" 1))',
  '(dict "deep" (dict "a" 2) "l" (list))',
];
const maps = [...fresh, '.m', '.em', '.deep'];
const patterns = [
  '"a"',
  '"[a-z]+"',
  '"(\\\\w)(\\\\w)"',
  '"^h"',
  '"x*"',
  '"o|l"',
  '"(?i)HELLO"',
  '"(?P<n>l+)"',
  '""',
  '"\\\\s+"',
  '","',
];
const layouts = [
  '"2006-01-02"',
  '"Jan _2 15:04:05.000 2006 MST -0700"',
  '"Monday, 02-Jan-06 3:04PM"',
  '"2006-01-02T15:04:05Z07:00"',
  '"002 06 1 2 .999 x"',
];
const versions = ['"1.2.3"', '"v1.2"', '"1.2.3-beta.1+b"', '"0.3.0"', '"2"', '"x"', '"1.02.3"', '""'];
const constraints = [
  '"^1.2"',
  '">=1.0, <2"',
  '"~0.3"',
  '"1.x"',
  '"!=1.2.3"',
  '"1.2 - 1.4"',
  '"*"',
  '"<=1.2 || >2"',
  '"^0.0.3"',
  '">1"',
  '"=1.2.3-beta.1"',
  '"a"',
];
const jsons = [
  '`{"a":1,"b":[true,null,"x"]}`',
  '`[1.5,2e3]`',
  '`{"a"`',
  '`nope`',
  '`"s"`',
  '`{"a":1}x`',
  '`{a:1}`',
  '``',
  '`[1,]`',
  '`-`',
  '`1.`',
  '`"\\\\u00e9\\\\x"`',
];
const yamls = ['"a: 1\\nb: [x, y]"', '"- 1\\n- two"', '""', '"a: {b: c}"', '"x"', '"1"'];
const durations = ['"1h30m"', '"-90s"', '"1.5h"', '"100ms"', '"x"', '""', '"2540400s"', '"8760h1s"', '"95"'];
const urls = [
  '"http://u:p@example.com:80/a%20b?q=1#f"',
  '"mailto:a@b.c"',
  '"/x/y"',
  '"https://h"',
  '"h:80"',
  '"//h/p"',
  '"http://[::1]:80/"',
  '":x"',
  '"http://h:x/"',
  '""',
];
const paths = ['"/a/b/../c.txt"', '"a//b/"', '"."', '""', '"../x"', '"/"', '"a.tar.gz"', '"..."'];
const encoded = [
  '"aGVsbG8="',
  '"aGVsbG8"',
  '"a"',
  '"!!"',
  '"NBSWY3DP"',
  '"NBSWY3DPEB3W64TMMQ======"',
  '"MZXW6==="',
  '"=a"',
  '"aGVs bG8="',
  '"/+8="',
];

/** Better arguments than any string, by function and position. */
const special: Readonly<Record<string, readonly (readonly string[])[]>> = {
  ...Object.fromEntries(
    [...applicationSetFunctions.keys()]
      .filter((name) => /regex/i.test(name))
      .map((name) => [
        name,
        [
          patterns,
          strings,
          name.includes('Replace') ? ['"$1"', '"-"', `"\${1}x"`, '"$1x"', '""', '"$$"'] : ints,
        ],
      ]),
  ),
  // a map that holds itself ends Go's process, so what is changed is always new
  ...Object.fromEntries(
    ['set', 'unset', 'merge', 'mustMerge', 'mergeOverwrite', 'mustMergeOverwrite'].map((name) => [
      name,
      [
        fresh,
        name.endsWith('set') ? ['"a"', '"x"', '"z"'] : maps,
        name.endsWith('set') ? ['1', '"v"', '.l', 'nil'] : maps,
      ],
    ]),
  ),
  date: [layouts],
  dateInZone: [
    layouts,
    ['(toDate "2006-01-02" "2020-07-03")', '(int64 1600000000)', '1600000000'],
    ['"UTC"', '"Europe/Berlin"', '"America/New_York"', '"Nope/Zone"'],
  ],
  date_in_zone: [
    layouts,
    ['1700000000', '(toDate "2006-01-02" "2019-01-03")'],
    ['"UTC"', '"Asia/Tokyo"', '"Local"', '""'],
  ],
  htmlDateInZone: [
    ['1600000000', '(int64 0)'],
    ['"UTC"', '"Asia/Kolkata"'],
  ],
  htmlDate: [['1600000000', '(int64 0)', '(toDate "2006-01-02" "2020-07-03")']],
  toDate: [
    layouts,
    [
      '"2020-02-30"',
      '"2020-02-29"',
      '"Mar  4 05:06:07.890 1999 UTC +0000"',
      '"1999-12-31T23:59:59.5-08:00"',
      '"x"',
    ],
  ],
  mustToDate: [
    layouts,
    ['"2020-13-01"', '"2020-2-29"', '"2020-02-29x"', '"1999-12-31T23:59:59Z"', '"Monday, 02-Jan-06 3:04PM"'],
  ],
  dateModify: [durations],
  date_modify: [durations],
  mustDateModify: [durations],
  must_date_modify: [durations],
  duration: [['"95"', '(int64 3661)', '"x"', '5', '(int64 -1)', '"9223372036854775808"']],
  durationRound: [[...durations, '(int64 1000000000)', '5']],
  semver: [versions],
  semverCompare: [constraints, versions],
  fromJson: [jsons],
  mustFromJson: [jsons],
  fromYaml: [yamls],
  fromYamlArray: [yamls],
  urlParse: [urls],
  b64dec: [encoded],
  b32dec: [encoded],
  ...Object.fromEntries(
    ['base', 'clean', 'dir', 'ext', 'isAbs', 'osBase', 'osClean', 'osDir', 'osExt'].map((name) => [
      name,
      [paths],
    ]),
  ),
  normalize: [[...strings, '"Feature/ABC_1."', '"--x--"']],
  slugify: [
    ['5', '20', '0', '"x"'],
    ['true', 'false'],
    [...strings, '"Feature/ABC_1-two-three"'],
  ],
  divf: [
    ['10', '1', '-7', '.n'],
    ['3', '0.7', '0', '"2"'],
  ],
  round: [
    ['2.5', '-2.5', '123.456', '.f'],
    ['0', '1', '2', '-1'],
  ],
  urlJoin: [
    [
      '(urlParse "http://u@h/p?q#f")',
      '(dict "scheme" "http" "host" "h:80" "path" "/a b")',
      '(dict "host" "h")',
      '(dict "path" "x")',
      '(dict "scheme" 1)',
    ],
  ],
};

const changing = /^(?:set|unset|must[mM]erge|merge)/;
const names = [...applicationSetFunctions.keys()].filter((name) => !excluded.test(name));

const formats = [
  '%v',
  '%s',
  '%d',
  '%q',
  '%5d',
  '%-6s|',
  '%x',
  '%t',
  '%.2f',
  '%T',
  '%+v',
  '%#v',
  '%e',
  '%05d',
  '%g',
  '%c',
  '%U',
  '%o',
  '%8.3f',
  '%X',
];

/** Makes templates from a seed. */
export class TemplateMaker {
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  template(): string {
    const pieces = Array.from({ length: 1 + this.#random.below(2) }, () => this.#statement());
    return pieces.join(' ');
  }

  #statement(): string {
    const form = this.#random.below(20);
    if (form < 9) return `{{ ${this.#call(2)} }}`;
    if (form < 11) return `{{ ${this.#call(1)} | ${this.#piped()} }}`;
    if (form === 11)
      return `{{ printf "${this.#pick(formats)} ${this.#pick(formats)}" ${this.#any(1)} ${this.#any(1)} }}`;
    if (form === 12) return `{{ if ${this.#any(1)} }}yes{{ else }}no{{ end }}`;
    if (form === 13) return `{{ with ${this.#any(1)} }}{{ . }}{{ else }}none{{ end }}`;
    if (form === 14) return `{{ range $i, $e := ${this.#any(1)} }}{{ $i }}={{ $e }};{{ else }}empty{{ end }}`;
    if (form === 15) return `{{ range ${this.#any(1)} }}[{{ . }}]{{ end }}`;
    if (form === 16)
      return `{{ ${this.#pick(['eq', 'ne', 'lt', 'le', 'gt', 'ge'])} ${this.#any(1)} ${this.#any(1)} }}`;
    if (form === 17) return `{{ index ${this.#any(1)} ${this.#any(0)} }}`;
    if (form === 18)
      return `{{ $x := ${this.#call(1)} }}{{ $x }} {{ $x.${this.#pick(['a', 'b', 'Major', 'x'])} }}`;
    return `{{ ${this.#pick(['len', 'not', 'html', 'js', 'urlquery', 'print', 'println'])} ${this.#any(1)} }}`;
  }

  /** A function for the end of a pipeline: its last argument comes through it. */
  #piped(): string {
    const name = this.#pick(names.filter((one) => !changing.test(one)));
    const args = this.#args(name, 0);
    return [name, ...args.slice(0, -1)].join(' ');
  }

  #call(depth: number): string {
    const name = this.#pick(names);
    return [name, ...this.#args(name, depth)].join(' ');
  }

  #args(name: string, depth: number): string[] {
    const call = applicationSetFunctions.get(name);
    if (!call) return [];
    const { params, variadic } = call;
    const count = variadic ? params.length - 1 + this.#random.below(4) : params.length;
    return Array.from(
      { length: this.#random.below(40) === 0 ? this.#random.below(4) : count },
      (_none, at) => {
        const pool = special[name]?.[Math.min(at, (special[name]?.length ?? 1) - 1)];
        if (pool && (changing.test(name) || this.#random.below(12) > 0)) return this.#pick(pool);
        return this.#argument(params[Math.min(at, params.length - 1)]?.name ?? 'interface {}', depth);
      },
    );
  }

  #argument(type: string, depth: number): string {
    const pool = pools[type];
    if (!pool || this.#random.below(15) === 0) return this.#any(depth);
    return this.#pick(pool);
  }

  #any(depth: number): string {
    if (depth > 0 && this.#random.below(2) === 0) return `(${this.#call(depth - 1)})`;
    const pool = this.#random.below(4);
    return this.#pick(pool === 0 ? strings : pool === 1 ? ints : anys);
  }

  #pick(pool: readonly string[]): string {
    return pool[this.#random.below(pool.length)] ?? '""';
  }
}
