import {
  type Application,
  type AppProject,
  type Operation,
  type OperationState,
  parseTime,
} from '#base/model';
import { judgeWindows, type WindowVerdict } from './judge.ts';
import { windowsFor } from './match.ts';

/** dev X-22: the annotation with which a person opens windows until a time. */
const windowOverrideAnnotation = 'fairlead.io/sync-window-override';

/** Until when an application asks for its windows to be lifted; undefined when it does not, or not in a readable way. */
export function windowOverride({ metadata }: Pick<Application, 'metadata'>): Date | undefined {
  const until = parseTime(metadata.annotations?.[windowOverrideAnnotation]);
  return until === undefined ? undefined : new Date(until);
}

/** compat R-21: may automation start a sync now? */
export const gateAutomation = (project: AppProject, app: Application, now: Date): WindowVerdict =>
  judgeWindows(windowsFor(project.spec.syncWindows, app), { now, initiator: 'automated' });

export type RequestOptions = {
  readonly now: Date;
  /** Whether the person who asks holds the `override` action on the application. */
  readonly mayOverride: boolean;
};

/**
 * compat P-41, P-44: may a person start a sync now? `overrides` says that only the application's override lets them: it
 * must be audited, and the operation must carry it (see overrideInfo).
 */
export function gateRequest(
  project: AppProject,
  app: Application,
  { now, mayOverride }: RequestOptions,
): WindowVerdict & { readonly overrides?: Date } {
  const windows = windowsFor(project.spec.syncWindows, app);
  const verdict = judgeWindows(windows, { now, initiator: 'manual' });
  const mayLift = !verdict.allowed && mayOverride && isAtHome(app, project);
  const until = mayLift ? windowOverride(app) : undefined;
  if (until === undefined || until <= now) return verdict;
  return { allowed: true, overrides: until };
}

type Info = NonNullable<Operation['info']>[number];

/** dev X-22: what an operation carries after the right to override was checked. Nobody may bring it along (see givenInfo). */
export const overrideInfo = (until: Date): Info => ({
  name: windowOverrideAnnotation,
  value: until.toISOString(),
});

/** What a caller says about their operation, without a pass they wrote themselves. */
export const givenInfo = <T extends { readonly name?: string | undefined }>(infos: readonly T[]): T[] =>
  infos.filter(({ name }) => name !== windowOverrideAnnotation);

/**
 * compat R-35, S-1, P-45: may a pass over this operation do anything now? dev R-35: one that is being terminated always
 * passes, and the initiator is that of the operation itself, not of the one before.
 */
export function gateOperation(
  project: AppProject,
  app: Application,
  { operation, phase, startedAt }: OperationState,
  now: Date,
): WindowVerdict {
  if (phase === 'Terminating') return { allowed: true };
  const began = parseTime(startedAt);
  const overriddenUntil = isAtHome(app, project) ? passOf(operation, app) : undefined;
  return judgeWindows(windowsFor(project.spec.syncWindows, app), {
    now,
    initiator: operation.initiatedBy?.automated ? 'automated' : 'manual',
    ...(began !== undefined && { startedAt: new Date(began) }),
    ...(overriddenUntil && { overriddenUntil }),
  });
}

/**
 * A pass is a line anybody can write who may write Applications. At home that is the platform's own people; in namespaces
 * of teams it is those the windows are for.
 */
const isAtHome = (app: Application, project: AppProject): boolean =>
  app.metadata.namespace === project.metadata.namespace;

/** A pass is good while the application still asks for it: taking the annotation away ends it. */
function passOf({ info = [] }: Operation, app: Application): Date | undefined {
  const pass = parseTime(info.find(({ name }) => name === windowOverrideAnnotation)?.value);
  const asked = windowOverride(app);
  return pass === undefined || !asked ? undefined : new Date(Math.min(pass, asked.getTime()));
}
