import { FairleadError } from '#base/std';
import { compileRegex, type Regex } from '#lang/regex';
import { fn } from '../functions.ts';
import { rejoined } from '../text.ts';
import { type CallContext, GoError, type GoFunction } from '../value.ts';
import { stringList } from './strings.ts';

/** sprig's regular expressions. A pattern that Go refuses is an error; only regexMatch says no to everything. */
export const regexFunctions: [string, GoFunction][] = [
  ['regexMatch', fn('string string', (run, pattern, value) => matches(run, pattern, value))],
  ['mustRegexMatch', fn('string string', (run, pattern, value) => compiled(run, pattern, value).test(value))],
  ...twice('RegexFind', (must) =>
    fn('string string', (run, pattern, value) => compiled(run, pattern, value, must).exec(value)?.text ?? ''),
  ),
  ...twice('RegexFindAll', (must) =>
    fn('string string int', (run, pattern, value, count) => {
      const found = take(compiled(run, pattern, value, must), value, count);
      return stringList(found.length === 0 ? null : found);
    }),
  ),
  ...twice('RegexReplaceAll', (must) =>
    fn('string string string', (run, pattern, value, next) => {
      const regex = compiled(run, pattern, value, must);
      chargeReplacement(run, regex, value, next);
      return rejoined(regex.replace(value, next));
    }),
  ),
  ...twice('RegexReplaceAllLiteral', (must) =>
    fn('string string string', (run, pattern, value, next) => {
      const regex = compiled(run, pattern, value, must);
      chargeReplacement(run, regex, value, next);
      return rejoined(regex.replace(value, next.replaceAll('$', '$$$$')));
    }),
  ),
  ...twice('RegexSplit', (must) =>
    fn('string string int', (run, pattern, value, count) => {
      const regex = compiled(run, pattern, value, must);
      if (count === 0n) return stringList(null);
      return stringList(regex.split(value, count < 0n ? undefined : Number(count)));
    }),
  ),
  ['regexQuoteMeta', fn('string', (_run, value) => value.replace(/[\\.+*?()|[\]{}^$]/g, '\\$&'))],
];

function twice(name: string, make: (must: boolean) => GoFunction): [string, GoFunction][] {
  return [
    [`r${name.slice(1)}`, make(false)],
    [`must${name}`, make(true)],
  ];
}

/** Charges for a match before it is made; a match takes time linear in the text. */
function compiled(run: CallContext, pattern: string, value: string, must = true): Regex {
  const regex = compile(pattern, must);
  run.alloc(value.length);
  run.step(Math.ceil((regex.cost * (value.length + 1)) / 64));
  return regex;
}

function compile(pattern: string, must: boolean): Regex {
  try {
    return compileRegex(pattern);
  } catch (error) {
    if (!(error instanceof FairleadError) || error.code !== 'InvalidSpec') throw error;
    const reason = reasonOf(error);
    // compat: without must it is the panic of MustCompile
    throw new GoError(must ? reason : `regexp: Compile(${quoted(pattern)}): ${reason}`);
  }
}

const quoted = (pattern: string): string =>
  pattern.includes('`') ? JSON.stringify(pattern) : `\`${pattern}\``;

/** Go's words for what is wrong with a pattern, from those of the room. */
function reasonOf(error: FairleadError): string {
  const found = /: ([^:]*?)(?: at ("(?:[^"\\]|\\.)*"))?$/.exec(error.message);
  const piece = found?.[2] === undefined ? '' : `: \`${JSON.parse(found[2])}\``;
  return `error parsing regexp: ${found?.[1] ?? error.message}${piece}`;
}

function matches(run: CallContext, pattern: string, value: string): boolean {
  try {
    return compiled(run, pattern, value).test(value);
  } catch (error) {
    if (error instanceof GoError) return false;
    throw error;
  }
}

function take(regex: Regex, value: string, count: bigint): string[] {
  const found: string[] = [];
  for (const match of regex.matches(value)) {
    if (count >= 0n && BigInt(found.length) >= count) break;
    found.push(match.text);
  }
  return found;
}

/** A replacement may name a group many times, for every character of the text. */
function chargeReplacement(run: CallContext, regex: Regex, value: string, next: string): void {
  const references = next.split('$').length - 1;
  let total = value.length;
  for (const match of regex.matches(value)) {
    const size = next.length + references * (match.end - match.start);
    total += size;
    run.alloc(size);
  }
  run.step(Math.ceil(total / 64));
}
