import type { Figure } from './harness.ts';
import { measureLoop } from './loop/measure.ts';

const applications = 100;
const idleSeconds = 20;

/**
 * The life of a hundred applications on the embedded cluster, which works in the same process: what it takes is in these
 * figures. `npm run bench:kubernetes` has the same cases beside Argo CD's, on a real one. Needs `npm run build`.
 */
export async function figures(): Promise<Figure[]> {
  const measured = await measureLoop({ applications, idleMs: idleSeconds * 1000 });
  const row = (name: string, value: number, unit: string, target: number): Figure => ({
    name: `loop: ${name}`,
    value,
    unit,
    target,
  });
  return [
    row(`${applications} applications, all Synced and Healthy`, measured.cold, 's', 20),
    row('the same, processor', measured.coldCpu, 'CPU s', 17),
    row('resident memory when settled', measured.memory, 'MB', 203),
    row('looked at again, unchanged, each', measured.warmCpu, 'ms', 5),
    row('idle, 3 minutes, processor', (measured.idleCpu * 180) / idleSeconds, 'CPU s', 1.7),
    row('one-file commit and webhook to live', measured.commit * 1000, 'ms', 500),
    row('the same, processor', measured.commitCpu, 'CPU s', 0.5),
    row('drift to healed', measured.drift * 1000, 'ms', 200),
  ];
}
