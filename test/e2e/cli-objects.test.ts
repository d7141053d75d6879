import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { issueCertificates } from '../certificates.ts';
import { play, runHere } from './cli-steps.ts';
import { type Fairlead, forget, isSettled, startFairlead } from './fairlead.ts';

// Projects, repositories, clusters, certificates, keys, logins and completion, on one started program.
let fairlead: Fairlead;
let variables: Record<string, string>;

beforeAll(async () => {
  fairlead = await startFairlead();
  await fairlead.until('demo', 'settled', isSettled);
  variables = {
    HOST: new URL(fairlead.url).host,
    PASSWORD: fairlead.password,
    REPO: `file://${fairlead.demo}`,
    FOLDER: fairlead.folder,
    KUBECONFIG: join(fairlead.dataDir, 'kubeconfig'),
  };
  await play(fairlead, [{ run: 'login $HOST --username admin --password $PASSWORD' }], variables);
});

afterAll(async () => {
  await fairlead?.stop();
  if (fairlead) forget(fairlead);
});

test('a project: created, changed list by list, described, deleted', async () => {
  const server = 'https://kubernetes.default.svc';
  await play(fairlead, [
    {
      run: `proj create team -d ${server},team -s https://git.example.com/a.git --description payments`,
      out: ["project 'team' created"],
    },
    { run: 'proj create team', code: 20, err: ['upsert'] },
    { run: 'proj add-source team https://git.example.com/b.git' },
    { run: 'proj add-source team https://git.example.com/b.git', code: 20, err: ['has it already'] },
    { run: 'proj remove-source team https://git.example.com/a.git' },
    { run: `proj add-destination team ${server} other` },
    { run: `proj remove-destination team ${server} nosuch`, code: 20, err: ['does not have it'] },
    { run: "proj allow-cluster-resource team '' Namespace" },
    { run: 'proj deny-namespace-resource team networking.k8s.io NetworkPolicy' },
    { run: 'proj allow-namespace-resource team apps Deployment --list allow' },
    {
      run: 'proj allow-namespace-resource team apps Deployment --list maybe',
      code: 20,
      err: ['allow or deny'],
    },
    { run: 'proj add-signature-key team 4AEE18F83AFDEB23' },
    { run: 'proj remove-signature-key team 4AEE18F83AFDEB23' },
    { run: "proj add-orphaned-ignore team '' ConfigMap --name kube-root-ca.crt" },
    { run: `proj add-destination-service-account team ${server} team deployer` },
    { run: 'proj add-source-namespace team team-apps' },
    { run: 'proj set team --description "the payments team"' },
    {
      run: 'proj get team',
      out: [
        'the payments team',
        'https://git.example.com/b.git',
        '/Namespace',
        'networking.k8s.io/NetworkPolicy',
        'deployer',
      ],
      never: ['a.git'],
    },
    { run: 'proj get team -o yaml', out: ['kube-root-ca.crt', 'sourceNamespaces'] },
    {
      run: 'proj list',
      out: [/^NAME +DESCRIPTION +DESTINATIONS +SOURCES/, /team +the payments team +2 destinations/],
    },
    { run: 'proj list -o name', out: [/^default\nteam\n$/] },
    { run: 'proj delete default', code: 20 },
  ]);
});

