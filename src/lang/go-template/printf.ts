import { noFlags, type PrintMeter, type VerbFlags } from './flags.ts';
import { formatArg, text } from './format.ts';
import { rejoined } from './text.ts';
import { integerOf, typeOf, type Value } from './value.ts';

const largest = 1_000_000;

/** Sprintf of Go's fmt, its notes on mistakes included (compat sources HT-10). */
export function sprintf(run: PrintMeter, format: string, args: readonly Value[]): string {
  return rejoined(new Printf(run, format, args).print());
}

class Printf {
  readonly #run: PrintMeter;
  readonly #format: string;
  readonly #args: readonly Value[];
  #out = '';
  #at = 0;
  #arg = 0;
  #reordered = false;
  #goodIndex = true;
  #afterIndex = false;

  constructor(run: PrintMeter, format: string, args: readonly Value[]) {
    this.#run = run;
    this.#format = format;
    this.#args = args;
  }

  print(): string {
    while (this.#at < this.#format.length) {
      const found = this.#format.indexOf('%', this.#at);
      const end = found < 0 ? this.#format.length : found;
      this.#out += this.#format.slice(this.#at, end);
      this.#at = end + 1;
      if (found >= 0) this.#verb();
    }
    if (!this.#reordered && this.#arg < this.#args.length) this.#extra();
    return this.#out;
  }

  #verb(): void {
    this.#goodIndex = true;
    this.#afterIndex = false;
    const flags = this.#flags();
    this.#index();
    this.#width(flags);
    this.#precision(flags);
    if (!this.#afterIndex) this.#index();
    const code = this.#format.codePointAt(this.#at);
    if (code === undefined) {
      this.#out += '%!(NOVERB)';
      return;
    }
    const verb = String.fromCodePoint(code);
    this.#at += verb.length;
    this.#operand(flags, verb);
  }

  #operand(flags: VerbFlags, verb: string): void {
    if (verb === '%') this.#out += '%';
    else if (!this.#goodIndex) this.#out += `%!${verb}(BADINDEX)`;
    else if (this.#arg >= this.#args.length) this.#out += `%!${verb}(MISSING)`;
    else {
      if (verb === 'v' || verb === 'w') {
        flags.sharpV = flags.sharp;
        flags.sharp = false;
        flags.plusV = flags.plus;
        flags.plus = false;
      }
      this.#out += formatArg(flags, this.#args[this.#arg], verb);
      this.#arg += 1;
    }
  }

  #flags(): VerbFlags {
    const flags = noFlags(this.#run);
    for (; this.#at < this.#format.length; this.#at++) {
      const char = this.#format[this.#at];
      if (char === '#') flags.sharp = true;
      else if (char === '0') flags.zero = true;
      else if (char === '+') flags.plus = true;
      else if (char === '-') flags.minus = true;
      else if (char === ' ') flags.space = true;
      else break;
    }
    return flags;
  }

  /** `[n]`: which argument comes next. */
  #index(): void {
    this.#afterIndex = false;
    if (this.#format[this.#at] !== '[') return;
    this.#reordered = true;
    const close = this.#format.indexOf(']', this.#at + 1);
    if (close < 0) {
      this.#goodIndex = false;
      this.#at += 1;
      return;
    }
    const digits = this.#format.slice(this.#at + 1, close);
    const isNumber = /^[0-9]{1,7}$/.test(digits);
    const index = Number(digits) - 1;
    this.#at = close + 1;
    this.#afterIndex = isNumber;
    if (isNumber && index >= 0 && index < this.#args.length) this.#arg = index;
    else this.#goodIndex = false;
  }

  #width(flags: VerbFlags): void {
    if (this.#format[this.#at] !== '*') {
      flags.width = this.#number();
      if (this.#afterIndex && flags.width !== undefined) this.#goodIndex = false;
      return;
    }
    this.#at += 1;
    const width = this.#fromArgument();
    if (width === undefined) this.#out += '%!(BADWIDTH)';
    flags.width = width;
    if (width !== undefined && width < 0) {
      flags.width = -width;
      flags.minus = true;
      flags.zero = false;
    }
    this.#afterIndex = false;
  }

  #precision(flags: VerbFlags): void {
    if (this.#format[this.#at] !== '.' || this.#at + 1 >= this.#format.length) return;
    this.#at += 1;
    if (this.#afterIndex) this.#goodIndex = false;
    this.#index();
    if (this.#format[this.#at] !== '*') {
      flags.precision = this.#number() ?? 0;
      return;
    }
    this.#at += 1;
    const precision = this.#fromArgument();
    flags.precision = precision === undefined || precision < 0 ? undefined : precision;
    if (flags.precision === undefined) this.#out += '%!(BADPREC)';
    this.#afterIndex = false;
  }

  #number(): number | undefined {
    const digits = /^[0-9]*/.exec(this.#format.slice(this.#at, this.#at + 16))?.[0] ?? '';
    if (digits === '') return undefined;
    if (Number(digits.slice(0, -1)) > largest) {
      this.#at = this.#format.length;
      return undefined;
    }
    this.#at += digits.length;
    return Number(digits);
  }

  #fromArgument(): number | undefined {
    if (this.#arg >= this.#args.length) return undefined;
    const value = integerOf(this.#args[this.#arg]);
    this.#arg += 1;
    const width = value === undefined ? Number.NaN : Number(value);
    return Math.abs(width) <= largest ? width : undefined;
  }

  #extra(): void {
    const rest = this.#args
      .slice(this.#arg)
      .map((arg) =>
        arg === null || arg === undefined ? '<nil>' : `${typeOf(arg).name}=${text(this.#run, arg)}`,
      );
    this.#out += `%!(EXTRA ${rest.join(', ')})`;
  }
}
