import type { Random } from './random.ts';

/** An environment with every kind of value that an object of Kubernetes has. */
export const environment = {
  app: {
    metadata: { name: 'web', labels: { team: 'shop', tier: '' }, generation: 7 },
    spec: { project: 'default', syncPolicy: null, sources: [{ path: 'a' }, { path: 'b', chart: 'x' }] },
    status: {
      health: { status: 'Healthy' },
      sync: { status: 'Synced', revision: 'abc123' },
      operationState: { phase: 'Succeeded', retryCount: 3, startedAt: '2024-02-29T12:00:00Z' },
      weights: [5, 10, 85],
      ratio: 0.25,
    },
  },
  numbers: [3, 1, 2, 2],
  texts: ['b', 'a', 'c'],
  flags: [true, false, true],
  mixed: [1, 'a', null, [2, [3]], { k: 1 }],
  n: 4,
  x: 2.5,
  s: 'héllo, world',
  yes: true,
  nothing: null,
};

type Kind = 'bool' | 'int' | 'float' | 'text' | 'list' | 'map' | 'any';

/** Random expressions, of the kind that is wanted nearly always. */
export class ExprMaker {
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  expression(): string {
    const kind = this.#pick(['bool', 'bool', 'int', 'float', 'text', 'list', 'map'] as const);
    return this.#of(kind, 4);
  }

  #pick<T>(items: readonly T[]): T {
    return this.#random.pick(items);
  }

  #of(kind: Kind, depth: number): string {
    if (this.#random.below(60) === 0)
      return this.#of(this.#pick(['bool', 'int', 'text', 'list', 'any']), depth);
    if (depth <= 0) return this.#pick(leaves[kind]);
    const made = this.#pick(rules[kind]);
    return made(
      (inner) => this.#of(inner, depth - 1),
      () => this.#pick,
    );
  }
}

type Rule = (of: (kind: Kind) => string, pick: () => unknown) => string;

const leaves: Readonly<Record<Kind, readonly string[]>> = {
  bool: ['true', 'false', 'yes', 'not yes', '!yes', 'nothing == nil', 'app.missing == nil'],
  int: [
    '0',
    '1',
    '-2',
    '7',
    '0x1F',
    '1_000',
    'n',
    'len(numbers)',
    'app.metadata.generation',
    'app.status.weights[1]',
  ],
  float: ['1.5', 'x', '.5', '1e3', '-2.25', 'app.status.ratio', '4/2'],
  text: [
    ...["'a'", '"b\\n"', '`raw`', 's', 'app.metadata.name', 'app.status.sync.status', "'Synced'", "''"],
    ...['app.metadata.labels.team', "app.metadata['name']", 'app?.status?.health?.status', "'ünï'"],
  ],
  list: ['numbers', 'texts', '[1, 2, 3]', '[]', 'mixed', 'flags', "['a', 'b']", 'app.spec.sources', '1..4'],
  map: ['app.metadata.labels', '{}', "{a: 1, 'b': 2}", "{(s): 1, 3: 'x'}", 'app.status'],
  any: ['nil', 'nothing', 'app.spec.syncPolicy', 'app.missing', 'mixed[2]', 'app.nope?.deep.er'],
};

const comparison = ['==', '!=', '<', '<=', '>', '>='];
const calls = (names: readonly string[], kind: Kind): Rule[] =>
  names.map((name) => (of) => `${name}(${of(kind)})`);
const ofTwo = (operators: readonly string[], left: Kind, right: Kind = left): Rule[] =>
  operators.map((operator) => (of) => `${of(left)} ${operator} ${of(right)}`);

