import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { applications, call, session } from '#serve/api';
import { type Fairlead, forget, startFairlead } from '../test/e2e/fairlead.ts';
import type { Figure } from './harness.ts';
import { endedCpuMs } from './loop/processes.ts';

// The command line, started as a user starts it. A busy machine lengthens wall time: beside it stand the processor time, and what Node
// itself takes in the same run without a program. Needs `npm run build`.

const program = join(import.meta.dirname, '../dist/main/fairlead.js');
const count = 1_000;
const runs = 21;

export async function figures(): Promise<Figure[]> {
  const fairlead = await startFairlead('--no-demo');
  try {
    const host = new URL(fairlead.url).host;
    await fairlead.cli('login', host, '--username', 'admin', '--password', fairlead.password);
    await createApplications(fairlead);
    const measured = await measureAll(fairlead, {
      node: ['-e', '0'],
      version: [program, 'version', '--client'],
      list: [program, 'app', 'list'],
    });
    return [
      ...rows('cli: node -e 0', measured.node),
      ...rows('cli: version --client', measured.version, 120),
      ...rows('cli: app list of 1,000', measured.list, 300),
    ];
  } finally {
    await fairlead.stop();
    forget(fairlead);
  }
}

/** Milliseconds; the processor time is the mean, because the kernel counts it in hundredths of a second. */
type Runs = { readonly best: number; readonly median: number; readonly cpu: number };

const rows = (name: string, { best, median, cpu }: Runs, target?: number): Figure[] => [
  { name: `${name}, best of ${runs}`, value: best, unit: 'ms', target },
  { name: '  the median', value: median, unit: 'ms', target },
  { name: '  processor time', value: cpu, unit: 'ms', target },
];

/** Takes one of each in every round: what else the machine does meanwhile disturbs all alike. */
async function measureAll<Name extends string>(
  { dataDir }: Fairlead,
  commands: Record<Name, readonly string[]>,
): Promise<Record<Name, Runs>> {
  const env = { HOME: dataDir, PATH: process.env.PATH ?? '' };
  const names = Object.keys(commands) as Name[];
  const taken = new Map(names.map((name) => [name, { walls: [] as number[], cpu: 0 }]));
  for (let run = 0; run < runs; run++) {
    for (const [name, one] of taken) {
      const [began, cpu] = [performance.now(), endedCpuMs(process.pid)];
      await ended(commands[name], env);
      one.walls.push(performance.now() - began);
      one.cpu += endedCpuMs(process.pid) - cpu;
    }
  }
  const entries = [...taken].map(([name, { walls, cpu }]) => {
    const [best = 0, median = 0] = [0, Math.floor(runs / 2)].map((at) => walls.toSorted((a, b) => a - b)[at]);
    return [name, { best, median, cpu: cpu / runs }] as const;
  });
  return Object.fromEntries(entries) as Record<Name, Runs>;
}

function ended(args: readonly string[], env: Record<string, string>): Promise<void> {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [...args], { env, maxBuffer: 64 * 1024 * 1024 }, (error) =>
      error ? reject(error) : resolve(),
    );
  });
}

/** Applications that no controller works on. */
async function createApplications({ url, password, demo }: Fairlead): Promise<void> {
  const send =
    (token: string): Parameters<typeof call>[0] =>
    async ({ method, path, headers, body }) => {
      const response = await fetch(new URL(path, url), {
        method,
        headers: { ...headers, ...(token && { authorization: `Bearer ${token}` }) },
        ...(body !== undefined && { body }),
      });
      return { status: response.status, text: () => response.text(), lines: async function* () {} };
    };
  const { token } = await call(send(''), session.create, { body: { username: 'admin', password } });
  const one = (index: number) =>
    call(send(token), applications.create, {
      query: { validate: false },
      body: {
        apiVersion: 'argoproj.io/v1alpha1',
        kind: 'Application',
        metadata: {
          name: `app-${index}`,
          annotations: { 'argocd.argoproj.io/skip-reconcile': 'true' },
        },
        spec: {
          project: 'default',
          source: { repoURL: `file://${demo}`, path: 'guestbook' },
          destination: { server: 'https://kubernetes.default.svc', namespace: 'default' },
        },
      },
    });
  for (let begin = 0; begin < count; begin += 20) {
    await Promise.all(Array.from({ length: 20 }, (_, at) => one(begin + at)));
  }
}
