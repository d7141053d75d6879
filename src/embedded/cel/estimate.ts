import type { CelType } from './cel-type.ts';
import type { Checked } from './check.ts';
import { isConstantSized, sizeOf } from './meter.ts';
import type { SchemaType } from './schema-type.ts';
import { type CelCall, type Expr, type Fold, operators } from './syntax.ts';

/** The maximal cost of an evaluation, and the maximal size of its result. */
type Estimate = {
  readonly cost: number;
  /** Infinite when it is unknown. */
  readonly size: number;
  /** Its position in the schema, which bounds its parts. */
  readonly at?: SchemaType | undefined;
  /** The maximal size of the items of a constructed list or map. */
  readonly items?: number;
};

/**
 * compat cluster 3.15: the worst case that the real server assumes before it accepts a rule; Infinity is
 * unbounded.
 */
export function estimateCost(expr: Expr, checked: Checked, self: SchemaType): number {
  return new Estimator(checked, self).of(expr).cost;
}

type Scope = { readonly name: string; readonly is: Estimate; readonly outer: Scope | undefined };

const unknownKey: SchemaType = { type: { is: 'simple', name: 'string' }, maxElements: 2 ** 63, minSize: 2 };
const traversal = (size: number): number => Math.ceil(size * 0.1);
const matching = (text: number, pattern: number): number =>
  product(traversal(1 + text), Math.ceil(pattern * 0.25));
/** Zero times infinity is zero. */
const product = (a: number, b: number): number => (a === 0 || b === 0 ? 0 : a * b);

class Estimator {
  readonly #checked: Checked;
  readonly #self: SchemaType;
  #scope: Scope | undefined;

  constructor(checked: Checked, self: SchemaType) {
    this.#checked = checked;
    this.#self = self;
  }

  of(expr: Expr): Estimate {
    switch (expr.is) {
      case 'const':
        return { cost: 0, size: sizeOf(expr.value) };
      case 'ident':
        return this.#ident(expr.name, expr);
      case 'select':
        return this.#select(expr);
      case 'call':
        return this.#call(expr);
      case 'list':
        return this.#made(expr.items, 10, expr.items.length);
      case 'map':
        return this.#made(
          expr.entries.flatMap(({ key, value }) => [key, value]),
          30,
          expr.entries.length,
        );
      case 'fold':
        return this.#fold(expr);
      default:
        return { cost: 40, size: 1 };
    }
  }

  #type(expr: Expr): CelType | undefined {
    return this.#checked.types.get(expr);
  }

  #placed(expr: Expr, cost: number, at: SchemaType | undefined): Estimate {
    return {
      cost,
      at,
      size: at ? at.maxElements : isConstantSized(this.#type(expr)) ? 1 : Number.POSITIVE_INFINITY,
    };
  }

  #ident(name: string, expr: Expr): Estimate {
    for (let scope = this.#scope; scope; scope = scope.outer) {
      if (scope.name === name) return { ...scope.is, cost: 1 };
    }
    const isOld = name === 'oldSelf' && this.#type(expr)?.is !== 'opaque';
    return this.#placed(expr, 1, name === 'self' || isOld ? this.#self : undefined);
  }

  #select(expr: Extract<Expr, { is: 'select' }>): Estimate {
    const operand = this.of(expr.operand);
    if (expr.test) return { cost: operand.cost, size: 1 };
    const kind = this.#type(expr.operand)?.is;
    const cost = operand.cost + (kind === 'map' || kind === 'object' ? 1 : 0);
    return this.#placed(expr, cost, operand.at?.fields?.get(expr.field));
  }

  #made(parts: readonly Expr[], cost: number, size: number): Estimate {
    const found = parts.map((part) => this.of(part));
    return {
      cost: found.reduce((sum, part) => sum + part.cost, cost),
      size,
      items: Math.max(0, ...found.map((part) => part.size)),
    };
  }

  #fold(expr: Fold): Estimate {
    const range = this.of(expr.range);
    const initial = this.of(expr.initial);
    const outside = this.#scope;
    this.#enter(expr.accu, initial);
    const withAccu = this.#scope;
    const isBinding = expr.condition.is === 'const' && expr.condition.value === false;
    if (isBinding) {
      const result = this.of(expr.result);
      this.#scope = outside;
      return { ...result, cost: range.cost + initial.cost + result.cost };
    }
    this.#enterItems(expr, range);
    const each = this.of(expr.condition).cost + this.of(expr.step).cost;
    this.#scope = withAccu;
    const result = this.of(expr.result);
    this.#scope = outside;
    const cost = range.cost + initial.cost + result.cost + product(range.size, each);
    return { cost, size: expr.initial.is === 'const' ? initial.size : range.size };
  }

  #enter(name: string, is: Estimate): void {
    this.#scope = { name, is, outer: this.#scope };
  }

  #enterItems({ variable, second, range: over }: Fold, range: Estimate): void {
    const isMap = this.#type(over)?.is === 'map';
    const inside = (at: SchemaType | undefined): Estimate => ({
      cost: 1,
      at,
      size: at?.maxElements ?? range.items ?? Number.POSITIVE_INFINITY,
    });
    const key = isMap ? inside(range.at && unknownKey) : { cost: 1, size: 1 };
    if (second !== undefined) {
      this.#enter(variable, key);
      this.#enter(second, inside(range.at?.items));
    } else this.#enter(variable, isMap ? key : inside(range.at?.items));
  }

  #call(expr: CelCall): Estimate {
    const args = expr.args.map((arg) => this.of(arg));
    const target =
      expr.target && this.#checked.calls.get(expr)?.args.includes(expr.target)
        ? this.of(expr.target)
        : undefined;
    const spent = args.reduce((sum, arg) => sum + arg.cost, target?.cost ?? 0);
    const special = this.#operator(expr, args, spent);
    if (special) return special;
    const values = target ? [target, ...args] : args;
    const { work, size } = callWork(expr.name, values, this.#type(expr.target ?? expr));
    const scalar = isConstantSized(this.#type(expr)) ? 1 : Number.POSITIVE_INFINITY;
    return { cost: spent + work, size: size ?? scalar };
  }

  #operator({ name, args: exprs }: CelCall, args: readonly Estimate[], spent: number): Estimate | undefined {
    const [a, b, c] = args as [Estimate, Estimate, Estimate];
    switch (name) {
      case operators.and:
      case operators.or:
        return { cost: spent, size: 1 };
      case operators.choose:
        return { cost: a.cost + Math.max(b.cost, c.cost), size: Math.max(b.size, c.size) };
      case operators.index:
        return {
          cost: spent + 1,
          at: a.at?.items,
          size: a.at?.items?.maxElements ?? a.items ?? Number.POSITIVE_INFINITY,
        };
      case operators.in:
        return { cost: spent + (this.#type(exprs[1] as Expr)?.is === 'map' ? 1 : b.size), size: 1 };
      case '_+_':
        return this.#sum(exprs[0] as Expr, a, b, spent);
      default:
        return undefined;
    }
  }

  #sum(left: Expr, a: Estimate, b: Estimate, spent: number): Estimate {
    const type = this.#type(left);
    const isText = type?.is === 'simple' && (type.name === 'string' || type.name === 'bytes');
    if (isText) return { cost: spent + traversal(a.size + b.size), size: a.size + b.size };
    if (type?.is !== 'list') return { cost: spent + 1, size: 1 };
    const items = Math.max(
      a.items ?? a.at?.items?.maxElements ?? 0,
      b.items ?? b.at?.items?.maxElements ?? 0,
    );
    return { cost: spent + 1, size: a.size + b.size, items };
  }
}

