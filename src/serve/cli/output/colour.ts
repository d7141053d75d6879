import type { Io } from '../io.ts';

const codes = { red: 31, green: 32, yellow: 33, blue: 34, cyan: 36, bold: 1, faint: 2 } as const;
type Colour = keyof typeof codes;

/** Paints text on a terminal; elsewhere, and with NO_COLOR, it stays as it is. */
export type Paint = (colour: Colour, text: string) => string;

export function paintFor({ isTerminal, env }: Pick<Io, 'isTerminal' | 'env'>): Paint {
  const isPlain = !isTerminal || Boolean(env.NO_COLOR) || env.TERM === 'dumb';
  return (colour, text) => (isPlain || text === '' ? text : `\u001b[${codes[colour]}m${text}\u001b[0m`);
}

/** The colour of a health or sync state; undefined: none. */
export function colourOf(state: string): Colour | undefined {
  if (['Healthy', 'Synced', 'Succeeded'].includes(state)) return 'green';
  if (['Degraded', 'Failed', 'Error', 'SyncFailed'].includes(state)) return 'red';
  if (['OutOfSync', 'Missing', 'Suspended', 'Unknown'].includes(state)) return 'yellow';
  return state === 'Progressing' || state === 'Running' ? 'blue' : undefined;
}

/** A unified diff with what is removed in red and what is added in green. */
export function paintDiff(text: string, paint: Paint): string {
  return text
    .split('\n')
    .map((line) => {
      if (/^(?:---|\+\+\+|=====)/.test(line)) return paint('bold', line);
      if (line.startsWith('-')) return paint('red', line);
      if (line.startsWith('+')) return paint('green', line);
      return line.startsWith('@@') ? paint('cyan', line) : line;
    })
    .join('\n');
}
