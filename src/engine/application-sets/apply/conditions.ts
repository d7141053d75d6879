import {
  type Application,
  type ApplicationSet,
  type ApplicationSetStatus,
  argoGroup,
  type Condition,
  compareBytes,
  printTime,
  type ResourceStatus,
} from '#base/model';
import { equal } from '#base/std';
import { applicationSetHealth } from '../../health/application-set.ts';

/** compat sources ASA-14. */
type SetReason =
  | 'ErrorOccurred'
  | 'ApplicationSetUpToDate'
  | 'ParametersGenerated'
  | 'UpdateApplicationError'
  | 'ApplicationGenerationFromParamsError'
  | 'RenderTemplateParamsError'
  | 'CreateApplicationError'
  | 'DeleteApplicationError'
  | 'RefreshApplicationError'
  | 'ApplicationValidationError'
  | 'ApplicationSetModified'
  | 'ApplicationSetRolloutComplete'
  | 'ApplicationSetRolloutError'
  | 'ApplicationSetInvalidRolloutConfig'
  | 'ApplicationSetValidRolloutConfig';

/** How a pass ended. */
export type SetOutcome =
  | { readonly is: 'up to date' }
  | { readonly is: 'failed'; readonly reason: SetReason; readonly message: string };

/** compat sources ASA-13: the reasons of a pass that got no parameters or no applications out of them. */
const generationReasons: ReadonlySet<SetReason> = new Set<SetReason>([
  'ApplicationGenerationFromParamsError',
  'RenderTemplateParamsError',
]);

const upToDate = 'All applications have been generated successfully';
const generated = 'Successfully generated parameters for all Applications';

function outcomeConditions(outcome: SetOutcome): Condition[] {
  if (outcome.is === 'up to date') {
    return [
      { type: 'ErrorOccurred', status: 'False', reason: 'ApplicationSetUpToDate', message: upToDate },
      { type: 'ParametersGenerated', status: 'True', reason: 'ParametersGenerated', message: generated },
      { type: 'ResourcesUpToDate', status: 'True', reason: 'ApplicationSetUpToDate', message: upToDate },
    ];
  }
  const { reason, message } = outcome;
  return [
    { type: 'ErrorOccurred', status: 'True', reason, message },
    generationReasons.has(reason)
      ? { type: 'ParametersGenerated', status: 'False', reason: 'ErrorOccurred', message }
      : { type: 'ParametersGenerated', status: 'True', reason: 'ParametersGenerated', message: generated },
    { type: 'ResourcesUpToDate', status: 'False', reason, message },
  ];
}

export type SetStatusInput = {
  readonly set: ApplicationSet;
  readonly outcome: SetOutcome;
  /** The applications that the set owns now. */
  readonly owned: readonly Application[];
  /** Of a rollout; undefined: the set has none, and what an earlier one left is removed. */
  readonly rollout?: {
    readonly applicationStatus: NonNullable<ApplicationSetStatus['applicationStatus']>;
    readonly conditions: readonly Condition[];
  };
  readonly warnings: readonly string[];
  readonly maxResources: number;
  readonly now: Date;
};

/** compat sources ASA-12 … ASA-15: the status after a pass; the very same object when nothing changed. */
export function setStatus(input: SetStatusInput): ApplicationSetStatus {
  const { set, outcome, owned, rollout, warnings, maxResources, now } = input;
  const before = set.status ?? {};
  const found = [
    ...outcomeConditions(outcome),
    ...(rollout?.conditions ?? []),
    // ours: done as configured, but hardly as the user meant
    ...(warnings.length === 0
      ? []
      : [{ type: 'ConfigurationWarning', status: 'True', reason: 'Warning', message: warnings.join('; ') }]),
  ];
  const conditions = found.map((condition) => timed(condition, before.conditions ?? [], now));
  const resources = owned.map(resourceOf).sort((a, b) => compareBytes(a.name, b.name));
  const { applicationStatus: _old, ...rest } = before;
  const next: ApplicationSetStatus = {
    ...rest,
    conditions,
    ...(rollout ? { applicationStatus: rollout.applicationStatus } : {}),
    resources: resources.slice(0, maxResources),
    resourcesCount: resources.length,
  };
  const status = { ...next, health: healthOf({ ...set, status: next }, before, now) };
  return equal(status, before) ? before : status;
}

/** compat sources ASA-13: a time changes only with the status, the reason or the message. */
function timed(condition: Condition, before: readonly Condition[], now: Date): Condition {
  const old = before.find(
    ({ type, status, reason, message }) =>
      type === condition.type &&
      status === condition.status &&
      reason === condition.reason &&
      message === condition.message,
  );
  return { ...condition, lastTransitionTime: old?.lastTransitionTime ?? printTime(now) };
}

function resourceOf({ apiVersion, kind, metadata, status }: Application): ResourceStatus {
  const { name, namespace } = metadata;
  return {
    group: argoGroup,
    version: apiVersion.slice(apiVersion.indexOf('/') + 1),
    kind,
    name,
    ...(namespace ? { namespace } : {}),
    ...(status?.sync?.status ? { status: status.sync.status } : {}),
    ...(status?.health?.status ? { health: status.health } : {}),
  };
}

function healthOf(
  set: ApplicationSet,
  { health: old }: ApplicationSetStatus,
  now: Date,
): NonNullable<ApplicationSetStatus['health']> {
  const next = applicationSetHealth(set);
  const lastTransitionTime = old?.status === next.status ? old.lastTransitionTime : undefined;
  return { ...next, lastTransitionTime: lastTransitionTime ?? printTime(now) };
}
