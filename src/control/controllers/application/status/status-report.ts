import {
  type Application,
  type ApplicationCondition,
  type ApplicationConditionType,
  type ApplicationStatus,
  type ApplicationSummary,
  type Health,
  hasMultipleSources,
  keyFrom,
  printTime,
  type ResourceStatus,
  type SyncStatus,
  setApplicationConditions,
} from '#base/model';
import { FairleadError } from '#base/std';
import { type ApplicationComparison, stageOf } from '#control/comparison';
import {
  type AggregateHealth,
  heldUp,
  isReconciliation,
  probeWarnings,
  type Refresh,
  readSyncOptions,
  sourcesOf,
} from '#engine';
import { type Mask, maskMessages, maskOf } from './mask-secrets.ts';

type Compared = {
  readonly look: ApplicationComparison;
  readonly refresh: Refresh;
  readonly summary: ApplicationSummary;
  /** What the project and the application ask for that we do not do yet, or that they hardly mean. */
  readonly warnings: readonly string[];
  /** T-8: where the project wants to be told of objects that nobody declares. */
  readonly orphans?: ApplicationCondition | undefined;
  /** Also store the health of every single resource (controller.resource.health.persist). */
  readonly persistHealth?: boolean;
  /** A repository of it does not answer, and what was compared is what it said before. */
  readonly isAway?: boolean;
};

const comparisonTypes: ReadonlySet<ApplicationConditionType> = new Set([
  'InvalidSpecError',
  'ComparisonError',
  'UnknownError',
  'SharedResourceWarning',
  'RepeatedResourceWarning',
  'ExcludedResourceWarning',
  'UnknownSyncOptionWarning',
  'OrphanedResourceWarning',
  'NotSupportedWarning',
  'ConfigurationWarning',
]);
const orphanTypes: ReadonlySet<ApplicationConditionType> = new Set(['OrphanedResourceWarning']);
const syncTypes: ReadonlySet<ApplicationConditionType> = new Set(['SyncError']);
const deletionTypes: ReadonlySet<ApplicationConditionType> = new Set(['DeletionError']);

const heldWords = /^deletion is held up: /;
const knownAt = /; what is shown was known at (\S+),/;

const notSupported = (message: string): ApplicationCondition => ({ type: 'NotSupportedWarning', message });

/** Hints told one by one; a hundred manifests with the same slip are no hundred conditions. */
const hintLimit = 5;

/** What is honoured and hardly meant, X-9 among it; what is not honoured says so itself. */
function hintsIn(
  { comparison, target }: ApplicationComparison,
  warnings: readonly string[],
): ApplicationCondition[] {
  const isOpen = (message: string) => message.startsWith('not supported yet');
  const hints = [
    ...warnings.filter((message) => !isOpen(message)),
    ...comparison.hints,
    ...target.objects.flatMap(probeWarnings),
  ];
  const more = hints.length - hintLimit;
  const told = more > 0 ? [...hints.slice(0, hintLimit), `and ${more} more of the kind`] : hints;
  return [
    ...warnings.filter(isOpen).map(notSupported),
    ...told.map((message) => ({ type: 'ConfigurationWarning' as const, message })),
  ];
}

/** compat §2.5 step 12: what could not be compared is neither in sync nor out of it; a hook is never either. */
const unknown = (row: ResourceStatus): ResourceStatus => (row.status ? { ...row, status: 'Unknown' } : row);

/** compat A-24: health of single resources is shown from the tree, not stored, unless it is asked for. */
function rowsOf(
  { resources }: ApplicationComparison['comparison'],
  persistHealth: boolean,
  isUnknown: boolean,
): ResourceStatus[] {
  return resources.map(({ status: { health, ...bare } }) => {
    const row = persistHealth && health ? { ...bare, health } : bare;
    return isUnknown ? unknown(row) : row;
  });
}

/** compat engine A-24: a row that stores its health, with the text of now where the code is the same. */
function reworded(row: ResourceStatus, { byKey }: AggregateHealth): ResourceStatus {
  const now = byKey.get(keyFrom({ group: '', ...row }));
  return now && row.health?.status === now.status ? { ...row, health: now } : row;
}