test('roles, policies, groups and tokens; a token that is created signs in, one that is deleted does not', async () => {
  await play(fairlead, [
    { run: 'proj role create team oncall --description "may sync"', out: ["Role 'oncall' created"] },
    { run: 'proj role add-policy team oncall -a get -o *' },
    { run: 'proj role add-policy team oncall -a get -o * -p perhaps', code: 20, err: ['allow or deny'] },
    { run: 'proj role add-group team oncall my-org:oncall' },
    {
      run: 'proj role get team oncall',
      out: ['p, proj:team:oncall, applications, get, team/*, allow', 'my-org:oncall'],
    },
    { run: 'proj role list team', out: [/oncall +may sync/] },
    {
      run: 'proj role create-token team oncall --expires-in 24h --id ci',
      out: ['Create token succeeded for proj:team:oncall.', 'ID: ci', 'Token: ey'],
    },
    { run: 'proj role list-tokens team oncall', out: [/^ID +ISSUED AT +EXPIRES AT\nci +2/] },
    { run: 'proj role get team nosuch', code: 20, err: ["role 'nosuch' does not exist"] },
  ]);
  const { stdout } = await runHere(fairlead, [
    'proj',
    'role',
    'create-token',
    'team',
    'oncall',
    '--token-only',
    '--id',
    'two',
  ]);
  const as = (...words: string[]) => runHere(fairlead, words, { env: { ARGOCD_AUTH_TOKEN: stdout.trim() } });
  expect(await as('account', 'can-i', 'get', 'applications', 'team/x')).toMatchObject({
    code: 0,
    stdout: 'yes\n',
  });
  const tokens = await runHere(fairlead, ['proj', 'role', 'list-tokens', 'team', 'oncall', '--unixtime']);
  const issued = /^two +(\d+)/m.exec(tokens.stdout)?.[1] ?? '';
  await play(fairlead, [{ run: `proj role delete-token team oncall ${issued}`, out: ['deleted'] }]);
  await play(fairlead, [
    { run: 'proj role remove-group team oncall my-org:oncall' },
    { run: 'proj role remove-policy team oncall -a get -o *' },
    { run: 'proj role delete team oncall', out: ["Role 'oncall' deleted"] },
  ]);
});

test('sync windows are added, changed, listed and deleted', async () => {
  await play(fairlead, [
    {
      run: 'proj windows add team -k deny --schedule "0 22 * * *" --duration 1h --applications * --time-zone Europe/Berlin',
    },
    {
      run: 'proj windows add team -k never --schedule "0 22 * * *" --duration 1h --applications *',
      code: 20,
      err: ['allow or deny'],
    },
    {
      run: 'proj windows add team -k deny --schedule "0 22 * * *" --duration 1h',
      code: 20,
      err: ['--applications'],
    },
    { run: 'proj windows update team 0 --duration 2h' },
    { run: 'proj windows enable-manual-sync team 0' },
    {
      run: 'proj windows list team',
      out: [
        /^ID +STATUS +KIND +SCHEDULE/,
        /^0 +\w+ +deny +0 22 \* \* \* +2h +\* +- +- +Enabled +Disabled +Europe\/Berlin/m,
      ],
    },
    { run: 'proj windows disable-manual-sync team 0' },
    { run: 'proj windows delete team 7', code: 20, err: ['no sync window 7'] },
    { run: 'proj windows delete team 0' },
    { run: 'proj windows list team -o json', out: [/^\[\]/] },
    { run: 'proj delete team', out: ["project 'team' deleted"] },
  ]);
});

test('repositories and credentials: no secret is ever printed', async () => {
  const secret = 'hush-hush-9f2';
  await play(
    fairlead,
    [
      {
        run: `repo add $REPO --username git --password ${secret} --name demo`,
        out: ["Repository 'file://"],
        never: [secret],
      },
      {
        run: 'repo list',
        out: [/^TYPE +NAME +REPO +INSECURE +OCI +LFS +CREDS +STATUS/, /git +demo +file:/, 'Successful'],
        never: [secret],
      },
      { run: 'repo get $REPO', out: ['Successful', 'Credentials:        true'], never: [secret] },
      { run: 'repo get $REPO -o json', never: [secret] },
      { run: 'repo add https://nowhere.invalid/x.git --type svn', code: 20, err: ['git, helm or oci'] },
      { run: 'repo add $REPO --ssh-private-key-path $FOLDER/none', code: 20, err: ['cannot be read'] },
      {
        run: `repocreds add https://git.example.com/ --username bot --password ${secret}`,
        out: ['added'],
        never: [secret],
      },
      {
        run: 'repocreds list',
        out: [/^URL PATTERN +USERNAME +SSH_CREDS/, /https:\/\/git\.example\.com\/ +bot/],
        never: [secret],
      },
      { run: 'repocreds rm https://git.example.com/', out: ['removed'] },
      { run: 'repo rm $REPO', out: ['removed'] },
      { run: 'repo get $REPO -o url', code: 20, err: ['" not found, or you may not see it'] },
    ],
    variables,
  );
});

