import { parseDuration, parseSelector } from '#base/model';
import { compileGlob, FairleadError, isObject } from '#base/std';
import { parse } from '#lang/yaml';
import type { FaultRule } from './rule.ts';

export type FaultFile = { readonly seed: number; readonly rules: readonly FaultRule[] };

/** Parses a file of rules: `seed` and `rules`. Throws InvalidSpec that names the rule and the error in it. */
export function parseFaults(text: string): FaultFile {
  const { seed = 1, rules = [], ...rest } = objectIn(parse(text), 'the file');
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) throw wrong('the file', `has no field ${unknown}; it has seed and rules`);
  if (!Number.isInteger(seed)) throw wrong('seed', 'must be a whole number');
  if (!Array.isArray(rules)) throw wrong('rules', 'must be a list');
  for (const [index, rule] of rules.entries()) checkRule(rule, `rule ${index + 1}`);
  return { seed: seed as number, rules: rules as FaultRule[] };
}

/** One rule, as in a Fault object. Throws InvalidSpec. */
export function parseFault(value: unknown): FaultRule {
  checkRule(value, 'spec');
  return value as FaultRule;
}

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isCount: Check = (value) => Number.isInteger(value) && Number(value) > 0;
const isPatterns: Check = (value) =>
  Array.isArray(value) && value.every((one) => isText(one) && compileGlob(String(one)) !== undefined);
const isDuration: Check = (value) => isText(value) && works(() => parseDuration(String(value)));
const oneOf =
  (...words: readonly unknown[]): Check =>
  (value) =>
    words.includes(value);
const isRange: Check = (value) => isObject(value) && isDuration(value.from) && isDuration(value.to);

const matchFields: Readonly<Record<string, Check>> = {
  verbs: isPatterns,
  groups: isPatterns,
  resources: isPatterns,
  namespaces: isPatterns,
  names: isPatterns,
  users: isPatterns,
  userAgents: isPatterns,
  images: isPatterns,
  labels: (value) => isText(value) && works(() => parseSelector(String(value))),
  percent: (value) => typeof value === 'number' && value >= 0 && value <= 100,
  nth: isCount,
  times: isCount,
  after: isDuration,
  for: isDuration,
};

const effectFields: Readonly<Record<string, Check>> = {
  latency: (value) => isDuration(value) || isRange(value),
  timeout: isDuration,
  error: (value) => Number.isInteger(value) && Number(value) >= 400 && Number(value) < 600,
  conflict: oneOf(true),
  reset: oneOf('before', 'after'),
  watch: oneOf('drop', 'reset', 'gone', 'stall', 'duplicate-bookmarks', 'no-bookmarks'),
  discovery: oneOf('missing', 'stale'),
  openapi: oneOf('absent'),
  deny: isText,
  mutate: (value) => Array.isArray(value) && value.every(isObject),
  annotate: (value) => isObject(value) && Object.values(value).every(isText),
  outcome: isText,
};

const detailFields: Readonly<Record<string, Check>> = {
  message: isText,
  retryAfter: isCount,
  events: (value) => value === 0 || isCount(value),
};

function checkRule(value: unknown, place: string): void {
  const { name, match = {}, effect, ...rest } = objectIn(value, place);
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) throw wrong(place, `has no field ${unknown}; it has name, match and effect`);
  if (name !== undefined && !isText(name)) throw wrong(place, 'has a name that is no text');
  checkFields(objectIn(match, `match of ${place}`), matchFields, `match of ${place}`);
  const effects = objectIn(effect, `effect of ${place}`);
  checkFields(effects, { ...effectFields, ...detailFields }, `effect of ${place}`);
  const kinds = Object.keys(effects).filter((field) => field in effectFields);
  if (kinds.length !== 1) {
    throw wrong(`effect of ${place}`, `must be exactly one of ${Object.keys(effectFields).join(', ')}`);
  }
}

function checkFields(
  fields: Readonly<Record<string, unknown>>,
  checks: Readonly<Record<string, Check>>,
  place: string,
): void {
  for (const [field, value] of Object.entries(fields)) {
    const check = Object.hasOwn(checks, field) ? checks[field] : undefined;
    if (!check) throw wrong(place, `has no field ${field}; it has ${Object.keys(checks).join(', ')}`);
    if (!check(value)) throw wrong(place, `has a value for ${field} that it cannot have`);
  }
}

function objectIn(value: unknown, place: string): Record<string, unknown> {
  if (isObject(value)) return value;
  throw wrong(place, 'must be a map');
}

const wrong = (place: string, what: string): FairleadError =>
  new FairleadError('InvalidSpec', `faults: ${place} ${what}`);

function works(action: () => unknown): boolean {
  try {
    return action() !== undefined;
  } catch {
    return false;
  }
}
