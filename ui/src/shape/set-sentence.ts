import { type Application, type ApplicationSet, type HealthCode, parseTime } from '#base/model';
import { type ObjectName, pathOf, placeOf, setViewPath } from './address.ts';
import { causeIn, countOfSet, healthOfSet, holding } from './application-set.ts';
import { tabHealth, tallyOf, troublesIn } from './fleet.ts';
import { currentStep, unfinished } from './set-rollout.ts';
import { counted, joinedSpans, type Span, say, textOf } from './span.ts';
import { worstHealth } from './state.ts';
import { clockTime } from './time.ts';

export type SetStory = {
  readonly set: ApplicationSet;
  /** Those that it owns and the user may see. */
  readonly apps: readonly Application[];
  readonly now: number;
  readonly zone?: string;
};

/** The sentence that opens a set's page: what it generates, from what, and whether that is up to date; if not, why. */
export function setSentence(story: SetStory): Span[] {
  const { set } = story;
  const name: Span = { text: set.metadata.name, isStrong: true, target: leadsTo(set) };
  return [name, ...(deleting(story) ?? broken(story) ?? rolling(set) ?? resting(story)), say('.')];
}

const leadsTo = (set: ApplicationSet, ...more: [view?: Parameters<typeof setViewPath>[1], query?: string]) =>
  ({ to: 'address', address: setViewPath(placeOf(set), ...more) }) as const;

function deleting({ set, apps, ...when }: SetStory): Span[] | undefined {
  const since = set.metadata.deletionTimestamp;
  if (!since) return undefined;
  const left = countOfSet(set, apps.length);
  const rest: Span = {
    text: left > 0 ? `${counted(left, 'application')} of it` : 'nothing of it',
    target: leadsTo(set),
  };
  return [
    say(' is being deleted'),
    ...sinceOf(since, when),
    say(': '),
    rest,
    say(` ${left > 1 ? 'are' : 'is'} left`),
  ];
}

function broken({ set, ...when }: SetStory): Span[] | undefined {
  const [unreadable, ...others] = set.unreadable ?? [];
  if (unreadable) {
    const more = others.length > 0 ? [say(`, and ${others.length} more`)] : [];
    return [say(' cannot be evaluated: '), cause(set, unreadable), ...more];
  }
  const error = holding(set, 'ErrorOccurred');
  if (!error) return undefined;
  const isGenerated = Boolean(holding(set, 'ParametersGenerated'));
  return [
    say(isGenerated ? ' cannot apply what it generates: ' : ' cannot be evaluated: '),
    cause(set, error.message ?? error.reason ?? 'no reason given'),
    ...sinceOf(error.lastTransitionTime, when),
  ];
}

const cause = (set: ApplicationSet, message: string): Span => ({
  ...causeIn(message),
  target: leadsTo(set, 'generators'),
});

/** compat sources ASY-10. */
function rolling(set: ApplicationSet): Span[] | undefined {
  const lane = currentStep(set);
  if (!holding(set, 'RolloutProgressing') || !lane) return undefined;
  const total = set.spec.strategy?.rollingSync?.steps?.length ?? lane.step;
  const step: Span = {
    text: `step ${lane.step} of ${total}`,
    target: leadsTo(set, 'rollout'),
  };
  return [say(' is rolling out '), step, say(': waiting for '), ...waitsFor(set, unfinished(lane))];
}

/** One application is named with its state; of several, the first and the number. */
function waitsFor(set: ApplicationSet, entries: ReturnType<typeof unfinished>): Span[] {
  const [first, ...others] = entries;
  if (!first) return [say('its applications')];
  const place: ObjectName = { namespace: placeOf(set).namespace, name: first.application };
  const name: Span = { text: first.application, target: { to: 'address', address: pathOf(place) } };
  if (others.length === 0) return [name, say(`, which is ${first.status}`)];
  return [name, say(' and '), { text: `${others.length} more`, target: leadsTo(set, 'rollout') }];
}