test('a cluster: a service account is made for it, with rights in namespaces only where that is wanted', async () => {
  const context = (await fairlead.kubectl('config', 'current-context')).stdout.trim();
  const at = { ...variables, CONTEXT: context };
  await play(
    fairlead,
    [
      {
        run: 'cluster list',
        out: [/^SERVER +NAME +VERSION +STATUS +MESSAGE +PROJECT/, /in-cluster .* Successful/],
      },
      { run: 'cluster add nosuch --kubeconfig $KUBECONFIG', code: 20 },
      {
        run: 'cluster add $CONTEXT --name staging --kubeconfig $KUBECONFIG --namespace default --namespace kube-system --label tier=stage',
        out: ["added as 'staging'"],
        err: ['Role "argocd-manager-role" in namespace "default" applied'],
        never: ['eyJ', 'ClusterRole '],
      },
      { run: 'cluster get staging', out: ['name: staging', 'tier: stage'], never: ['bearerToken', 'eyJ'] },
      { run: 'cluster set staging --name stage', out: ['updated'] },
      { run: 'cluster set stage', code: 20, err: ['nothing to set'] },
      { run: 'cluster rotate-auth stage', out: ['rotated auth'] },
      { run: 'cluster get stage -o wide', out: ['Namespaces:         default, kube-system'] },
      { run: 'cluster rm stage', out: ["Cluster 'stage' removed"], err: ['without a prompt'] },
      {
        run: 'cluster add $CONTEXT --name whole --kubeconfig $KUBECONFIG',
        out: ['added'],
        err: ['full rights in the whole cluster', 'ClusterRoleBinding'],
      },
      { run: 'cluster rm whole -y' },
    ],
    at,
  );
  const roles = await fairlead.kubectl('get', 'role', '-n', 'default', '-o', 'name');
  expect(roles.stdout).toContain('argocd-manager-role');
});

test('certificates and host keys', async () => {
  const { authority } = await issueCertificates(['git.example.com']);
  writeFileSync(join(fairlead.folder, 'ca.pem'), authority);
  const key = 'AAAAC3NzaC1lZDI1NTE5AAAAIAxE8lrPSZXCHcZv8dfXKLtA2Ag5vNqrd8Yl4rWHYvGo';
  writeFileSync(join(fairlead.folder, 'hosts'), `# a comment\ngit.example.com ssh-ed25519 ${key}\n`);
  await play(
    fairlead,
    [
      {
        run: 'cert add-tls git.example.com --from $FOLDER/ca.pem',
        out: ['for repository server git.example.com'],
      },
      { run: 'cert add-tls git.example.com --from $FOLDER/hosts', code: 20, err: ['PEM'] },
      { run: 'cert add-ssh --from $FOLDER/hosts', out: ['1 SSH known host'] },
      {
        run: 'cert list --hostname-pattern git.example.com',
        out: [/^HOSTNAME +TYPE +SUBTYPE +INFO/, /git\.example\.com +ssh +ssh-ed25519/],
      },
      { run: 'cert rm git.example.com --cert-type https', out: ["of type 'https'"] },
      { run: 'cert rm git.example.com', out: ["of type 'ssh'"] },
      { run: 'cert rm git.example.com', code: 20 },
      { run: 'gpg list', out: [/^KEYID +TYPE +IDENTITY/] },
      { run: 'gpg add --from $FOLDER/none', code: 20, err: ['cannot be read'] },
    ],
    variables,
  );
});

