import {
  type Application,
  type ApplicationCondition,
  type Initiator,
  isAutomated,
  keyFrom,
  type OperationState,
  parseTime,
  type ResourceStatus,
} from '#base/model';
import type { RevisionMetadata } from '#serve/api';
import { blockedBy, errorIn } from './attention.ts';
import type { Change } from './changes.ts';
import { detailOf, type FailingResource, failingResourceOf, pauses } from './failing-resource.ts';
import { causeAt, type FailingSync, failedTimes, failingSync, whatFollows } from './failing-sync.ts';
import { sinceWords, type TroubleSince } from './health-since.ts';
import { causeOf } from './innermost-cause.ts';
import { type Bar, isRunning, stageName, timelineOf } from './operation-timeline.ts';
import { pruneDisabledFor } from './prune-disabled.ts';
import type { TreeItem } from './resource-forest.ts';
import { authorOf, isCommit, revisionOf, shortRevision, subjectOf } from './revision.ts';
import { type Deployed, runningSince, syncedRevision } from './running-since.ts';
import { counted, quote, type Span, say } from './span.ts';
import { healthCode, syncCode } from './state.ts';
import { clockTime } from './time.ts';

/** The inputs of the sentence. Without live resources or the commit it is shorter, and still correct. */
export type Story = {
  readonly app: Application;
  /** Its resources, from `forestOf`. */
  readonly items: readonly TreeItem[];
  readonly commit?: RevisionMetadata | undefined;
  /** The commit of its operation, where that is another one. */
  readonly synced?: RevisionMetadata | undefined;
  /** The newest commit of the target revision: what cannot be rendered. */
  readonly newest?: RevisionMetadata | undefined;
  /** What differs from Git, field by field. */
  readonly changes?: readonly Change[] | undefined;
  /** Since when the resource that explains its health is as it is, by its own status. */
  readonly causeSince?: TroubleSince | undefined;
  readonly now: number;
  readonly zone?: string;
};

/**
 * The sentence that opens an application's page: is it all right; if not, what is wrong, since when, and why. Each
 * piece that names something leads to it.
 */
export function openingSentence(story: Story): Span[] {
  const { app } = story;
  const { status } = app;
  if (app.metadata.deletionTimestamp) return deleting(story, app.metadata.deletionTimestamp);
  const state = status?.operationState;
  if (isRunning(state)) return running(story, state);
  const error = errorIn(status?.conditions ?? []);
  if (error) return broken(story, error);
  if (!status?.sync && !status?.health)
    return [name(app), say(' is new: it has not been compared with Git yet.')];
  return [...resting(story), say('.')];
}

const name = ({ metadata }: Application): Span => ({
  text: metadata.name,
  isStrong: true,
  target: { to: 'view', view: 'tree' },
});

function deleting(story: Story, since: string): Span[] {
  const { app } = story;
  const left = app.status?.resources?.length ?? 0;
  const rest = left > 0 ? counted(left, 'resource') : 'nothing';
  const held = app.status?.conditions?.find(({ type }) => type === 'DeletionError');
  return [
    name(app),
    say(' is being deleted'),
    ...sinceOf(since, story),
    say(': '),
    { text: `${rest} of it`, target: { to: 'view', view: 'list' } },
    say(` ${left === 1 || left === 0 ? 'is' : 'are'} left`),
    ...(held ? [say('; '), quote(causeOf(held.message).text, 240)] : []),
    say('.'),
  ];
}

function broken(story: Story, { message, lastTransitionTime, type }: ApplicationCondition): Span[] {
  return [
    name(story.app),
    say(troubles[type] ?? ' cannot be compared with Git: '),
    { ...quote(causeOf(message).text, 240), target: { to: 'view', view: 'manifest' } },
    ...sinceOf(lastTransitionTime, story),
    ...newestSpans(story),
    say('.'),
  ];
}

/**
 * What is rendered is the newest commit; a commit between it and the one that was synced last may be at fault as well, so
 * both ends are named and neither is blamed.
 */
function newestSpans(story: Story): Span[] {
  const { app, newest } = story;
  if (!newest?.message) return [];
  const author = authorOf(newest);
  const synced = syncedRevision(app.status?.operationState);
  return [
    say('; it is rendered from the newest commit, '),
    { text: `‘${subjectOf(newest, 60)}’`, isQuote: true, target: { to: 'view', view: 'history' } },
    say(`${author ? ` by ${author}` : ''}, which need not be the one at fault`),
    ...(synced ? [say('; the last one synced is '), ...commitSpans(synced, story)] : []),
  ];
}

