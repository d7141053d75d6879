import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { forget } from '../e2e/fairlead.ts';
import { type Argocd, startArgocd, typeAll } from './argocd.ts';

// compat server §3.5, §8.2: every command of `argocd app` and `argocd appset`, typed at a started program.

let argocd: Argocd;
let repo: string;
beforeAll(async () => {
  argocd = await startArgocd();
  const { prints, host, fairlead } = argocd;
  repo = `file://${fairlead.demo}`;
  await prints(['login', host, '--username', 'admin', '--password', fairlead.password, '--plaintext']);
});
afterAll(async () => {
  await argocd.fairlead.stop();
  forget(argocd.fairlead);
});

const created = (name: string, ...more: string[]): string =>
  [
    `app create ${name} --repo ${repo} --path guestbook --dest-server https://kubernetes.default.svc`,
    `--dest-namespace ${name} --sync-option CreateNamespace=true`,
    ...more,
  ].join(' ');

test('an application is created, synced, waited for, read and deleted', async () => {
  await typeAll(argocd, [
    [created('one'), 0, /application 'one' created/],
    [created('one'), 0, /application 'one' unchanged/],
    [created('one', '--revision HEAD'), 20, /existing application spec is different, use upsert flag/],
    [created('one', '--label a=b'), 20, /existing application spec is different, use upsert flag/],
    [created('one', '--revision HEAD --label a=b --upsert'), 0, /application 'one' updated/],
    ['app diff one', 1, /===== \/ConfigMap one\/greeting ======\n0a1/],
    ['app diff one --exit-code=false', 0, /=====/],
    ['app sync one --dry-run', 0, /Phase: +Succeeded/],
    ['app sync one', 0, /Phase: +Succeeded[\s\S]*Deployment +one +web +Synced/],
    ['app wait one --health --timeout 60', 0, /Health Status: +Healthy/],
    ['app wait one --sync --health --operation --timeout 60', 0, /Sync Status: +Synced/],
    ['app diff one', 0, /^$/],
    ['app diff one --revision HEAD', 0, /^\s*$/],
    ['app diff one --server-side-diff', 0, /./],
    ['app get one', 0, /Name: +argocd\/one\nProject: +default\n[\s\S]*SyncWindow: +Sync Allowed/],
    ['app get one --refresh', 0, /Sync Status: +Synced/],
    ['app get one --hard-refresh --show-operation --show-params', 0, /Operation: +Sync/],
    ['app get one -o yaml', 0, /^ {2}name: one$/m],
    ['app get one -o json', 0, /"name": "one"/],
    ['app get one -o tree', 0, /Deployment\/web/],
    ['app list', 0, /^argocd\/one +https:\/\/kubernetes.default.svc +one +default +Synced +Healthy +Manual/m],
    ['app list -o name -l a=b', 0, /^argocd\/one\n$/],
    ['app list -p nothing -o name', 0, /^$/],
    ['app list -o yaml -p default', 0, /^ {4}name: one$/m],
    ['app manifests one', 0, /kind: ConfigMap/],
    ['app manifests one --source live', 0, /uid:/],
    ['app manifests one --revision HEAD', 0, /GREETING/],
    ['app resources one', 0, /^ +ConfigMap +one +greeting +No$/m],
    ['app resources one --output tree', 0, /└─apps +ReplicaSet/],
    ['app history one', 0, /^0 +\d{4}-/m],
    ['app history one -o id', 0, /^0\n$/],
    ['app delete one -y --wait', 0, /application 'one' deleted/],
    ['app get one', 20, /code = PermissionDenied desc = permission denied/],
  ]);
});

