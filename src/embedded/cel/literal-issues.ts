import { FairleadError } from '#base/std';
import { compileRegex } from '#lang/regex';
import { printType, sameType, simpleTypes } from './cel-type.ts';
import { type Checked, typeValueName } from './check.ts';
import { formatProblem } from './library/format.ts';
import type { Issue } from './source.ts';
import type { CelCall, Expr } from './syntax.ts';
import { parseDuration, timestampOf } from './time.ts';
import { CelError } from './value.ts';

/** Errors in constants that are found before evaluation: times, durations, patterns. */
export function literalIssues(checked: Checked): Issue[] {
  const issues: Issue[] = [];
  for (const call of checked.calls.keys()) {
    const wrong = wrongArgument(call);
    if (wrong) issues.push({ at: wrong.at, message: `invalid ${call.name} argument` });
  }
  return [...issues, ...unevenLiterals(checked), ...formatIssues(checked)];
}

/** compat cluster 3.15: all items of a literal have one type, except arguments of format(). */
function unevenLiterals({ types, calls }: Checked): Issue[] {
  const formatted = new Set(
    [...calls.keys()].filter(({ name }) => name === 'format').flatMap(({ args }) => args),
  );
  const issues: Issue[] = [];
  for (const expr of types.keys()) {
    if (formatted.has(expr)) continue;
    if (expr.is === 'list' && expr.optional.size === 0) issues.push(...uneven(expr.items, types));
    if (expr.is === 'map' && !expr.entries.some(({ optional }) => optional)) {
      issues.push(
        ...uneven(
          expr.entries.map(({ key }) => key),
          types,
        ),
      );
      issues.push(
        ...uneven(
          expr.entries.map(({ value }) => value),
          types,
        ),
      );
    }
  }
  return issues;
}

function uneven(items: readonly Expr[], types: Checked['types']): Issue[] {
  const [first, ...rest] = items.map((item) => ({ item, type: types.get(item) ?? simpleTypes.dyn }));
  const odd = rest.find(({ type }) => first && !sameType(first.type, type));
  if (!first || !odd) return [];
  const message = `expected type '${printType(first.type)}' but found '${printType(odd.type)}'`;
  return [{ at: odd.item.at, message }];
}

/** A format string that does not match the types of its arguments. */
function formatIssues({ calls, types }: Checked): Issue[] {
  const issues: Issue[] = [];
  for (const { name, target, args } of calls.keys()) {
    const [list] = args;
    if (name !== 'format' || target?.is !== 'const' || typeof target.value !== 'string') continue;
    if (list?.is !== 'list') continue;
    const problem = formatProblem(
      target.value,
      list.items.map((item) => typeValueName(types.get(item) ?? simpleTypes.dyn)),
    );
    if (problem) issues.push({ at: list.items[problem.at]?.at ?? list.at, message: problem.message });
  }
  return issues;
}

function wrongArgument({ name, args, target }: CelCall): Expr | undefined {
  const arg = name === 'matches' ? args.at(-1) : args[0];
  if (arg?.is !== 'const' || typeof arg.value !== 'string') return undefined;
  if (name === 'matches') return isPattern(arg.value) ? undefined : arg;
  if (target !== undefined) return undefined;
  if (name === 'timestamp') return timestampOf(arg.value) instanceof CelError ? arg : undefined;
  return name === 'duration' && parseDuration(arg.value) === undefined ? arg : undefined;
}

function isPattern(text: string): boolean {
  try {
    compileRegex(text);
    return true;
  } catch (error) {
    if (error instanceof FairleadError) return false;
    throw error;
  }
}
