import { factsOf, type ResourceFact } from './resource-line.ts';
import { shortAge } from './time.ts';
import type { TreeBox } from './tree-fold.ts';

const [narrowest, widest] = [112, 264];
const around = 46; // the mark, its gap and the padding
const [letter, smallLetter] = [7.1, 6.2]; // wide enough for nearly every word at 13 and 12 pixels

/** The approximate width of a box. An estimate: measuring in the browser would cost a layout for each. */
export function boxWidth(box: TreeBox, now: number): number {
  const { upper, lower } = linesOf(box, now);
  const wanted = around + Math.max(upper * letter, lower * smallLetter);
  return Math.round(Math.min(widest, Math.max(narrowest, wanted)) / 4) * 4;
}

/** The letters in each line of a box. */
function linesOf({ item, crowd, application }: TreeBox, now: number): { upper: number; lower: number } {
  if (application) {
    const lower = application.health.length + application.sync.length + 7;
    return { upper: application.name.length + 1, lower };
  }
  if (crowd) return { upper: crowd.kind.length + 8, lower: 10 + crowd.counts.length * 7 };
  if (!item) return { upper: 0, lower: 0 };
  const age = item.createdAt === undefined ? '' : shortAge(item.createdAt, now);
  const reported = factsOf(item);
  const facts = reported.reduce((sum, { text }) => sum + text.length + 3, 0);
  const isSaid = item.health === 'Healthy' || reported[0]?.kind === 'trouble';
  const state = item.health && !isSaid ? item.health.length + 3 : 0;
  const sync = item.sync === 'OutOfSync' ? 4 : 0;
  return { upper: item.name.length + age.length + 2, lower: item.kind.length + state + facts + sync };
}

/** A name and an age as a box of a given width shows them. */
type Title = { readonly name: string; readonly age: string };

const wide = 7.7; // of a bold letter or digit, so that what fits by this measure fits

/**
 * Where there is no room for both, the name is worth more than the age. A name that still does not fit loses what it shares
 * with its owner's, which stands beside it; else letters of its middle: resources of one owner differ at their ends.
 */
export function titleIn(width: number, { name, age }: Title, owner = ''): Title {
  const room = Math.floor((width - around) / wide);
  if (name.length * wide + age.length * smallLetter + 8 <= width - around) return { name, age };
  if (name.length <= room) return { name, age: '' };
  const own = owner && name.startsWith(owner) ? name.slice(owner.length) : '';
  if (own.length > 2 && own.length < room) return { name: `…${own}`, age: '' };
  const head = Math.max(1, Math.floor((room - 1) * 0.4));
  const tail = Math.max(1, room - 1 - head);
  return { name: `${name.slice(0, head)}…${name.slice(-tail)}`, age: '' };
}

/** Whether the words of a second line fit into a box of a given width. */
export const hasRoomFor = (width: number, words: string): boolean =>
  words.length * smallLetter <= width - around;

/** The second line of a box: the words in front, and the facts that have room. */
type Line = { readonly head: string; readonly facts: readonly ResourceFact[]; readonly hasSync: boolean };

/**
 * The facts that a box of a given width shows whole, the short form of one where only that fits. Trouble and traffic are
 * shown in any case, if need be cut; of the others half a word says nothing.
 */
export function factsIn(width: number, { head, facts, hasSync }: Line): ResourceFact[] {
  let room = (width - around - (hasSync ? 22 : 0)) / smallLetter - head.length;
  return facts.flatMap((fact): ResourceFact[] => {
    const { text, short = text, kind } = fact;
    const fitting = [text, short].find((one) => one.length + 3 <= room);
    const isNeeded = room > 3 && (kind === 'trouble' || kind === 'traffic');
    const shown = fitting ?? (isNeeded ? short : undefined);
    if (shown === undefined) return [];
    room -= shown.length + 3;
    return [{ text: shown, kind }];
  });
}
