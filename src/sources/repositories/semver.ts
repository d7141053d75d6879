/**
 * Versions and constraints as Helm and Argo CD read them (sources GIT-5): one to three numbers with an optional `v`,
 * operators joined by comma or blank for "and", by `||` for "or".
 */
export type SemanticVersion = {
  readonly text: string;
  readonly numbers: readonly [major: number, minor: number, patch: number];
  readonly pre: string;
};

const identifiers = '[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*';
const versionShape = new RegExp(
  `^v?(\\d+)(?:\\.(\\d+))?(?:\\.(\\d+))?(?:-(${identifiers}))?(?:\\+${identifiers})?$`,
);

/** Undefined when the text is no version, even when parsed leniently. */
export function parseVersion(text: string): SemanticVersion | undefined {
  const match = versionShape.exec(text);
  if (!match) return undefined;
  const pre = match[4] ?? '';
  if (pre.split('.').some((part) => /^0\d+$/.test(part))) return undefined;
  const numbers = [Number(match[1]), Number(match[2] ?? 0), Number(match[3] ?? 0)] as const;
  return numbers.every(Number.isSafeInteger) ? { text, numbers, pre } : undefined;
}

/** Negative when `a` is older. Build metadata is ignored (sources GIT-6). */
export function compareVersions(a: SemanticVersion, b: SemanticVersion): number {
  for (const part of [0, 1, 2] as const) {
    if (a.numbers[part] !== b.numbers[part]) return a.numbers[part] - b.numbers[part];
  }
  return comparePre(a.pre, b.pre);
}

function comparePre(a: string, b: string): number {
  if (a === b) return 0;
  if (a === '' || b === '') return a === '' ? 1 : -1; // a release is newer than its candidates
  const [left, right] = [a.split('.'), b.split('.')];
  for (let at = 0; at < Math.max(left.length, right.length); at++) {
    const order = comparePart(left[at], right[at]);
    if (order !== 0) return order;
  }
  return 0;
}

function comparePart(a: string | undefined, b: string | undefined): number {
  if (a === b) return 0;
  if (a === undefined || b === undefined) return a === undefined ? -1 : 1;
  const [aNumber, bNumber] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (aNumber && bNumber) return Number(a) - Number(b);
  if (aNumber !== bNumber) return aNumber ? -1 : 1;
  return a < b ? -1 : 1;
}

type Bound = {
  readonly operator: string;
  readonly version: SemanticVersion;
  /** Which part is missing or a wildcard; it makes the bound a range. */
  readonly wild: 'major' | 'minor' | 'patch' | undefined;
};

/** A parsed constraint: one of the groups must match, with all its bounds. */
export type Constraint = readonly (readonly Bound[])[];

const operators = ['!=', '>=', '=>', '<=', '=<', '~>', '>', '<', '~', '^', '='];
const boundShape = new RegExp(
  `^(${operators.map((text) => text.replace(/[\^~]/g, '\\$&')).join('|')})?\\s*` +
    `v?(\\d+|[xX*])(?:\\.(\\d+|[xX*]))?(?:\\.(\\d+|[xX*]))?(?:-(${identifiers}))?(?:\\+${identifiers})?`,
);

/** Undefined when the text is no constraint. */
export function parseConstraint(text: string): Constraint | undefined {
  const groups = text.split('||').map((group) => parseGroup(withoutHyphens(group)));
  return groups.every((group) => group !== undefined) ? groups : undefined;
}

/** `1.2 - 1.4` is written as its two bounds. */
function withoutHyphens(group: string): string {
  return group.replace(/(\S+)\s+-\s+(\S+)/g, '>=$1 <=$2');
}

function parseGroup(text: string): readonly Bound[] | undefined {
  const bounds: Bound[] = [];
  let rest = text.trim();
  while (rest !== '') {
    const match = boundShape.exec(rest);
    if (!match) return undefined;
    bounds.push(boundOf(match));
    const after = rest.slice(match[0].length);
    const next = after.replace(/^(?:\s*,\s*|\s+)/, '');
    if (after !== '' && next === after) return undefined; // two bounds need something between them
    rest = next;
  }
  return bounds.length > 0 ? bounds : undefined;
}

function boundOf(match: RegExpExecArray): Bound {
  const [, operator = '', ...parts] = match;
  const pre = parts[3] ?? '';
  const isWild = (part: string | undefined): boolean => part === undefined || /[xX*]/.test(part);
  const [major, minor, patch] = parts;
  const number = (part: string | undefined): number => (isWild(part) ? 0 : Number(part));
  if (isWild(major)) return { operator, version: { text: '', numbers: [0, 0, 0], pre }, wild: 'major' };
  if (isWild(minor)) {
    return { operator, version: { text: '', numbers: [number(major), 0, 0], pre }, wild: 'minor' };
  }
  const wild = isWild(patch) ? 'patch' : undefined;
  return {
    operator,
    version: { text: '', numbers: [number(major), number(minor), number(patch)], pre },
    wild,
  };
}

/** Pre-releases count only for a group that names one itself. */
export function satisfies(version: SemanticVersion, constraint: Constraint): boolean {
  return constraint.some((group) => {
    if (version.pre !== '' && group.every((bound) => bound.version.pre === '')) return false;
    return group.every((bound) => holds(version, bound));
  });
}

function holds(version: SemanticVersion, bound: Bound): boolean {
  const order = compareVersions(version, bound.version);
  switch (bound.operator) {
    case '!=':
      return !(bound.wild ? nearby(version, bound) : order === 0);
    case '>':
      return bound.wild ? order > 0 && !withinWild(version, bound) : order > 0;
    case '<':
      return order < 0;
    case '>=':
    case '=>':
      return order >= 0;
    case '<=':
    case '=<':
      return order <= 0 || withinWild(version, bound);
    case '~':
    case '~>':
      return order >= 0 && nearby(version, bound);
    case '^':
      return order >= 0 && compatible(version, bound);
    default:
      return bound.wild ? order >= 0 && nearby(version, bound) : order === 0;
  }
}

/** The version differs from the bound only in parts that the bound left open. */
function withinWild(version: SemanticVersion, { version: { numbers }, wild }: Bound): boolean {
  if (wild === undefined) return false;
  if (wild === 'major') return true;
  if (version.numbers[0] !== numbers[0]) return false;
  return wild === 'minor' || version.numbers[1] === numbers[1];
}

/** What `~` allows: changes of the patch, or of whatever the bound left open. */
function nearby(version: SemanticVersion, { version: { numbers }, wild }: Bound): boolean {
  if (wild === 'major' || (wild === undefined && numbers.every((part) => part === 0))) return true;
  if (version.numbers[0] !== numbers[0]) return false;
  return wild === 'minor' || version.numbers[1] === numbers[1];
}

/** What `^` allows: nothing left of the first part that is not zero may change. */
function compatible(version: SemanticVersion, { version: { numbers }, wild }: Bound): boolean {
  const [major, minor, patch] = numbers;
  if (wild === 'major') return true;
  if (version.numbers[0] !== major) return false;
  if (major > 0 || wild === 'minor') return true;
  if (version.numbers[1] !== minor) return false;
  return minor > 0 || wild === 'patch' || version.numbers[2] === patch;
}
