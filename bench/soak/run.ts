import { parseArgs } from 'node:util';
import { soak } from './soak.ts';
import { flatness, type Measured, trendOf } from './trend.ts';

/**
 * `npm run soak -- --minutes 60 [--applications 100] [--kill-every 5] [--warm-up 5] [--kubeconfig file]`: the started program under
 * steady commits, drifts and syncs with hooks. Exit 1 when memory or descriptors grow, or a hook ran twice.
 */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    applications: { type: 'string', default: '100' },
    'kill-every': { type: 'string', default: '5' },
    'warm-up': { type: 'string', default: '5' },
    kubeconfig: { type: 'string' },
  },
});

const { samples, hooks, twice } = await soak({
  minutes: Number(values.minutes),
  applications: Number(values.applications),
  killEvery: Number(values['kill-every']),
  kubeconfig: values.kubeconfig,
  report: (text) => console.log(text),
});

let failed = twice.length > 0;
for (const of of Object.keys(flatness) as Measured[]) {
  const trend = trendOf(samples, of, Number(values['warm-up']));
  if (!trend) {
    console.log(`${of}: too few samples for a trend`);
    continue;
  }
  const { mean, perHour, isFlat } = trend;
  failed ||= !isFlat;
  console.log(`${of}: mean ${mean.toFixed(1)}, ${perHour.toFixed(1)} per hour: ${isFlat ? 'flat' : 'GROWS'}`);
}
console.log(`hooks: ${hooks} ran, ${twice.length} twice${twice.map((run) => `\n  ${run}`).join('')}`);
process.exitCode = failed ? 1 : 0;
