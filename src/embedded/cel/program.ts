import { type CelType, listOf, mapOf, opaque, simpleTypes } from './cel-type.ts';
import { type Checked, check } from './check.ts';
import { estimateCost } from './estimate.ts';
import { type CelNode, plan } from './evaluate.ts';
import { FunctionTable } from './function-table.ts';
import { addressCharges, addressRows } from './library/address.ts';
import { authorizerCharges, authorizerRows } from './library/authorizer.ts';
import { conversionCharges, conversionRows } from './library/conversions.ts';
import { listCharges, listRows } from './library/lists.ts';
import { namedFormatCharges, namedFormatRows } from './library/named-format.ts';
import { operatorCharges, operatorRows } from './library/operators.ts';
import { optionalRows } from './library/optional.ts';
import { quantityCharges, quantityRows } from './library/quantity.ts';
import { semverCharges, semverRows } from './library/semver.ts';
import { stringCharges, stringRows } from './library/strings.ts';
import { urlCharges, urlRows } from './library/url.ts';
import { literalIssues } from './literal-issues.ts';
import { CelMeter, CostExceeded } from './meter.ts';
import { parse } from './parse.ts';
import type { SchemaType } from './schema-type.ts';
import { printIssues } from './source.ts';
import type { Expr } from './syntax.ts';
import { CelError, type CelValue } from './value.ts';

/** The result of an evaluation, and its cost. */
export type CelResult = { readonly value: CelValue; readonly cost: number; readonly isOverLimit: boolean };

const tables: Partial<Record<'rule' | 'policy', FunctionTable>> = {};

function functions(use: 'rule' | 'policy'): FunctionTable {
  const known = tables[use] ?? standardTable();
  if (!tables[use] && use === 'policy') known.add(authorizerRows, authorizerCharges);
  tables[use] = known;
  return known;
}

const standardTable = (): FunctionTable =>
  new FunctionTable()
    .add(operatorRows, operatorCharges)
    .add(conversionRows, conversionCharges)
    .add(stringRows, stringCharges)
    .add(listRows, listCharges)
    .add(optionalRows)
    .add(quantityRows, quantityCharges)
    .add(semverRows, semverCharges)
    .add(addressRows, addressCharges)
    .add(urlRows, urlCharges)
    .add(namedFormatRows, namedFormatCharges);

const { dyn } = simpleTypes;

/** Types that an expression may name. */
const typeNames: ReadonlyMap<string, CelType> = new Map<string, CelType>([
  ...(['bool', 'int', 'uint', 'double', 'string', 'bytes'] as const).map(
    (name) => [name, simpleTypes[name]] as const,
  ),
  ['null_type', simpleTypes.null],
  ['type', { is: 'type', of: undefined }],
  ['list', listOf(dyn)],
  ['map', mapOf(dyn, dyn)],
  ['google.protobuf.Timestamp', simpleTypes.timestamp],
  ['google.protobuf.Duration', simpleTypes.duration],
  ['optional_type', opaque('optional_type', dyn)],
  ...[
    'net.IP',
    'net.CIDR',
    'kubernetes.URL',
    'kubernetes.Quantity',
    'kubernetes.Semver',
    'kubernetes.NamedFormat',
  ].map((name) => [name, opaque(name)] as const),
]);

/**
 * Thrown for an expression that cannot be parsed or does not fit the declared types; the message is for its
 * author.
 */
export class CelSyntaxError extends Error {}

/** A checked expression, which can be evaluated any number of times. */
export class CelProgram {
  readonly type: CelType;
  /** The declared variables it uses. */
  readonly variables: ReadonlySet<string>;
  readonly #expr: Expr;
  readonly #checked: Checked;
  readonly #run: CelNode;
  readonly #slots: number;

  constructor(expr: Expr, checked: Checked) {
    this.#expr = expr;
    this.#checked = checked;
    this.type = checked.type;
    this.variables = checked.variables;
    const { run, slots } = plan(expr, checked);
    this.#run = run;
    this.#slots = slots;
  }

  /** The maximal cost of evaluating it over values of this type. */
  maxCost(self: SchemaType): number {
    return estimateCost(this.#expr, this.#checked, self);
  }

  /** Never throws: an error is a Fault, and so is exceeding `limit`. */
  evaluate(variables: Readonly<Record<string, CelValue>>, limit: number): CelResult {
    const meter = new CelMeter(limit);
    const slots = new Array<CelValue>(this.#slots).fill(null);
    try {
      const value = this.#run({ variables, slots, meter });
      return { value, cost: meter.cost, isOverLimit: false };
    } catch (error) {
      if (!(error instanceof CostExceeded)) throw error;
      return { value: new CelError(error.message), cost: meter.cost, isOverLimit: true };
    }
  }
}

/**
 * Parses and checks an expression over the given variables; one of a policy may use the authorizer. Throws
 * CelSyntaxError.
 */
export function compileCel(
  source: string,
  variables: ReadonlyMap<string, CelType>,
  use: 'rule' | 'policy' = 'rule',
): CelProgram {
  const { expr, issues } = parse(source);
  if (issues.length > 0) throw new CelSyntaxError(printIssues(source, issues));
  const checked = check(expr, { variables, functions: functions(use), typeNames });
  const found = checked.issues.length > 0 ? checked.issues : literalIssues(checked);
  if (found.length > 0) throw new CelSyntaxError(printIssues(source, found));
  return new CelProgram(expr, checked);
}
