import { fn } from '../functions.ts';
import { type GoType, types } from '../go-type.ts';
import { compareText } from '../text.ts';
import { GoError, GoFunction, GoInt, GoObject, type Value } from '../value.ts';

const identifiers = '[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*';
const suffixes = `(?:-(${identifiers}))?(?:\\+(${identifiers}))?`;
const version = new RegExp(`^v?([0-9]+)(?:\\.([0-9]+))?(?:\\.([0-9]+))?${suffixes}$`);
const part = '[0-9|xX*]+';
const range = `v?${part}(?:\\.${part})?(?:\\.${part})?(?:-${identifiers})?(?:\\+${identifiers})?`;
const operators = '=>|=<|!=|>=|<=|~>|=|>|<|~|\\^|';
const hyphen = new RegExp(`\\s*(${range})\\s+-\\s+(${range})\\s*`, 'g');
const valid = new RegExp(
  `^\\s*(?:${operators})\\s*${range}\\s*(?:(?:\\s+|,\\s*)(?:${operators})\\s*${range}\\s*)*$`,
);
const single = new RegExp(`(${operators})\\s*(${range})`, 'g');
const parts = new RegExp(
  `^v?(${part})(?:\\.(${part}))?(?:\\.(${part}))?(-${identifiers})?(?:\\+${identifiers})?$`,
);

type Version = {
  readonly numbers: readonly [major: bigint, minor: bigint, patch: bigint];
  readonly pre: string;
  readonly metadata: string;
  readonly original: string;
};

const versionType: GoType = { name: '*semver.Version', kind: 'ptr' };

/** Versions as Masterminds/semver reads them. */
export const semverFunctions: [string, GoFunction][] = [
  ['semver', fn('string', (_run, text) => versionValue(parseVersion(text)))],
  [
    'semverCompare',
    fn('string string', (_run, constraint, text) => {
      const alternatives = parseConstraint(constraint);
      const found = parseVersion(text);
      return alternatives.some((all) => all.every((one) => checks[one.operator]?.(found, one) ?? false));
    }),
  ],
];

function parseVersion(text: string): Version {
  const found = version.exec(text);
  if (!found) throw new GoError('Invalid Semantic Version');
  const [, major = '0', minor = '0', patch = '0', pre = '', metadata = ''] = found;
  const numbers = [segment(major), segment(minor), segment(patch)] as const;
  for (const piece of pre.split('.'))
    if (/^0[0-9]+$/.test(piece)) throw new GoError('Version segment starts with 0');
  return { numbers, pre, metadata, original: text };
}

function segment(digits: string): bigint {
  const value = BigInt(digits);
  if (value >= 2n ** 64n)
    throw new GoError(
      `Error parsing version segment: strconv.ParseUint: parsing ${JSON.stringify(digits)}: value out of range`,
    );
  return value;
}

const textOf = ({ numbers, pre, metadata }: Version): string =>
  numbers.join('.') + (pre && `-${pre}`) + (metadata && `+${metadata}`);

function compare(left: Version, right: Version): number {
  for (const at of [0, 1, 2] as const) {
    if (left.numbers[at] !== right.numbers[at]) return left.numbers[at] < right.numbers[at] ? -1 : 1;
  }
  return comparePre(left.pre, right.pre);
}

function comparePre(left: string, right: string): number {
  if (left === right) return 0;
  if (left === '') return 1;
  if (right === '') return -1;
  const [lefts, rights] = [left.split('.'), right.split('.')];
  for (let at = 0; at < Math.max(lefts.length, rights.length); at++) {
    const order = comparePiece(lefts[at] ?? '', rights[at] ?? '');
    if (order !== 0) return order;
  }
  return 0;
}

function comparePiece(left: string, right: string): number {
  if (left === right) return 0;
  if (left === '') return -1;
  if (right === '') return 1;
  const [a, b] = [isNumber(left), isNumber(right)];
  if (a && b) return BigInt(left) > BigInt(right) ? 1 : -1;
  if (!a && !b) return compareText(left, right) > 0 ? 1 : -1;
  return a ? -1 : 1;
}

const isNumber = (piece: string): boolean => /^[0-9]+$/.test(piece) && BigInt(piece) < 2n ** 64n;

type Constraint = {
  readonly operator: string;
  readonly version: Version;
  /** Which parts the constraint leaves open. */
  readonly open: 'nothing' | 'patch' | 'minor' | 'all';
};

function parseConstraint(text: string): Constraint[][] {
  const rewritten = text.replace(hyphen, '>= $1, <= $2 ');
  return rewritten.split('||').map((alternative) => {
    if (!valid.test(alternative)) throw new GoError(`improper constraint: ${alternative}`);
    return [...alternative.matchAll(single)].map(([, operator = '', range = '']) =>
      constraintOf(operator, range),
    );
  });
}

const isWild = (piece: string | undefined): boolean => piece === undefined || /^[xX*]$/.test(piece);

