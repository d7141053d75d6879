import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, expect, test } from 'vitest';
import { realClock, silent } from '#base/std';
import { findTool } from '#platform/exec';

/** `fairlead up --cluster-only` as a user starts it, and the real kubectl on it. */
const program = join(import.meta.dirname, '../../dist/main/fairlead.js');
const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function folder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'fairlead-cluster-'));
  ends.push(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

async function start(dir: string, ...args: string[]) {
  const child = spawn(process.execPath, [program, 'up', '--cluster-only', '--data-dir', dir, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  ends.push(() => stop(child));
  let said = '';
  child.stderr.on('data', (chunk) => {
    said += chunk;
  });
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    if (line.startsWith('kubectl:')) return { child, lines };
  }
  throw new Error(`it ended before it was ready: ${said}`);
}

async function stop(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) {
    child.kill('SIGINT');
    await once(child, 'exit');
  }
  return child.exitCode;
}

async function kubectlProgram(dir: string) {
  const ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
  const places = {
    searchPath: process.env.PATH ?? '',
    cacheDir: join(tmpdir(), 'fairlead-e2e-cache/fairlead'),
  };
  const { command } = await findTool(ctx, 'kubectl', places);
  const env = { PATH: process.env.PATH ?? '', HOME: dir, KUBECONFIG: join(dir, 'kubeconfig') };
  return { command, env };
}

async function kubectlFor(dir: string) {
  const { command, env } = await kubectlProgram(dir);
  type Output = { code: number; stdout: string; stderr: string };
  return (words: string, input = '') =>
    new Promise<Output>((resolve) => {
      const args = words.match(/'[^']*'|\S+/g)?.map((word) => word.replaceAll("'", '')) ?? [];
      const child = execFile(command, args, { env, timeout: 60_000 }, (error, stdout, stderr) => {
        resolve({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, stdout, stderr });
      });
      child.stdin?.on('error', () => {});
      child.stdin?.end(input);
    });
}

const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p' },
  spec: {
    containers: [
      {
        name: 'c',
        image: 'nginx',
        env: [{ name: 'COLOUR', value: 'blue' }],
        volumeMounts: [{ name: 'conf', mountPath: '/etc/conf' }],
      },
    ],
    volumes: [{ name: 'conf', configMap: { name: 'conf' } }],
  },
};

test('it says where it is, kubectl works on it, and it goes on after Ctrl-C where it was', async () => {
  const dir = await folder();
  const { child, lines } = await start(dir);
  expect(lines[0]).toMatch(/^cluster ready at https:\/\/127\.0\.0\.1:\d+$/);
  expect(lines[1]).toBe(`kubectl: export KUBECONFIG='${join(dir, 'kubeconfig')}'`);
  const kubectl = await kubectlFor(dir);
  await kubectl('create deployment web --image=nginx --replicas=2');
  expect((await kubectl('rollout status deployment web --timeout=60s')).stdout).toContain(
    'successfully rolled out',
  );
  expect((await kubectl('auth whoami')).stdout).toContain('system:masters');
  expect(await stop(child)).toBe(0);

  const again = await start(dir);
  expect(again.lines[0]).toBe(lines[0]);
  expect((await kubectl('get deployment web -o jsonpath={.status.readyReplicas}')).stdout).toBe('2');
});

