import type { HealthCode, ResourceKey, SyncStatusCode } from '#base/model';
import type { View } from './address.ts';

/** Where a piece of a sentence leads. */
export type Target =
  | { readonly to: 'view'; readonly view: View }
  | { readonly to: 'resource'; readonly key: ResourceKey; readonly view?: View }
  | { readonly to: 'filter'; readonly query: string }
  | { readonly to: 'address'; readonly address: string };

/** A piece of a sentence. The texts put together are the sentence; the rest is a piece's style and link. */
export type Span = {
  readonly text: string;
  readonly target?: Target;
  readonly health?: HealthCode;
  readonly sync?: SyncStatusCode;
  /** Revisions and the like, in the fixed-width face. */
  readonly isCode?: boolean;
  readonly isStrong?: boolean;
  /** A quoted message, which may be long. */
  readonly isQuote?: boolean;
};

export const say = (text: string): Span => ({ text });
export const textOf = (spans: readonly Span[]): string => spans.map(({ text }) => text).join('');

/** A foreign message as part of a sentence: one line, no full stop, cut where it gets tiresome. */
export function quote(message: string, longest = 160): Span {
  const line = message.trim().split('\n')[0]?.replace(/\.$/, '') ?? '';
  return {
    text: `“${line.length > longest ? `${line.slice(0, longest - 1).trimEnd()}…` : line}”`,
    isQuote: true,
  };
}

/** `1 resource`, `2 resources`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** Pieces as a list: `a, b and c`. */
export function joinedSpans(parts: readonly Span[]): Span[] {
  return parts.flatMap((part, at) => {
    if (at === 0) return [part];
    return [say(at === parts.length - 1 ? ' and ' : ', '), part];
  });
}
