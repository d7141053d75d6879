import {
  type Application,
  type AppProject,
  type Operation,
  type OperationState,
  parseTime,
} from '#base/model';
import { judgeWindows, type WindowVerdict } from './judge.ts';
import { windowsFor } from './match.ts';

/** dev engine X-22: the annotation with which a person opens windows until a time. */
const windowOverrideAnnotation = 'fairlead.io/sync-window-override';

/**
 * Until when an application overrides its windows; undefined without an override, or with an unreadable one.
 */
export function windowOverride({ metadata }: Pick<Application, 'metadata'>): Date | undefined {
  const until = parseTime(metadata.annotations?.[windowOverrideAnnotation]);
  return until === undefined ? undefined : new Date(until);
}

/** compat engine R-21: may automation start a sync now? */
export const gateAutomation = (project: AppProject, app: Application, now: Date): WindowVerdict =>
  judgeWindows(windowsFor(project.spec.syncWindows, app), { now, initiator: 'automated' });

export type RequestOptions = {
  readonly now: Date;
  /** Whether the requesting user has the `override` action on the application. */
  readonly mayOverride: boolean;
};

/**
 * compat engine P-41, P-44: whether a user may start a sync now. `overrides` means that only the
 * application's override allows it: the caller must audit it, and the operation must carry it (see
 * overrideInfo).
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

/**
 * dev engine X-22: the info that an operation carries after the right to override was checked. Callers cannot
 * supply it themselves (see givenInfo).
 */
export const overrideInfo = (until: Date): Info => ({
  name: windowOverrideAnnotation,
  value: until.toISOString(),
});

/** A caller's own infos for an operation, without an override that the caller wrote. */
export const givenInfo = <T extends { readonly name?: string | undefined }>(infos: readonly T[]): T[] =>
  infos.filter(({ name }) => name !== windowOverrideAnnotation);

/**
 * compat engine R-35, S-1, P-45: may a pass over this operation do anything now? dev engine R-35: one that is being terminated always
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
 * Any user who may write Applications can write an override. In the control plane's namespace those are the
 * platform's own operators; in the namespaces of teams they are the users that the windows restrict.
 */
const isAtHome = (app: Application, project: AppProject): boolean =>
  app.metadata.namespace === project.metadata.namespace;

/** An override is valid while the application still has the annotation: removing the annotation ends it. */
function passOf({ info = [] }: Operation, app: Application): Date | undefined {
  const pass = parseTime(info.find(({ name }) => name === windowOverrideAnnotation)?.value);
  const requested = windowOverride(app);
  return pass === undefined || !requested ? undefined : new Date(Math.min(pass, requested.getTime()));
}
