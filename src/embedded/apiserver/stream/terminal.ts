import type { Ended } from './shell.ts';

const prompt = '$ ';
const erase = '\b \b';
/** Ctrl-D */
const endOfInput = '\x04';

/** A terminal with a shell behind it: what is typed is echoed and can be erased, and an output line begins at the left. */
export class Terminal {
  readonly #run: (line: string) => Ended;
  readonly #send: (text: string) => void;
  #line = '';
  #code = 0;

  constructor(run: (line: string) => Ended, send: (text: string) => void) {
    this.#run = run;
    this.#send = send;
    send(prompt);
  }

  /** How the shell ended; everything it printed was sent. */
  get ended(): Ended {
    return { stdout: '', stderr: '', code: this.#code };
  }

  /** True when the shell has ended. */
  press(key: string): boolean {
    if (key === endOfInput) return this.#line === '';
    if (key === '\r' || key === '\n') return this.#enter();
    if (key === '\x7f' || key === '\b') this.#erase();
    else if (key >= ' ') this.#echo(key);
    return false;
  }

  #enter(): boolean {
    const line = this.#line;
    this.#line = '';
    this.#print('\n');
    const { stdout, stderr, code } = this.#run(line);
    this.#print(`${stdout}${stderr}`);
    this.#code = code;
    const isOver = /^\s*exit\b/.test(line);
    if (!isOver) this.#print(prompt);
    return isOver;
  }

  #erase(): void {
    if (this.#line !== '') this.#send(erase);
    this.#line = this.#line.slice(0, -1);
  }

  #echo(key: string): void {
    this.#line += key;
    this.#send(key);
  }

  #print(text: string): void {
    if (text !== '') this.#send(lined(text));
  }
}

export const lined = (text: string): string => text.replace(/\r?\n/g, '\r\n');
