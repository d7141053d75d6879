/** A version as Masterminds/semver reads it: one to three numbers with an optional `v`, a pre-release and build metadata. */
export type SemanticVersion = {
  readonly text: string;
  readonly numbers: readonly [major: bigint, minor: bigint, patch: bigint];
  readonly pre: string;
  readonly metadata: string;
};

/** Why a text is no version: its form, a number of 64 bits or more, or a number of the pre-release that begins with 0. */
type VersionFault =
  | { readonly fault: 'form' | 'leading zero' }
  | { readonly fault: 'too large'; readonly digits: string };

/** The identifiers of a pre-release or of build metadata, as the source of a regular expression. */
export const versionIdentifiers = '[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*';

const form = new RegExp(
  `^v?([0-9]+)(?:\\.([0-9]+))?(?:\\.([0-9]+))?(?:-(${versionIdentifiers}))?(?:\\+(${versionIdentifiers}))?$`,
);
const limit = 2n ** 64n;

/** Reads a version; missing numbers are 0. */
export function readVersion(text: string): SemanticVersion | VersionFault {
  const found = form.exec(text);
  if (!found) return { fault: 'form' };
  const [, major = '0', minor = '0', patch = '0', pre = '', metadata = ''] = found;
  const digits = [major, minor, patch].find((one) => BigInt(one) >= limit);
  if (digits !== undefined) return { fault: 'too large', digits };
  if (pre.split('.').some((piece) => /^0[0-9]+$/.test(piece))) return { fault: 'leading zero' };
  return { text, numbers: [BigInt(major), BigInt(minor), BigInt(patch)], pre, metadata };
}

/** Negative when `a` is older. Build metadata does not count. */
export function compareVersions(a: SemanticVersion, b: SemanticVersion): number {
  for (const at of [0, 1, 2] as const)
    if (a.numbers[at] !== b.numbers[at]) return a.numbers[at] < b.numbers[at] ? -1 : 1;
  return comparePreReleases(a.pre, b.pre);
}

/** A release is newer than its candidates. */
export function comparePreReleases(a: string, b: string): number {
  if (a === b) return 0;
  if (a === '' || b === '') return a === '' ? 1 : -1;
  const [left, right] = [a.split('.'), b.split('.')];
  for (let at = 0; at < Math.max(left.length, right.length); at++) {
    const order = comparePieces(left[at] ?? '', right[at] ?? '');
    if (order !== 0) return order;
  }
  return 0;
}

/** A missing piece is the oldest, then numbers by their value, then names. All of them are ASCII. */
function comparePieces(a: string, b: string): number {
  if (a === b) return 0;
  const [rankA, rankB] = [rankOf(a), rankOf(b)];
  if (rankA !== rankB) return rankA - rankB;
  const isOlder = rankA === 1 ? BigInt(a) < BigInt(b) : a < b;
  return isOlder ? -1 : 1;
}

function rankOf(piece: string): number {
  if (piece === '') return 0;
  return /^[0-9]+$/.test(piece) && BigInt(piece) < limit ? 1 : 2;
}
