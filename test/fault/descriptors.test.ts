import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Application } from '#base/model';
import { type Fairlead, forget, startFairlead } from '../e2e/fairlead.ts';
import { eventually } from '../eventually.ts';
import { type GitRepositoryFixture, gitRepository } from '../git-repository.ts';

// A program without free file descriptors serves what it has, writes few lines about it and resumes when there are some.

const run = promisify(execFile);
let fairlead: Fairlead;
let repository: GitRepositoryFixture;
const sockets: Socket[] = [];

beforeEach(async () => {
  fairlead = await startFairlead('--no-demo');
  repository = await gitRepository(join(fairlead.folder, 'repository'));
  await repository.commit(files('first'));
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await fairlead.stop();
  forget(fairlead);
});

const names = ['app-0', 'app-1', 'app-2', 'app-3', 'app-4'];
const files = (value: string): Record<string, string> =>
  Object.fromEntries(
    names.map((name) => [
      `${name}/settings.yaml`,
      `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n  value: ${value}\n`,
    ]),
  );
const application = (name: string): object => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name, namespace: 'argocd' },
  spec: {
    project: 'default',
    source: { repoURL: `file://${repository.dir}`, path: name, targetRevision: 'main' },
    destination: { server: 'https://kubernetes.default.svc', namespace: 'default' },
    syncPolicy: { automated: { selfHeal: true } },
  },
});
const isAt =
  (commit: string) =>
  ({ status }: Application): boolean =>
    status?.sync?.status === 'Synced' && status.sync.revision === commit;
const linesOf = (log: string): string[] => log.split('\n').filter((line) => line !== '');

/** So many connections that are held open; those that the program cannot accept are refused or left waiting. */
async function flood(port: number, connections: number): Promise<void> {
  for (let at = 0; at < connections; at++) {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    sockets.push(socket);
    await Promise.race([once(socket, 'connect'), once(socket, 'close')]).catch(() => {});
  }
}

test('out of descriptors, two thousand connections and a commit leave a few lines in the log', async () => {
  for (const name of names) await fairlead.apply(application(name));
  const first = await repository.git('rev-parse', 'HEAD');
  for (const name of names) await fairlead.until(name, 'Synced', isAt(first));
  const used = readdirSync(`/proc/${fairlead.pid}/fd`).length;
  await run('prlimit', ['--pid', String(fairlead.pid), `--nofile=${used + 8}:`]);
  const before = linesOf(fairlead.log()).length;
  await flood(Number(new URL(fairlead.url).port), 2_000);
  const commit = await repository.commit(files('second'));
  await flood(Number(new URL(fairlead.url).port), 200);
  const lines = linesOf(fairlead.log()).slice(before);
  expect(lines.length).toBeLessThan(30);
  for (const socket of sockets) socket.destroy();
  await eventually(async () => expect((await fetch(new URL('/healthz', fairlead.url))).status).toBe(200));
  for (const name of names) await fairlead.until(name, 'Synced to the new commit', isAt(commit));
});
