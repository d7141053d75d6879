import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseAll } from '#lang/yaml';
import { play, runHere } from './cli-steps.ts';
import { type Fairlead, forget, isSettled, startFairlead } from './fairlead.ts';
import { commandIn, printedLines, seedSteps, writeSeedFiles } from './seed-commands.ts';

// The command lines that users' guides print (server §8.2), and the commands that need no server, on one started program.
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
    KUBECONFIG: join(fairlead.dataDir, 'kubeconfig'),
    CONTEXT: (await fairlead.kubectl('config', 'current-context')).stdout.trim(),
  };
  writeSeedFiles(fairlead);
});

afterAll(async () => {
  await fairlead?.stop();
  if (fairlead) forget(fairlead);
});

test('every line that the guides print is among the steps, with its flags and no others', () => {
  const typed = new Set(seedSteps.map(({ run }) => commandIn(run)));
  expect(printedLines.length).toBeGreaterThan(30);
  // cli-prompts.test.ts types it, and answers what it asks
  expect(printedLines.filter((line) => !typed.has(commandIn(line)))).toEqual(['login <ARGOCD_SERVER>']);
});

test('every command line of the guides runs, or answers with the remedy', async () => {
  await play(fairlead, seedSteps, variables);
});

test('a pipeline compares its folder with a token that only reads, of the environment and without a login (S2:2486)', async () => {
  const local = join(fairlead.folder, 'local');
  cpSync(join(fairlead.demo, 'guestbook'), local, { recursive: true });
  await play(fairlead, [
    { run: 'proj role create default pipeline' },
    { run: "proj role add-policy default pipeline --action get --permission allow --object '*'" },
  ]);
  const created = [
    'proj',
    'role',
    'create-token',
    'default',
    'pipeline',
    '--expires-in',
    '1h',
    '--token-only',
  ];
  const token = (await runHere(fairlead, created)).stdout.trim();
  const env = {
    HOME: '/nonexistent',
    ARGOCD_SERVER: variables.HOST ?? '',
    ARGOCD_AUTH_TOKEN: token,
    ARGOCD_OPTS: '--plaintext',
  };
  const diff = ['app', 'diff', 'guestbook', '--local', local, '--server-side'];
  // the pipeline takes any output for a difference, with --grpc-web as well
  for (const ARGOCD_OPTS of ['--plaintext', '--plaintext --grpc-web'])
    expect(await runHere(fairlead, diff, { env: { ...env, ARGOCD_OPTS } })).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
    });
  // the token may not get the cluster, so its version is not known
  const stderr = expect.stringMatching(
    /^note: rendered for Kubernetes \S+, as you may not get the cluster\n$/,
  );
  const greeting = join(local, 'greeting.yaml');
  writeFileSync(greeting, readFileSync(greeting, 'utf8').replace('Welcome aboard', 'Hello'));
  const changed = await runHere(fairlead, diff, { env });
  expect(changed).toMatchObject({ code: 1, stderr });
  expect(changed.stdout).toMatch(
    /^===== \/ConfigMap guestbook\/greeting ======$[\s\S]*^\+ +GREETING: Hello$/m,
  );
  const sync = await runHere(fairlead, ['app', 'sync', 'guestbook'], { env });
  expect(sync).toMatchObject({ code: 20, stderr: expect.stringContaining('permission denied') });
});

test('what a set generates is what the list of its applications prints, line by line (S2:2533)', async () => {
  const set = join(fairlead.folder, 'set.yaml');
  await play(fairlead, [
    { run: `appset create ${set}`, out: ['created'] },
    { run: 'appset get my-app-appset', out: ['my-app-appset'] },
  ]);
  for (const name of ['my-app-dev', 'my-app-staging']) await fairlead.until(name, 'settled', isSettled);
  const generated = await runHere(fairlead, ['appset', 'generate', 'my-app-appset', '-o', 'yaml']);
  const list = ['app', 'list', '-p', 'team-payments', '-o', 'yaml', '--multi-doc'];
  const listed = await runHere(fairlead, list);
  expect(generated.stdout).toMatch(/^ {2}name: my-app-dev$[\s\S]*^ {2}name: my-app-staging$/m);
  expect(listed).toEqual(generated);
  await play(fairlead, [
    { run: 'app set my-app-dev --revision main' },
    { run: 'appset delete my-app-appset --yes --wait', out: ['deleted'] },
  ]);
});