test('an application is changed, its resources too, and rolled back', async () => {
  await typeAll(argocd, [
    [created('two'), 0, /created/],
    ['app sync two --async', 0, /^/],
    ['app wait two --timeout 60', 0, /Health Status: +Healthy/],
    ['app set two --revision HEAD --sync-policy none', 0, /^$/],
    ['app unset two --values x.yaml', 0, /^$/],
    [`app patch two --patch '{"metadata":{"labels":{"x":"y"}}}' --type merge`, 0, /x: "?y"?/],
    [`app patch two --patch '[{"op":"remove","path":"/metadata/labels/x"}]'`, 0, /name: two/],
    ['app logs two --tail 1', 0, /simulated/],
    ['app logs two --kind Deployment --group apps --name worker --container worker --tail 1', 0, /simulated/],
    ['app logs two --filter nothing-of-the-kind', 0, /^$/],
    [
      'app actions list two --kind Deployment --resource-name web',
      0,
      /^apps +Deployment +web +restart +false$/m,
    ],
    ['app actions list two', 0, /^argoproj\.io +Application +two +toggle-auto-sync +false$/m],
    ['app actions run two restart --kind Deployment --resource-name web', 0, /^$/],
    ['app actions run two explode --kind Deployment --resource-name web', 20, /explode/],
    ['app get-resource two --kind ConfigMap --resource-name greeting', 0, /data.GREETING +Welcome aboard/],
    [
      `app patch-resource two --kind ConfigMap --resource-name greeting --patch '{"data":{"GREETING":"Hi"}}' --patch-type application/merge-patch+json`,
      0,
      /Resource 'greeting' patched/,
    ],
    ['app diff two --refresh', 1, /< +GREETING: Hi\n---\n> +GREETING: Welcome aboard/],
    ['app sync two --resource :ConfigMap:greeting', 0, /Succeeded/],
    ['app delete-resource two --kind ConfigMap --resource-name greeting', 0, /Resource 'greeting' deleted/],
    ['app sync two --prune --force --timeout 60', 0, /Succeeded/],
    ['app history two', 0, /^1 /m],
    ['app rollback two 0 --timeout 60', 0, /Phase: +Succeeded/],
    ['app set two --sync-policy automated', 0, /^$/],
    [
      'app rollback two 0',
      20,
      /code = FailedPrecondition desc = rollback cannot be initiated when auto-sync/,
    ],
    ['app sync two --revision other', 20, /code = FailedPrecondition/],
    ['app terminate-op two', 20, /code = InvalidArgument desc = .*no operation is in progress/i],
    ['app set two --project nothing', 20, /nothing/],
    ['app sync nothing', 20, /PermissionDenied/],
    ['app wait two --degraded --timeout 1', 20, /timed out/],
    ['app confirm-deletion two', 0, /updated successfully/],
    ['app delete two -y --cascade=false --wait', 0, /deleted/],
  ]);
});

test('what one label selects is synced and deleted, and of one application what another does', async () => {
  const { folder, fairlead, prints, run } = argocd;
  cpSync(join(fairlead.demo, 'guestbook'), join(folder, 'manifests'), { recursive: true });
  const greeting = join(folder, 'manifests/greeting.yaml');
  writeFileSync(greeting, readFileSync(greeting, 'utf8').replace('Welcome aboard', 'From here'));
  await typeAll(argocd, [
    [created('six', '--label team=green'), 0, /created/],
    [created('seven', '--label team=green'), 0, /created/],
    [created('eight', '--label team=red'), 0, /created/],
    ['app sync -l team=green --timeout 60', 0, /argocd\/(?:six|seven)[\s\S]*argocd\/(?:six|seven)/],
    ['app wait -l team=green --timeout 60', 0, /Health Status: +Healthy/],
    ['app get eight', 0, /Sync Status: +OutOfSync/],
    ['app sync -l team=nobody', 1, /no matching apps found for filter: selector team=nobody/i],
    ['app sync eight --label part=none', 1, /No matching resources found for label.*part=none/i],
    ['app manifests six --local manifests --local-repo-root .', 0, /GREETING: From here/],
    ['app manifests six', 0, /GREETING: Welcome aboard/],
    ['app delete -l team=green -y --wait', 0, /application 'argocd\/(?:six|seven)' deleted/],
    ['app delete -l team=nobody -y', 20, /no apps match selector team=nobody/],
  ]);
  expect(await prints(['app', 'list', '-o', 'name'])).not.toMatch(/six|seven/);
  await fairlead.commit({
    'labelled/one.yaml': configMap('one', 'first'),
    'labelled/two.yaml': configMap('two', 'second'),
  });
  await typeAll(argocd, [
    ['app set eight --path labelled', 0, /^$/],
    ['app sync eight --label part=first --timeout 60', 0, /ConfigMap +eight +one +Synced/],
    ['app resources eight', 0, /one/],
    ['app get eight', 0, /ConfigMap +eight +two +OutOfSync/],
    ['app delete eight -y --wait', 0, /deleted/],
  ]);
  expect((await run('app', 'get', 'eight')).code).toBe(20);
});

