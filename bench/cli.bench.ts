import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { applications, call, session } from '#serve/api';
import { type Fairlead, forget, startFairlead } from '../test/e2e/fairlead.ts';
import type { Figure } from './harness.ts';

const program = join(import.meta.dirname, '../dist/main/fairlead.js');
const count = 1_000;
const runs = 9;

/** The command line, started as a user starts it. Needs `npm run build`. */
export async function figures(): Promise<Figure[]> {
  const fairlead = await startFairlead('--no-demo');
  try {
    const version = await median(() => started(['version', '--client'], fairlead));
    await createApplications(fairlead);
    const host = new URL(fairlead.url).host;
    await fairlead.cli('login', host, '--username', 'admin', '--password', fairlead.password);
    const list = await median(() => started(['app', 'list'], fairlead));
    return [
      { name: 'cli: version --client, median of 9', value: version, unit: 'ms', target: 120 },
      { name: 'cli: app list of 1,000, median of 9', value: list, unit: 'ms', target: 300 },
    ];
  } finally {
    await fairlead.stop();
    forget(fairlead);
  }
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

async function median(measure: () => Promise<number>): Promise<number> {
  const values: number[] = [];
  for (let run = 0; run < runs; run++) values.push(await measure());
  return values.sort((a, b) => a - b)[Math.floor(runs / 2)] ?? 0;
}

const started = (words: readonly string[], fairlead: Fairlead): Promise<number> =>
  timed([program, ...words], fairlead);

function timed(args: readonly string[], { dataDir }: Fairlead): Promise<number> {
  const began = performance.now();
  const env = { HOME: dataDir, PATH: process.env.PATH ?? '' };
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [...args], { env, maxBuffer: 64 * 1024 * 1024 }, (error) =>
      error ? reject(error) : resolve(performance.now() - began),
    );
  });
}
