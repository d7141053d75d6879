import type { SetGenerator } from '#base/model';

/** compat sources 5.3: how long a set waits for its next pass, by what its generators read. */
const minute = 60_000;
const scmMs = 30 * minute;

type Polled = { readonly requeueAfterSeconds?: number };

/**
 * compat sources ASQ-1: the shortest time of the generators that are polled, in milliseconds; undefined: none is, and only a
 * change or a webhook starts a pass. `defaultMs` is the controller's own (3 minutes).
 */
export function requeueAfterMs(
  generators: readonly SetGenerator[],
  defaultMs = 3 * minute,
): number | undefined {
  const times = generators.flatMap((item) => timesOf(item, defaultMs)).filter((time) => time > 0);
  return times.length === 0 ? undefined : Math.min(...times);
}

function timesOf(item: SetGenerator, defaultMs: number): number[] {
  const { git, clusterDecisionResource, scmProvider, pullRequest, plugin, matrix, merge } = item;
  const own = (polled: Polled | undefined, otherwise: number): number[] => {
    if (!polled) return [];
    const { requeueAfterSeconds: seconds = 0 } = polled;
    return [seconds > 0 ? seconds * 1000 : otherwise];
  };
  return [
    ...own(git, defaultMs),
    ...own(clusterDecisionResource, defaultMs),
    ...own(scmProvider, scmMs),
    ...own(pullRequest, scmMs),
    ...own(plugin, scmMs),
    ...[matrix, merge]
      .flatMap((node) => node?.generators ?? [])
      .flatMap((child) => timesOf(child, defaultMs)),
  ];
}

/** compat sources ASQ-1: after an error in a generator, and after one in a single application where no timer runs. */
export const errorRequeueMs = 3 * minute;
