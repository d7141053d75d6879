/** Something that can be found and chosen. */
export type Findable = {
  readonly id: string;
  readonly kind: 'Application' | 'ApplicationSet' | 'Resource' | 'Action' | 'Page';
  readonly title: string;
  readonly note?: string;
};

const kinds: readonly Findable['kind'][] = ['Action', 'Application', 'ApplicationSet', 'Resource', 'Page'];

/** The best matches for what was typed, best first; with nothing typed, actions and pages as they come. */
export function search<T extends Findable>(choices: readonly T[], typed: string, limit = 50): T[] {
  const words = typed
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  if (words.length === 0) {
    return [...choices].sort((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind)).slice(0, limit);
  }
  return choices
    .map((choice) => ({ choice, score: scoreOf(choice, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.choice.title.length - b.choice.title.length)
    .slice(0, limit)
    .map(({ choice }) => choice);
}

/** Every word must be found: at the start of the title best, then at the start of a part, then anywhere, then in order. */
function scoreOf({ title, note = '', kind }: Findable, words: readonly string[]): number {
  const [name, rest] = [title.toLowerCase(), `${note} ${kind}`.toLowerCase()];
  let sum = 0;
  for (const word of words) {
    const score = wordScore(name, rest, word);
    if (score === 0) return 0;
    sum += score;
  }
  return sum;
}

function wordScore(name: string, rest: string, word: string): number {
  const at = name.indexOf(word);
  if (at === 0) return name.length === word.length ? 100 : 80;
  if (at > 0) return /[\s/.-]/.test(name[at - 1] ?? '') ? 60 : 40;
  if (rest.includes(word)) return 30;
  return isSubsequence(name, word) ? 10 : 0;
}

/** `pmapi` finds `payments-api`. */
function isSubsequence(name: string, word: string): boolean {
  let at = -1;
  for (const letter of word) {
    at = name.indexOf(letter, at + 1);
    if (at < 0) return false;
  }
  return true;
}
