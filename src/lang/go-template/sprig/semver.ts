import {
  comparePreReleases,
  compareVersions,
  readVersion,
  type SemanticVersion,
  versionIdentifiers,
} from '#base/std';
import { fn } from '../functions.ts';
import { type GoType, types } from '../go-type.ts';
import { GoError, GoFunction, GoInt, GoObject, type Value } from '../value.ts';

const part = '[0-9|xX*]+';
const range = `v?${part}(?:\\.${part})?(?:\\.${part})?(?:-${versionIdentifiers})?(?:\\+${versionIdentifiers})?`;
const operators = '=>|=<|!=|>=|<=|~>|=|>|<|~|\\^|';
const hyphen = new RegExp(`\\s*(${range})\\s+-\\s+(${range})\\s*`, 'g');
const valid = new RegExp(
  `^\\s*(?:${operators})\\s*${range}\\s*(?:(?:\\s+|,\\s*)(?:${operators})\\s*${range}\\s*)*$`,
);
const single = new RegExp(`(${operators})\\s*(${range})`, 'g');
const parts = new RegExp(
  `^v?(${part})(?:\\.(${part}))?(?:\\.(${part}))?(-${versionIdentifiers})?(?:\\+${versionIdentifiers})?$`,
);

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

function parseVersion(text: string): SemanticVersion {
  const found = readVersion(text);
  if (!('fault' in found)) return found;
  if (found.fault === 'too large')
    throw new GoError(
      `Error parsing version segment: strconv.ParseUint: parsing ${JSON.stringify(found.digits)}: value out of range`,
    );
  throw new GoError(found.fault === 'form' ? 'Invalid Semantic Version' : 'Version segment starts with 0');
}

const textOf = ({ numbers, pre, metadata }: SemanticVersion): string =>
  numbers.join('.') + (pre && `-${pre}`) + (metadata && `+${metadata}`);

type Constraint = {
  readonly operator: string;
  readonly version: SemanticVersion;
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
const isUnwantedPre = (found: SemanticVersion, wanted: Constraint): boolean =>
  found.pre !== '' && wanted.version.pre === '';

type Check = (found: SemanticVersion, wanted: Constraint) => boolean;

const released =
  (check: Check): Check =>
  (found, wanted) =>
    !isUnwantedPre(found, wanted) && check(found, wanted);

const tilde: Check = (found, { version, open }) => {
  if (compareVersions(found, version) < 0) return false;
  const [major, minor, patch] = version.numbers;
  if (major === 0n && minor === 0n && patch === 0n && open !== 'minor' && open !== 'patch') return true;
  return found.numbers[0] === major && (found.numbers[1] === minor || open === 'minor');
};

const caret: Check = (found, { version, open }) => {
  if (compareVersions(found, version) < 0) return false;
  const [major, minor, patch] = version.numbers;
  if (major > 0n || open === 'minor') return found.numbers[0] === major;
  if (found.numbers[0] > 0n) return false;
  if (minor > 0n || open === 'patch') return found.numbers[1] === minor;
  return found.numbers[1] === 0n && found.numbers[2] === patch;
};

const greater: Check = (found, { version, open }) => {
  if (open === 'nothing' || open === 'all')
    return compareVersions(found, version) > 0 && (open === 'nothing' || found.numbers[0] >= 0n);
  if (found.numbers[0] !== version.numbers[0]) return found.numbers[0] > version.numbers[0];
  return open === 'patch' && found.numbers[1] > version.numbers[1];
};

const atMost: Check = (found, { version, open }) => {
  if (open === 'nothing') return compareVersions(found, version) <= 0;
  if (found.numbers[0] > version.numbers[0]) return false;
  return !(
    found.numbers[0] === version.numbers[0] &&
    found.numbers[1] > version.numbers[1] &&
    open !== 'minor'
  );
};

const unequal: Check = (found, wanted) => {
  const { version, open } = wanted;
  if (open === 'nothing') return compareVersions(found, version) !== 0;
  if (isUnwantedPre(found, wanted)) return false;
  if (found.numbers[0] !== version.numbers[0]) return true;
  if (open === 'minor') return false;
  if (found.numbers[1] !== version.numbers[1]) return true;
  if (open === 'patch') return found.pre !== version.pre && comparePreReleases(found.pre, version.pre) !== 0;
  return found.numbers[2] !== version.numbers[2] || compareVersions(found, version) !== 0;
};

const equalOrTilde: Check = (found, wanted) =>
  wanted.open === 'nothing' ? compareVersions(found, wanted.version) === 0 : tilde(found, wanted);

const checks: Readonly<Record<string, Check>> = {
  '': released(equalOrTilde),
  '=': released(equalOrTilde),
  '!=': unequal,
  '>': released(greater),
  '<': released((found, { version }) => compareVersions(found, version) < 0),
  '>=': released((found, { version }) => compareVersions(found, version) >= 0),
  '=>': released((found, { version }) => compareVersions(found, version) >= 0),
  '<=': released(atMost),
  '=<': released(atMost),
  '~': released(tilde),
  '~>': released(tilde),
  '^': released(caret),
};

const uint64 = (value: bigint): GoInt => new GoInt(types.uint64, value);

function versionValue(found: SemanticVersion): GoObject {
  const [major, minor, patch] = found.numbers;
  const methods = new Map<string, GoFunction>([
    ['Major', fn('', () => uint64(major))],
    ['Minor', fn('', () => uint64(minor))],
    ['Patch', fn('', () => uint64(patch))],
    ['Prerelease', fn('', () => found.pre)],
    ['Metadata', fn('', () => found.metadata)],
    ['Original', fn('', () => found.text)],
    ['String', fn('', () => textOf(found))],
    ['Compare', versionMethod((other) => BigInt(compareVersions(found, other)))],
    ['LessThan', versionMethod((other) => compareVersions(found, other) < 0)],
    ['GreaterThan', versionMethod((other) => compareVersions(found, other) > 0)],
    ['Equal', versionMethod((other) => compareVersions(found, other) === 0)],
  ]);
  const text = (): string => textOf(found);
  const hidden = new Map<string, Value>([
    ['major', uint64(major)],
    ['minor', uint64(minor)],
    ['patch', uint64(patch)],
    ['pre', found.pre],
    ['metadata', found.metadata],
    ['original', found.text],
  ]);
  return new GoObject(versionType, { methods, text, hidden, inner: { version: found, json: text } });
}

const versionMethod = (call: (other: SemanticVersion) => bigint | boolean): GoFunction =>
  new GoFunction([versionType], false, (_run, [other]) =>
    call(((other as GoObject).inner as { version: SemanticVersion }).version),
  );
