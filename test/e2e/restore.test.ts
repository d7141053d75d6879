import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { play } from './cli-steps.ts';
import { type Fairlead, forget, isSettled, startFairlead } from './fairlead.ts';

// Disaster recovery (server §8.6): what one installation exports is all that an empty one needs.

let lost: Fairlead;
let empty: Fairlead;

beforeAll(async () => {
  lost = await startFairlead();
  empty = await startFairlead('--no-demo', '--local-repositories', lost.demo);
});
afterAll(async () => {
  for (const one of [lost, empty]) {
    await one?.stop();
    if (one) forget(one);
  }
});

test('a backup restores an empty installation: logins, repositories, clusters, projects and what is deployed', async () => {
  await lost.until('guestbook', 'settled', isSettled);
  const context = (await lost.kubectl('config', 'current-context')).stdout.trim();
  const variables = {
    HOST: new URL(lost.url).host,
    PASSWORD: lost.password,
    CONTEXT: context,
    REPO: `file://${lost.demo}`,
    FILE: join(lost.folder, 'backup.yaml'),
  };
  await play(
    lost,
    [
      { run: 'login $HOST --username admin --password $PASSWORD' },
      { run: 'repo add $REPO --username git --password secret --name demo', out: ['added'] },
      { run: 'cluster add $CONTEXT --name staging --label tier=test --yes', out: ["as 'staging'"] },
      { run: 'proj create team --description restored --src $REPO' },
      { run: 'proj role create team ci' },
      { run: 'admin export -o $FILE', err: ['which holds secrets'] },
    ],
    variables,
  );

  const there = { ...variables, HOST: new URL(empty.url).host };
  await play(
    empty,
    [
      { run: 'admin import $FILE', out: ['Application guestbook created', 'AppProject team created'] },
      // the password of the backup, not the one that was made at the first start
      { run: `login $HOST --username admin --password ${empty.password}`, code: 20 },
      { run: 'login $HOST --username admin --password $PASSWORD', out: ['logged in successfully'] },
      { run: 'repo list', out: [/git +demo +file:\S+ .* true +Successful/] },
      { run: 'cluster list', out: [/staging +\S+ +Successful/, 'in-cluster'] },
      { run: 'cluster get staging -o json', out: ['"tier": "test"'] },
      { run: 'proj role get team ci', out: ['ci'] },
      { run: 'app wait guestbook --sync --health --timeout 60', out: ['Healthy'] },
      { run: 'app list -o name', out: ['argocd/guestbook', 'argocd/demo'] },
      { run: 'admin import $FILE --dry-run', never: ['created', 'pruned'] },
    ],
    there,
  );
  const deployed = await empty.kubectl('get', 'deployments', '-n', 'guestbook', '-o', 'name');
  expect(deployed.stdout).toContain('deployment.apps/web');
});
