import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Application } from '#base/model';
import { play } from './cli-steps.ts';
import { type Fairlead, forget, isSettled, startFairlead } from './fairlead.ts';

// Everything that `fairlead app` does beyond the loop of cli.test.ts, on one started program.
let fairlead: Fairlead;
let variables: Record<string, string>;

beforeAll(async () => {
  fairlead = await startFairlead();
  await fairlead.until('demo', 'settled', isSettled);
  variables = {
    HOST: new URL(fairlead.url).host,
    PASSWORD: fairlead.password,
    REPO: `file://${fairlead.demo}`,
    DEMO: fairlead.demo,
    FOLDER: fairlead.folder,
  };
  await play(
    fairlead,
    [{ run: 'login $HOST --username admin --password $PASSWORD', never: [fairlead.password] }],
    variables,
  );
  await play(
    fairlead,
    [
      {
        run: 'app create shop --repo $REPO --path guestbook --dest-server https://kubernetes.default.svc --dest-namespace shop --sync-option CreateNamespace=true -l team=shop --annotations note=hello',
        out: ["application 'shop' created"],
      },
      { run: 'app sync shop --timeout 60', out: ['Succeeded'] },
      { run: 'app wait shop --timeout 60', out: ['Healthy'] },
    ],
    variables,
  );
});

afterAll(async () => {
  await fairlead?.stop();
  if (fairlead) forget(fairlead);
});

test('get shows an application whose cluster is unreachable, with the reason in the first line', async () => {
  const server = 'https://cluster.invalid:6443';
  await fairlead.apply({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'away', namespace: 'argocd', labels: { 'argocd.argoproj.io/secret-type': 'cluster' } },
    stringData: { name: 'away', server, config: '{}' },
  });
  await fairlead.apply({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name: 'away', namespace: 'argocd' },
    spec: {
      project: 'default',
      source: { repoURL: `file://${fairlead.demo}`, path: 'guestbook' },
      destination: { server, namespace: 'away' },
    },
  });
  const hasError = ({ status }: Application) =>
    status?.conditions?.some(({ type }) => type === 'ComparisonError') ?? false;
  await fairlead.until('away', 'not comparable', hasError);
  const out = [/^Problem: +diff failure: cluster away cannot be read/, 'Name:               argocd/away'];
  const err = [/^note: the live resources cannot be read: cannot reach the cluster at cluster\.invalid/];
  await play(fairlead, [
    { run: 'app get away', out, err },
    { run: 'app get away -o tree', out, err },
    {
      run: 'app wait away --timeout 1',
      code: 20,
      out: [/^Problem: +diff failure/m],
      err: ['timed out (1s)'],
    },
    { run: 'app delete away --cascade=false --yes' },
  ]);
});

test('list and get in every format, and by selector, project, cluster, repository and path', async () => {
  await play(
    fairlead,
    [
      { run: 'app list -l team=shop -o name', out: [/^argocd\/shop\n$/] },
      {
        run: 'app list -p default -c https://kubernetes.default.svc -r $REPO -P guestbook -o name',
        out: ['argocd/shop'],
      },
      { run: 'app list -P nowhere -o name', out: [/^$/] },
      { run: 'app list -l team=shop -o yaml', out: ['kind: Application', '- apiVersion: argoproj.io'] },
      { run: 'app list -l team=shop -o yaml --multi-doc', out: [/^apiVersion: argoproj.io/] },
      { run: 'app list -o table', code: 20, err: ['unknown output format'] },
      { run: 'app get shop -o json', out: ['"note": "hello"'] },
      { run: 'app get shop -o tree', out: ['KIND/NAME', /└─ReplicaSet\/web-/, / {2}└─Pod\/web-/] },
      { run: 'app get shop -o tree=detailed', out: [/KIND\/NAME +STATUS +HEALTH +AGE +MESSAGE +REASON/] },
      { run: 'app get argocd/shop --show-operation --show-params', out: ['Phase:', 'NAME  VALUE'] },
      { run: 'app get nosuch', code: 20, err: ['not found'] },
      { run: 'app history shop -o id', out: [/^0\n$/] },
      {
        run: 'app resources shop',
        out: [/GROUP +KIND +NAMESPACE +NAME +ORPHANED/, /Deployment +shop +web +No/],
      },
      { run: 'app resources shop -o tree', out: ['Deployment/web'] },
    ],
    variables,
  );
});

