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
  type Settings,
  type SyncStatus,
  setApplicationConditions,
} from '#base/model';
import { FairleadError } from '#base/std';
import { type ApplicationComparison, stageOf } from '#control/comparison';
import {
  type AggregateHealth,
  heldUp,
  isReconciliation,
  type Refresh,
  readSyncOptions,
  sourcesOf,
} from '#engine';
import { targetWarnings } from '#engine/doctor';
import { type Mask, maskMessages, maskOf } from './mask-secrets.ts';

type Compared = {
  readonly comparison: ApplicationComparison;
  readonly refresh: Refresh;
  readonly summary: ApplicationSummary;
  /** Settings of the project and the application that are not supported yet, or that are probably mistakes. */
  readonly warnings: readonly string[];
  /** Which findings of the doctor are reported (fairlead.doctor.warnings). */
  readonly doctor?: Settings['application']['warnings'] | undefined;
  /** engine T-8: where the project warns about orphaned resources. */
  readonly orphans?: ApplicationCondition | undefined;
  /** Also store the health of every single resource (controller.resource.health.persist). */
  readonly persistHealth?: boolean;
  /** A repository of it is unreachable, and the comparison used cached revisions. */
  readonly isSourceUnreachable?: boolean;
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
  'TrafficOverrideWarning',
]);
const orphanTypes: ReadonlySet<ApplicationConditionType> = new Set(['OrphanedResourceWarning']);
const syncTypes: ReadonlySet<ApplicationConditionType> = new Set(['SyncError']);
const deletionTypes: ReadonlySet<ApplicationConditionType> = new Set(['DeletionError']);

const heldWords = /^deletion is held up: /;
const knownAt = /; what is shown was known at (\S+),/;

type Hinted = Pick<Compared, 'warnings' | 'doctor'>;

const notSupported = (message: string): ApplicationCondition => ({ type: 'NotSupportedWarning', message });

/** The number of hints reported one by one; a hundred rules with the same mistake do not become a hundred conditions. */
const hintLimit = 5;

/**
 * Options that are honoured but probably mistakes, and what the doctor finds in the targets (engine X-9, decision 58), which limits
 * itself; options that are not honoured have conditions of their own.
 */
function hintsIn({ comparison, target }: ApplicationComparison, more: Hinted): ApplicationCondition[] {
  const { warnings, doctor } = more;
  const isOpen = (message: string) => message.startsWith('not supported yet');
  const hints = [...warnings.filter((message) => !isOpen(message)), ...comparison.hints];
  const left = hints.length - hintLimit;
  const limited = left > 0 ? [...hints.slice(0, hintLimit), `and ${left} more of the kind`] : hints;
  const reported = [...limited, ...targetWarnings(target.objects, doctor)];
  return [
    ...warnings.filter(isOpen).map(notSupported),
    ...reported.map((message) => ({ type: 'ConfigurationWarning' as const, message })),
  ];
}

/** compat engine §2.5 step 12: a resource that could not be compared is Unknown; a hook has no sync status. */
const unknown = (row: ResourceStatus): ResourceStatus => (row.status ? { ...row, status: 'Unknown' } : row);

/** compat engine A-24: health of single resources comes from the tree and is not stored, unless the setting enables it. */
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

/** compat engine A-24: a row that stores its health, with the current message if the code is the same. */
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

  /** The application as it was written with this status; undefined: not written yet. */
  get written(): Application | undefined {
    return this.#written;
  }

  saved(app: Application): void {
    this.#written = app;
  }

  /** The spec is invalid (compat engine R-17): the status is Unknown, and conditions report why. */
  invalid(conditions: readonly ApplicationCondition[]): void {
    this.#unknown(conditions);
    this.#set({ health: this.#health({ status: 'Unknown' }), resources: [], reconciledAt: this.#now });
  }

  compared({
    comparison: compared,
    refresh,
    summary,
    warnings,
    doctor,
    orphans,
    persistHealth = false,
    isSourceUnreachable = false,
  }: Compared): void {
    const { comparison, generated } = compared;
    const outage = isSourceUnreachable ? this.#outage() : [];
    const isMultiple = hasMultipleSources(this.#app.spec);
    const [first] = generated.revisions;
    const reported = [
      ...outage,
      ...comparison.conditions,
      ...this.#unknownOptions(),
      ...(orphans ? [orphans] : []),
      ...comparison.warnings.map(notSupported),
      ...hintsIn(compared, { warnings, doctor }),
    ];
    this.#conditions(reported, comparisonTypes);
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

  /** dev engine S-37: resources that were pruned, or deleted by another client, and whose deletion is blocked. */
  #leaving({ resources }: ApplicationComparison['comparison']): void {
    const leaving = resources.flatMap(({ live }) => (live?.metadata.deletionTimestamp ? [live] : []));
    const held = heldUp(leaving, this.#at);
    if (held) this.deletionFailed(held);
    else if (this.#next.conditions?.some(({ message }) => heldWords.test(message))) this.deletionGoesOn();
  }

  /**
   * compat engine R-7: only the fields taken from the tree: the summary, orphans, and the health message while the code is
   * unchanged.
   */
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

  /**
   * Git or the cluster could not be read (compat engine R-19). The last known resources stay in the status; health is the
   * current one.
   */
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

  /** Seed 004 §23.1: the age of the comparison in the status, from the first failure to the last; empty: there is none. */
  #age(): string {
    const { conditions = [], reconciledAt, sync } = this.#app.status ?? {};
    const reported = conditions.flatMap(({ message }) => knownAt.exec(message)?.[1] ?? [])[0];
    const at = reported ?? ((sync?.revision ?? sync?.revisions) && reconciledAt);
    return at
      ? `; what is shown was known at ${at}, and nothing newer is applied or pruned until it is reachable`
      : '';
  }

  /**
   * docs/decisions/0025: the condition of an outage stays until the outage is over, also while cached revisions are compared.
   */
  #outage(): ApplicationCondition[] {
    const { conditions = [] } = this.#next; // the conditions of this pass, if it has failed already
    const reported = conditions.filter(
      ({ type, message }) => type === 'ComparisonError' && knownAt.test(message),
    );
    return reported.map(({ type, message }) => ({ type, message }));
  }

  /** compat engine §1.11: set by every evaluation of automated sync, and unchanged when there was none. */
  decided(condition: ApplicationCondition | undefined): void {
    this.#conditions(condition ? [condition] : [], syncTypes);
  }

  deletionFailed(message: string): void {
    this.#conditions([{ type: 'DeletionError', message }], deletionTypes);
  }

  /** compat engine §1.11: removes the condition of a deletion that makes progress again. */
  deletionGoesOn(): void {
    if (this.#next.conditions?.some(({ type }) => deletionTypes.has(type)))
      this.#conditions([], deletionTypes);
  }

  /** dev engine S-51: unknown sync options have no effect, and a condition reports them. */
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

  /** compat engine §1.10: the time changes only with the code. dev engine H-12: the message is always the current one. */
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