test('kubectl exec, attach and cp reach a simulated shell, and port-forward a port on which nothing listens', async () => {
  const dir = await folder();
  await start(dir);
  const kubectl = await kubectlFor(dir);
  await kubectl('create configmap conf --from-literal=a.txt=hello');
  await kubectl('apply -f -', JSON.stringify(pod));
  await kubectl('wait --for=condition=Ready pod/p --timeout=60s');
  expect((await kubectl('exec p -- cat /etc/conf/a.txt')).stdout).toBe('hello');
  expect(await kubectl("exec p -- sh -c 'echo it is $COLOUR; exit 3'")).toMatchObject({
    code: 3,
    stdout: 'it is blue\n',
  });
  expect((await kubectl('exec -i p -- sh', 'hostname\n')).stdout).toBe('p\n');
  expect(await kubectl('exec p -- python3')).toMatchObject({ code: 127 });
  expect((await kubectl('attach -i p', 'x\n')).stderr).toContain('this container is simulated');
  const copy = join(dir, 'copy.txt');
  await kubectl(`cp p:/etc/conf/a.txt ${copy}`);
  expect(await readFile(copy, 'utf8')).toBe('hello');
  expect((await kubectl(`cp ${copy} p:/tmp/x`)).stderr).toContain('has no disk');
  expect(await throughForward(dir, 'p')).toMatch(/error creating error stream .*Stream reset/);
  expect((await kubectl('exec nope -- ls')).stderr).toContain('pods "nope" not found');
});

/** What kubectl prints when a connection goes through the port that it forwards. */
async function throughForward(dir: string, name: string): Promise<string> {
  const { command, env } = await kubectlProgram(dir);
  const child = spawn(command, ['port-forward', name, ':80'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  ends.push(() => stop(child));
  const forwarded = await once(createInterface({ input: child.stdout }), 'line');
  const [, port] = /127\.0\.0\.1:(\d+) ->/.exec(String(forwarded)) ?? [];
  const printed = once(child.stderr, 'data');
  const socket = connect(Number(port), '127.0.0.1').on('error', () => {});
  await once(socket, 'close');
  const [text] = await printed;
  await stop(child);
  return String(text);
}

test('with roles only what is granted is allowed, to tokens of a file and of service accounts', async () => {
  const dir = await folder();
  const tokens = join(dir, 'tokens.csv');
  await writeFile(tokens, 'hunter2,jane,7,"dev"\n');
  await start(dir, '--authorization', 'rbac', '--tokens', tokens);
  const kubectl = await kubectlFor(dir);
  const server = JSON.parse(await readFile(join(dir, 'kubeconfig'), 'utf8')).clusters[0].cluster.server;
  const bare = `--kubeconfig=/dev/null --server=${server} --insecure-skip-tls-verify`;
  const jane = (words: string) => kubectl(`${bare} --token=hunter2 ${words}`);
  expect((await jane('get pods')).stderr).toContain('User "jane" cannot list resource "pods"');
  await kubectl('create rolebinding dev --clusterrole=view --group=dev');
  expect((await jane('get pods')).code).toBe(0);
  expect((await jane('auth can-i delete pods')).stdout).toBe('no\n');
  expect((await jane('auth can-i --list')).stdout).toContain('pods/log');
  expect((await kubectl('auth can-i list secrets --as=jane --as-group=dev')).stdout).toBe('no\n');
  const { stdout: token } = await kubectl('create token default');
  const account = (words: string) => kubectl(`${bare} --token=${token.trim()} ${words}`);
  expect((await account('auth whoami')).stdout).toContain('system:serviceaccount:default:default');
  expect((await account('get configmaps')).stderr).toContain('cannot list resource "configmaps"');
  expect((await kubectl(`${bare} --token=wrong get pods`)).stderr).toContain('must be logged in');
});

test('faults of a file strike, and a file that makes no sense stops the start with the reason', async () => {
  const dir = await folder();
  const faults = join(dir, 'faults.yaml');
  await writeFile(
    faults,
    'rules: [{ match: { resources: [secrets] }, effect: { error: 503, message: on purpose } }]',
  );
  const { child } = await start(dir, '--faults', faults);
  const kubectl = await kubectlFor(dir);
  expect((await kubectl('get secrets')).stderr).toContain('on purpose');
  expect((await kubectl('get configmaps')).code).toBe(0);
  await stop(child);
  await writeFile(faults, 'rules: [{ effect: { eror: 503 } }]');
  await expect(start(dir, '--faults', faults)).rejects.toThrow('faults: effect of rule 1 has no field eror');
});
