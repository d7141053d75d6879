import { withoutUserInfo } from '#base/model';
import { type Ctx, FairleadError, sha256 } from '#base/std';
import { textDiff } from '#engine';
import type { FoundService } from './find-service.ts';
import { type EditGoal, type LocatedEdit, locateEdit } from './locate.ts';
import type { AppAtDestination, TrafficDeps } from './traffic-deps.ts';

/** What a request about a Service would do; nothing is written yet. */
export type PlannedChange = {
  readonly found: FoundService;
  /** One sentence, with the Revisions by name. */
  readonly sentence: string;
  readonly isNoChange: boolean;
  /** The same plan has the same hash, whatever else changed in the repository. */
  readonly hash: string;
  /** Of a commit that changes something. */
  readonly edit?: PlannedEdit;
};

export type PlannedEdit = LocatedEdit & { readonly diff: string; readonly message: string };

/** A change of one field, and the message of its commit. */
export type EditOrder = { readonly goal: EditGoal; readonly message: string };

/** The edit of a file as a plan; one that changes nothing is none. Throws why it is impossible. */
export async function planEdit(
  ctx: Ctx,
  deps: TrafficDeps,
  placed: AppAtDestination,
  { goal, message }: EditOrder,
): Promise<Pick<PlannedChange, 'isNoChange' | 'hash' | 'edit'>> {
  const edit = await locateEdit(ctx, deps, placed, goal);
  const { name, namespace = '' } = goal.target.metadata;
  const { source, branch, file, before, after } = edit;
  if (before === after) return { isNoChange: true, hash: hashOf(['commit', namespace, name, branch]) };
  const diff = textDiff(file, before, after);
  const hash = hashOf(['commit', namespace, name, source.repoURL, branch, file, diff]);
  return { isNoChange: false, hash, edit: { ...edit, diff, message } };
}

export const hashOf = (parts: readonly unknown[]): string => sha256(JSON.stringify(parts)).slice(0, 40);

/** The lines of a commit message. Texts of users stay within their line: they make no trailers and no second subject. */
export const messageFrom = (lines: readonly string[]): string => `${lines.map(oneLine).join('\n')}\n`;

/** What closes a message: why, and for which user. */
export const closingLines = ({ reason, by }: { readonly reason: string; readonly by: string }): string[] => [
  ...(reason ? ['', oneLine(reason)] : []),
  '',
  `Requested-by: ${oneLine(by).slice(0, 200)}`,
];

const oneLine = (text: string): string =>
  text
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
    .replace(/[\u0000-\u001f\u007f]+/g, ' ')
    .trim()
    .slice(0, 1000);

/** Throws InvalidSpec when the plan is not the one that the user has seen. */
export function requireExpected({ hash }: PlannedChange, expect: string | undefined): void {
  if (expect === undefined || expect === hash) return;
  throw new FairleadError('InvalidSpec', 'the plan is another one by now: read it again, then confirm it');
}

/** Where a plan commits to, safe to show. */
export const shownRepository = ({ source }: LocatedEdit): string => withoutUserInfo(source.repoURL);
