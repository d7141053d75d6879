import { createHash } from 'node:crypto';
import { decodeText } from '#base/model';
import { type Ctx, FairleadError, Lru } from '#base/std';
import { personIn } from './commit.ts';
import type { Library, MirrorAccess } from './library.ts';
import { Keyring, type SignatureVerdict, verdict } from './openpgp/keyring.ts';
import { signedCommit, signedTag } from './signed-object.ts';

/**
 * A project's requirements for a revision: how much of its history must be signed, and by which keys (sources INT-1).
 */
export type Demand = {
  readonly mode: 'head' | 'strict';
  /** Key ids or fingerprints; the last sixteen digits are compared. */
  readonly keys: readonly string[];
  /** The armoured keys that are trusted at all, from `argocd-gpg-keys-cm` (sources INT-8). */
  readonly keyring: readonly string[];
};

/** The revision to verify. `tag` is the hash of the annotated tag it was resolved from. */
export type SignedRevision = { readonly commit: string; readonly tag?: string | undefined };

type Checked = SignatureVerdict & {
  readonly revision: string;
  readonly by: string;
  readonly parents: readonly string[];
  readonly isSeal: boolean;
};

const mostProblems = 10;
const mostCommits = 1_000_000;
const atOnce = 64;

/** Verifies signatures of commits and tags, in process. */
export class Integrity {
  readonly #library: Library;
  readonly #keyrings = new Lru<Keyring>({ capacity: 20 });
  readonly #checked = new Lru<Checked>({ capacity: 200_000 });

  constructor(library: Library) {
    this.#library = library;
  }

  /** The reasons not to trust a revision, in sentences for its user; empty: it is trusted. */
  async problems(
    ctx: Ctx,
    place: MirrorAccess,
    revision: SignedRevision,
    demand: Demand,
  ): Promise<readonly string[]> {
    if (demand.mode === 'strict' && (place.repository.depth ?? 0) > 0) {
      throw new FairleadError(
        'InvalidSpec',
        `repository ${place.remote.shown} is fetched with a depth, so its history cannot be verified: remove depth from its Secret`, // compat sources GIT-9
      );
    }
    await this.#library.commit(ctx, place, revision.commit);
    const judge = this.#judge(ctx, place, demand);
    const tags = revision.tag === undefined ? [] : [await this.#tag(ctx, place, revision, judge)];
    if (demand.mode === 'head' && tags.length > 0) return reported(tags, demand); // compat sources INT-4
    const commits =
      demand.mode === 'head' ? [await judge(revision.commit)] : await history(ctx, revision.commit, judge);
    return [...reported(tags, demand), ...reported(oncePerKey(commits, demand), demand)].slice(
      0,
      mostProblems,
    );
  }

  /** The server's claim about a tag's target is not signed; the tag object itself is. */
  async #tag(
    ctx: Ctx,
    place: MirrorAccess,
    { commit, tag = '' }: SignedRevision,
    judge: Judge,
  ): Promise<Checked> {
    const found = await this.#library.commit(ctx, place, tag);
    if (found.commit === commit) return judge(tag);
    throw new FairleadError(
      'PolicyFailed',
      `repository ${place.remote.shown} gives commit ${commit} for a tag that marks ${found.commit}: check with its owner`,
    );
  }

  #judge(ctx: Ctx, { mirror }: MirrorAccess, { keyring }: Demand): Judge {
    const now = Math.floor(ctx.clock.now().getTime() / 1000);
    const ringId = createHash('sha256').update(JSON.stringify(keyring)).digest('hex');
    const ring = this.#keyrings.get(ringId) ?? new Keyring(keyring);
    this.#keyrings.set(ringId, ring);
    return async (hash) => {
      // a key may expire meanwhile, so a result is valid for an hour
      const key = `${ringId} ${hash} ${Math.floor(now / 3600)}`;
      const known = this.#checked.get(key);
      if (known) return known;
      const object = await mirror.contents.read(hash);
      if (!object) throw new FairleadError('Unavailable', `commit ${hash} is missing from the mirror`);
      const checked = check(hash, object, ring, now);
      this.#checked.set(key, checked);
      return checked;
    };
  }
}

type Judge = (hash: string) => Promise<Checked>;

function check(
  hash: string,
  object: { type: string; bytes: Uint8Array },
  ring: Keyring,
  now: number,
): Checked {
  const signed = object.type === 'tag' ? signedTag(object.bytes) : signedCommit(object.bytes);
  const found = signed ? ring.judge(signed.signature, signed.payload, now) : verdict('unsigned');
  const text = decodeText(object.bytes);
  const head = text.slice(0, text.indexOf('\n\n'));
  return {
    ...found,
    revision: hash,
    by: personIn(head),
    parents: [...head.matchAll(/^parent ([0-9a-f]{40})$/gm)].map(([, parent = '']) => parent),
    isSeal: found.result === 'signed' && hasSealTrailer(text.slice(head.length)),
  };
}

/** compat sources INT-4: the trailer is in the last paragraph of the message. */
const hasSealTrailer = (message: string): boolean =>
  /^argocd-gpg-seal:/im.test(
    message
      .trimEnd()
      .split(/\n\s*\n/)
      .at(-1) ?? '',
  );

/** compat sources INT-4: the commit and its ancestors, back to commits that seal their own ancestors. */
async function history(ctx: Ctx, head: string, judge: Judge): Promise<Checked[]> {
  const seen = new Set([head]);
  const found: Checked[] = [];
  const next = [head];
  while (next.length > 0) {
    ctx.signal.throwIfAborted();
    const some = await Promise.all(next.splice(-atOnce).map(judge));
    found.push(...some);
    const parents = some.flatMap((each) => (each.isSeal ? [] : each.parents));
    const unseen = [...new Set(parents)].filter((parent) => !seen.has(parent));
    for (const parent of unseen) seen.add(parent);
    next.push(...unseen);
    if (seen.size > mostCommits) throw tooLong(head);
  }
  return found;
}

const tooLong = (head: string): FairleadError =>
  new FairleadError(
    'LimitExceeded',
    `the history of ${head} has more than ${mostCommits} commits to verify: seal it with a signed commit that has the trailer Argocd-gpg-seal`,
  );

/** compat sources INT-6: a key that is wrong a thousand times is reported once. */
function oncePerKey(commits: readonly Checked[], demand: Demand): Checked[] {
  const reported = new Set<string>();
  return commits.filter((commit) => {
    const key = `${commit.result} ${commit.keyId}`;
    if (isAllowed(commit, demand) || reported.has(key)) return false;
    reported.add(key);
    return true;
  });
}

function reported(checked: readonly Checked[], demand: Demand): string[] {
  return checked
    .filter((one) => !isAllowed(one, demand))
    .slice(0, mostProblems)
    .map(({ revision, by, result, keyId }) => {
      const what = result === 'signed' ? 'signed with key that the project does not allow' : result;
      const key = keyId === '' ? '' : ` (key_id=${keyId})`;
      return `Failed verifying revision ${revision} by '${by}': ${what}${key}`; // compat sources INT-6
    });
}

/** compat sources INT-5. A project may name the signing key or its primary key: their owner is the same. */
function isAllowed({ result, keyId, primaryId }: SignatureVerdict, { keys }: Demand): boolean {
  if (result !== 'signed') return false;
  return keys.some((key) => {
    const id = key.replace(/^0x/i, '').slice(-16).toUpperCase();
    return id.length === 16 && (id === keyId || id === primaryId);
  });
}