function resting({ set, apps }: SetStory): Span[] {
  const from: Span = {
    text: counted(set.spec.generators?.length ?? 0, 'generator'),
    target: leadsTo(set, 'generators'),
  };
  if (!set.status?.conditions?.length)
    return [say(' is new: its '), { ...from, text: 'generators' }, say(' have not been evaluated yet')];
  const count = countOfSet(set, apps.length);
  if (count === 0) return [say(' generates no applications: nothing matches its '), from];
  const many: Span = { text: counted(count, 'application'), target: leadsTo(set) };
  const head = [say(' generates '), many, say(' from '), from];
  const troubles = troublesIn(tallyOf(apps)).map(
    ({ text, query }): Span => ({
      text,
      target: leadsTo(set, 'applications', query),
    }),
  );
  if (troubles.length > 0) return [...head, say(': '), ...joinedSpans(troubles)];
  if (isLate(set)) return [...head, say('; not all of it is up to date yet')];
  return [...head, say(count === 1 ? '; it is up to date' : '; all are up to date')];
}

/** Neither failed nor done: the controller has not come to it, or is at it. */
const isLate = (set: ApplicationSet): boolean => !holding(set, 'ResourcesUpToDate');

function sinceOf(time: string | undefined, { now, zone }: Pick<SetStory, 'now' | 'zone'>): Span[] {
  const then = parseTime(time);
  return then === undefined ? [] : [say(` since ${clockTime(then, now, zone)}`)];
}

/** What needs attention, for the list: the sentence without its subject; empty for a set at rest with all in order. */
export function setTrouble({ set, apps, now, zone }: SetStory): string {
  const story = { set, apps, now, ...(zone && { zone }) };
  const spans = deleting(story) ?? broken(story) ?? rolling(set);
  if (spans) return textOf(spans).trim();
  return textOf(joinedSpans(troublesIn(tallyOf(apps)).map(({ text }) => say(text))));
}

/** In which of four ways a set is not at rest; undefined: it is. */
function troubleOf(story: SetStory): 'gone' | 'failing' | 'busy' | 'late' | undefined {
  if (deleting(story)) return 'gone';
  if (broken(story)) return 'failing';
  if (rolling(story.set)) return 'busy';
  return isLate(story.set) ? 'late' : undefined;
}

/** The sentence that opens the list of sets. */
export function setsSentence(stories: readonly SetStory[]): Span[] {
  const troubles = stories.map(troubleOf);
  const part = (trouble: ReturnType<typeof troubleOf>, one: string, many: string): Span[] => {
    const count = troubles.filter((found) => found === trouble).length;
    return count > 0 ? [say(`${count} ${count === 1 ? one : many}`)] : [];
  };
  const parts = [
    ...part('failing', 'cannot be evaluated or applied', 'cannot be evaluated or applied'),
    ...part('busy', 'is rolling out', 'are rolling out'),
    ...part('late', 'is not up to date yet', 'are not up to date yet'),
    ...part('gone', 'is being deleted', 'are being deleted'),
  ];
  const applications = stories.reduce((sum, { set, apps }) => sum + countOfSet(set, apps.length), 0);
  const made = applications === 0 ? 'no applications' : counted(applications, 'application');
  const sick = sickSpans(stories);
  if (parts.length > 0) {
    const rest = sick.length > 0 ? [say(`; of ${made}, `), ...sick] : [];
    return [say(`Of ${counted(stories.length, 'set')}, `), ...joinedSpans(parts), ...rest, say('.')];
  }
  const verb = stories.length === 1 ? 'generates' : 'generate';
  const head = say(`${counted(stories.length, 'set')} ${verb} ${made}`);
  return sick.length > 0 ? [head, say(': '), ...sick, say('.')] : [head, say('; all are up to date.')];
}

/** What is not all right among the applications of all sets, by the rule of their own pages. */
function sickSpans(stories: readonly SetStory[]): Span[] {
  const [only, ...others] = stories;
  const troubles = troublesIn(tallyOf(stories.flatMap(({ apps }) => apps)));
  return joinedSpans(
    troubles.map(({ text, query }): Span => {
      const isOne = only !== undefined && others.length === 0;
      return isOne ? { text, target: leadsTo(only.set, 'applications', query) } : say(text);
    }),
  );
}

/** The worst of a set and its applications: a set in order whose applications are not is no green row. */
export const healthInList = ({ set, apps }: SetStory): HealthCode =>
  worstHealth([healthOfSet(set), ...(apps.length > 0 ? [tabHealth(apps)] : [])]) ?? 'Unknown';