test('logins: contexts, the environment, the shape of the peer, and a file that others may read', async () => {
  const other = join(fairlead.folder, 'other');
  mkdirSync(other);
  const at = { ...variables, CONFIG: join(other, 'config') };
  await play(
    fairlead,
    [
      { run: 'login $HOST --username admin --password $PASSWORD --name prod --config $CONFIG' },
      { run: 'login $HOST --username admin --password $PASSWORD --name test --config $CONFIG' },
      { run: 'context --config $CONFIG', out: [/^CURRENT +NAME +SERVER/, /^\* +test/m] },
      { run: 'context prod --config $CONFIG', out: ["Switched to context 'prod'"] },
      { run: 'context nosuch --config $CONFIG', code: 20, err: ['does not exist'] },
      { run: 'app list -o name --config $CONFIG --argocd-context test', out: ['argocd/guestbook'] },
      {
        run: 'app list --config $CONFIG --argocd-context nosuch',
        code: 20,
        err: ['there is no login nosuch'],
      },
      { run: 'account session-token --config $CONFIG', out: [/^ey/] },
      { run: 'account get --config $CONFIG', out: ['Name:               admin'] },
      { run: 'context test --delete --config $CONFIG', out: ['deleted'] },
      { run: 'configure --prompts-enabled=false --config $CONFIG', out: ['disabled'] },
      { run: 'version --client', out: [/^fairlead: v0/] },
      { run: 'version --short -o json', out: ['"server"'] },
      { run: 'app list --grpc-web', err: [/^$/] },
      { run: 'help app list', out: [/^Usage: fairlead app list /] },
      { run: 'app list --auth-token wrong', code: 20, err: ['no session', 'run fairlead login'] },
      { run: 'app list --server nosuch.invalid', code: 20, err: ['nosuch.invalid: there is no such host'] },
      { run: 'app logs guestbook --name nosuch', out: [/^$/], err: [/^note: no pod of 'guestbook'/] },
      {
        run: 'app list --port-forward',
        code: 20,
        err: ['--port-forward is not supported', 'kubectl port-forward'],
      },
      { run: 'app list --port-forward=false' },
    ],
    at,
  );
  expect(readFileSync(at.CONFIG, 'utf8')).toMatch(
    /^contexts:\n- name: prod\n {2}server: \S+\n {2}user: prod\n/m,
  );
  chmodSync(at.CONFIG, 0o644);
  await play(fairlead, [{ run: 'app list --config $CONFIG', code: 20, err: ['chmod 600'] }], at);
  chmodSync(at.CONFIG, 0o600);
  const token = (await runHere(fairlead, ['account', 'session-token', '--config', at.CONFIG])).stdout.trim();
  const env = {
    HOME: '/nonexistent',
    ARGOCD_SERVER: variables.HOST ?? '',
    ARGOCD_AUTH_TOKEN: token,
    ARGOCD_OPTS: "--plaintext --header 'x-a: b'",
  };
  expect(await runHere(fairlead, ['app', 'list', '-o', 'name'], { env })).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('argocd/demo'),
  });
});

