import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Fairlead, forget, onCluster, startFairlead } from '../e2e/fairlead.ts';
import { eventually } from '../eventually.ts';

// compat rollouts §13, vector 61: the unmodified `kubectl argo rollouts` 1.9.1, typed at a started program: on the embedded cluster, or on
// the one of FAIRLEAD_TEST_KUBECONFIG.

const { FAIRLEAD_TEST_KUBECONFIG: cluster, FAIRLEAD_TEST_ROLLOUTS: program = '' } = process.env;
const namespace = 'plugin';
let fairlead: Fairlead;
let kubeconfig: string;

beforeAll(async () => {
  fairlead = await startFairlead(...(cluster ? [...onCluster(cluster), '--rollouts'] : ['--no-demo']));
  kubeconfig = cluster ?? join(fairlead.dataDir, 'kubeconfig');
  const objects = [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    rollout('web', {
      canary: { steps: [{ setWeight: 25 }, { pause: {} }, { setWeight: 50 }, { pause: {} }] },
    }),
    ...['live', 'next'].map(service),
    rollout('blue', {
      blueGreen: { activeService: 'live', previewService: 'next', autoPromotionEnabled: false },
    }),
  ];
  for (const object of objects) expect(await fairlead.apply(object)).toMatchObject({ code: 0 });
});
afterAll(async () => {
  await fairlead?.stop();
  if (fairlead) forget(fairlead);
});

const rollout = (name: string, strategy: object) => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Rollout',
  metadata: { name, namespace },
  spec: {
    replicas: 4,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: 'web', image: 'web:1' }] },
    },
    strategy,
  },
});
const service = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace },
  spec: { selector: { app: 'blue' }, ports: [{ port: 80 }] },
});

type Printed = { readonly code: number | null; readonly text: string };

function start(words: readonly string[]) {
  const env = { PATH: process.env.PATH ?? '', HOME: fairlead.folder, KUBECONFIG: kubeconfig, TERM: 'xterm' };
  const child = spawn(program, [...words, '-n', namespace], { env });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      text += chunk;
    });
  const ended = new Promise<Printed>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, text }));
  });
  return { child, ended, text: () => text };
}

const type = (line: string): Promise<Printed> => start(line.split(' ')).ended;
/** The line must end with 0 and print this. */
async function prints(line: string, ...patterns: readonly RegExp[]): Promise<void> {
  const { code, text } = await type(line);
  expect({ line, code, text }).toMatchObject({ line, code: 0 });
  for (const pattern of patterns) expect(text).toMatch(pattern);
}
/** What `get` shows once the controller has acted. */
const shows = (name: string, ...patterns: readonly RegExp[]) =>
  eventually(async () => {
    const { text } = await type(`get rollout ${name} --no-color`);
    for (const pattern of patterns) expect(text).toMatch(pattern);
  });

test('a canary: get, set image, status, promote, abort, retry, promote --full, undo', async () => {
  await prints('status web --timeout 60s', /Healthy/);
  await prints(
    'get rollout web --no-color',
    /Name: +web/,
    /Status: +. Healthy/,
    /Strategy: +Canary/,
    /Step: +4\/4/,
    /SetWeight: +100/,
    /ActualWeight: +100/,
    /Images: +web:1 \(stable\)/,
    /Desired: +4/,
    /Available: +4/,
    /# revision:1/,
    /ReplicaSet +. Healthy .*stable/,
  );
  await prints('set image web web=web:2', /rollout "web" image updated/);
  await shows(
    'web',
    /Status: +. Paused/,
    /Message: +CanaryPauseStep/,
    /Step: +1\/4/,
    /SetWeight: +25/,
    /web:2 \(canary\)/,
    /# revision:2/,
  );
  await prints('status web --watch=false', /Paused - CanaryPauseStep/);
  await prints('promote web', /rollout 'web' promoted/);
  await shows('web', /Step: +3\/4/, /SetWeight: +50/, /ActualWeight: +50/);
  await prints('abort web', /rollout 'web' aborted/);
  await shows('web', /Status: +. Degraded/, /RolloutAborted: Rollout aborted update to revision 2/);
  expect(await type('status web --timeout 10s')).toMatchObject({ code: 1 });
  await prints('retry rollout web', /rollout 'web' retried/);
  await shows('web', /Status: +. Paused/, /Step: +1\/4/);
  await prints('promote web --full', /rollout 'web' fully promoted/);
  await prints('status web --timeout 60s', /Healthy/);
  await shows('web', /Images: +web:2 \(stable\)/, /Updated: +4/);
  await prints('undo web', /rollout 'web' undo/);
  await shows('web', /Status: +. Paused/, /# revision:3/, /web:1 \(canary\)/);
  await prints('undo web --to-revision=2', /rollout 'web' undo/);
  await shows('web', /Status: +. Healthy/, /# revision:4/, /web:2 \(stable\)/);
});

test('get --watch follows an update until it is paused', async () => {
  const watching = start(['get', 'rollout', 'web', '--watch', '--no-color']);
  await eventually(async () => expect(watching.text()).toMatch(/Status: +. Healthy/));
  await prints('set image web *=web:4', /image updated/);
  await eventually(async () => expect(watching.text()).toMatch(/Status: +. Paused/));
  watching.child.kill('SIGINT');
  await watching.ended;
  await prints('pause web', /rollout 'web' paused/);
  await shows('web', /Message: +manually paused/);
  await prints('promote web', /promoted/);
  await prints('promote web --full', /fully promoted/);
  await prints('status web --timeout 60s', /Healthy/);
});

test('blue-green: the preview waits for a person; list and restart', async () => {
  await prints('status blue --timeout 60s', /Healthy/);
  await prints('set image blue web=web:2', /image updated/);
  await shows(
    'blue',
    /Status: +. Paused/,
    /Message: +BlueGreenPause/,
    /Strategy: +BlueGreen/,
    /stable,active/,
    /preview/,
  );
  await prints('list rollouts', /NAME +STRATEGY +STATUS/, /blue +BlueGreen +Paused/, /web +Canary +Healthy/);
  await prints('promote blue', /rollout 'blue' promoted/);
  await prints('status blue --timeout 60s', /Healthy/);
  await prints('restart blue', /rollout 'blue' restarts in/);
});
