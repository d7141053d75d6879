/**
 * cron: schedules as robfig/cron reads them, which is how Argo CD reads sync windows and Kubernetes reads CronJobs.
 *
 * Promises:
 * 1. A schedule is accepted or refused as the original accepts or refuses it; `testdata/` has the original's ticks and words.
 *    A sync window takes five fields; a CronJob also takes `@daily` and its like, and `@every 1h`.
 * 2. A refusal names the part and the fix; for an API server, the words of the original.
 * 3. Finding the next tick costs no more for a rare one than for a frequent one: whole months are skipped.
 * 4. A schedule that has no tick within five years has none.
 */
export { nextTime } from './next-time.ts';
export { type CronSchedule, jobScheduleFault, parseJobSchedule, parseSchedule } from './schedule.ts';
export { longestGap, tickAfter } from './tick.ts';
