/** The place of the next character. */
type Cursor = { row: number; column: number };

const mostRows = 2_000;
const tabWidth = 8;
const esc = '\x1b';

/**
 * What a terminal shows: text with a cursor, and the sequences that shells, pagers and editors move it with. Colours and other
 * looks are left out. The last `height` rows are the screen, those above have scrolled away.
 */
export class TerminalScreen {
  #rows: string[] = [''];
  #cursor: Cursor = { row: 0, column: 0 };
  #saved: Cursor = { row: 0, column: 0 };
  #pending = '';
  #height: number;
  #width: number;

  constructor(size: { readonly rows: number; readonly columns: number }) {
    this.#height = size.rows;
    this.#width = size.columns;
  }

  get rows(): readonly string[] {
    return this.#rows;
  }

  get cursor(): Readonly<Cursor> {
    return this.#cursor;
  }

  resize({ rows, columns }: { readonly rows: number; readonly columns: number }): void {
    this.#height = rows;
    this.#width = columns;
  }

  /** A sequence that is cut off at the end waits for the rest of it. */
  write(text: string): void {
    let rest = this.#pending + text;
    this.#pending = '';
    while (rest !== '') {
      if (rest[0] !== esc) {
        this.#put(rest[0] ?? '');
        rest = rest.slice(1);
        continue;
      }
      const length = sequenceLength(rest);
      if (length === undefined) {
        this.#pending = rest.slice(0, 256);
        return;
      }
      this.#obey(rest.slice(1, length));
      rest = rest.slice(length);
    }
  }

  #put(char: string): void {
    const { column } = this.#cursor;
    if (char === '\r') this.#cursor.column = 0;
    else if (char === '\n') this.#down();
    else if (char === '\b') this.#cursor.column = Math.max(0, column - 1);
    else if (char === '\t')
      this.#cursor.column = Math.min(this.#width - 1, column - (column % tabWidth) + tabWidth);
    else if (char >= ' ' && char !== '\x7f') this.#type(char);
  }

  #type(char: string): void {
    if (this.#cursor.column >= this.#width) {
      this.#cursor.column = 0;
      this.#down();
    }
    const { row, column } = this.#cursor;
    const line = (this.#rows[row] ?? '').padEnd(column);
    this.#rows[row] = line.slice(0, column) + char + line.slice(column + 1);
    this.#cursor.column += 1;
  }

  #down(): void {
    this.#cursor.row += 1;
    if (this.#cursor.row === this.#rows.length) this.#rows.push('');
    const surplus = this.#rows.length - mostRows;
    if (surplus <= 0) return;
    this.#rows.splice(0, surplus);
    this.#cursor.row -= surplus;
  }

  /** The first row of the screen. */
  get #top(): number {
    return Math.max(0, this.#rows.length - this.#height);
  }

  #moveTo(row: number, column: number): void {
    const last = this.#top + this.#height - 1;
    const wanted = Math.min(last, Math.max(this.#top, row));
    while (this.#rows.length <= wanted) this.#rows.push('');
    this.#cursor = { row: wanted, column: Math.min(this.#width - 1, Math.max(0, column)) };
  }

  #obey(sequence: string): void {
    if (sequence === '7') this.#saved = { ...this.#cursor };
    else if (sequence === '8') this.#moveTo(this.#saved.row, this.#saved.column);
    else if (sequence === 'M') this.#moveTo(this.#cursor.row - 1, this.#cursor.column);
    else if (sequence.startsWith('[')) this.#control(sequence.at(-1) ?? '', sequence.slice(1, -1));
  }

  #control(name: string, text: string): void {
    const [first, second] = text.split(';').map((part) => Number(part.replace(/\D/g, '')));
    const count = first || 1;
    const { row, column } = this.#cursor;
    const moves: Record<string, () => void> = {
      A: () => this.#moveTo(row - count, column),
      B: () => this.#moveTo(row + count, column),
      C: () => this.#moveTo(row, column + count),
      D: () => this.#moveTo(row, column - count),
      G: () => this.#moveTo(row, count - 1),
      d: () => this.#moveTo(this.#top + count - 1, column),
      H: () => this.#moveTo(this.#top + count - 1, (second || 1) - 1),
      f: () => this.#moveTo(this.#top + count - 1, (second || 1) - 1),
      J: () => this.#erase(first ?? 0),
      K: () => this.#eraseLine(first ?? 0),
      P: () => this.#change((line) => line.slice(0, column) + line.slice(column + count)),
      '@': () => this.#change((line) => line.slice(0, column) + ' '.repeat(count) + line.slice(column)),
      h: () => this.#switch(text),
      l: () => this.#switch(text),
    };
    if (Object.hasOwn(moves, name)) moves[name]?.();
  }

  #change(change: (line: string) => string): void {
    const { row } = this.#cursor;
    this.#rows[row] = change(this.#rows[row] ?? '');
  }

  #eraseLine(what: number): void {
    const { column } = this.#cursor;
    if (what === 0) this.#change((line) => line.slice(0, column));
    else if (what === 1) this.#change((line) => ' '.repeat(column + 1) + line.slice(column + 1));
    else this.#change(() => '');
  }

  #erase(what: number): void {
    const { row } = this.#cursor;
    if (what < 2) this.#eraseLine(what);
    const [from, to] = { 0: [row + 1, this.#rows.length], 1: [this.#top, row] }[what] ?? [
      this.#top,
      this.#rows.length,
    ];
    for (let at = from ?? 0; at < (to ?? 0); at++) this.#rows[at] = '';
  }

  /** An editor's own screen begins and ends empty. */
  #switch(mode: string): void {
    if (!['?1049', '?47', '?1047'].includes(mode)) return;
    this.#erase(2);
    this.#moveTo(this.#top, 0);
  }
}

