// The browser build is plain ES2017 and as fast in Node 20 as the CommonJS one; the default ESM build is three times
// slower there, because V8 11 keeps dropping the optimized code of its parser.
import { type Event, parseEvents, YAMLException } from 'js-yaml/browser';
import { positionAt, YamlError } from './fault.ts';
import type { YamlLimits } from './limits.ts';
import { loosen } from './loosen.ts';

/** A document's events, with offsets into `text`, which may differ from the input in the indentation of lines. */
export type YamlEvents = { readonly text: string; readonly events: readonly Event[] };

/** The events of a text. Throws Fault. */
export function readEvents(text: string, limits: YamlLimits): YamlEvents {
  if (text.length > limits.nodes) refuseDense(text, limits.nodes);
  const strict = attempt(text, limits);
  if (!(strict instanceof YamlError)) return strict;
  const loose = strict.code === 'LimitExceeded' ? text : loosen(text);
  if (loose === text) throw strict;
  const second = attempt(loose, limits);
  if (second instanceof YamlError)
    throw new YamlError(second.code, sameLine(loose, second.offset, text), second.message);
  return second;
}

/** The position in the original of an offset in the loosened text; exact to the line. */
function sameLine(loose: string, offset: number, text: string): number {
  const { line, column } = positionAt(loose, offset);
  let start = 0;
  for (let before = 1; before < line; before++) start = text.indexOf('\n', start) + 1;
  const end = text.indexOf('\n', start);
  return Math.min(start + column - 1, end < 0 ? text.length : end);
}

function attempt(text: string, limits: YamlLimits): YamlEvents | YamlError {
  try {
    return { text, events: parseEvents(text, { maxDepth: limits.depth + 1 }) };
  } catch (error) {
    return asFault(error, limits);
  }
}

function asFault(error: unknown, limits: YamlLimits): YamlError {
  const offset = error instanceof YAMLException ? (error.mark?.position ?? 0) : 0;
  const isTooDeep =
    error instanceof RangeError || (error instanceof YAMLException && /maxDepth/.test(error.reason));
  if (isTooDeep) return new YamlError('LimitExceeded', offset, `nested deeper than ${limits.depth}`);
  if (error instanceof YAMLException)
    return new YamlError('RenderFailed', offset, withoutExcerpt(error.reason));
  throw error;
}

/** A few of js-yaml's sentences repeat a tag, which may be a password that starts with an exclamation mark. */
const withoutExcerpt = (reason: string): string =>
  reason.replace(/^(tag name cannot contain such characters): .*/s, '$1').replace(/ ".*"/s, '');

const marks = new Uint8Array(128);
for (const mark of ',:[{-?\n') marks[mark.charCodeAt(0)] = 1;

/**
 * js-yaml keeps an event of a hundred bytes for every node before we can count one, and ten megabytes of `{a,b,c`
 * are ten million nodes. Each node has at least one of these marks, so too few marks are never too many nodes.
 */
function refuseDense(text: string, nodes: number): void {
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    count += marks[text.charCodeAt(at)] ?? 0;
    if (count > nodes)
      throw new YamlError('LimitExceeded', at, `more than ${nodes} places where a node may start`);
  }
}
