import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { verify } from '@node-rs/bcrypt';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseAll } from '#lang/yaml';
import { type CliStep, play, runHere } from './cli-steps.ts';
import { type Fairlead, forget, startFairlead } from './fairlead.ts';

// What administrators type rarely (server §8.3, §8.6), each of it once, on one started program.
let fairlead: Fairlead;
let variables: Record<string, string>;

const clusterRole = `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: deployer}
rules:
- {apiGroups: [apps], resources: [deployments], verbs: [create, get]}
- {apiGroups: [""], resources: [namespaces], verbs: ["*"]}
- {apiGroups: [""], resources: [secrets], verbs: [get]}
`;

beforeAll(async () => {
  fairlead = await startFairlead('--no-demo');
  const { folder, dataDir, password, url } = fairlead;
  const keys = join(
    import.meta.dirname,
    '../../src/sources/repositories/git/openpgp/testdata/signed-ed.yaml',
  );
  const [document] = parseAll(readFileSync(keys, 'utf8'));
  writeFileSync(join(folder, 'key.asc'), (document as unknown as { value: { key: string } }).value.key);
  writeFileSync(join(folder, 'role.yaml'), clusterRole);
  variables = {
    HOST: new URL(url).host,
    PASSWORD: password,
    FOLDER: folder,
    KUBECONFIG: join(dataDir, 'kubeconfig'),
    SERVER: 'https://kubernetes.default.svc',
  };
  await play(fairlead, [{ run: 'login $HOST --username admin --password $PASSWORD' }], variables);
});
afterAll(async () => {
  await fairlead?.stop();
  if (fairlead) forget(fairlead);
});

const created = 'created';
const tables: readonly (readonly [string, readonly CliStep[]])[] = [
  [
    'what a project lists is taken off its lists, and what it does not list is named',
    [
      { run: 'proj create lists', out: [created] },
      { run: 'proj add-source-namespace lists team-apps' },
      { run: 'proj get lists -o json', out: ['team-apps'] },
      { run: 'proj remove-source-namespace lists team-apps' },
      { run: 'proj remove-source-namespace lists team-apps', code: 20, err: ['does not have it'] },
      { run: 'proj add-destination-service-account lists $SERVER team deployer' },
      { run: 'proj get lists -o json', out: ['"defaultServiceAccount": "deployer"'] },
      { run: 'proj remove-destination-service-account lists $SERVER team deployer' },
      {
        run: 'proj remove-destination-service-account lists $SERVER team deployer',
        code: 20,
        err: ['does not have it'],
      },
      { run: "proj add-orphaned-ignore lists '' ConfigMap --name kube-root-ca.crt" },
      { run: 'proj get lists -o json', out: ['"name": "kube-root-ca.crt"'] },
      { run: "proj remove-orphaned-ignore lists '' ConfigMap --name kube-root-ca.crt" },
      {
        run: "proj remove-orphaned-ignore lists '' ConfigMap --name kube-root-ca.crt",
        code: 20,
        err: ['does not pass over it'],
      },
      {
        run: 'proj get lists -o json',
        never: ['team-apps', '"deployer"', 'kube-root-ca.crt'],
      },
    ],
  ],
  [
    'a window takes all of its conditions together, or one of them, and lets a sync that has begun finish',
    [
      { run: 'proj create windows', out: [created] },
      { run: "proj windows add windows -k deny --schedule '0 22 * * *' --duration 1h --applications '*'" },
      { run: 'proj windows enable-use-and-operator windows 0' },
      { run: 'proj windows list windows -o json', out: ['"andOperator": true'] },
      { run: 'proj windows disable-use-and-operator windows 0' },
      { run: 'proj windows list windows -o json', never: ['"andOperator": true'] },
      { run: 'proj windows enable-use-and-operator windows 7', code: 20, err: ['no sync window 7'] },
      { run: 'proj windows enable-sync-overrun windows 0' },
      { run: 'proj windows list windows -o json', out: ['"syncOverrun": true'] },
      {
        run: 'proj windows list windows',
        out: [
          /MANUALSYNC +SYNCOVERRUN +TIMEZONE +USEANDOPERATOR/,
          /\* +- +- +Disabled +Enabled +UTC +Disabled/,
        ],
      },
      { run: 'proj windows disable-sync-overrun windows 0' },
      { run: 'proj windows list windows -o json', never: ['"syncOverrun": true'] },
    ],
  ],
  [
    'the policies about signatures of a project are added, changed and deleted',
    [
      { run: 'proj create signed', out: [created] },
      { run: 'proj source-integrity git policies list signed', code: 20, err: ['no source integrity git'] },
      {
        run: "proj source-integrity git policies add signed --repo-url 'https://git.example.com/*' --gpg-mode strict --gpg-key D56C4FCA57A46444",
        out: [
          /^ID +GPG-MODE +GPG-KEYS +REPO-URLS\n0 +strict +D56C4FCA57A46444 +https:\/\/git\.example\.com\/\*\n$/,
        ],
        err: ['no such key is stored: D56C4FCA57A46444'],
      },
      { run: 'proj source-integrity git policies add signed --gpg-mode none', err: ['is never used'] },
      {
        run: 'proj source-integrity git policies add signed --gpg-mode some',
        code: 20,
        err: ['use strict, head or none'],
      },
      {
        run: 'proj source-integrity git policies update signed 0 --gpg-mode head --add-gpg-key 0123456789012345678901230123456789ABCDEF --delete-repo-url https://git.example.com/* --add-repo-url https://b/*,https://c/*',
        out: [/0 +head +D56C4FCA57A46444, 0123456789ABCDEF +https:\/\/b\/\*, https:\/\/c\/\*\n1 +none/],
        err: ['without a prompt'],
      },
      {
        run: 'proj source-integrity git policies update signed 0 --gpg-key D56C4FCA57A46444 --add-gpg-key D56C4FCA57A46444',
        code: 20,
        err: ['leave out --add-gpg-key'],
      },
      {
        run: 'proj source-integrity git policies update signed 0 --gpg-key x --yes',
        code: 20,
        err: ['GnuPG key'],
      },
      { run: 'proj get signed -o json', out: ['"mode": "head"', '"url": "https://c/*"'] },
      { run: 'proj source-integrity git policies delete signed 7 --yes', code: 20, err: ['no policy 7'] },
      { run: 'proj source-integrity git policies delete signed 0 1 --yes' },
      { run: 'proj get signed -o json', never: ['sourceIntegrity'] },
    ],
  ],
  [
    'a signing key is added and deleted',
    [
      { run: 'gpg add --from $FOLDER/key.asc', out: ['Created 1 key(s)'] },
      { run: 'gpg list', out: [/^KEYID +TYPE +IDENTITY\n[0-9A-F]{16} /] },
    ],
  ],
  [
    'a project is made of what a ClusterRole may create',
    [
      {
        run: 'admin proj generate-allow-list $FOLDER/role.yaml team',
        out: [
          'name: team',
          /clusterResourceWhitelist:\n +- group: ""\n +kind: Namespace\n/,
          'kind: Deployment',
        ],
        never: ['kind: Secret'],
      },
      { run: 'admin proj generate-allow-list $FOLDER/key.asc team', code: 20 },
    ],
  ],
  [
    'clusters are managed in some namespaces or as a whole, all of them by one shard',
    [
      {
        run: 'cluster add argocd --name staging --kubeconfig $KUBECONFIG --shard 3',
        out: ["as 'staging'"],
        err: ['note: --shard has no effect: there is one process'],
      },
      { run: 'cluster get staging -o json', out: ['"shard": 3'] },
      {
        run: 'app create far --repo https://git.example.com/a.git --path a --dest-name staging --dest-namespace shop --validate=false',
        out: [created],
      },
      {
        run: 'admin cluster shards',
        out: [/^SERVER +SHARD\nhttps:\/\/kubernetes\.default\.svc +0\nhttps:\S+ +0\n$/],
      },
      {
        run: 'admin cluster enable-namespaced-mode staging --dry-run',
        out: ['to namespaces shop (dry run)'],
      },
      { run: 'cluster get staging -o json', never: ['"shop"'] },
      { run: 'admin cluster enable-namespaced-mode stag*', out: ['to namespaces shop'] },
      { run: 'cluster get staging -o json', out: ['"shop"'] },
      { run: 'admin cluster namespaces disable-namespaced-mode staging', out: ['to the whole cluster'] },
      { run: 'cluster get staging -o json', never: ['"shop"'] },
      {
        run: 'admin cluster enable-namespaced-mode nosuch',
        code: 20,
        err: ['no registered cluster matches'],
      },
      { run: 'admin redis-initial-password', out: [/^$/], err: ['there is no Redis'] },
    ],
  ],
];

