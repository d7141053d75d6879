import type { SyncWindow } from '#base/model';
import { findTimeZone, printJson } from '#base/std';
import { describeWindow } from './judge.ts';
import { timesOf } from './window.ts';

const longestDescription = 255;

/** compat engine P-40, P-43, P-46: everything that keeps a project's windows from being accepted, each naming its window. */
export function windowProblems(windows: readonly SyncWindow[] = []): string[] {
  const seen = new Map<string, number>();
  return windows.flatMap((window, i) => {
    const id = identityOf(window);
    const before = seen.get(id);
    if (before === undefined) seen.set(id, i);
    const twin =
      before === undefined
        ? []
        : [`repeats spec.syncWindows[${before}]; merge the two, as one of them has no effect of its own`];
    return [...problemsOf(window), ...twin].map((problem) => `spec.syncWindows[${i}] ${problem}`);
  });
}

function problemsOf(window: SyncWindow): string[] {
  const { kind = '', applications, namespaces, clusters, description = '' } = window;
  const times = timesOf(window);
  const isAimed = [applications, namespaces, clusters].some((list) => list?.length);
  return [
    ...(['allow', 'deny'].includes(kind) ? [] : [`has the kind "${kind}"; write allow or deny`]),
    ...('problem' in times ? [`is not readable: ${times.problem}`] : []),
    ...(isAimed ? [] : ['concerns nothing; give applications, namespaces or clusters']),
    ...(description.length <= longestDescription
      ? []
      : [`has a description longer than ${longestDescription} characters`]),
  ];
}

/** compat engine P-46: what a window is called or lets through does not make it another window. */
function identityOf(window: SyncWindow): string {
  const { kind, schedule, duration, timeZone = '', andOperator = false } = window;
  const { applications = [], namespaces = [], clusters = [] } = window;
  return printJson([kind, schedule, duration, timeZone, andOperator, applications, namespaces, clusters]);
}

/**
 * Settings of these windows that their author may not have meant. These are warnings: the windows still work.
 */
export function windowWarnings(windows: readonly SyncWindow[] = []): string[] {
  const denies = windows.some(({ kind }) => kind === 'deny');
  return windows.flatMap((window, i) => {
    const times = timesOf(window);
    const unreadable = 'problem' in times;
    const { timeZone = '', kind } = window;
    const place = `spec.syncWindows[${i}]`;
    return [
      ...(unreadable ? [`${place} holds every sync it concerns: ${times.problem}`] : []),
      ...(findTimeZone(timeZone) ? [] : [`${place} has the unknown time zone "${timeZone}", so UTC is used`]),
      // compat engine P-42, X-25
      ...(denies && kind === 'allow' && !unreadable && times.isAlwaysOpen
        ? [
            `${place} is an ${describeWindow(window)} that never closes, yet an active deny window still wins over it`,
          ]
        : []),
    ];
  });
}