test('set, unset, patch, sources, and what they refuse', async () => {
  await play(
    fairlead,
    [
      { run: 'app set shop', code: 20, err: ['nothing to set'] },
      { run: 'app set shop --project nosuch', code: 20, err: ['nosuch'] },
      { run: 'app set shop --project default' },
      { run: 'app set shop --sync-policy automated --self-heal --auto-prune=false --sync-retry-limit 2' },
      { run: 'app get shop -o yaml', out: ['selfHeal: true', 'prune: false', 'limit: 2'] },
      {
        run: 'app set shop --self-heal=false --sync-policy manual --sync-retry-limit 0 --sync-option !CreateNamespace',
      },
      { run: 'app get shop -o yaml', never: ['selfHeal: true', 'limit: 2'] },
      { run: 'app set shop --auto-prune', code: 20, err: ['--sync-policy automated'] },
      { run: 'app set shop --sync-policy sometimes', code: 20, err: ['unknown sync policy'] },
      { run: 'app set shop --sync-option CreateNamespace=true', never: ['warning'] },
      {
        run: 'app set shop --sync-option Nosuch=true,PruneLast=true',
        err: ['warning: the sync option Nosuch=true is not known'],
        never: ['PruneLast'],
      },
      { run: 'app set shop --sync-option !Nosuch,!PruneLast', never: ['warning'] },
      {
        run: `app patch shop --type merge --patch '{"metadata":{"labels":{"tier":"web"}}}'`,
        out: ['tier: web'],
      },
      { run: 'app patch shop --patch {', code: 20, err: ['not JSON'] },
      { run: 'app add-source shop --repo $REPO --path storefront/overlays/production --source-name extra' },
      { run: 'app set shop --revision HEAD', code: 20, err: ['has 2 sources'] },
      { run: 'app set shop --source-position 2 --nameprefix x- --validate=false' },
      { run: 'app get shop -o yaml', out: ['namePrefix: x-', 'name: extra'] },
      { run: 'app unset shop --source-name extra --nameprefix' },
      { run: 'app unset shop --source-position 2 --nameprefix', code: 20, err: ['nothing to unset'] },
      { run: 'app manifests shop --revisions HEAD --source-positions 2', out: ['kind: Deployment'] },
      { run: 'app manifests shop --revisions HEAD', code: 20, err: ['--source-positions'] },
      { run: 'app remove-source shop --source-position 3', code: 20, err: ['out of range'] },
      { run: 'app remove-source shop --source-name extra' },
      { run: 'app remove-source shop --source-position 1', code: 20, err: ['has one source'] },
      { run: 'app edit shop', code: 20, err: ['no terminal'] },
      { run: 'app refresh shop --hard', out: ["application 'shop' refreshed"] },
      { run: 'app confirm-deletion shop', out: ['updated'] },
    ],
    variables,
  );
});

test('one resource: read, patched, deleted, its log', async () => {
  const web = '--kind Deployment --resource-name web';
  await play(
    fairlead,
    [
      {
        run: `app get-resource shop ${web} -o yaml --filter-fields spec.replicas`,
        out: ['replicas: 2'],
        never: ['template'],
      },
      { run: `app get-resource shop --kind Secret`, code: 20, err: ['app resources'] },
      { run: `app patch-resource shop ${web} --patch '{"spec":{"replicas":3}}'`, out: ["'web' patched"] },
      { run: `app get-resource shop ${web} -o json`, out: ['"replicas": 3'] },
      { run: `app patch-resource shop --kind Deployment --patch '{}'`, code: 20, err: ['--all'] },
      {
        run: 'app diff shop',
        code: 1,
        out: ['===== apps/Deployment shop/web ======', '-  replicas: 3', '+  replicas: 2'],
      },
      { run: 'app diff shop --exit-code=false', out: ['replicas: 3'] },
      { run: 'app diff shop --diff-exit-code 7', code: 7 },
      {
        run: `app sync shop --resource apps:Deployment:w* --resource !apps:Deployment:worker`,
        out: ['Succeeded'],
      },
      { run: 'app sync shop --resource apps:Deployment:x*', code: 20, err: ['no resource of application'] },
      { run: 'app sync shop --resource wrong', code: 20, err: ['group:kind:name'] },
      { run: 'app diff shop' },
      {
        run: 'app delete-resource shop --kind ConfigMap --resource-name greeting',
        out: ["'greeting' deleted"],
      },
      { run: 'app logs shop --kind Deployment --name web --tail 1', out: ['simulated'] },
      { run: 'app logs shop --filter !simulated --tail 5', never: ['simulated'] },
      { run: 'app terminate-op shop', code: 20 },
      { run: 'app sync -l team=shop --timeout 60 -o json', out: ['"phase": "Succeeded"'] },
      { run: 'app sync -l team=none', code: 20, err: ['no application matches'] },
      { run: 'app sync', code: 20, err: ['name an application'] },
      { run: 'app wait shop --health --resource apps:Deployment:web --timeout 30' },
      {
        run: 'app wait shop --suspended --timeout 1',
        code: 20,
        out: [/^Health Status: +Healthy$/m],
        err: ['timed out (1s)'],
      },
      { run: 'app wait nosuch', code: 20, err: ['not found'] },
    ],
    variables,
  );
  const head = (
    await fairlead.commit({
      'guestbook/extra.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: extra}\n',
    })
  ).slice(0, 9);
  await play(fairlead, [{ run: `app wait shop --operation --revision ${head} --timeout 60` }], variables);
});

