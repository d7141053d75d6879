import { compareVersions, readVersion, type SemanticVersion, versionIdentifiers } from '#base/std';

/** A version as Helm and Argo CD read it (sources GIT-5); undefined when the text is none. */
export function parseVersion(text: string): SemanticVersion | undefined {
  const version = readVersion(text);
  return 'fault' in version ? undefined : version;
}

type Bound = {
  readonly operator: string;
  readonly version: SemanticVersion;
  /** Which part is missing or a wildcard; it makes the bound a range. */
  readonly wild: 'major' | 'minor' | 'patch' | undefined;
};

/**
 * A parsed constraint (sources GIT-5): operators joined by comma or blank for "and", by `||` for "or". One of the groups must
 * match, with all its bounds.
 */
export type Constraint = readonly (readonly Bound[])[];

const operators = ['!=', '>=', '=>', '<=', '=<', '~>', '>', '<', '~', '^', '='];
const boundShape = new RegExp(
  `^(${operators.map((text) => text.replace(/[\^~]/g, '\\$&')).join('|')})?\\s*` +
    `v?(\\d+|[xX*])(?:\\.(\\d+|[xX*]))?(?:\\.(\\d+|[xX*]))?(?:-(${versionIdentifiers}))?(?:\\+${versionIdentifiers})?`,
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
  const open = isWild(major) ? 'major' : isWild(minor) ? 'minor' : isWild(patch) ? 'patch' : undefined;
  const number = (part: string | undefined): bigint => (isWild(part) ? 0n : BigInt(part ?? 0));
  const numbers = [
    number(major),
    open === 'major' ? 0n : number(minor),
    open === 'major' || open === 'minor' ? 0n : number(patch),
  ] as const;
  return { operator, version: { text: '', numbers, pre, metadata: '' }, wild: open };
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
  if (wild === 'major' || (wild === undefined && numbers.every((part) => part === 0n))) return true;
  if (version.numbers[0] !== numbers[0]) return false;
  return wild === 'minor' || version.numbers[1] === numbers[1];
}

/** What `^` allows: nothing left of the first part that is not zero may change. */
function compatible(version: SemanticVersion, { version: { numbers }, wild }: Bound): boolean {
  const [major, minor, patch] = numbers;
  if (wild === 'major') return true;
  if (version.numbers[0] !== major) return false;
  if (major > 0n || wild === 'minor') return true;
  if (version.numbers[1] !== minor) return false;
  return minor > 0n || wild === 'patch' || version.numbers[2] === patch;
}
