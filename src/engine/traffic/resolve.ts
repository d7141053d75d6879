import { FairleadError } from '#base/std';
import type { RevisionFacts, ServiceFacts } from './revisions.ts';
import { checkTraffic, printTraffic, type RevisionShare } from './targets.ts';

/** What a user wants of the traffic of a Service. */
export type TrafficIntent =
  | {
      readonly action: 'promote' | 'rollback';
      /** A Revision, a tag, `latest`, `latest-ready` or `previous-ready`; left out: the candidate, or the previous one. */
      readonly to?: string | undefined;
      /** Of a promotion: a step of a canary. */
      readonly percent?: number | undefined;
      readonly tag?: string | undefined;
    }
  | {
      readonly action: 'split';
      readonly targets: readonly {
        readonly revision: string;
        readonly percent: number;
        readonly tag?: string | undefined;
      }[];
    };

export type TrafficResolution = {
  readonly traffic: readonly RevisionShare[];
  /** The requested words where they had to be resolved: `previous-ready`. */
  readonly intent: string | undefined;
  /** One sentence, with the Revisions by name. */
  readonly sentence: string;
  readonly warnings: readonly string[];
};

/** The state that an intent is resolved against. */
export type TrafficBase = {
  readonly service: ServiceFacts;
  /** The split to start from: what Git declares, or what an override recorded, or the live one. */
  readonly traffic: readonly RevisionShare[];
  /** A Revision that Git declares and Knative has not created yet. */
  readonly upcoming?: string | undefined;
};

/**
 * The split that an intent means now. Words such as `previous-ready` become the name of a Revision, because only a name means
 * the same tomorrow. Throws NotFound for a Revision that does not exist, and InvalidSpec for one that cannot serve.
 */
export function resolveTraffic(intent: TrafficIntent, base: TrafficBase): TrafficResolution {
  const warnings: string[] = [];
  const resolved = intent.action === 'split' ? split(intent, base, warnings) : shift(intent, base, warnings);
  checkTraffic(resolved.traffic);
  if (followsLatest(base.traffic) && !followsLatest(resolved.traffic)) warnings.push(pins(resolved.traffic));
  return { ...resolved, warnings };
}

/** New revisions get traffic by themselves; no split at all is Knative's own, which does that. */
const followsLatest = (traffic: readonly RevisionShare[]): boolean =>
  traffic.length === 0 ||
  traffic.some(({ revisionName, percent = 0 }) => revisionName === undefined && percent > 0);

function pins(traffic: readonly RevisionShare[]): string {
  const names = traffic.flatMap(({ revisionName = '', percent = 0 }) => (percent > 0 ? revisionName : []));
  return `traffic stays with ${names.join(', ')} from now on: later commits get none until one is promoted; promote latest to follow them again`;
}

type Split = Extract<TrafficIntent, { action: 'split' }>;
type Shift = Exclude<TrafficIntent, Split>;

function split(
  { targets }: Split,
  base: TrafficBase,
  warnings: string[],
): Omit<TrafficResolution, 'warnings'> {
  const traffic = targets.map(({ revision, percent, tag }) => {
    const { target } = find(revision, base);
    requireReady(target, base, percent, warnings);
    return { ...target, percent, ...(tag && { tag }) };
  });
  return { traffic, intent: undefined, sentence: `split traffic: ${printTraffic(traffic)}` };
}

function shift(intent: Shift, base: TrafficBase, warnings: string[]): Omit<TrafficResolution, 'warnings'> {
  const { action, percent = 100, tag } = intent;
  if (action === 'rollback' && percent !== 100)
    throw invalid('a rollback takes all traffic: leave out the percentage');
  if (percent === 0) throw invalid('a promotion to 0% changes nothing: give a percentage from 1 to 100');
  const { target, words, why } = find(intent.to ?? defaultOf(action, base), base);
  requireReady(target, base, percent, warnings);
  const own = base.traffic.find((one) => isSame(one, target, base));
  const kept = tag ?? (percent < 100 ? own?.tag : undefined);
  const first = { ...target, percent, ...(kept && { tag: kept }) };
  const others = base.traffic.filter((one) => !isSame(one, target, base));
  const traffic = [first, ...(percent < 100 ? sharing(others, 100 - percent) : resting(others))];
  const share = percent < 100 ? ` with ${percent}%` : '';
  const sentence = `${action === 'promote' ? 'promote' : 'roll back to'} ${nameOf(target)}${share}${why ? `, ${why}` : ''}`;
  return { traffic, intent: words, sentence };
}

/** Other revisions keep their tags, and with them their URLs; one without a tag gets no traffic and is left out. */
const resting = (others: readonly RevisionShare[]): RevisionShare[] =>
  others.filter(({ tag }) => tag).map((one) => ({ ...one, percent: 0 }));