test('diff and manifests of a folder of this machine and of another revision', async () => {
  const text = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: greeting\ndata:\n  GREETING: local\n';
  mkdirSync(join(fairlead.folder, 'changed'));
  writeFileSync(join(fairlead.folder, 'changed', 'greeting.yaml'), text);
  await fairlead.commit({ 'guestbook/greeting.yaml': text.replace('local', 'next') });
  await play(
    fairlead,
    [
      { run: 'app sync shop --timeout 60' },
      { run: 'app diff shop --local $DEMO/guestbook --server-side' },
      {
        run: 'app diff shop --local $FOLDER/changed',
        code: 1,
        out: ['+  GREETING: local', '-  GREETING: next'],
      },
      { run: 'app manifests shop --local $FOLDER/changed', out: ['GREETING: local'] },
      { run: 'app diff shop --local $FOLDER/nowhere', code: 20 },
      { run: 'app diff shop --revision main --server-side-diff' },
      { run: 'app manifests shop --source live', out: ['GREETING: next', 'uid:'] },
      { run: 'app manifests shop --source moon', code: 20, err: ['use git or live'] },
    ],
    variables,
  );
  const { stdout } = await fairlead.cli('app', 'list', '-o', 'name', '--grpc-web');
  expect(stdout).toContain('argocd/shop');
});

test('a file in the words of other guides is corrected with a warning, or refused with the remedy (server §11)', async () => {
  const app = (more: string) => `apiVersion: argocd.io/v1alpha1
kind: Application
metadata: {name: guide}
spec:
  project: default
  source: {repoURL: "file://${fairlead.demo}", path: guestbook}
  ${more}
`;
  writeFileSync(
    join(fairlead.folder, 'old.yaml'),
    app('destination: {server: "https://kubernetes.default.svc", namespace: guide}'),
  );
  writeFileSync(join(fairlead.folder, 'many.yaml'), app('destinations: []'));
  writeFileSync(
    join(fairlead.folder, 'types.yaml'),
    app('destination: {}\n  sources: text\n  syncPolicy: 7').replace('argocd.io', 'argoproj.io'),
  );
  writeFileSync(join(fairlead.folder, 'nowhere.yaml'), app('').replace('guide', 'nowhere'));
  await play(
    fairlead,
    [
      {
        run: 'app create -f $FOLDER/old.yaml',
        out: ["'guide' created"],
        err: ['read as argoproj.io/v1alpha1'],
      },
      { run: 'app create other -f $FOLDER/old.yaml', code: 20, err: ['does not match'] },
      {
        run: 'render $FOLDER/old.yaml --local-repo-root $DEMO -o name',
        out: ['deployment.apps/'],
        err: ['warning: Application guide: apiVersion argocd.io/v1alpha1 is read as argoproj.io/v1alpha1'],
      },
      { run: 'app create -f $FOLDER/many.yaml', code: 20, err: ['ApplicationSet'] },
      {
        run: 'app create -f $FOLDER/types.yaml --sync-option A=true',
        code: 20,
        err: ['spec.sources must be a list, not text; spec.syncPolicy must be an object, not a number'],
      },
      { run: 'render $FOLDER/types.yaml', code: 20, err: ['spec.sources must be a list'] },
      { run: 'app create -f $FOLDER/nowhere.yaml', code: 20, err: ['InvalidSpecError', 'spec.destination'] },
      {
        run: 'app create -f $FOLDER/nowhere.yaml --dest-name in-cluster --dest-namespace guide',
        out: ["'nowhere' created"],
        err: ['read as argoproj.io/v1alpha1'],
      },
      { run: 'app create -f $FOLDER/none.yaml', code: 20, err: ['no such file'] },
      { run: 'app delete guide --yes --cascade=false --wait', out: ["'guide' deleted"] },
      { run: 'app delete shop --wait', out: ["'shop' deleted"], err: ['without a prompt'] },
    ],
    variables,
  );
});
