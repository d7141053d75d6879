import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import '#control/deliver'; // loaded before a test's time begins
import { WebDouble } from '../../../../../test/notify/doubles.ts';
import { runCli } from '../../run.ts';

// compat server §8.6, offline: on the files of the users' documents and on files of our own

const folder = mkdtempSync(join(tmpdir(), 'fairlead-notifications-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, document: object): string {
  const path = join(folder, name);
  writeFileSync(path, JSON.stringify(document));
  return path;
}

async function notifications(...args: string[]) {
  let [out, err] = ['', ''];
  const io = {
    out: (text: string) => {
      out += text;
    },
    err: (text: string) => {
      err += text;
    },
    env: {},
    isTerminal: false,
    prompt: async () => '',
  };
  const openManifests = () => Promise.reject(new Error('nothing is rendered here'));
  const options = { io, signal: new AbortController().signal, version: '0', roles: [], openManifests };
  const code = await runCli(['admin', 'notifications', ...args], options);
  return { code, out, err };
}

const app = file('app.yaml', {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name: 'shop', namespace: 'argocd' },
  spec: {
    project: 'default',
    source: { repoURL: 'https://h/r', path: '.' },
    destination: { namespace: 'shop' },
  },
  status: {
    health: { status: 'Degraded' },
    sync: { revision: 'abcdef123' },
    operationState: { phase: 'Succeeded', finishedAt: 'now' },
  },
});
const seed = [
  '--config-map',
  'test/seeds/testdata/002/argocd-notifications-cm.yaml',
  '--secret',
  'test/seeds/testdata/002/argocd-notifications-secret.yaml',
];

test('triggers of the configuration and of the catalog are listed, and printed one by one', async () => {
  const { code, out } = await notifications('trigger', 'get', ...seed);
  expect(code).toBe(0);
  expect(out).toContain(
    "on-health-degraded      app-health-degraded  app.status.health.status == 'Degraded'\n",
  );
  expect(out).toContain('on-created ');
  expect(
    JSON.parse((await notifications('trigger', 'get', 'on-sync-failed', '-o', 'json', ...seed)).out),
  ).toEqual([
    {
      name: 'on-sync-failed',
      trigger: [
        { when: "app.status.operationState.phase in ['Error', 'Failed']", send: ['app-sync-failed'] },
      ],
    },
  ]);
  expect((await notifications('template', 'get', '-o', 'name', ...seed)).out.split('\n')).toContain(
    'app-sync-failed',
  );
});

test('a trigger is run against an application in a file', async () => {
  const { out } = await notifications('trigger', 'run', 'on-health-degraded', app, ...seed);
  expect(out).toBe(
    `${'CONDITION'.padEnd(38)}  RESULT  ONCE PER\napp.status.health.status == 'Degraded'  true\n`,
  );
  expect(await notifications('trigger', 'run', 'on-fire', app, ...seed)).toMatchObject({
    code: 20,
    err: expect.stringContaining('there is no trigger on-fire'),
  });
});

test('a template is printed, without the secrets that it uses', async () => {
  const config = file('cm.yaml', {
    kind: 'ConfigMap',
    data: { 'template.t': 'message: "{{.app.metadata.name}} {{.secrets.token}}"' },
  });
  const secret = file('secret.yaml', { kind: 'Secret', stringData: { token: 'tok-secret' } });
  const { code, out } = await notifications(
    'template',
    'notify',
    't',
    app,
    '--config-map',
    config,
    '--secret',
    secret,
  );
  expect([code, out]).toEqual([0, 'shop ***\n']);
});

test('a template is sent to a service, and an error says what may help', async () => {
  const double = await WebDouble.open();
  const config = file('send.yaml', {
    kind: 'ConfigMap',
    data: { 'service.slack': `token: $t\napiURL: ${double.url}/`, 'template.t': 'message: hello' },
  });
  const send = (to: string) =>
    notifications('template', 'notify', 't', app, '--config-map', config, '--recipient', to);
  expect(await send('slack:ops')).toMatchObject({ code: 0, out: 'sent to slack:ops\n' });
  expect(double.bodies).toEqual([{ text: 'hello', channel: 'ops' }]);
  double.reply = () => ({ status: 401 });
  expect(await send('slack:ops')).toMatchObject({
    code: 20,
    err: expect.stringContaining('not sent to slack:ops: it answered 401; check its key'),
  });
  await double.close();
});
