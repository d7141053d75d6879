import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { decodeText } from '#base/model';
import { type Ctx, FairleadError } from '#base/std';
import { type GitCall, type GitProgram, runGit } from './command.ts';
import { gitFailure } from './failure.ts';
import type { GitRoute } from './route.ts';

/** One file of a commit: its new content, in place of the one it has. */
type FileChange = {
  readonly path: string;
  readonly content: Uint8Array;
  readonly executable: boolean;
};

type CommitAuthor = { readonly name: string; readonly email: string };

/** A commit to make on top of another. */
export type CommitDraft = {
  /** The commit it is made on. */
  readonly base: string;
  readonly change: FileChange;
  readonly message: string;
  readonly author: CommitAuthor;
  readonly date: Date;
};

/** `moved`: the branch has a newer commit by now, and nothing was pushed. */
export type PushResult = { readonly outcome: 'pushed' | 'moved'; readonly commit: string };

type Mirror = { readonly dir: string; readonly shown: string };

/**
 * Writes a commit into a mirror, where no ref leads to it. The same draft is the same commit, however often it is made, so
 * that an interrupted push can be repeated.
 */
export async function writeCommit(
  ctx: Ctx,
  program: GitProgram,
  { dir, shown }: Mirror,
  { base, change, message, author, date }: CommitDraft,
): Promise<string> {
  // named like a lock: a killed process leaves none behind
  const index = join(dir, `index-${randomUUID()}.lock`);
  const git = async (call: Pick<GitCall, 'args' | 'input' | 'env'>): Promise<string> => {
    const env = { GIT_INDEX_FILE: index, ...call.env };
    const { code, stdout, stderr } = await runGit(ctx, program, { gitDir: dir, ms: 60_000, ...call, env });
    if (code === 0) return decodeText(stdout).trim();
    throw gitFailure(shown, stderr);
  };
  try {
    const blob = await git({ args: ['hash-object', '-w', '--stdin'], input: change.content });
    await git({ args: ['read-tree', base] });
    const mode = change.executable ? '100755' : '100644';
    await git({ args: ['update-index', '-z', '--index-info'], input: `${mode} ${blob}\t${change.path}\0` });
    const tree = await git({ args: ['write-tree'] });
    const at = `${Math.floor(date.getTime() / 1000)} +0000`;
    const [name, email] = [plainText(author.name) || 'unknown', plainText(author.email)];
    return await git({
      args: ['commit-tree', tree, '-p', base, '-F', '-'],
      input: message,
      env: {
        GIT_AUTHOR_NAME: name,
        GIT_AUTHOR_EMAIL: email,
        GIT_AUTHOR_DATE: at,
        GIT_COMMITTER_NAME: 'Fairlead',
        GIT_COMMITTER_EMAIL: 'fairlead@localhost',
        GIT_COMMITTER_DATE: at,
      },
    });
  } finally {
    await Promise.all([index, `${index}.lock`].map((path) => rm(path, { force: true })));
  }
}

/** A name comes from a login, which may be anything: nothing in it ends the header of a commit. */
const plainText = (text: string): string =>
  text
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
    .replace(/[\u0000-\u001f\u007f<>\s]+/g, ' ')
    .trim()
    .slice(0, 200);

/**
 * Pushes one commit to one branch, never by force: the server accepts it only on top of the commit that the branch has. No
 * hooks run on this machine, neither ours nor those of a repository in a folder of it.
 */
export async function pushCommit(
  ctx: Ctx,
  program: GitProgram,
  { dir, shown }: Mirror,
  {
    route,
    commit,
    ref,
    ms,
  }: { readonly route: GitRoute; readonly commit: string; readonly ref: string; readonly ms: number },
): Promise<PushResult> {
  const { code, stdout, stderr } = await route.use((access) => {
    const isLocal = access.protocols.includes('file');
    const hookless = isLocal ? ['--receive-pack=git -c core.hooksPath=/dev/null receive-pack'] : [];
    const flags = [
      '--porcelain',
      '--no-verify',
      '--no-follow-tags',
      '--no-signed',
      '--no-force',
      ...hookless,
    ];
    const args = ['push', ...flags, '--end-of-options', route.location, `${commit}:${ref}`];
    return runGit(ctx, program, { gitDir: dir, args, access, ms });
  });
  if (code === 0) return { outcome: 'pushed', commit };
  const said = `${decodeText(stdout)}\n${stderr}`;
  if (isMoved(said)) return { outcome: 'moved', commit };
  throw pushFailure(shown, ref, said);
}

/** Another push came first, be it before ours or at the same moment. */
const isMoved = (said: string): boolean =>
  /\((fetch first|non-fast-forward|stale info|needs force)\)|cannot lock ref|reference already exists|failed to update ref|incorrect old value/i.test(
    said,
  );

function pushFailure(shown: string, ref: string, said: string): FairleadError {
  const branch = ref.replace(/^refs\/heads\//, '');
  if (/refusing to update checked out branch|branch is currently checked out/i.test(said))
    return new FairleadError(
      'InvalidSpec',
      `repository ${shown} has branch ${branch} checked out, and Git refuses to change it: run git config receive.denyCurrentBranch updateInstead in it, or push to another branch`,
    );
  if (/working (directory|tree) has (un)?staged changes/i.test(said))
    return new FairleadError(
      'InvalidSpec',
      `the work tree of repository ${shown} has changes that are not committed: commit or discard them, or push to another branch`,
    );
  const declined = /\[remote rejected\][^(]*\(([^)]*)\)/.exec(said)?.[1];
  if (declined !== undefined)
    return new FairleadError(
      'InvalidSpec',
      `repository ${shown} declined the push to ${branch} (${declined.slice(0, 200)}): push to another branch and open a pull request, or permit it there`,
    );
  return gitFailure(shown, said);
}
