import type { Io } from '../io.ts';

/** Whether the output is a terminal that can move its cursor. */
export const isLive = ({ isTerminal, env }: Pick<Io, 'isTerminal' | 'env'>): boolean =>
  isTerminal && env.TERM !== 'dumb';

/** Lines at the end of a terminal that are replaced as a whole; elsewhere it shows nothing. */
export class LiveRegion {
  readonly #io: Io;
  #height = 0;

  constructor(io: Io) {
    this.#io = io;
  }

  /** Replaces the lines; those that do not fit are left out, and counted in the last one. */
  show(lines: readonly string[]): void {
    if (!isLive(this.#io)) return;
    const size = this.#io.size?.();
    // a terminal without a size of its own, as of `docker exec -t` or `script`, has 0 of both
    const [columns, rows] = [size?.columns || 80, size?.rows || 24];
    const most = Math.max(rows - 2, 3);
    const fitting =
      lines.length <= most ? lines : [...lines.slice(0, most - 1), `… and ${lines.length - most + 1} more`];
    const up = this.#height > 0 ? `\u001b[${this.#height}A\u001b[0J` : '';
    this.#io.out(`${up}${fitting.map((line) => `${cut(line, columns - 1)}\n`).join('')}`);
    this.#height = fitting.length;
  }

  /** Removes the lines. */
  clear(): void {
    if (this.#height > 0) this.#io.out(`\u001b[${this.#height}A\u001b[0J`);
    this.#height = 0;
  }
}

/** Cuts after so many visible characters; colours take no room. */
function cut(line: string, columns: number): string {
  let [seen, at] = [0, 0];
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with this character
  const colour = /\u001b\[[0-9;]*m/y;
  while (at < line.length && seen < columns) {
    colour.lastIndex = at;
    const [code] = colour.exec(line) ?? [];
    if (code) at += code.length;
    else [at, seen] = [at + 1, seen + 1];
  }
  return at < line.length && line.includes('\u001b') ? `${line.slice(0, at)}\u001b[0m` : line.slice(0, at);
}
