import { compareVersions, FairleadError } from '#base/std';
import { parseConstraint, parseVersion, satisfies } from '../semver.ts';

/** The advertised refs of a repository, by full name; tags are peeled to their commit. */
export type Refs = {
  readonly byName: ReadonlyMap<string, string>;
  /** The full name of HEAD's target; undefined when the server does not report it. */
  readonly head: string | undefined;
  /** Annotated tags by full name: the hash of the tag itself. */
  readonly tagObjects: ReadonlyMap<string, string>;
};

const line = /^([0-9a-f]{40}|[0-9a-f]{64}|ref: \S+)\t(\S+)$/;

/** Reads the output of `git ls-remote --symref`. Throws InvalidSpec for a repository of SHA-256 objects. */
export function parseRefs(text: string, shown: string): Refs {
  const list = new RefList();
  for (const row of text.split('\n')) {
    const [, value, name] = line.exec(row) ?? [];
    if (value === undefined || name === undefined) continue;
    if (value.startsWith('ref: ')) list.pointer(name, value.slice('ref: '.length));
    else if (value.length === 64) throw wrongHash(shown);
    else list.row(name, value);
  }
  return list.refs;
}

/** The advertised refs of a repository, row by row in the order of `git ls-remote`. Names contain no blanks. */
export class RefList {
  readonly #byName = new Map<string, string>();
  readonly #tagObjects = new Map<string, string>();
  #head: string | undefined;

  /** The peeled row of an annotated tag follows the tag's own, and replaces it. */
  row(name: string, hash: string): void {
    const own = name.endsWith('^{}') ? name.slice(0, -3) : name;
    if (own !== name) this.#tagObjects.set(own, this.#byName.get(own) ?? hash);
    this.#byName.set(own, hash);
  }

  /** A symbolic ref. */
  pointer(name: string, target: string): void {
    if (name === 'HEAD') this.#head = target;
  }

  get refs(): Refs {
    return { byName: this.#byName, head: this.#head, tagObjects: this.#tagObjects };
  }
}

const wrongHash = (shown: string): FairleadError =>
  new FairleadError(
    'InvalidSpec',
    `repository ${shown} uses SHA-256 objects, which are not supported: only SHA-1 is`, // sources GIT-13
  );

/** The match of a revision: a commit with its ref, or an abbreviated hash still to be completed. */
export type RefMatch =
  | { readonly kind: 'commit'; readonly commit: string; readonly ref: string; readonly warning?: string }
  | { readonly kind: 'abbreviated'; readonly prefix: string };

const fullHash = /^[0-9a-f]{40}$/i;
const abbreviated = /^[0-9a-f]{7,39}$/i;

export const isFullHash = (revision: string): boolean => fullHash.test(revision);

/** Finds the ref of a revision (sources 1.4.2, steps 3 to 6); undefined when there is none. */
export function matchRevision(refs: Refs, revision: string, tagPrefix = ''): RefMatch | undefined {
  const wanted = bySemver(refs, revision || 'HEAD', tagPrefix) ?? (revision || 'HEAD');
  const found = byRefName(refs, wanted);
  if (found) return found;
  return abbreviated.test(wanted) ? { kind: 'abbreviated', prefix: wanted.toLowerCase() } : undefined;
}

/** compat sources 1.4.2 step 4: the tag that a version or a range resolves to; undefined is "no result". */
function bySemver(refs: Refs, revision: string, tagPrefix: string): string | undefined {
  if (parseVersion(revision)) return tagPrefix + revision;
  const constraint = parseConstraint(revision);
  if (!constraint) return undefined; // a verbatim tag is found by its name anyway
  const versions = tagNames(refs)
    .filter((name) => name.startsWith(tagPrefix))
    .map((name) => parseVersion(name.slice(tagPrefix.length)))
    .filter((version) => version !== undefined);
  const matching = versions.filter((version) => satisfies(version, constraint));
  const highest = matching.sort(compareVersions).at(-1);
  return highest ? tagPrefix + highest.text : undefined;
}

function tagNames(refs: Refs): string[] {
  const tags = [...refs.byName.keys()].filter((name) => name.startsWith('refs/tags/'));
  return tags.map((name) => name.slice('refs/tags/'.length));
}

/** dev sources DEV-3: of several refs with one short name the tag wins, then the branch, and a warning names both. */
function byRefName(refs: Refs, wanted: string): RefMatch | undefined {
  const candidates =
    wanted === 'HEAD'
      ? ['HEAD', refs.head ?? '']
      : [wanted, `refs/tags/${wanted}`, `refs/heads/${wanted}`, `refs/remotes/${wanted}`, `refs/${wanted}`];
  const names = candidates.filter((name) => refs.byName.has(name));
  const [ref, other] = names;
  const commit = ref === undefined ? undefined : refs.byName.get(ref);
  if (ref === undefined || commit === undefined) return undefined;
  const named = wanted === 'HEAD' ? (refs.head ?? ref) : ref;
  if (other === undefined || refs.byName.get(other) === commit) return { kind: 'commit', commit, ref: named };
  const warning = `revision ${wanted} names both ${ref} and ${other}; ${ref} is used`;
  return { kind: 'commit', commit, ref: named, warning };
}
