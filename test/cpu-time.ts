/** Milliseconds of processor time that this process has spent so far. Unlike the time of day, a busy machine does not lengthen it. */
export function cpuNow(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
