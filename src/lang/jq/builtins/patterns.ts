import { FairleadError } from '#base/std';
import { compileRegex, cutAt, type Regex, type RegexMatch } from '#lang/regex';
import { type Filter, type JqBindings, many, native, valuesOf, withValues } from '../filter.ts';
import { plus } from '../operators.ts';
import { atValue, JqError, type Run } from '../run.ts';
import { article } from '../step.ts';
import { codePointOffsets } from '../text.ts';
import { type JsonMap, type JsonValue, put } from '../value.ts';
import { type Natives, nothing, textFor } from './native.ts';

/** compat gojq: `g` finds all, `i` ignores case, `m` lets a dot match line breaks; there are no others. */
function regexFor(pattern: JsonValue, flags: JsonValue): Regex {
  const letters = flags === null ? '' : textFor('a flag', flags);
  if (/[^gim]/.test(letters)) throw new JqError('a regular expression takes the flags g, i and m only');
  const named = textFor('a regular expression', pattern).replaceAll('(?<', '(?P<');
  const ignoring = letters.includes('i') ? `(?i)${named}` : named;
  try {
    return compileRegex(letters.includes('m') ? `(?s)${ignoring}` : ignoring);
  } catch (error) {
    if (error instanceof FairleadError && error.code === 'InvalidSpec') throw new JqError(error.message);
    throw error;
  }
}

/** A match is paid for before it is made: text length times the cost of the pattern. */
function prepare(
  run: Run,
  value: JsonValue,
  pattern: JsonValue,
  flags: JsonValue,
): { text: string; regex: Regex } {
  const text = textFor('a regular expression', value);
  const regex = regexFor(pattern, flags);
  run.step(Math.ceil((text.length * regex.cost) / 64));
  return { text, regex };
}

function* findAll(run: Run, input: JsonValue, pattern: JsonValue, flags: JsonValue): Generator<RegexMatch> {
  const { text, regex } = prepare(run, input, pattern, flags);
  if (typeof flags === 'string' && flags.includes('g')) {
    for (const match of regex.matches(text)) {
      run.step(30 + 8 * match.groups.length);
      run.take(64 * (1 + match.groups.length));
      yield match;
    }
    return;
  }
  const match = regex.exec(text);
  if (match) yield match;
}

function describe(match: RegexMatch, offsetOf: (unit: number) => number): JsonMap {
  const place = ({ start, end, text }: { start: number; end: number; text: string | undefined }) => {
    if (text === undefined) return { offset: -1, length: 0, string: null };
    const offset = offsetOf(start);
    return { offset, length: offsetOf(end) - offset, string: text };
  };
  const captures = match.groups.map((group) => ({ name: group.name ?? null, ...place(group) }));
  return { ...place(match), captures };
}

function captureOf(match: RegexMatch): JsonMap {
  const captured: JsonMap = {};
  for (const { name, text } of match.groups) {
    if (name !== undefined) put(captured, name, text ?? null);
  }
  return captured;
}

/** Functions of a pattern and flags, in their two spellings; one result for each match. */
function ofMatches(
  name: string,
  show: (match: RegexMatch, offsetOf: (unit: number) => number) => JsonValue,
  extra: string | null = null,
): Natives {
  const find = (args: readonly Filter[]): Filter =>
    withValues(args, function* ([pattern = null, flags = null], at, _env, run) {
      const offsetOf = codePointOffsets(typeof at.value === 'string' ? at.value : '');
      for (const match of findAll(run, at.value, pattern, plus(run, flags, extra))) {
        yield { value: show(match, offsetOf), trail: at.trail };
      }
    });
  return { [`${name}/1`]: find, [`${name}/2`]: find };
}

const scanned = ({ text, groups }: RegexMatch): JsonValue =>
  groups.length === 0 ? text : groups.map((group) => group.text ?? null);

const test = (args: readonly Filter[]): Filter =>
  withValues(args, ([pattern = null, flags = null], at, _env, run) => {
    const { text, regex } = prepare(run, at.value, pattern, flags);
    return [{ value: regex.test(text), trail: at.trail }];
  });

const split = (args: readonly Filter[]): Filter =>
  withValues(args, ([pattern = null, flags = null], at, _env, run) => {
    const text = textFor('split', at.value);
    const matches = findAll(run, text, pattern, plus(run, flags, 'g'));
    const value = text === '' && pattern !== '' ? [''] : cutAt(text, matches);
    return [{ value, trail: at.trail }];
  });

const splits = (args: readonly Filter[]): Filter =>
  many(function* (at, env, run) {
    for (const pieces of split(args).each(at, env, run)) {
      for (const value of Array.isArray(pieces.value) ? pieces.value : []) yield { value, trail: at.trail };
    }
  });

type Replacing = {
  readonly text: string;
  readonly matches: readonly RegexMatch[];
  readonly by: Filter;
  env: JqBindings;
  run: Run;
};

/** compat gojq: built from the end, so with several replacements those of the last match vary slowest. */
function* replace(what: Replacing, index: number, tail: string): Generator<string> {
  const { text, matches, by, env, run } = what;
  const match = matches[index];
  if (!match) {
    yield text.slice(0, matches[0]?.start ?? text.length) + tail;
    return;
  }
  const between = text.slice(match.end, matches[index + 1]?.start ?? text.length);
  for (const piece of valuesOf(by, captureOf(match), env, run)) {
    if (typeof piece !== 'string') throw new JqError(`a replacement is a string, not ${article(piece)}`);
    run.take(piece.length + between.length + tail.length);
    yield* replace(what, index - 1, piece + between + tail);
  }
}

/** With one replacement for each match there is one result, made in one walk. */
function replaceOnce({ text, matches, by, env, run }: Replacing): string {
  let result = '';
  let from = 0;
  for (const match of matches) {
    const piece = textFor('a replacement', by.one?.(atValue(captureOf(match)), env, run).value ?? null);
    result += text.slice(from, match.start) + piece;
    run.take(match.start - from + piece.length);
    from = match.end;
  }
  return result + text.slice(from);
}

const substitute =
  (extra: string | null) =>
  ([pattern = nothing, by = nothing, flags = native(() => null)]: readonly Filter[]): Filter =>
    withValues([pattern, flags], function* ([wanted = null, letters = null], at, env, run) {
      const matches = [...findAll(run, at.value, wanted, plus(run, letters, extra))];
      const what = { text: textFor('sub', at.value), matches, by, env, run };
      const results = by.one ? [replaceOnce(what)] : replace(what, matches.length - 1, '');
      for (const value of results) yield { value, trail: at.trail };
    });

export const patternFunctions: Natives = {
  'test/1': test,
  'test/2': test,
  ...ofMatches('match', describe),
  ...ofMatches('capture', captureOf),
  ...ofMatches('scan', scanned, 'g'),
  'split/2': split,
  'splits/1': splits,
  'splits/2': splits,
  'sub/2': substitute(null),
  'sub/3': substitute(null),
  'gsub/2': substitute('g'),
  'gsub/3': substitute('g'),
};