function constraintOf(operator: string, text: string): Constraint {
  const [, major, minor, patch, pre = ''] = parts.exec(text) ?? [];
  const open = isWild(major) ? 'all' : isWild(minor) ? 'minor' : isWild(patch) ? 'patch' : 'nothing';
  const numbers = { all: '0.0.0', minor: `${major}.0.0`, patch: `${major}.${minor}.0`, nothing: '' }[open];
  try {
    return { operator, version: parseVersion(open === 'nothing' ? text : numbers + pre), open };
  } catch (error) {
    if (error instanceof GoError) throw new GoError('constraint Parser Error');
    throw error;
  }
}

/** A prerelease satisfies only a constraint that names one. */
const isUnwantedPre = (found: Version, wanted: Constraint): boolean =>
  found.pre !== '' && wanted.version.pre === '';

type Check = (found: Version, wanted: Constraint) => boolean;

const released =
  (check: Check): Check =>
  (found, wanted) =>
    !isUnwantedPre(found, wanted) && check(found, wanted);

const tilde: Check = (found, { version, open }) => {
  if (compare(found, version) < 0) return false;
  const [major, minor, patch] = version.numbers;
  if (major === 0n && minor === 0n && patch === 0n && open !== 'minor' && open !== 'patch') return true;
  return found.numbers[0] === major && (found.numbers[1] === minor || open === 'minor');
};

const caret: Check = (found, { version, open }) => {
  if (compare(found, version) < 0) return false;
  const [major, minor, patch] = version.numbers;
  if (major > 0n || open === 'minor') return found.numbers[0] === major;
  if (found.numbers[0] > 0n) return false;
  if (minor > 0n || open === 'patch') return found.numbers[1] === minor;
  return found.numbers[1] === 0n && found.numbers[2] === patch;
};

const greater: Check = (found, { version, open }) => {
  if (open === 'nothing' || open === 'all')
    return compare(found, version) > 0 && (open === 'nothing' || found.numbers[0] >= 0n);
  if (found.numbers[0] !== version.numbers[0]) return found.numbers[0] > version.numbers[0];
  return open === 'patch' && found.numbers[1] > version.numbers[1];
};

const atMost: Check = (found, { version, open }) => {
  if (open === 'nothing') return compare(found, version) <= 0;
  if (found.numbers[0] > version.numbers[0]) return false;
  return !(
    found.numbers[0] === version.numbers[0] &&
    found.numbers[1] > version.numbers[1] &&
    open !== 'minor'
  );
};

const unequal: Check = (found, wanted) => {
  const { version, open } = wanted;
  if (open === 'nothing') return compare(found, version) !== 0;
  if (isUnwantedPre(found, wanted)) return false;
  if (found.numbers[0] !== version.numbers[0]) return true;
  if (open === 'minor') return false;
  if (found.numbers[1] !== version.numbers[1]) return true;
  if (open === 'patch') return found.pre !== version.pre && comparePre(found.pre, version.pre) !== 0;
  return found.numbers[2] !== version.numbers[2] || compare(found, version) !== 0;
};

const equalOrTilde: Check = (found, wanted) =>
  wanted.open === 'nothing' ? compare(found, wanted.version) === 0 : tilde(found, wanted);

const checks: Readonly<Record<string, Check>> = {
  '': released(equalOrTilde),
  '=': released(equalOrTilde),
  '!=': unequal,
  '>': released(greater),
  '<': released((found, { version }) => compare(found, version) < 0),
  '>=': released((found, { version }) => compare(found, version) >= 0),
  '=>': released((found, { version }) => compare(found, version) >= 0),
  '<=': released(atMost),
  '=<': released(atMost),
  '~': released(tilde),
  '~>': released(tilde),
  '^': released(caret),
};

const uint64 = (value: bigint): GoInt => new GoInt(types.uint64, value);

function versionValue(found: Version): GoObject {
  const [major, minor, patch] = found.numbers;
  const methods = new Map<string, GoFunction>([
    ['Major', fn('', () => uint64(major))],
    ['Minor', fn('', () => uint64(minor))],
    ['Patch', fn('', () => uint64(patch))],
    ['Prerelease', fn('', () => found.pre)],
    ['Metadata', fn('', () => found.metadata)],
    ['Original', fn('', () => found.original)],
    ['String', fn('', () => textOf(found))],
    ['Compare', versionMethod((other) => BigInt(compare(found, other)))],
    ['LessThan', versionMethod((other) => compare(found, other) < 0)],
    ['GreaterThan', versionMethod((other) => compare(found, other) > 0)],
    ['Equal', versionMethod((other) => compare(found, other) === 0)],
  ]);
  const text = (): string => textOf(found);
  const hidden = new Map<string, Value>([
    ['major', uint64(major)],
    ['minor', uint64(minor)],
    ['patch', uint64(patch)],
    ['pre', found.pre],
    ['metadata', found.metadata],
    ['original', found.original],
  ]);
  return new GoObject(versionType, { methods, text, hidden, inner: { version: found, json: text } });
}

const versionMethod = (call: (other: Version) => bigint | boolean): GoFunction =>
  new GoFunction([versionType], false, (_run, [other]) =>
    call(((other as GoObject).inner as { version: Version }).version),
  );
