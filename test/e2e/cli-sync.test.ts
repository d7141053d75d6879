import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Application } from '#base/model';
import { runHere } from './cli-steps.ts';
import { type Fairlead, forget, startFairlead } from './fairlead.ts';

// What each flag of app sync requests (server §8.4): the operation that is recorded, on one started program.

let fairlead: Fairlead;

beforeAll(async () => {
  fairlead = await startFairlead();
  const { host } = new URL(fairlead.url);
  const create = [
    `app create shop --repo file://${fairlead.demo} --path guestbook --dest-namespace shop`,
    '--dest-server https://kubernetes.default.svc --sync-option CreateNamespace=true',
  ].join(' ');
  for (const line of [
    `login ${host} --username admin --password ${fairlead.password}`,
    create,
    'app sync shop',
  ])
    expect(await runHere(fairlead, line.split(' '))).toMatchObject({ code: 0 });
});
afterAll(async () => {
  await fairlead?.stop();
  if (fairlead) forget(fairlead);
});

const worker = { group: 'apps', kind: 'Deployment', name: 'worker', namespace: 'shop' };

test.each([
  ['', { sync: { syncStrategy: { hook: {} } } }],
  [
    '--prune --revision main',
    { sync: { prune: true, revision: expect.stringMatching(/^main$|^[0-9a-f]{40}$/) } },
  ],
  ['--dry-run', { sync: { dryRun: true } }],
  ['--force', { sync: { syncStrategy: { hook: { force: true } } } }],
  ['--strategy apply --force', { sync: { syncStrategy: { apply: { force: true } } } }],
  [
    '--replace --server-side --apply-out-of-sync-only',
    { sync: { syncOptions: ['Replace=true', 'ServerSideApply=true', 'ApplyOutOfSyncOnly=true'] } },
  ],
  [
    '--retry-limit 3 --retry-backoff-duration 1s --retry-backoff-factor 3 --retry-backoff-max-duration 2m --retry-refresh',
    { retry: { limit: 3, refresh: true, backoff: { duration: '1s', factor: 3, maxDuration: '2m' } } },
  ],
  ['--retry-limit 0', { retry: {} }],
  [
    '--info by=me --info why=a=b',
    {
      info: [
        { name: 'by', value: 'me' },
        { name: 'why', value: 'a=b' },
      ],
    },
  ],
  [
    '--resource apps:Deployment:web',
    { sync: { resources: [{ group: 'apps', kind: 'Deployment', name: 'web' }] } },
  ],
  ['--resource apps:*:* --resource !apps:Deployment:web', { sync: { resources: [worker] } }],
] as const)('app sync %s', async (flags, wanted) => {
  const line = `app sync shop --timeout 60 -o json ${flags}`.trim();
  const { code, stdout, stderr } = await runHere(fairlead, line.split(' '));
  expect(code, stderr).toBe(0);
  const { status } = JSON.parse(stdout.slice(stdout.indexOf('{'))) as Application;
  expect(status?.operationState?.operation).toMatchObject(wanted);
});

test.each([
  ['--strategy other', 'use apply or hook'],
  ['--retry-backoff-duration 1s', 'need --retry-limit'],
  ['--retry-limit many', '--retry-limit many is not a whole number'],
  ['--info nothing', 'want name=value'],
  ['--resource apps:Deployment', 'want group:kind:name'],
])('app sync %s is refused, and nothing starts', async (flags, message) => {
  const started = async () =>
    (await runHere(fairlead, ['app', 'get', 'shop', '-o', 'json'])).stdout.match(/"startedAt": "(.*)"/)?.[1];
  const before = await started();
  const refused = await runHere(fairlead, `app sync shop ${flags}`.split(' '));
  expect(refused).toMatchObject({ code: 20, stdout: '', stderr: expect.stringContaining(message) });
  expect(await started()).toBe(before);
});