test('a backup has everything, and restores what was changed, deleted and added since (server §8.6)', async () => {
  const file = join(fairlead.folder, 'backup.yaml');
  await fairlead.apply({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'argocd-notifications-cm', namespace: 'argocd' },
    data: { context: 'a: b' },
  });
  await play(fairlead, [{ run: `admin export -o ${file}`, err: ['which holds secrets'] }]);
  const kinds = parseAll(readFileSync(file, 'utf8'), { name: file }).map(({ value }) => {
    const { kind, metadata } = value as { kind: string; metadata: { name: string; uid?: string } };
    expect(metadata.uid).toBeUndefined();
    return `${kind} ${metadata.name}`;
  });
  for (const one of [
    'ConfigMap argocd-cm',
    'ConfigMap argocd-notifications-cm',
    'ConfigMap argocd-cmd-params-cm',
    'ConfigMap argocd-gpg-keys-cm',
  ])
    expect(kinds).toContain(one);
  for (const one of ['Secret argocd-secret', 'AppProject team-payments', 'Application guestbook'])
    expect(kinds).toContain(one);
  expect((await runHere(fairlead, ['admin', 'export', '--upstream-set'])).stdout).not.toContain(
    'argocd-notifications-cm',
  );
  await play(fairlead, [
    { run: `admin import ${file} --dry-run`, never: ['created', 'pruned'] },
    { run: 'proj set team-payments --description changed' },
    { run: 'proj create added-later' },
    {
      run: `admin import ${file} --prune --dry-run`,
      out: [
        'argoproj.io/AppProject team-payments updated (dry run)',
        'argoproj.io/AppProject added-later pruned (dry run)',
      ],
    },
    {
      run: `admin import ${file} --prune`,
      out: ['AppProject team-payments updated', 'AppProject added-later pruned'],
    },
    { run: 'proj get team-payments', never: ['changed'] },
    { run: 'proj get added-later', code: 20 },
    { run: `admin import ${file} --verbose`, out: ['AppProject team-payments unchanged'] },
  ]);
});

test('settings, scripts and manifests are checked from files', async () => {
  const at = (name: string, text: string) => {
    mkdirSync(join(fairlead.folder, 'admin'), { recursive: true });
    writeFileSync(join(fairlead.folder, 'admin', name), text);
  };
  at('good.yaml', 'kind: ConfigMap\ndata:\n  timeout.reconciliation: 60s\n');
  at('bad.yaml', 'kind: ConfigMap\ndata:\n  timeout.reconciliation: soon\n');
  at(
    'scripts.yaml',
    `kind: ConfigMap
data:
  resource.customizations.health.example.com_Widget: |
    return { status = "Degraded", message = "widget " .. obj.metadata.name }
  resource.customizations.ignoreDifferences.example.com_Widget: |
    jsonPointers: [/spec/size]
  resource.customizations.actions.example.com_Widget: |
    discovery.lua: return { grow = {} }
    definitions:
      - name: grow
        action.lua: |
          obj.spec.size = obj.spec.size + 1
          return obj
`,
  );
  at(
    'widget.yaml',
    'apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w, namespace: d}\nspec: {size: 1, colour: red}\n',
  );
  const overrides = 'admin settings resource-overrides';
  const scripts = '--argocd-cm-path $FOLDER/admin/scripts.yaml';
  await play(
    fairlead,
    [
      { run: 'admin settings validate --argocd-cm-path $FOLDER/admin/good.yaml', out: ['✅ general'] },
      {
        run: 'admin settings validate --argocd-cm-path $FOLDER/admin/bad.yaml',
        code: 1,
        out: ['⛔ general', 'timeout.reconciliation'],
      },
      {
        run: 'admin settings validate --argocd-cm-path $FOLDER/admin/bad.yaml --group accounts',
        out: ['✅ accounts'],
      },
      { run: 'admin settings validate --group nosuch', code: 20, err: ['unknown --group'] },
      { run: 'admin settings validate', out: ['✅ accounts'] },
      {
        run: `${overrides} health $FOLDER/admin/widget.yaml ${scripts}`,
        out: ['STATUS: Degraded', 'MESSAGE: widget w'],
      },
      {
        run: `${overrides} ignore-differences $FOLDER/admin/widget.yaml ${scripts}`,
        out: [/^- {2}size: 1$/m],
        never: ['-  colour'],
      },
      { run: `${overrides} ignore-resource-updates $FOLDER/admin/widget.yaml ${scripts}`, out: ['No field'] },
      {
        run: `${overrides} list-actions $FOLDER/admin/widget.yaml ${scripts}`,
        out: [/^NAME +ENABLED\ngrow +true/],
      },
      { run: `${overrides} run-action $FOLDER/admin/widget.yaml grow ${scripts}`, out: ['+  size: 2'] },
      {
        run: 'admin app generate-spec web --repo https://git.example.com/a.git --path web --dest-name in-cluster',
        out: ['name: web', 'repoURL: https://git.example.com/a.git'],
      },
      { run: 'admin proj generate-spec team -s *', out: ['kind: AppProject'] },
      {
        run: 'admin repo generate-spec https://git.example.com/a.git --username u',
        out: ['secret-type: repository'],
      },
      {
        run: 'admin cluster generate-spec $CONTEXT --bearer-token t --name c',
        out: ['secret-type: cluster'],
      },
      { run: 'admin cluster stats', out: [/https:\/\/kubernetes\.default\.svc +0 +\d+ +\d+/] },
      { run: 'admin cluster namespaces', out: [/kubernetes\.default\.svc +guestbook/] },
      { run: 'admin cluster kubeconfig nosuch -', code: 20, err: ['no cluster nosuch'] },
      { run: 'admin initial-password', out: [/^\S+\n$/] },
      {
        run: 'admin app get-reconcile-results $FOLDER/admin/before.yaml --refresh',
        err: ['applications written'],
      },
      { run: 'admin app get-reconcile-results $FOLDER/admin/after.yaml' },
      { run: 'admin app diff-reconcile-results $FOLDER/admin/before.yaml $FOLDER/admin/after.yaml' },
      {
        run: 'admin app diff-reconcile-results $FOLDER/admin/before.yaml $FOLDER/admin/good.yaml',
        code: 1,
        out: ['===== guestbook'],
      },
      {
        run: 'admin proj update-role-policy team-* set get --role oncall --dry-run',
        out: ['team-payments updated (dry run)'],
      },
    ],
    variables,
  );
});

