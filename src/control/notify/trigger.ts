import { FairleadError, isObject, toBase64 } from '#base/std';
import { compileExpr } from '#lang/expr';
import { sha1 } from '#lang/go-template';

type Program = ReturnType<typeof compileExpr>;

/** One condition of a trigger. */
export type TriggerCondition = {
  readonly when: string;
  readonly send: readonly string[];
  readonly oncePer?: string;
  readonly description?: string;
  /** `when` and `oncePer`, compiled. */
  readonly programs: { readonly when: Program; readonly oncePer: Program | undefined };
  /** It calls functions: `time`, `strings`, `repo` or `sync`. */
  readonly needsFunctions: boolean;
  /** compat server §6.5: its position and the hash of `when`, as the peer writes them into the marks. */
  readonly key: string;
};

/** What a condition says of one application. */
export type ConditionResult = {
  readonly condition: TriggerCondition;
  readonly isTriggered: boolean;
  /** Empty: it has no `oncePer`, or that could not be evaluated. */
  readonly oncePer: string;
  /** Why `when` counts as false, or `oncePer` as absent. */
  readonly problem?: string;
};

const mostConditions = 100;
const functions = /\b(?:time|strings|repo|sync)\b/;

/** Throws InvalidSpec where the list cannot be used; expressions are compiled once, here. */
export function readTrigger(
  value: unknown,
  { needsWhen = true }: { readonly needsWhen?: boolean } = {},
): readonly TriggerCondition[] {
  if (!Array.isArray(value))
    throw invalid('a trigger is a list of conditions: write "- when: …" and below it "send: [template]"');
  if (value.length > mostConditions) throw invalid(`a trigger has at most ${mostConditions} conditions`);
  return value.map((one, at) => readCondition(one, at, needsWhen));
}

function readCondition(value: unknown, at: number, needsWhen: boolean): TriggerCondition {
  if (!isObject(value)) throw invalid(`condition ${at + 1} is not a map with when and send`);
  const { when = needsWhen ? undefined : 'true', send, oncePer, description } = value;
  const text = typeof when === 'boolean' ? String(when) : when;
  if (typeof text !== 'string' || text === '') throw invalid(`condition ${at + 1} has no when`);
  const names = typeof send === 'string' ? [send] : send;
  if (!Array.isArray(names) || names.some((name) => typeof name !== 'string') || names.length === 0)
    throw invalid(`condition ${at + 1} has no send: list the names of templates`);
  const hasOncePer = typeof oncePer === 'string' && oncePer !== '';
  return {
    when: text,
    send: names,
    programs: { when: compileExpr(text), oncePer: hasOncePer ? compileExpr(oncePer) : undefined },
    needsFunctions: functions.test(`${text} ${oncePer}`),
    key: `[${at}].${hashOf(text)}`,
    ...(hasOncePer && { oncePer }),
    ...(typeof description === 'string' && { description }),
  };
}

const invalid = (message: string): FairleadError => new FairleadError('InvalidSpec', message);

/** base64url of SHA-1, padded. */
function hashOf(text: string): string {
  const hex = sha1(new TextEncoder().encode(text));
  const bytes = Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  return toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_');
}

/** What one condition may cost. */
const limits = { steps: 50_000, bytes: 1_000_000 };

/**
 * compat server §6.2, §6.5: an error in `when` counts as false, one in `oncePer` as if there were none; a member of nil is
 * nil.
 */
export function runCondition(
  condition: TriggerCondition,
  environment: Readonly<Record<string, unknown>>,
  now: () => number,
): ConditionResult {
  const options = { isNilSafe: true, now, limits };
  let isTriggered = false;
  try {
    const { when, oncePer } = condition.programs;
    isTriggered = when.run(environment, options) === true;
    const value = oncePer === undefined ? '' : printed(oncePer.run(environment, options));
    return { condition, isTriggered, oncePer: value };
  } catch (error) {
    return { condition, isTriggered, oncePer: '', problem: FairleadError.from(error).message };
  }
}

/** As Go prints it with %v: the peer's marks are recognized. */
const printed = (value: unknown): string =>
  value === null || value === undefined
    ? '<nil>'
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value);
