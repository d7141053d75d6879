import { readdirSync, readFileSync } from 'node:fs';

const ticksPerSecond = 100;

/** Processor seconds of a process and everything it started, those that have ended included. */
export function cpuSeconds(pid: number): number {
  return treeOf(pid).reduce((sum, { ticks }) => sum + ticks, 0) / ticksPerSecond;
}

/** Resident megabytes of a process and everything it started. */
export function residentMb(pid: number): number {
  return treeOf(pid).reduce((sum, one) => sum + residentOf(one.pid), 0) / 1024;
}

/** The most that a process has had resident, in megabytes. */
export function peakMb(pid: number): number {
  return statusOf(pid, 'VmHWM') / 1024;
}

/** How many processes a process has started that still run, and those that they started. */
export const childrenOf = (pid: number): number => treeOf(pid).length - 1;

/** Processor milliseconds of the threads of a process, to the nanosecond; of what it started, nothing. */
export function threadCpuMs(pid: number): number {
  const folder = `/proc/${pid}/task`;
  const times = readdirSync(folder).map((thread) =>
    Number(textOf(`${folder}/${thread}/schedstat`)?.split(' ')[0] ?? 0),
  );
  return times.reduce((sum, one) => sum + one, 0) / 1e6;
}

/** Processor milliseconds of the processes that a process started and that have ended, in steps of ten. */
export function endedCpuMs(pid: number): number {
  const ticks = fieldsOf(pid)?.slice(13, 15).map(Number) ?? [];
  return (ticks.reduce((sum, one) => sum + one, 0) * 1000) / ticksPerSecond;
}

type Running = { readonly pid: number; readonly parent: number; readonly ticks: number };

function treeOf(root: number): Running[] {
  const all = readdirSync('/proc').flatMap((name) =>
    /^\d+$/.test(name) ? (runningAt(Number(name)) ?? []) : [],
  );
  const found = all.filter(({ pid }) => pid === root);
  for (const one of found) found.push(...all.filter(({ parent }) => parent === one.pid));
  return found;
}

/** What the kernel lists of a process after its name. */
const fieldsOf = (pid: number): string[] | undefined =>
  textOf(`/proc/${pid}/stat`)?.split(') ')[1]?.split(' ');

function runningAt(pid: number): Running | undefined {
  const fields = fieldsOf(pid);
  if (!fields) return undefined;
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return { pid, parent: Number(fields[1]), ticks };
}

/** Resident kilobytes of one process. */
export const residentOf = (pid: number): number => statusOf(pid, 'VmRSS');

/** Resident kilobytes of one process that are no pages of files: a mapped database is in `residentOf`, but not its own memory. */
export const anonymousOf = (pid: number): number => statusOf(pid, 'RssAnon');

const statusOf = (pid: number, field: string): number =>
  Number(new RegExp(`${field}:\\s+(\\d+)`).exec(textOf(`/proc/${pid}/status`) ?? '')?.[1] ?? 0);

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined; // it ended meanwhile
  }
}
