import type { TrafficRequest, TrafficService } from '#serve/api';
import type { DiffLine } from './line-diff.ts';

/** What a user chose to do with the traffic of a Service. */
export type Shift = { readonly action: 'promote' | 'rollback' | 'split'; readonly to?: string };

type ShiftVerb = { readonly label: string; readonly shift: Shift; readonly why?: string };

/** What can be done to the traffic now; what cannot says why. */
export function shiftVerbs({ may, owner, ownerText, previousReady, revisions }: TrafficService): ShiftVerb[] {
  const moved = owner === 'rollout' ? `${ownerText}: promote or abort it there.` : undefined;
  const denied =
    may.commit || may.override
      ? moved
      : 'You may not: it needs the permission to write the repository, or to override the application. Request it from an administrator.';
  const [newest] = revisions;
  const settled = newest?.percent === 100 ? 'The newest revision has all requests already.' : undefined;
  const unready = newest?.ready === 'True' ? undefined : 'The newest revision is not ready.';
  // in the middle of a canary the way back is to what serves most
  const [serving] = revisions
    .slice(1)
    .filter(({ ready }) => ready === 'True')
    .toSorted((a, b) => b.percent - a.percent);
  const back = previousReady ?? serving?.name;
  const verb = (label: string, shift: Shift, reason: string | undefined): ShiftVerb => {
    const why = denied ?? reason;
    return { label, shift, ...(why && { why }) };
  };
  return [
    verb('Promote', { action: 'promote', ...(newest && { to: newest.name }) }, settled ?? unready),
    verb(
      'Roll back',
      { action: 'rollback', ...(back && { to: back }) },
      back ? undefined : 'No other revision is ready.',
    ),
    verb('Split', { action: 'split' }, revisions.length < 2 ? 'It has one revision only.' : undefined),
  ];
}

/** How much each Revision is to get. */
type SplitDraft = Readonly<Record<string, number>>;

/** What the form of a change holds. */
export type ShiftDraft = {
  readonly action: Shift['action'];
  readonly to: string;
  readonly split: SplitDraft;
  readonly mode: 'commit' | 'override';
  readonly reason: string;
  /** Empty: the branch that the application tracks. */
  readonly branch: string;
};

/** A form as it opens: the present split, and a commit where that is permitted. */
export const firstDraft = ({ revisions, may }: TrafficService, { action, to = '' }: Shift): ShiftDraft => ({
  action,
  to,
  split: Object.fromEntries(revisions.map(({ name, percent }) => [name, percent])),
  mode: may.commit ? 'commit' : 'override',
  reason: '',
  branch: '',
});

/** What is wrong with a split; undefined: nothing. */
export function whyNotSplit(split: SplitDraft): string | undefined {
  const values = Object.values(split);
  if (values.some((value) => !Number.isInteger(value) || value < 0 || value > 100))
    return 'Each share is a whole number from 0 to 100.';
  const sum = values.reduce((total, value) => total + value, 0);
  return sum === 100 ? undefined : `The shares add up to ${sum}%, not 100%.`;
}

/** What is missing for a preview. */
export function whyNotYet({ action, split, mode, reason }: ShiftDraft): string | undefined {
  if (action === 'split' && whyNotSplit(split)) return whyNotSplit(split);
  return mode === 'override' && !reason
    ? 'An override needs a reason: it is shown until Git catches up.'
    : undefined;
}

/** A rollback to the revision that is offered is one to the revision before, and the commit or the record says so. */
const wordFor = (action: Shift['action'], to: string, previousReady: string | undefined): string =>
  action === 'rollback' && to === previousReady ? 'previous-ready' : to;

/** What is requested of the server. A revision that keeps its tag stays in the split, with nothing. */
export function trafficRequest(
  { name, namespace, revisions, previousReady }: TrafficService,
  { action, to, split, mode, reason, branch }: ShiftDraft,
): TrafficRequest {
  const tagOf = (revision: string): string | undefined =>
    revisions.find((one) => one.name === revision)?.tags[0]?.tag;
  const targets = Object.entries(split).flatMap(([revision, percent]) => {
    const tag = tagOf(revision);
    return percent > 0 || tag ? [{ revision, percent, ...(tag && { tag }) }] : [];
  });
  return {
    service: name,
    namespace,
    action,
    ...(action === 'split' ? { targets } : to && { to: wordFor(action, to, previousReady) }),
    mode,
    ...(reason && { reason }),
    ...(mode === 'commit' && branch && { branch }),
  };
}

const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

/** The lines of a unified diff of one file, with their numbers; the head, which names the file, is left out. */
export function unifiedLines(diff: string): DiffLine[] {
  const lines: DiffLine[] = [];
  let [before, after] = [0, 0];
  for (const line of diff.slice(Math.max(0, diff.search(/^@@ /m))).split('\n')) {
    const [, left, right] = hunk.exec(line) ?? [];
    if (left !== undefined) [before, after] = [Number(left), Number(right)];
    const text = line.slice(1);
    if (line.startsWith('-')) lines.push({ sign: '-', text, before: before++ });
    if (line.startsWith('+')) lines.push({ sign: '+', text, after: after++ });
    if (line.startsWith(' ')) lines.push({ sign: ' ', text, before: before++, after: after++ });
  }
  return lines;
}