const troubles: Partial<Record<ApplicationCondition['type'], string>> = {
  InvalidSpecError: ' has a spec that cannot be used: ',
  DeletionError: ' has something that does not go: ',
};

function running(story: Story, state: OperationState): Span[] {
  const { app } = story;
  const timeline = timelineOf(state, app.status?.resources);
  const revision = state.syncResult?.revision || state.operation.sync?.revision || revisionOf(app);
  const verb = state.phase === 'Terminating' ? ' is stopping its sync' : ' is syncing';
  const { blocker } = timeline;
  const blocked = blockedBy(state);
  const culprit = blocker?.bars[0];
  const waiting: Span[] =
    blocker && culprit
      ? [
          say(': '),
          { text: stageName(timeline, blocker), target: { to: 'view', view: 'timeline' } },
          say(' waits for '),
          resource(culprit),
          ...whatElse(blocker.bars),
        ]
      : [];
  return [
    name(app),
    { text: verb, target: { to: 'view', view: 'timeline' } },
    ...(revision ? [say(' to '), ...commitSpans(revision, story)] : []),
    ...(blocked ? [say(': '), quote(blocked, 200)] : waiting),
    say(`; ${startedBy(state)} started it at ${at(state.startedAt, story)}`),
    ...(state.retryCount ? [say(`, and this is attempt ${state.retryCount + 1}`)] : []),
    say('.'),
  ];
}

/** A single blocker is named; of several, the number matters more. */
function whatElse([first, ...others]: readonly Bar[]): Span[] {
  if (others.length > 0)
    return [say(' and '), { text: `${others.length} more`, target: { to: 'view', view: 'timeline' } }];
  return first?.message ? [say(', which says '), quote(first.message)] : [];
}

/** No operation runs: the state, its cause, since when, and after what. */
function resting(story: Story): Span[] {
  const { app } = story;
  const health = healthCode(app.status?.health?.status);
  const sync = syncCode(app.status?.sync?.status);
  const head = [
    name(app),
    say(' is '),
    { text: health, health, target: { to: 'view', view: 'tree' } } as Span,
  ];
  const second: Span = { text: sync, sync, target: { to: 'view', view: 'changes' } };
  const failing = failingSync(app.status?.operationState);
  if (health === 'Healthy' && sync === 'Synced') {
    const failed = failing && [say(', but '), ...failure(failing, story)];
    return [...head, say(' and '), second, ...(failed ?? runs(story))];
  }
  if (health === 'Healthy') {
    const why = failing ? [say(': '), ...failure(failing, story)] : drift(story);
    return [...head, say(' but '), second, ...why];
  }
  const alsoDrifts = sync === 'OutOfSync' ? [say(' and '), second] : [];
  const since = isUnborn(app) ? undefined : app.status?.health?.lastTransitionTime;
  if (failing && health !== 'Degraded')
    return [...head, ...alsoDrifts, say(': '), ...failure(failing, story)];
  return [...head, ...alsoDrifts, ...whyAndWhen(story, since), ...lastSync(story, since)];
}

/** Of a resource its own time, where it is known; the application's stands beside its state, which another may have begun. */
function whyAndWhen(story: Story, since: string | undefined): Span[] {
  const { app, items, causeSince, now, zone } = story;
  const [why, time] = [cause(story), sinceOf(since, story)];
  if (causeSince) return [...why, say(sinceWords(causeSince, now, zone))];
  const isBlamed = failingResourceOf(items, healthCode(app.status?.health?.status)) !== undefined;
  return isBlamed ? [...time, ...why] : [...why, ...time];
}

/** Synced: what Git says is there. A sync of another revision is not the one that brought it, and is not named as that. */
function runs(story: Story): Span[] {
  const { app } = story;
  const revision = revisionOf(app);
  if (!revision) return [];
  const since = runningSince(app);
  if (since === 'of old') return [say(': it runs '), ...commitSpans(revision, story)];
  if (since)
    return [say(': it runs '), ...commitSpans(revision, story), say(' since '), sinceSpan(since, story)];
  return [say(': it matches '), ...commitSpans(revision, story), ...lastSynced(story)];
}

/** The last sync, as no more than that. */
function lastSynced(story: Story): Span[] {
  const state = story.app.status?.operationState;
  if (!state) return [];
  return [say('; the last sync was '), syncSpan(state, story), ...toCommit(state, story)];
}