/** What a pass writes into an Application's status, besides its operation. One method per fact a user can read there. */
export class StatusReport {
  readonly #app: Application;
  readonly #at: Date;
  readonly #now: string;
  readonly #mask: Mask;
  #next: ApplicationStatus;
  #written: Application | undefined;

  constructor(app: Application, now: Date) {
    this.#app = app;
    this.#at = now;
    this.#now = printTime(now);
    this.#mask = maskOf(app);
    this.#next = { ...app.status };
  }

  get next(): ApplicationStatus {
    return this.#next;
  }

  /** The application as it was written with this status; undefined: it is still to be written. */
  get written(): Application | undefined {
    return this.#written;
  }

  saved(app: Application): void {
    this.#written = app;
  }

  /** The spec cannot stand (compat R-17): nothing is known, and why is told. */
  invalid(conditions: readonly ApplicationCondition[]): void {
    this.#unknown(conditions);
    this.#set({ health: this.#health({ status: 'Unknown' }), resources: [], reconciledAt: this.#now });
  }

  compared({
    look,
    refresh,
    summary,
    warnings,
    orphans,
    persistHealth = false,
    isAway = false,
  }: Compared): void {
    const { comparison, generated } = look;
    const outage = isAway ? this.#outage() : [];
    const isMultiple = hasMultipleSources(this.#app.spec);
    const [first] = generated.revisions;
    const told = [
      ...outage,
      ...comparison.conditions,
      ...this.#unknownOptions(),
      ...(orphans ? [orphans] : []),
      ...comparison.warnings.map(notSupported),
      ...hintsIn(look, warnings),
    ];
    this.#conditions(told, comparisonTypes);
    this.#leaving(comparison);
    this.#set({
      sync: {
        ...this.#comparedTo(outage.length > 0 ? 'Unknown' : comparison.status),
        ...(isMultiple ? { revisions: [...generated.revisions] } : first && { revision: first }),
      },
      health: this.#health(comparison.health),
      resources: rowsOf(comparison, persistHealth, outage.length > 0),
      resourceHealthSource: persistHealth ? '' : 'appTree',
      summary,
      ...(isMultiple
        ? { sourceTypes: [...generated.sourceTypes] }
        : generated.sourceTypes[0] && { sourceType: generated.sourceTypes[0] }),
    });
    if (isReconciliation(refresh.level) || !this.#app.status?.reconciledAt)
      this.#set({ reconciledAt: this.#now });
  }

