import { FairleadError } from '#base/std';
import type { AnalysisMetric } from '#engine/rollouts';
import { compileExpr, ExprFunction } from '#lang/expr';
import type { Taken } from './provider.ts';

type Value = Parameters<ExprFunction['call']>[number];

const asNumber = (value: Value, name: string): number => {
  const number = typeof value === 'string' ? Number(value.trim() === '' ? Number.NaN : value) : Number(value);
  if (typeof value === 'boolean' || value === null || (Number.isNaN(number) && typeof value === 'string'))
    throw new FairleadError('RenderFailed', `${name}: ${String(value)} is no number`);
  return number;
};

/** compat rollouts RA-13: the functions beside those of the language. [!] isNil and default read the whole result. */
function environment(result: unknown, isMissing: boolean): Record<string, unknown> {
  return {
    result,
    asInt: new ExprFunction((value) => BigInt(Math.trunc(asNumber(value as Value, 'asInt')))),
    asFloat: new ExprFunction((value) => asNumber(value as Value, 'asFloat')),
    isNaN: new ExprFunction((value) => Number.isNaN(Number(value))),
    isInf: new ExprFunction((value) => Math.abs(Number(value)) === Number.POSITIVE_INFINITY),
    isNil: new ExprFunction(() => isMissing),
    default: new ExprFunction((_value, fallback) => (isMissing ? (fallback as Value) : (result as Value))),
  };
}

function holds(condition: string, result: unknown): boolean {
  const isMissing = result === null || result === undefined;
  const value = compileExpr(condition).run(environment(result, isMissing), { numbers: 'floats' });
  if (typeof value === 'boolean') return value;
  throw new FairleadError('RenderFailed', `expected bool, but got ${typeof value}: ${condition}`);
}

/** compat rollouts RA-6: the verdict on one value. An expression that fails is an Error with its cause. */
export function judge(
  { successCondition, failureCondition }: AnalysisMetric,
  result: unknown,
): Pick<Taken, 'phase' | 'message'> {
  try {
    const isGood = successCondition ? holds(successCondition, result) : undefined;
    const isBad = failureCondition ? holds(failureCondition, result) : undefined;
    if (isBad === true) return { phase: 'Failed' };
    if (isGood === false) return { phase: isBad === undefined ? 'Failed' : 'Inconclusive' };
    return { phase: 'Successful' };
  } catch (error) {
    const { message } = FairleadError.from(error);
    return { phase: 'Error', message: `${message}${hint(result, message)}` };
  }
}

/** compat rollouts RM-6: the most frequent mistake of all is explained. */
function hint(result: unknown, message: string): string {
  if (!Array.isArray(result) || result.length > 0) return '';
  return /out of range|index/.test(message)
    ? ' (empty result: guard the condition with len(result) > 0)'
    : ' (empty result)';
}