function drift(story: Story): Span[] {
  const { app } = story;
  const outOfSync = (app.status?.resources ?? []).filter(
    ({ status, hook }) => status === 'OutOfSync' && !hook,
  );
  const gone = outOfSync.filter(({ requiresPruning }) => requiresPruning);
  const differing = outOfSync.filter(({ requiresPruning }) => !requiresPruning);
  const revision = revisionOf(app);
  if (outOfSync.length === 0) return [say(': Git has moved on')];
  const from = revision ? commitSpans(revision, story) : [say('Git')];
  const off = isAutomated(app.spec) ? [] : [say(', and auto-sync is off')];
  const verb = say(differing.length === 1 ? ' differs from ' : ' differ from ');
  const writer = differing.length === 1 ? writerSpans(story, differing[0]) : [];
  const differs = differing.length > 0 ? [...named(differing), verb, ...from, ...writer] : [];
  if (gone.length === 0) return [say(': '), ...differs, ...off];
  return [say(': '), ...differs, ...(differs.length > 0 ? [say(', and ')] : []), ...goneFromGit(app, gone)];
}

/** Which field differs, who set it and when: where it was not a sync, that is the cause of the drift. */
function writerSpans(story: Story, row: ResourceStatus | undefined): Span[] {
  if (!row) return [];
  const change = story.changes?.find(({ key }) => key === keyOfStatus(row));
  const foreign = change?.fields.find(({ writer, live }) => writer && live !== undefined && !isOurs(writer));
  if (!foreign) return [];
  const { path, writer = '', live = '', writtenAt } = foreign;
  const when = writtenAt === undefined ? '' : ` at ${clockTime(writtenAt, story.now, story.zone)}`;
  return [
    say(' in '),
    { text: path, isCode: true, target: { to: 'resource', key: keyOfStatus(row), view: 'changes' } },
    say(`, which ${writer} set to ${live.length > 40 ? 'another value' : live}${when}`),
  ];
}

/** The field managers of syncs. */
const isOurs = (manager: string): boolean => /^(?:fairlead|argocd)(?:-|$)/.test(manager);

/** The resources that are no longer in Git, and whether a sync would delete them. */
function goneFromGit(app: Application, gone: readonly ResourceStatus[]): Span[] {
  const isKept = pruneDisabledFor(app);
  const is = gone.length === 1 ? 'is' : 'are';
  const prunes = isAutomated(app.spec) && app.spec.syncPolicy?.automated?.prune === true;
  const why = gone.every((one) => isKept(keyOfStatus(one)))
    ? ` ${is} kept, no longer in Git (Prune=false)`
    : ` ${is} no longer in Git${prunes ? '' : `, and ${isAutomated(app.spec) ? 'auto-sync does not prune' : 'auto-sync is off'}`}`;
  return [...named(gone), say(why)];
}

function named(rows: readonly ResourceStatus[]): Span[] {
  const [first] = rows;
  if (!first) return [];
  const rest = rows.length > 1 ? [say(' and '), more(rows.length - 1, 'changes')] : [];
  return [resource({ ...first, key: keyOfStatus(first) }, 'changes'), ...rest];
}

/** Nothing of it was ever synced. */
const isUnborn = ({ status }: Application): boolean =>
  healthCode(status?.health?.status) === 'Missing' && !status?.operationState && !status?.history?.length;

function cause({ app, items }: Story): Span[] {
  const health = healthCode(app.status?.health?.status);
  if (isUnborn(app)) {
    return [
      say(': nothing of it has been '),
      { text: 'synced', target: { to: 'view', view: 'changes' } },
      say(' yet'),
    ];
  }
  const culprit = failingResourceOf(items, health);
  if (culprit) return [say(': '), ...accusation(culprit, health === 'Missing')];
  const message = app.status?.health?.message;
  return message ? [say(': '), quote(message)] : [];
}

function accusation(culprit: FailingResource, isMissing: boolean): Span[] {
  const { pods, message, others } = culprit;
  const rest = others > 0 ? [say(', and '), more(others, 'list'), say(' with it')] : [];
  if (isMissing) return [resource(culprit), say(' does not exist in the cluster'), ...rest];
  if (pods && pods.ready < pods.total) {
    const why = pods.reason ? ` (${detailOf(pods.reason, message)})` : '';
    const words = !why && message ? [say(': '), quote(message)] : []; // a probe that does not pass has no such reason
    return [
      resource(culprit),
      say(` has ${pods.ready} of ${pods.total} pods ready${why}`),
      ...words,
      ...rest,
    ];
  }
  if (message) return [resource(culprit), ...saying(culprit.kind, message), ...rest];
  return [say('because of '), resource(culprit), ...rest];
}