  /** dev S-37: what was pruned, or deleted by somebody, and does not go. */
  #leaving({ resources }: ApplicationComparison['comparison']): void {
    const leaving = resources.flatMap(({ live }) => (live?.metadata.deletionTimestamp ? [live] : []));
    const held = heldUp(leaving, this.#at);
    if (held) this.deletionFailed(held);
    else if (this.#next.conditions?.some(({ message }) => heldWords.test(message))) this.deletionGoesOn();
  }

  /** compat R-7: only what the tree tells: the summary, orphans, and the text of a health whose code stays. */
  redrawn(
    summary: ApplicationSummary,
    orphans: ApplicationCondition | undefined,
    now: AggregateHealth | undefined,
  ): void {
    this.#conditions(orphans ? [orphans] : [], orphanTypes);
    this.#set({ summary });
    const { health, resources = [], resourceHealthSource } = this.#app.status ?? {};
    if (now && now.health.status === health?.status) this.#set({ health: this.#health(now.health) });
    if (now && !resourceHealthSource) this.#set({ resources: resources.map((row) => reworded(row, now)) });
  }

  /** What Git or the cluster would not tell (compat R-19). The last known resources stay on show; health is that of now. */
  failed(thrown: unknown, health?: Health): void {
    const { code, message } = FairleadError.from(thrown);
    const type = code === 'InvalidSpec' ? 'InvalidSpecError' : 'ComparisonError';
    const isUnreadable = stageOf(thrown) === 'source' && (code === 'Unavailable' || code === 'Auth');
    this.#unknown([{ type, message: isUnreadable ? `${message}${this.#age()}` : message }]);
    const { health: before, resources } = this.#app.status ?? {};
    const known = health ?? before ?? ({ status: 'Unknown' } as const);
    this.#set({
      reconciledAt: this.#now,
      health: this.#health(known),
      ...(resources && { resources: resources.map(unknown) }),
    });
  }

  /** Seed 004 §23.1: how old what is shown is, the same from the first failure to the last; empty: nothing is. */
  #age(): string {
    const { conditions = [], reconciledAt, sync } = this.#app.status ?? {};
    const told = conditions.flatMap(({ message }) => knownAt.exec(message)?.[1] ?? [])[0];
    const at = told ?? ((sync?.revision ?? sync?.revisions) && reconciledAt);
    return at
      ? `; what is shown was known at ${at}, and nothing newer is applied or pruned until it answers`
      : '';
  }

  /** docs/decisions/0025: what was told of an outage stays until it is over, whatever is compared with what is known. */
  #outage(): ApplicationCondition[] {
    const { conditions = [] } = this.#next; // those of this pass, where it has failed already
    const told = conditions.filter(
      ({ type, message }) => type === 'ComparisonError' && knownAt.test(message),
    );
    return told.map(({ type, message }) => ({ type, message }));
  }

  /** compat §1.11: told by every evaluation of automated sync, and untouched when there was none. */
  decided(condition: ApplicationCondition | undefined): void {
    this.#conditions(condition ? [condition] : [], syncTypes);
  }

  deletionFailed(message: string): void {
    this.#conditions([{ type: 'DeletionError', message }], deletionTypes);
  }

  /** compat §1.11: a deletion that moves is no problem any more. */
  deletionGoesOn(): void {
    if (this.#next.conditions?.some(({ type }) => deletionTypes.has(type)))
      this.#conditions([], deletionTypes);
  }

  /** dev S-51: they change nothing, and the user should know. */
  #unknownOptions(): ApplicationCondition[] {
    const { unknown } = readSyncOptions(this.#app.spec.syncPolicy?.syncOptions ?? []);
    if (unknown.length === 0) return [];
    const message = `spec.syncPolicy.syncOptions holds unknown options, which do nothing: ${unknown.join(', ')}`;
    return [{ type: 'UnknownSyncOptionWarning', message }];
  }

  #unknown(conditions: readonly ApplicationCondition[]): void {
    const { revision, revisions } = this.#app.status?.sync ?? {};
    this.#conditions(conditions, comparisonTypes);
    this.#set({
      sync: {
        ...this.#comparedTo('Unknown'),
        ...(revision && { revision }),
        ...(revisions && { revisions }),
      },
    });
  }

  #comparedTo(status: SyncStatus['status']): SyncStatus {
    const { destination, ignoreDifferences } = this.#app.spec;
    const sources = [...sourcesOf(this.#app)];
    const source = hasMultipleSources(this.#app.spec) ? { sources } : sources[0] && { source: sources[0] };
    return {
      status,
      comparedTo: { ...source, destination, ...(ignoreDifferences?.length && { ignoreDifferences }) },
    };
  }

  /** compat engine §1.10: the time changes only with the code. dev engine H-12: the message is always that of now. */
  #health({ status, message }: Health): Health {
    const before = this.#app.status?.health;
    const text = message && this.#mask(message);
    const since = before?.status === status ? before.lastTransitionTime : this.#now;
    return { status, ...(text && { message: text }), ...(since && { lastTransitionTime: since }) };
  }

  #conditions(found: readonly ApplicationCondition[], types: ReadonlySet<ApplicationConditionType>): void {
    const shown = maskMessages(this.#mask, found);
    this.#set({ conditions: setApplicationConditions(this.#next.conditions ?? [], shown, types, this.#at) });
  }

  #set(fields: Partial<ApplicationStatus>): void {
    this.#next = { ...this.#next, ...fields };
  }
}