test.each(tables)('%s', async (_, steps) => {
  await play(fairlead, steps, variables);
});

test('a signing key that is deleted is gone', async () => {
  const ids = async () => (await runHere(fairlead, ['gpg', 'list'])).stdout.match(/^[0-9A-F]{16}/gm) ?? [];
  const [id = ''] = await ids();
  expect(await runHere(fairlead, ['gpg', 'rm', id])).toMatchObject({
    code: 0,
    stdout: `Deleted key with key ID ${id}\n`,
  });
  expect(await ids()).toEqual([]);
  expect((await runHere(fairlead, ['gpg', 'get', id])).code).toBe(20);
});

test('account bcrypt hashes a password, also one that is typed', async () => {
  for (const [words, input] of [
    [['--password', 'correct horse'], ''],
    [[], 'correct horse\n'],
  ] as const) {
    const child = spawnCli(fairlead, 'account', 'bcrypt', ...words);
    child.stdin.end(input);
    const [printed] = await Promise.all([once(child.stdout, 'data'), once(child, 'exit')]);
    expect(await verify('correct horse', String(printed).trim())).toBe(true);
  }
});

test('admin dashboard serves the page and the API on this machine until it is stopped', async () => {
  const child = spawnCli(fairlead, 'admin', 'dashboard', '--port', '0');
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  const [, url = ''] = /^fairlead page at (\S+): sign in/.exec(String(line)) ?? [];
  const page = await fetch(url);
  expect([page.status, page.headers.get('content-type')]).toEqual([
    200,
    expect.stringContaining('text/html'),
  ]);
  const body = JSON.stringify({ username: 'admin', password: fairlead.password });
  const headers = { 'content-type': 'application/json' };
  const signedIn = await fetch(`${url}/api/v1/session`, { method: 'POST', headers, body });
  expect(await signedIn.json()).toEqual({ token: expect.stringMatching(/^ey/) });
  child.kill('SIGINT');
  expect(await once(child, 'exit')).toEqual([0, null]);
  await expect(fetch(url)).rejects.toThrow('fetch failed');
});

function spawnCli({ dataDir }: Fairlead, ...words: string[]) {
  const program = join(import.meta.dirname, '../../dist/main/fairlead.js');
  const env = { HOME: dataDir, PATH: process.env.PATH ?? '', KUBECONFIG: join(dataDir, 'kubeconfig') };
  return spawn(process.execPath, [program, ...words], { env, stdio: ['pipe', 'pipe', 'ignore'] });
}