function saying(kind: string, message: string): Span[] {
  const pause = kind === 'Rollout' ? pauses[message] : undefined;
  return pause ? [say(pause)] : [say(' says '), quote(message)];
}

/** That the sync has failed and how often, at which resource and why, and when it is tried again. */
function failure(failing: FailingSync, story: Story): Span[] {
  const state = story.app.status?.operationState;
  if (!state) return [];
  const { at: guilty, failures } = failing;
  const who: Span[] =
    failures > 1
      ? [say('its '), { text: 'sync', target: { to: 'view', view: 'timeline' } }, ...toCommit(state, story)]
      : [syncSpan(state, story), ...toCommit(state, story)];
  const why = causeAt(failing);
  const next = whatFollows(failing, story.now);
  return [
    ...who,
    say(failures > 1 ? ` ${failedTimes(failing)} since ${at(state.startedAt, story)}` : ' failed'),
    ...(why || guilty ? [say(': ')] : []),
    ...(guilty ? [resource(guilty)] : []),
    ...(guilty && why ? [say(': ')] : []),
    ...(why ? [quote(why, 200)] : []),
    ...(next ? [say(`; ${next}`)] : []),
  ];
}

function toCommit(state: OperationState, story: Story): Span[] {
  const revision = state.syncResult?.revision || state.operation.sync?.revision;
  return revision ? [say(' to '), ...commitSpans(revision, story)] : [];
}

/** How the last sync relates to it: it failed, or it came just before, or it was long ago. */
function lastSync(story: Story, since: string | undefined): Span[] {
  const state = story.app.status?.operationState;
  if (!state) return [];
  const failing = failingSync(state);
  if (failing) return [say('; '), ...failure(failing, story)];
  const [changed, synced] = [parseTime(since), parseTime(state.startedAt)];
  const revision = state.syncResult?.revision || state.syncResult?.revisions?.[0];
  if (changed === undefined || synced === undefined || !revision || state.operation.sync?.dryRun) return [];
  const isCause = changed >= synced - minute && changed - synced < hour;
  if (!isCause) return lastSynced(story);
  return [say(', after '), ...commitSpans(revision, story), say(' by '), syncSpan(state, story)];
}
const minute = 60_000;
const hour = 60 * minute;

function commitSpans(revision: string, { app, commit, synced }: Story): Span[] {
  const word = isCommit(revision) ? 'commit ' : 'version ';
  const known = revision === revisionOf(app) ? commit : synced;
  const subject = known ? subjectOf(known, 60) : '';
  return [
    say(word),
    { text: shortRevision(revision), isCode: true, target: { to: 'view', view: 'history' } },
    ...(subject ? [{ text: ` ‘${subject}’`, isQuote: true }] : []),
  ];
}

function syncSpan(state: OperationState, story: Story): Span {
  const text = syncText(state.operation.initiatedBy, state.startedAt, story);
  return { text, target: { to: 'view', view: 'timeline' } };
}

/** A sync of the past, which stands in the history. */
function sinceSpan({ by, at: time, isLast }: Deployed, story: Story): Span {
  return { text: syncText(by, time, story), target: { to: 'view', view: isLast ? 'timeline' : 'history' } };
}

function syncText({ automated, username }: Initiator = {}, time: string, story: Story): string {
  const who = automated ? 'the auto-sync' : username ? `${username}’s sync` : 'the sync';
  return `${who} of ${at(time, story)}`;
}

function startedBy({ operation: { initiatedBy } }: OperationState): string {
  if (initiatedBy?.automated) return 'auto-sync';
  return initiatedBy?.username || 'a user';
}

function resource(
  { kind, name: text, key }: Pick<FailingResource, 'kind' | 'name' | 'key'>,
  view?: 'changes',
): Span {
  return { text: `${kind} ${text}`, target: { to: 'resource', key, ...(view && { view }) } };
}

const keyOfStatus = (one: ResourceStatus) => keyFrom({ group: '', ...one });
const more = (count: number, view: 'list' | 'changes'): Span => ({
  text: `${count} more`,
  target: { to: 'view', view },
});

function sinceOf(time: string | undefined, story: Story): Span[] {
  return parseTime(time) === undefined ? [] : [say(` since ${at(time ?? '', story)}`)];
}

function at(time: string, { now, zone }: Pick<Story, 'now' | 'zone'>): string {
  const then = parseTime(time);
  return then === undefined ? 'an unknown time' : clockTime(then, now, zone);
}