const configMap = (name: string, part: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: ${name}, labels: { part: ${part} } }\n`;

test('an application of a file, with several sources', async () => {
  const { folder } = argocd;
  const source = (path: string) => ({ repoURL: repo, path, targetRevision: 'HEAD' });
  const application = {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name: 'three' },
    spec: {
      project: 'default',
      sources: [source('guestbook')],
      destination: { server: 'https://kubernetes.default.svc', namespace: 'three' },
      syncPolicy: { syncOptions: ['CreateNamespace=true'] },
    },
  };
  writeFileSync(join(folder, 'three.yaml'), JSON.stringify(application));
  await typeAll(argocd, [
    ['app create -f three.yaml', 0, /application 'three' created/],
    [`app add-source three --repo ${repo} --path catalog`, 0, /Application 'three' updated successfully/],
    ['app get three', 0, /catalog/],
    ['app remove-source three --source-position 2', 0, /updated successfully/],
    ['app sync three', 0, /Succeeded/],
    ['app delete three -y', 0, /deleted/],
  ]);
});

test('what is typed with --local is compared with the live objects', async () => {
  const { fairlead, folder, prints } = argocd;
  await prints(['app', 'wait', 'guestbook', '--health', '--timeout', '60']);
  const local = ['app', 'diff', 'guestbook', '--local-repo-root', fairlead.demo, '--local'];
  await prints([...local, join(fairlead.demo, 'guestbook')]);
  mkdirSync(join(folder, 'changed'), { recursive: true });
  const changed = `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: greeting }\ndata: { GREETING: Changed }\n`;
  writeFileSync(join(folder, 'changed/greeting.yaml'), changed);
  const { code, stdout } = await argocd.run(
    ...['app', 'diff', 'guestbook', '--local-repo-root', folder, '--local', join(folder, 'changed')],
  );
  expect([code, stdout]).toEqual([1, expect.stringMatching(/> +GREETING: Changed/)]);
  // rendered by the server: from a folder like the repository, or from the folder of the application alone
  mkdirSync(join(folder, 'tree/guestbook'), { recursive: true });
  writeFileSync(join(folder, 'tree/guestbook/greeting.yaml'), changed);
  await typeAll(argocd, [
    ['app diff guestbook --local tree --server-side-generate', 1, /> +GREETING: Changed/],
    ['app diff guestbook --local changed --server-side-generate', 1, /> +GREETING: Changed/],
    [
      'app diff guestbook --local changed --server-side-generate --grpc-web',
      20,
      /code = Unimplemented desc = .*without --grpc-web/,
    ],
  ]);
});

test('what is typed with --local is synced, until Git is synced again', async () => {
  const { folder } = argocd;
  const changed = `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: greeting }\ndata: { GREETING: Local }\n`;
  const secret = `apiVersion: v1\nkind: Secret\nmetadata: { name: word }\nstringData: { a: local-secret }\n`;
  mkdirSync(join(folder, 'local'), { recursive: true });
  writeFileSync(join(folder, 'local/greeting.yaml'), changed);
  writeFileSync(join(folder, 'local/word.yaml'), secret);
  const local = 'app sync four --local local --local-repo-root .';
  await typeAll(argocd, [
    [created('four'), 0, /created/],
    ['app sync four', 0, /Succeeded/],
    [local, 1, /Phase: +Succeeded[\s\S]*3 resources require pruning/],
    ['app manifests four --source live', 0, /GREETING: Local/],
    [`${local} --prune`, 0, /Sync Status: +Synced/],
  ]);
  expect((await argocd.run('app', 'get', 'four', '-o', 'json')).stdout).not.toContain('local-secret');
  await typeAll(argocd, [
    ['app sync four --prune', 0, /Succeeded/],
    ['app manifests four --source live', 0, /GREETING: Welcome aboard/],
    ['app set four --sync-policy automated', 0, /^$/],
    [local, 1, /Cannot use local sync when Automatic Sync Policy is enabled/], // its own, before the server is reached
    ['app delete four -y', 0, /deleted/],
  ]);
});

test('a set is generated, created, read, changed and deleted', async () => {
  const elements = (...teams: string[]) => [{ list: { elements: teams.map((team) => ({ team })) } }];
  const setOf = (...teams: string[]) => ({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'ApplicationSet',
    metadata: { name: 'teams' },
    spec: {
      goTemplate: true,
      generators: elements(...teams),
      template: {
        metadata: { name: 'team-{{.team}}' },
        spec: {
          project: 'default',
          source: { repoURL: repo, path: 'guestbook', targetRevision: 'HEAD' },
          destination: { server: 'https://kubernetes.default.svc', namespace: 'team-{{.team}}' },
        },
      },
    },
  });
  writeFileSync(join(argocd.folder, 'set.yaml'), JSON.stringify(setOf('red', 'blue')));
  writeFileSync(join(argocd.folder, 'larger.yaml'), JSON.stringify(setOf('red', 'blue', 'green')));
  await typeAll(argocd, [
    ['appset generate set.yaml', 0, /^argocd\/team-red[\s\S]*^argocd\/team-blue/m],
    ['appset generate set.yaml -o yaml', 0, /name: team-blue/],
    ['appset create set.yaml', 0, /ApplicationSet 'teams' created/],
    ['appset create set.yaml', 0, /ApplicationSet 'teams' unchanged/],
    ['appset create larger.yaml', 20, /existing ApplicationSet spec is different/i],
    ['appset create larger.yaml --upsert', 0, /ApplicationSet 'teams' updated/],
    ['appset list', 0, /teams +default/],
    ['appset get teams', 0, /Name: +argocd\/teams/],
    ['appset get teams -o yaml', 0, /team: green/],
    ['appset create larger.yaml --upsert --wait', 0, /ApplicationSet 'teams' unchanged/],
    ['appset delete teams -y --wait', 0, /applicationset 'teams' deleted/],
    ['appset get teams', 20, /code = NotFound/],
    ['appset create set.yaml --wait', 0, /ApplicationSet 'teams' created/],
    ['app get team-red', 0, /Sync Status: +OutOfSync/],
    ['appset delete teams -y --wait', 0, /deleted/],
  ]);
});
