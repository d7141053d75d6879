import { spawn } from 'node:child_process';
import { parseArgs } from 'node:util';
import { type LoopFigures, measureLoop } from './measure.ts';

/**
 * `npm run bench:kubernetes -- [--applications 100] [--idle-seconds 180]`: the loop on a real control plane, beside what
 * was measured for Argo CD on the same kind of machine. On the cluster of KUBECONFIG, or on one of its own.
 */
const { values } = parseArgs({
  options: {
    applications: { type: 'string', default: '100' },
    'idle-seconds': { type: 'string', default: '180' },
    embedded: { type: 'boolean', default: false },
  },
});
const kubeconfig = process.env.KUBECONFIG;

type Row = {
  readonly name: string;
  readonly of: (figures: LoopFigures) => number | undefined;
  readonly unit: string;
  /** For 100 applications, the better end where a range was measured; and for 500. */
  readonly peer: readonly [number, number] | undefined;
  readonly goal: (peer: number) => number;
};

const fixed = (goal: number) => () => goal;
const share = (divisor: number) => (peer: number) => peer / divisor;
const rows: readonly Row[] = [
  {
    name: 'cold: all Synced and Healthy',
    of: ({ cold }) => cold,
    unit: 's',
    peer: [101, 624],
    goal: share(5),
  },
  { name: 'cold: processor', of: (f) => f.coldCpu, unit: 'CPU s', peer: [133, 825], goal: share(8) },
  {
    name: 'cold: requests per application',
    of: (f) => f.coldRequests,
    unit: '',
    peer: [99, 99.9],
    goal: fixed(25),
  },
  { name: 'settled memory', of: ({ memory }) => memory, unit: 'MB', peer: [610, 846], goal: share(3) },
  { name: 'looked at again, unchanged', of: (f) => f.warmCpu, unit: 'ms', peer: undefined, goal: fixed(5) },
  {
    name: 'idle, 3 minutes: processor',
    of: idle((f) => f.idleCpu),
    unit: 'CPU s',
    peer: [6.7, 25],
    goal: share(4),
  },
  {
    name: 'idle, 3 minutes: requests',
    of: idle((f) => f.idleRequests),
    unit: '',
    peer: [99, 391],
    goal: share(1),
  },
  {
    name: 'commit and webhook to live',
    of: ({ commit }) => commit,
    unit: 's',
    peer: [15.5, 49],
    goal: fixed(0.5),
  },
  {
    name: 'commit and webhook: processor',
    of: (f) => f.commitCpu,
    unit: 'CPU s',
    peer: [25, 124],
    goal: fixed(0.5),
  },
  { name: 'drift to healed', of: ({ drift }) => drift, unit: 's', peer: [0.51, 0.61], goal: fixed(0.2) },
  {
    name: 'drift while down, after start',
    of: (f) => f.afterStart,
    unit: 's',
    peer: [135, 121],
    goal: fixed(5),
  },
];

/** A shorter rest is told as if it had lasted three minutes. */
function idle(of: (figures: LoopFigures) => number | undefined): Row['of'] {
  return (figures) => {
    const value = of(figures);
    return value === undefined ? undefined : (value * 180) / Number(values['idle-seconds']);
  };
}

async function measureHere(): Promise<void> {
  const applications = Number(values.applications);
  const figures = await measureLoop({
    applications,
    idleMs: Number(values['idle-seconds']) * 1000,
    kubeconfig: values.embedded ? undefined : kubeconfig,
    tell: (line) => console.error(line),
  });
  const column = applications >= 300 ? 1 : 0;
  print([`${applications} applications`, 'fairlead', column ? 'peer, 500' : 'peer, 100', 'goal', '']);
  for (const { name, of, unit, peer, goal } of rows) {
    const value = of(figures);
    if (value === undefined || Number.isNaN(value)) continue;
    const theirs = peer?.[column] ?? Number.NaN;
    const most = goal(theirs);
    const cells = [value, theirs, most].map((one) =>
      Number.isNaN(one) ? '' : `${one.toFixed(one < 10 ? 2 : 0)} ${unit}`,
    );
    print([name, ...cells, value <= most ? 'ok' : 'MISSED']);
  }
}

function print(cells: readonly string[]): void {
  console.log(cells.map((cell, at) => (at === 0 ? cell.padEnd(36) : cell.padStart(14))).join(''));
}

/** tools/kubernetes starts a control plane and runs this again with it. */
function onItsOwnCluster(): Promise<number> {
  const again = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  const args = ['tools/kubernetes/cluster.js', 'run', '--', ...again];
  const child = spawn(process.execPath, args, { stdio: 'inherit' });
  return new Promise((resolve) => child.on('close', (code) => resolve(code ?? 1)));
}

if (kubeconfig || values.embedded) await measureHere();
else process.exitCode = await onItsOwnCluster();