/** Moves and looks end with a letter; a title ends with a bell, or with a sequence of its own. */
const controlEnd = /[@-~]/;
const bell = '\x07';

/** How long the sequence at the start of a text is; undefined: it is not complete. */
function sequenceLength(text: string): number | undefined {
  const kind = text[1];
  if (kind === undefined) return undefined;
  if (kind === '[') {
    const end = text.slice(2).search(controlEnd);
    return end < 0 ? incomplete(text) : end + 3;
  }
  if (kind === ']') return titleLength(text) ?? incomplete(text);
  const isLong = '()#%'.includes(kind);
  return isLong && text.length < 3 ? undefined : 2 + Number(isLong);
}

function titleLength(text: string): number | undefined {
  const [byBell, bySequence] = [text.indexOf(bell), text.indexOf(`${esc}\\`, 2)];
  if (byBell >= 0 && (bySequence < 0 || byBell < bySequence)) return byBell + 1;
  return bySequence < 0 ? undefined : bySequence + 2;
}

/** One that does not end is not one: nothing waits for it for ever. */
const incomplete = (text: string): number | undefined => (text.length > 200 ? 2 : undefined);

const keys: Readonly<Record<string, string>> = {
  Enter: '\r',
  Backspace: '\x7f',
  Tab: '\t',
  Escape: '\x1b',
  ArrowUp: '\x1b[A',
  ArrowDown: '\x1b[B',
  ArrowRight: '\x1b[C',
  ArrowLeft: '\x1b[D',
  Home: '\x1b[H',
  End: '\x1b[F',
  PageUp: '\x1b[5~',
  PageDown: '\x1b[6~',
  Delete: '\x1b[3~',
};

type Pressed = {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly altKey: boolean;
  readonly metaKey: boolean;
  readonly shiftKey: boolean;
};

/**
 * What a key sends; undefined: it is the browser's. Shift with Tab leaves the terminal, so that the keyboard is not caught
 * in it, and Ctrl or Meta with Shift copies and pastes.
 */
export function keyText({ key, ctrlKey, altKey, metaKey, shiftKey }: Pressed): string | undefined {
  if (metaKey || (ctrlKey && shiftKey) || (key === 'Tab' && shiftKey)) return undefined;
  if (Object.hasOwn(keys, key)) return keys[key];
  if (key.length !== 1) return undefined;
  if (ctrlKey) return controlText(key);
  return altKey ? `${esc}${key}` : key;
}

const controlText = (key: string): string | undefined =>
  /^[a-z[\]\\]$/i.test(key) ? String.fromCharCode(key.toUpperCase().charCodeAt(0) & 31) : undefined;
