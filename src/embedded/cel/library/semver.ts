import type { Charge, Rows } from '../function-table.ts';
import { traversal } from '../meter.ts';
import { CelError, type CelValue, Opaque } from '../value.ts';

/** A version by the rules of semver.org; the build metadata after `+` does not affect the order. */
export class Semver extends Opaque {
  readonly typeName = 'kubernetes.Semver';
  readonly numbers: readonly bigint[];
  readonly pre: readonly string[];
  readonly build: readonly string[];

  constructor(numbers: readonly bigint[], pre: readonly string[], build: readonly string[]) {
    super();
    this.numbers = numbers;
    this.pre = pre;
    this.build = build;
  }

  equals(other: Opaque): boolean {
    return other instanceof Semver && compare(this, other) === 0;
  }
}

function parse(text: string): Semver | CelError {
  if (text === '') return new CelError('Version string empty');
  const parts = text.split('.');
  if (parts.length < 3) return new CelError('No Major.Minor.Patch elements found');
  const found = /^(\d+)\.(\d+)\.(\d+)(?:-([^+]*))?(?:\+(.*))?$/s.exec(text);
  if (!found) return new CelError(`Invalid character(s) found in version ${JSON.stringify(text)}`);
  const numbers = found.slice(1, 4) as string[];
  const zero = numbers.find((part) => part.length > 1 && part.startsWith('0'));
  if (zero !== undefined)
    return new CelError(`Version number must not contain leading zeroes ${JSON.stringify(zero)}`);
  const pre = found[4]?.split('.') ?? [];
  const build = found[5]?.split('.') ?? [];
  const wrong = [...pre, ...build].find((part) => !/^[0-9A-Za-z-]+$/.test(part));
  if (wrong !== undefined)
    return new CelError(`Invalid character(s) found in prerelease ${JSON.stringify(wrong)}`);
  const padded = pre.find((part) => /^0\d+$/.test(part));
  if (padded !== undefined) {
    return new CelError(
      `Numeric PreRelease version must not contain leading zeroes ${JSON.stringify(padded)}`,
    );
  }
  return new Semver(numbers.map(BigInt), pre, build);
}

/** Without `v`, with all three numbers, and without leading zeros. */
function normalised(text: string): string | CelError {
  const parts = splitThree(text.replace(/^v/, '')).map((part) => {
    if (part.length <= 1) return part;
    const trimmed = part.replace(/^0+/, '');
    return /^\d/.test(trimmed) ? trimmed : `0${trimmed}`;
  });
  if (parts.length < 3 && /[+-]/.test(parts.at(-1) ?? '')) {
    return new CelError('short version cannot contain PreRelease/Build meta data');
  }
  while (parts.length < 3) parts.push('0');
  return parts.join('.');
}

function splitThree(text: string): string[] {
  const parts = text.split('.');
  return parts.length <= 3 ? parts : [...parts.slice(0, 2), parts.slice(2).join('.')];
}

function read(text: string, normalise = false): Semver | CelError {
  const plain = normalise ? normalised(text) : text;
  return typeof plain === 'string' ? parse(plain) : plain;
}

function compare(a: Semver, b: Semver): number {
  for (let i = 0; i < 3; i++) {
    const [x, y] = [a.numbers[i] as bigint, b.numbers[i] as bigint];
    if (x !== y) return x < y ? -1 : 1;
  }
  if (a.pre.length === 0 || b.pre.length === 0) return Number(b.pre.length > 0) - Number(a.pre.length > 0);
  for (let i = 0; i < Math.min(a.pre.length, b.pre.length); i++) {
    const order = comparePart(a.pre[i] as string, b.pre[i] as string);
    if (order !== 0) return order;
  }
  return Math.sign(a.pre.length - b.pre.length);
}

function comparePart(a: string, b: string): number {
  const isNumeric = [a, b].map((part) => /^\d+$/.test(part));
  if (isNumeric[0] !== isNumeric[1]) return isNumeric[0] ? -1 : 1;
  if (!isNumeric[0]) return a < b ? -1 : a > b ? 1 : 0;
  return BigInt(a) < BigInt(b) ? -1 : BigInt(a) > BigInt(b) ? 1 : 0;
}

const number = (index: number) => (version: Semver) => version.numbers[index] as CelValue;
const type = 'kubernetes.Semver';

export const semverRows: Rows = {
  semver: [
    [`(string) -> ${type}`, (text: string) => read(text)],
    [`(string, bool) -> ${type}`, read],
  ],
  isSemver: [
    ['(string) -> bool', (text: string) => !(read(text) instanceof CelError)],
    [
      '(string, bool) -> bool',
      (text: string, normalise: boolean) => !(read(text, normalise) instanceof CelError),
    ],
  ],
  isGreaterThan: [[`${type}.(${type}) -> bool`, (a: Semver, b: Semver) => compare(a, b) > 0]],
  isLessThan: [[`${type}.(${type}) -> bool`, (a: Semver, b: Semver) => compare(a, b) < 0]],
  compareTo: [[`${type}.(${type}) -> int`, (a: Semver, b: Semver) => BigInt(compare(a, b))]],
  major: [[`${type}.() -> int`, number(0)]],
  minor: [[`${type}.() -> int`, number(1)]],
  patch: [[`${type}.() -> int`, number(2)]],
};

const once: Charge = ([text]) => traversal(text);
export const semverCharges: Readonly<Record<string, Charge>> = { semver: once, isSemver: once };
