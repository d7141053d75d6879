import { spawn } from 'node:child_process';
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { realClock } from '#base/std';
import { forget, onCluster, startFairlead } from '../../e2e/fairlead.ts';

/** A controller of Rollouts at work on the cluster. */
export type Started = { stop(): Promise<void> };

const startMs = 60_000;

/** The unmodified controller of Argo Rollouts. Without a Lease: nothing holds up ours after it. */
export async function startUpstream(kubeconfig: string): Promise<Started> {
  const folder = mkdtempSync(join(tmpdir(), 'fairlead-upstream-'));
  const log = join(folder, 'log');
  const [metrics, health] = await freePorts();
  const program = process.env.FAIRLEAD_TEST_ROLLOUTS_CONTROLLER ?? '';
  const flags = [
    '--leader-elect=false',
    `--metricsPort=${metrics}`,
    `--healthzPort=${health}`,
    '--qps=200',
    '--burst=400',
  ];
  const output = openSync(log, 'a');
  const child = spawn(program, ['--kubeconfig', kubeconfig, ...flags], {
    stdio: ['ignore', output, output],
    env: { ...process.env, HOME: folder },
  });
  const ended = new Promise<void>((resolve) => child.on('exit', () => resolve()));
  child.on('error', () => {}); // its exit is reported below
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await ended;
    if (process.env.FAIRLEAD_TEST_KEEP_LOG) process.stderr.write(`the log of Argo Rollouts: ${log}\n`);
    else rmSync(folder, { recursive: true, force: true });
  };
  const signal = AbortSignal.timeout(startMs);
  while (!(await isHealthy(`http://127.0.0.1:${health}/healthz`))) {
    if (child.exitCode !== null || signal.aborted)
      throw new Error(
        `Argo Rollouts did not start; the end of its log:\n${readFileSync(log, 'utf8').slice(-4000)}`,
      );
    await realClock.sleep(200, AbortSignal.timeout(startMs));
  }
  return { stop };
}

const isHealthy = (url: string): Promise<boolean> =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );

/** Ours, as an operator starts it. */
export async function startOurs(kubeconfig: string): Promise<Started> {
  const fairlead = await startFairlead(...onCluster(kubeconfig), '--rollouts');
  return {
    stop: async () => {
      await fairlead.stop();
      if (process.env.FAIRLEAD_TEST_KEEP_LOG) process.stderr.write(fairlead.log());
      forget(fairlead);
    },
  };
}

async function freePorts(): Promise<number[]> {
  const servers = [createServer(), createServer()];
  const ports = servers.map(
    (server) =>
      new Promise<number>((resolve) => {
        server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port));
      }),
  );
  const found = await Promise.all(ports);
  for (const server of servers) server.close();
  return found;
}