test('FAIRLEAD_SERVER, FAIRLEAD_AUTH_TOKEN and FAIRLEAD_OPTS win over those of the peer and over the saved login', async () => {
  const token = (await runHere(fairlead, ['account', 'session-token'])).stdout.trim();
  const { HOST = '' } = variables;
  const list = ['app', 'list', '-o', 'name'];
  const own = {
    HOME: '/nonexistent',
    FAIRLEAD_SERVER: HOST,
    FAIRLEAD_AUTH_TOKEN: token,
    FAIRLEAD_OPTS: '--plaintext',
  };
  const peers = { ARGOCD_SERVER: '127.0.0.1:1', ARGOCD_AUTH_TOKEN: 'x', ARGOCD_OPTS: '--core' };
  const found = { code: 0, stdout: expect.stringContaining('argocd/demo') };
  expect(await runHere(fairlead, list, { env: { ...peers, ...own } })).toMatchObject(found);
  // each of them alone, for the rest the login of this user
  for (const env of [{ FAIRLEAD_SERVER: HOST }, { FAIRLEAD_AUTH_TOKEN: token }, { FAIRLEAD_OPTS: '--core' }])
    expect(await runHere(fairlead, list, { env }), JSON.stringify(env)).toMatchObject(found);
  for (const [env, why] of [
    [{ ...own, FAIRLEAD_SERVER: '127.0.0.1:1' }, '127.0.0.1:1'],
    [{ ...own, FAIRLEAD_AUTH_TOKEN: `${token}x` }, 'invalid session'],
    [{ ...own, FAIRLEAD_OPTS: '' }, HOST],
    [{ ...own, FAIRLEAD_OPTS: '--plaintext --port-forward' }, '--port-forward is not supported'],
    [{ FAIRLEAD_OPTS: '--argocd-context nosuch' }, 'there is no login nosuch'],
  ] as const)
    expect(await runHere(fairlead, list, { env }), JSON.stringify(env)).toMatchObject({
      code: 20,
      stderr: expect.stringContaining(why),
    });
  // a flag of the command line wins over each of them
  const wrong = { ...own, FAIRLEAD_SERVER: '127.0.0.1:1', FAIRLEAD_AUTH_TOKEN: 'x' };
  const flags = ['--server', HOST, '--auth-token', token];
  expect(await runHere(fairlead, [...list, ...flags], { env: wrong })).toMatchObject(found);
});

test('a login without a server works on the cluster of the kubeconfig, and a login keeps what only argocd reads', async () => {
  const at = { ...variables, CONFIG: join(fairlead.folder, 'core/config') };
  const file = () => readFileSync(at.CONFIG, 'utf8');
  await play(
    fairlead,
    [
      { run: 'login --config $CONFIG', code: 20, err: ['login needs a server', '--core'] },
      { run: 'login --core --config $CONFIG', out: [/^Context 'kubernetes' updated$/m] },
      { run: 'app list -o name --config $CONFIG', out: ['argocd/demo'] },
      { run: 'relogin --config $CONFIG', code: 20, err: ['context kubernetes is --core'] },
      { run: 'logout kubernetes --config $CONFIG', out: ["Logged out from 'kubernetes'"] },
      { run: 'login $HOST --username admin --password $PASSWORD --grpc-web --config $CONFIG' },
    ],
    at,
  );
  expect(file()).toMatch(/^- server: kubernetes\n {2}core: true$/m);
  expect(file()).toMatch(/^ {2}grpc-web: true$/m);
  await play(fairlead, [{ run: 'login $HOST --username admin --password $PASSWORD --config $CONFIG' }], at);
  expect(file()).toMatch(/^ {2}grpc-web: true$/m);
});

test('completion has commands, flags and live names', async () => {
  const words = async (...typed: string[]) =>
    (await runHere(fairlead, ['__complete', '--', ...typed])).stdout;
  expect(await words('ap')).toMatch(/^app\t/m);
  expect(await words('app', 'sy')).toMatch(/^sync\t/);
  expect(await words('app', 'sync', 'gu')).toBe('guestbook\t\n');
  expect(await words('app', 'sync', '--pru')).toMatch(/^--prune\t/);
  expect(await words('app', 'list', '--project', '')).toBe('default\t\n');
  expect(await words('cluster', 'get', '')).toBe('in-cluster\t\n');
  for (const shell of ['bash', 'zsh', 'fish'])
    expect((await runHere(fairlead, ['completion', shell])).stdout).toContain('fairlead __complete');
  expect((await runHere(fairlead, ['completion', 'csh'])).code).toBe(20);
});
