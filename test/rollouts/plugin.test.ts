import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
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
/** Whoever asks it how the new version does is answered that it does well. */
const metrics = createServer((_request, response) => response.end('{"ok": true}'));

beforeAll(async () => {
  await new Promise<void>((resolve) => metrics.listen(0, '127.0.0.1', resolve));
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
  metrics.close();
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

test('blue-green: the preview waits for a person; list, undo, abort, retry, promote --full', async () => {
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
  await prints('undo blue', /rollout 'blue' undo/);
  // the pods of the version before still wait for their end: it is live again at once
  await shows('blue', /Status: +. Healthy/, /# revision:3/, /web:1 \(stable, active\)/);
  await prints('set image blue web=web:3', /image updated/);
  await shows('blue', /Status: +. Paused/, /# revision:4/);
  await prints('abort blue', /rollout 'blue' aborted/);
  await shows('blue', /Status: +. Degraded/, /RolloutAborted: Rollout aborted update to revision 4/);
  await prints('retry rollout blue', /rollout 'blue' retried/);
  await prints('promote blue --full', /rollout 'blue' fully promoted/);
  await prints('status blue --timeout 60s', /Healthy/);
  await shows('blue', /web:3 \(stable, active\)/);
});

test('restart replaces the pods of a Rollout; list follows it', async () => {
  await fairlead.apply(rollout('old', { canary: {} }));
  await prints('status old --timeout 60s', /Healthy/);
  const listing = start(['list', 'rollouts', '--watch']);
  const before = await podsOf('old');
  expect(before).toHaveLength(4);
  await prints('restart old --in 1s', /rollout 'old' restarts in 1s/);
  await eventually(async () => {
    const now = await podsOf('old');
    expect(now).toHaveLength(4);
    expect(now.filter((uid) => before.includes(uid))).toEqual([]);
  });
  await prints('status old --timeout 60s', /Healthy/);
  await eventually(async () => expect(listing.text()).toMatch(/old +Canary +Healthy/));
  listing.child.kill('SIGINT');
  await listing.ended;
  await prints('list rollouts --all-namespaces', /NAMESPACE +NAME +STRATEGY/, /plugin +old +Canary/);
});

async function podsOf(name: string): Promise<string[]> {
  const words = ['get', 'pods', '-n', namespace, '-l', `app=${name}`, '-o', 'json'];
  const { items } = JSON.parse((await fairlead.kubectl(...words)).stdout);
  return items
    .filter(({ metadata }: { metadata: { deletionTimestamp?: string } }) => !metadata.deletionTimestamp)
    .map(({ metadata }: { metadata: { uid: string } }) => metadata.uid);
}

test('create, terminate and lint', async () => {
  const file = (name: string, object: object): string => {
    const path = join(fairlead.folder, name);
    writeFileSync(path, JSON.stringify(object));
    return path;
  };
  const url = `http://127.0.0.1:${(metrics.address() as AddressInfo).port}/`;
  const provider = { web: { url, jsonPath: '{$.ok}' } };
  const template = {
    ...{ apiVersion: 'argoproj.io/v1alpha1', kind: 'AnalysisTemplate', metadata: { name: 'ok', namespace } },
    spec: { metrics: [{ name: 'ok', interval: '1h', count: 5, successCondition: 'result', provider }] },
  };
  await prints(`create -f ${file('template.json', template)}`, /analysistemplate.argoproj.io\/ok created/);
  const steps = [{ setWeight: 50 }, { analysis: { templates: [{ templateName: 'ok' }] } }];
  const measured = rollout('measured', { canary: { steps } });
  await prints(`create -f ${file('rollout.json', measured)}`, /rollout.argoproj.io\/measured created/);
  await prints('status measured --timeout 60s', /Healthy/);
  await prints('set image measured web=web:2', /image updated/);
  await shows('measured', /Status: +. Progressing/, /AnalysisRun +. Running .*✔ 1/);
  const { text } = await type('get rollout measured --no-color');
  const run = /(measured-\S+) +AnalysisRun/.exec(text)?.[1] ?? '';
  await prints(`terminate analysisrun ${run}`, /analysisRun '\S+' terminated/);
  await prints('status measured --timeout 60s', /Healthy/);
  await shows('measured', /AnalysisRun +. Successful/, /web:2 \(stable\)/);
  await prints('create analysisrun --from ok --name alone', /analysisrun.argoproj.io\/alone created/);
  await prints(`lint -f ${file('rollout.json', measured)}`);
  const wrong = rollout('wrong', { canary: { steps: [{ setWeight: 500 }] } });
  const refused = await type(`lint -f ${file('wrong.json', wrong)}`);
  expect(refused).toMatchObject({ code: 1, text: expect.stringMatching(/setWeight/) });
  expect(await type('promote missing')).toMatchObject({ code: 1, text: expect.stringMatching(/not found/) });
});

test('an experiment as a step: get, list experiments, terminate, retry', async () => {
  const templates = ['stable', 'canary'].map((specRef) => ({
    ...{ name: `of-${specRef}`, specRef, metadata: { labels: { of: specRef } } },
  }));
  const steps = [{ experiment: { templates, scaleDownDelaySeconds: 1 } }, { pause: {} }];
  expect(await fairlead.apply(rollout('compared', { canary: { steps } }))).toMatchObject({ code: 0 });
  await prints('status compared --timeout 60s', /Healthy/);
  await prints('set image compared web=web:2', /image updated/);
  await shows(
    'compared',
    /Status: +. Progressing/,
    /compared-\w+-2-0 +Experiment +. Running/,
    /compared-\w+-2-0-of-stable +ReplicaSet +. Healthy/,
    /compared-\w+-2-0-of-canary +ReplicaSet +. Healthy/,
  );
  const { text } = await type('get rollout compared --no-color');
  const name = /(compared-\w+-2-0) +Experiment/.exec(text)?.[1] ?? '';
  await prints('list experiments', new RegExp(`${name} +Running`));
  await prints(
    `get experiment ${name} --no-color`,
    /Status: +. Running/,
    /web:1 \(Σ:of-stable\)/,
    /web:2 \(Σ:of-canary\)/,
  );
  // the plugin says "retried" here, though it terminates (rollouts RQ-18)
  await prints(`terminate experiment ${name}`, /experiment '\S+'/);
  await shows('compared', /Status: +. Paused/, /Step: +1\/2/, /Experiment +. Successful/);
  await prints(`retry experiment ${name}`, /experiment '\S+' retried/);
  await prints('abort compared', /aborted/);
});