test('--core works on the cluster of the kubeconfig, without a login', async () => {
  const elsewhere = { env: { HOME: fairlead.folder } };
  const list = await runHere(fairlead, ['app', 'list', '--core', '-o', 'name'], elsewhere);
  expect(list).toMatchObject({ code: 0, stdout: expect.stringContaining('argocd/guestbook') });
  const diff = await runHere(
    fairlead,
    ['app', 'diff', 'guestbook', '--core', '--local', join(fairlead.demo, 'guestbook')],
    elsewhere,
  );
  expect(diff).toMatchObject({ code: 0 });
  const other = await runHere(
    fairlead,
    ['app', 'list', '--core', '--controller-namespace', 'nosuch'],
    elsewhere,
  );
  expect(other).toMatchObject({ code: 20, stderr: expect.stringContaining('--controller-namespace') });
});

test('--core creates, syncs and deletes: the controller acts on what it writes', async () => {
  // the API server that --core starts may read folders of this machine only where they are listed
  const env = { HOME: '/nonexistent', FAIRLEAD_LOCAL_REPOSITORIES: fairlead.demo };
  const core = async (line: string) => runHere(fairlead, [...line.split(' '), '--core'], { env });
  const create = [
    `app create core --repo file://${fairlead.demo} --path guestbook`,
    '--dest-server https://kubernetes.default.svc --dest-namespace core --sync-option CreateNamespace=true',
  ].join(' ');
  for (const [line, printed] of [
    [create, /^application 'core' created$/m],
    ['app sync core --timeout 60', /^Phase: +Succeeded$/m],
    ['app wait core --health --timeout 60', /^Health Status: +Healthy$/m],
    ['app set core --revision main', /^$/],
    ['app get core -o json', /"targetRevision": "main"/],
    ['proj create core', /created/],
    ['proj delete core', /deleted/],
    ['app delete core --yes --wait', /^application 'core' deleted$/m],
  ] as const)
    expect({ line, ...(await core(line)) }).toEqual({
      ...{ line, code: 0, stderr: '' },
      stdout: expect.stringMatching(printed),
    });
  expect((await core('app get core')).code).toBe(20);
  const left = await fairlead.kubectl('get', 'deployments', '-n', 'core', '-o', 'name');
  expect(left.stdout).toBe('');
});