const rules: Readonly<Record<Kind, readonly Rule[]>> = {
  bool: [
    ...ofTwo(['and', 'or', '&&', '||'], 'bool'),
    ...ofTwo(comparison, 'int'),
    ...ofTwo(comparison, 'float', 'int'),
    ...ofTwo(comparison, 'text'),
    ...ofTwo(['==', '!='], 'any'),
    ...ofTwo(['==', '!='], 'list'),
    ...ofTwo(['in', 'not in'], 'int', 'list'),
    ...ofTwo(['in', 'not in'], 'text', 'list'),
    ...ofTwo(['in', 'not in'], 'text', 'map'),
    ...ofTwo(['contains', 'startsWith', 'endsWith', 'not contains', 'matches'], 'text'),
    ...['all', 'any', 'none', 'one'].map(
      (name): Rule =>
        (of) =>
          `${name}(${of('list')}, ${name === 'all' ? '{# != nil}' : `# == ${of('int')}`})`,
    ),
    (of) => `(${of('bool')})`,
    (of) => `not ${of('bool')}`,
    (of) => `${of('bool')} ? ${of('bool')} : ${of('bool')}`,
    (of) => `(${of('bool')} ?? ${of('bool')})`,
    (of) => `${of('int')} < ${of('int')} < ${of('int')}`,
    (of) => `hasPrefix(${of('text')}, ${of('text')})`,
    (of) => `if ${of('bool')} { ${of('bool')} } else { ${of('bool')} }`,
    (of) => `let v = ${of('int')}; v == ${of('int')}`,
  ],
  int: [
    ...ofTwo(['+', '-', '*', '%'], 'int'),
    ...calls(['len'], 'list'),
    ...calls(['len', 'indexOf'], 'text').map(
      (rule): Rule =>
        (of, pick) =>
          rule(of, pick).replace(/^indexOf\((.*)\)$/s, "indexOf($1, 'a')"),
    ),
    ...calls(['len'], 'map'),
    ...calls(['int'], 'float'),
    ...calls(['abs', 'bitnot', 'int'], 'int'),
    ...['bitand', 'bitor', 'bitxor', 'bitnand'].map(
      (name): Rule =>
        (of) =>
          `${name}(${of('int')}, ${of('int')})`,
    ),
    (of) => `-${of('int')}`,
    (of) => `(${of('int')})`,
    (of) => `count(${of('list')}, # == ${of('int')})`,
    (of) => `sum(${of('list')})`,
    (of) => `findIndex(${of('list')}, # == ${of('int')})`,
    (of) => `reduce(${of('list')}, #acc + #index, 0)`,
    (of) => `numbers[${of('int')}]`,
    (of) => `max(${of('int')}, ${of('int')})`,
    (of) => `min(${of('list')})`,
    (of) => `${of('bool')} ? ${of('int')} : ${of('int')}`,
  ],
  float: [
    ...ofTwo(['/', '**', '^'], 'int'),
    ...ofTwo(['+', '-', '*', '/'], 'float', 'int'),
    ...calls(['ceil', 'floor', 'round', 'abs', 'float'], 'float'),
    ...calls(['mean', 'median'], 'list'),
    (of) => `(${of('float')})`,
    () => "float('2.50')",
  ],
  text: [
    ...ofTwo(['+'], 'text'),
    ...calls(['upper', 'lower', 'trim', 'string', 'toBase64'], 'text'),
    ...calls(['string', 'type'], 'int'),
    ...calls(['string', 'type'], 'float'),
    ...calls(['string', 'type', 'toJSON'], 'list'),
    ...calls(['type', 'toJSON', 'string'], 'any'),
    ...calls(['toJSON'], 'map'),
    (of) => `(${of('text')})[${of('int')}:${of('int')}]`,
    (of) => `(${of('text')})[:${of('int')}]`,
    (of) => `trim(${of('text')}, 'ad')`,
    (of) => `trimPrefix(${of('text')}, 'h')`,
    (of) => `replace(${of('text')}, 'l', ${of('text')})`,
    (of) => `replace(${of('text')}, '', '-', ${of('int')})`,
    (of) => `join(texts, ${of('text')})`,
    (of) => `repeat(${of('text')}, 2)`,
    (of) => `${of('bool')} ? ${of('text')} : ${of('text')}`,
    (of) => `(${of('any')} ?? ${of('text')})`,
    (of) => `first(texts) + ${of('text')}`,
    (of) => `get(app.metadata.labels, ${of('text')}) ?? 'none'`,
    () => `string(date('2024-02-29') + duration('1h30m'))`,
    () => `string(date(app.status.operationState.startedAt) - date('2024-01-01'))`,
    (of) => `date('2024-02-29T10:00:00Z').Format(${of('bool')} ? '2006-01-02' : 'Mon Jan 2 15:04')`,
    (of) => `${of('text')} | upper() | trim()`,
  ],
  list: [
    ...calls(['reverse', 'uniq', 'flatten', 'sort', 'concat'], 'list'),
    ...['filter', 'map'].map(
      (name): Rule =>
        (of) =>
          `${name}(${of('list')}, # == ${of('int')})`,
    ),
    (of) =>
      `map(app.spec.sources, .path)`.replace('.path', of('bool').length > 20 ? '.path' : '{.chart ?? .path}'),
    (of) => `filter(numbers, # > ${of('int')})`,
    (of) => `map(1..3, {# * ${of('int')}})`,
    (of) => `(${of('list')})[${of('int')}:${of('int')}]`,
    (of) => `take(${of('list')}, 2)`,
    (of) => `split(${of('text')}, ${of('text')})`,
    (of) => `splitAfter(${of('text')}, 'l', ${of('int')})`,
    (of) => `keys(${of('map')}) | sort()`,
    (of) => `sortBy(numbers, -#, ${of('bool')} ? 'asc' : 'desc')`,
    (of) => `concat(${of('list')}, ${of('list')})`,
    (of) => `${of('int')}..${of('int')}`,
    (of) => `[${of('int')}, ${of('text')}, ${of('any')}]`,
    (of) => `fromJSON('[1, 2.5, {"a": null}]') | concat(${of('list')})`,
  ],
  map: [
    (of) => `{a: ${of('int')}, b: ${of('text')}}`,
    (of) => `groupBy(texts, ${of('bool')})`,
    (of) => `fromPairs([['k', ${of('any')}], ['l', ${of('int')}]])`,
    () => 'app.metadata',
  ],
  any: [
    (of) => `find(${of('list')}, # == ${of('int')})`,
    (of) => `last(${of('list')})`,
    (of) => `${of('any')} ?? ${of('any')}`,
    (of) => `app.spec?.missing?.[${of('int')}]`,
    (of) => `(${of('list')})[${of('int')}]`,
  ],
};
