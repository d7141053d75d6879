import { expect, test } from 'vitest';
import { Budget } from '#base/std';
import {
  applicationSetFunctions,
  compileTemplate,
  fn,
  GoError,
  goValue,
  normalize,
  slugify,
  type Template,
  type TemplateBudget,
  type TemplateFunctions,
  type TemplateHost,
  type TemplateOptions,
} from './index.ts';

const host = { now: () => 0, randomBytes: (count: number) => new Uint8Array(count) };
const run = (text: string, data: unknown = {}): string =>
  compileTemplate('t', text, { functions: applicationSetFunctions, host }).execute(data);

const hostile: [name: string, text: string][] = [
  ['endless recursion', '{{ define "r" }}{{ template "r" . }}{{ end }}{{ template "r" . }}'],
  ['a loop of a billion', '{{ range 1000000000 }}{{ end }}'],
  ['nested loops', '{{ range 10000 }}{{ range 10000 }}{{ end }}{{ end }}'],
  ['output without end', '{{ range 1000000 }}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx{{ end }}'],
  ['wide verbs', '{{ range 1000 }}{{ printf "%1000000d" 1 }}{{ end }}'],
  ['wide verbs on lists', '{{ printf "%1000000v" .l }}'],
  ['a string that doubles', '{{ $s := "x" }}{{ range 100 }}{{ $s = print $s $s }}{{ end }}'],
  ['a text that is repeated', '{{ repeat 1000000000 "xy" }}'],
  ['a list of a billion', '{{ until 1000000000 }}'],
  ['a sequence of a billion', '{{ seq 1000000000 }}'],
  ['an indentation bomb', '{{ repeat 10000 "\\n" | indent 100000 }}'],
  ['a replacement bomb', '{{ $s := repeat 100000 "x" }}{{ replace "x" $s $s }}'],
  ['a costly pattern', '{{ regexMatch "(x+x+)+y{500}" (repeat 1000000 "x") }}'],
  ['groups that multiply', '{{ $s := repeat 20000 "x" }}{{ regexReplaceAll "(x*)" $s (repeat 2000 "$1") }}'],
  ['a list that doubles', '{{ $l := list 1 }}{{ range 60 }}{{ $l = list $l $l }}{{ end }}{{ toJson $l }}'],
  ['random text without end', '{{ randAlpha 1000000000 }}'],
  ['precision', '{{ range 1000 }}{{ $x := printf "%.1000000f" 1.0 }}{{ end }}'],
];

test.each(hostile)('%s ends in LimitExceeded', (_name, text) => {
  expect(() => run(text, { l: new Array(1000).fill(1) })).toThrow(
    expect.objectContaining({ code: 'LimitExceeded', message: expect.stringMatching(/^template t /) }),
  );
});

test('expressions and blocks nest 200 deep and no deeper', () => {
  const nested = (depth: number): string => `{{ ${'('.repeat(depth)}1${')'.repeat(depth)} }}`;
  expect(run(nested(200))).toBe('1');
  expect(() => run(nested(201))).toThrow('max expression depth exceeded');
  const blocks = (depth: number): string => `${'{{ if true }}'.repeat(depth)}x${'{{ end }}'.repeat(depth)}`;
  expect(run(blocks(200))).toBe('x');
  expect(() => run(blocks(40_000))).toThrow('max expression depth exceeded');
});

test('a budget can be shared by many templates', () => {
  const budget = new Budget('application set s', { steps: 1000 });
  const template = compileTemplate('t', '{{ range 100 }}x{{ end }}');
  expect(template.execute({}, { budget })).toHaveLength(100);
  expect(() => {
    for (let at = 0; at < 10; at++) template.execute({}, { budget });
  }).toThrow('application set s needs more than 1000 steps');
});

test('an execution ends when the caller says that its time is over', () => {
  let polls = 0;
  const outOfTime = (): boolean => ++polls > 3;
  expect(() => compileTemplate('t', '{{ range 100000 }}{{ end }}').execute({}, { outOfTime })).toThrow(
    'template t needs more than its time',
  );
});

test('a map that holds itself is an error, not the end of the process', () => {
  expect(() => run('{{ $m := dict }}{{ $m = set $m "m" $m }}{{ $m }}')).toThrow(
    /nested deeper|LimitExceeded|needs more/,
  );
  expect(() => run('{{ $m := dict }}{{ $m = set $m "m" $m }}{{ toJson $m }}{{ toYaml $m }}')).toThrow(
    /nested deeper/,
  );
});

test('what needs the machine comes from the host, or fails by name', () => {
  expect(run('{{ now | htmlDate }} {{ uuidv4 }} {{ randAlpha 3 }}')).toBe(
    '1970-01-01 00000000-0000-4000-8000-000000000000 AAA',
  );
  const bare = compileTemplate('t', '{{ now }}', { functions: applicationSetFunctions });
  expect(() => bare.execute({})).toThrow('error calling now: the clock is not available to this template');
  expect(() => run('{{ genCA "ca" 365 }}')).toThrow(
    'error calling genCA: genCA is not available to templates: a private key would be new after each evaluation',
  );
  expect(() => run('{{ htpasswd "ana" "x" }}')).toThrow('hash the password once');
  const bareCiphers = compileTemplate('t', '{{ encryptAES "p" "x" }}', {
    functions: applicationSetFunctions,
  });
  expect(() => bareCiphers.execute({})).toThrow('not available to this template');
  expect(() => run('{{ env "HOME" }}')).toThrow('function "env" not defined');
});

test('AST-8: names are normalized and cut at a dash', () => {
  expect(normalize('Feature/ABC_1.')).toBe('feature-abc-1');
  expect(slugify('Feature/ABC_1-two-three', 20)).toBe('feature-abc-1-two');
  const host: TemplateHost = {};
  expect(
    compileTemplate('t', '{{ slugify 5 .s }}', { functions: applicationSetFunctions, host }).execute({
      s: 'a-bcdefg',
    }),
  ).toBe('a');
});

test('an unknown option is rejected with the known ones', () => {
  expect(() => compileTemplate('t', '', { options: ['missingkey=maybe'] })).toThrow(
    'unknown template option "missingkey=maybe": use missingkey=default, missingkey=zero or missingkey=error',
  );
});

test('numbers of the data are float64, bigints included, and keys are only keys', () => {
  const data = { big: 2n ** 63n, n: 1, own: JSON.parse('{ "__proto__": { "a": 1 } }') };
  expect(run('{{ .big }} {{ printf "%T" .n }}', data)).toBe('9.223372036854776e+18 float64');
  expect(run('{{ .constructor }} {{ .own.__proto__.a }} {{ .__proto__ }}', data)).toBe(
    '<no value> 1 <no value>',
  );
});

test('functions of a caller have typed parameters, and their errors name the call', () => {
  const functions: TemplateFunctions = new Map([
    [
      'half',
      fn('int', (_run, whole) => {
        if (whole % 2n === 1n) throw new GoError(`${whole} is odd`);
        return whole / 2n;
      }),
    ],
  ]);
  const options: TemplateOptions = { functions };
  const data = goValue({ n: 1 });
  const execute = (text: string, budget: TemplateBudget = {}): string => {
    const template: Template = compileTemplate('t', text, options);
    return template.execute(data, budget);
  };
  expect(execute('{{ half 4 }}')).toBe('2');
  expect(() => execute('{{ half 3 }}')).toThrow(
    'template: t:1:3: executing "t" at <half 3>: error calling half: 3 is odd',
  );
  expect(() => execute('{{ half .n }}')).toThrow('wrong type for value; expected int; got float64');
});