/** The rest of a canary step, among those that have traffic now, in proportion. */
function sharing(others: readonly RevisionShare[], rest: number): RevisionShare[] {
  const total = others.reduce((sum, { percent = 0 }) => sum + percent, 0);
  if (total === 0)
    throw invalid(
      'no other revision has traffic now that could keep the rest: promote it with 100%, or use split',
    );
  const exact = others.map(({ percent = 0 }) => (percent * rest) / total);
  const whole = exact.map(Math.floor);
  let left = rest - whole.reduce((sum, one) => sum + one, 0);
  const byFraction = exact
    .map((value, at) => ({ at, over: value - Math.floor(value) }))
    .sort((a, b) => b.over - a.over || a.at - b.at);
  for (const { at } of byFraction) {
    if (left <= 0) break;
    whole[at] = (whole[at] ?? 0) + 1;
    left -= 1;
  }
  return others
    .map((one, at) => ({ ...one, percent: whole[at] ?? 0 }))
    .filter(({ percent, tag }) => percent > 0 || tag);
}

/** compat product "Knative at home": the candidate that a tag names and that has no traffic, else the newest ready one. */
function defaultOf(action: Shift['action'], { traffic }: TrafficBase): string {
  if (action === 'rollback') return 'previous-ready';
  const waiting = traffic.filter(({ tag, percent = 0 }) => tag && percent === 0);
  const [candidate, other] = waiting;
  return candidate?.tag && !other ? candidate.tag : 'latest-ready';
}

type Found = { readonly target: RevisionShare; readonly words?: string; readonly why?: string };

function find(wanted: string, base: TrafficBase): Found {
  const { service, traffic, upcoming } = base;
  const word = Object.hasOwn(words, wanted) ? words[wanted] : undefined;
  if (word) return word(base);
  const isName = service.revisions.some(({ name }) => name === wanted) || wanted === upcoming;
  if (isName) return { target: { revisionName: wanted } };
  const tagged = traffic.find(({ tag }) => tag === wanted);
  if (!tagged)
    throw missing(
      `Service ${service.name} has no revision or tag ${JSON.stringify(wanted.slice(0, 80))}`,
      service,
    );
  const target = tagged.revisionName ? { revisionName: tagged.revisionName } : { latestRevision: true };
  return { target, words: wanted, why: `which has the tag ${wanted}` };
}

/** Words that mean another Revision tomorrow; they come before a Revision of the same name. */
const words: Readonly<Record<string, (base: TrafficBase) => Found>> = {
  latest: () => ({ target: { latestRevision: true } }),
  'latest-ready': ({ service }) => {
    if (!service.latestReady) throw missing(`Service ${service.name} has no ready revision yet`, service);
    return {
      target: { revisionName: service.latestReady },
      words: 'latest-ready',
      why: 'the newest ready revision',
    };
  },
  'previous-ready': (base) => {
    const { service } = base;
    const [serving = 'the one that serves now', previous] = [servingNow(base), previousReady(base)];
    if (!previous) throw missing(`Service ${service.name} has no ready revision before ${serving}`, service);
    const why = `the newest ready revision before ${serving}`;
    return { target: { revisionName: previous }, words: 'previous-ready', why };
  },
};

/** The Revision with most of the traffic; undefined: there is none yet. */
function servingNow({ service, traffic }: TrafficBase): string | undefined {
  const [first] = traffic.toSorted((a, b) => (b.percent ?? 0) - (a.percent ?? 0));
  return first?.revisionName ?? service.latestReady;
}

/** The newest ready Revision that is older than the one that serves now; undefined: there is none. */
export function previousReady(base: TrafficBase): string | undefined {
  const { revisions } = base.service;
  const at = revisions.findIndex(({ name }) => name === servingNow(base));
  return at < 0 ? undefined : revisions.slice(at + 1).find(({ ready }) => ready === 'True')?.name;
}

function requireReady(
  target: RevisionShare,
  { service, upcoming }: TrafficBase,
  percent: number,
  warnings: string[],
): void {
  const { revisionName } = target;
  if (revisionName === undefined) return;
  const facts: RevisionFacts | undefined = service.revisions.find(({ name }) => name === revisionName);
  if (!facts) {
    if (revisionName === upcoming)
      warnings.push(`${revisionName} does not exist yet: Knative moves traffic once it is ready`);
    return;
  }
  if (facts.ready === 'True') return;
  const why = facts.message ? `: ${facts.message.slice(0, 300)}` : '';
  if (facts.ready === 'False' && percent > 0)
    throw invalid(`revision ${revisionName} is not ready${why}; choose a ready one, or fix it first`);
  warnings.push(`${revisionName} is not ready${why}; Knative moves traffic once it is`);
}

/** The same Revision, be it by its name or as the latest one. */
function isSame(one: RevisionShare, { revisionName }: RevisionShare, { service }: TrafficBase): boolean {
  if (one.revisionName === revisionName) return true;
  return (one.revisionName ?? service.latestReady) === (revisionName ?? service.latestReady);
}

const nameOf = ({ revisionName }: RevisionShare): string => revisionName ?? 'the latest revision';

function missing(what: string, { revisions }: ServiceFacts): FairleadError {
  const names = revisions.slice(0, 5).map(({ name }) => name);
  const known =
    names.length > 0 ? `; there are ${names.join(', ')}${revisions.length > 5 ? ' and others' : ''}` : '';
  return new FairleadError('NotFound', `${what}${known}`);
}

const invalid = (message: string): FairleadError => new FairleadError('InvalidSpec', message);