type Work = { readonly work: number; readonly size?: number };

const comparing = new Set(['_==_', '_!=_', '_<_', '_<=_', '_>_', '_>=_']);
const folding = new Set(['isSorted', 'sum', 'max', 'min', 'indexOf', 'lastIndexOf']);
const traversing = new Set(['url', 'lowerAscii', 'upperAscii', 'substring', 'trim']);
const parsing = new Set(
  'cidr isIP isCIDR ip quantity isQuantity semver isSemver format strings.quote'.split(' '),
);
const pairing = new Set(['distinct', 'sort', '@sortByAssociatedKeys']);

function callWork(name: string, values: readonly Estimate[], target: CelType | undefined): Work {
  const [a, b] = values.map(({ size }) => size) as [number, number];
  if (comparing.has(name)) return { work: traversal(Math.min(a, b)) };
  if (folding.has(name)) return { work: foldWork(values[0] as Estimate, target) };
  if (traversing.has(name)) return { work: traversal(a), size: a };
  if (parsing.has(name)) return { work: traversal(a) };
  if (pairing.has(name)) return { work: 2 * product(a, a) + 11, size: a };
  return otherWork(name, a, b);
}

function otherWork(name: string, a: number, b: number): Work {
  switch (name) {
    case 'startsWith':
    case 'endsWith':
      return { work: traversal(b) };
    case 'contains':
      return { work: product(traversal(a), traversal(b)) };
    case 'matches':
      return { work: matching(a, b) };
    case 'find':
    case 'findAll':
      return { work: matching(a, b), size: a };
    case 'replace':
    case 'split':
      return { work: Math.ceil(a * 0.2), size: a };
    case 'validate':
      return { work: matching(b, 60) };
    case 'sets.contains':
    case 'sets.intersects':
      return { work: product(a, b) + 1 };
    case 'sets.equivalent':
      return { work: 2 * product(a, b) + 1 };
    default:
      return { work: 1 };
  }
}

function foldWork({ size, at, items }: Estimate, target: CelType | undefined): number {
  if (target?.is !== 'list') return traversal(size);
  const isText =
    target.items.is === 'simple' && (target.items.name === 'string' || target.items.name === 'bytes');
  return product(
    size,
    1 + (isText ? traversal(at?.items?.maxElements ?? items ?? Number.POSITIVE_INFINITY) : 0),
  );
}
