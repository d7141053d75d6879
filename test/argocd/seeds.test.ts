import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { forget } from '../e2e/fairlead.ts';
import { seedSteps, writeSeedFiles } from '../e2e/seed-commands.ts';
import { type Argocd, startArgocd } from './argocd.ts';

// compat server §8.2, §13.1: the command lines of the users' guides, typed with the unmodified argocd over plaintext, TLS and gRPC-web;
// test/e2e/cli-seeds.test.ts types them with ours.

type Transport = {
  readonly name: string;
  /** Of `fairlead up`. */
  readonly server: readonly string[];
  /** Of `argocd login`, which keeps them. */
  readonly login: readonly string[];
  readonly isWeb?: boolean;
};

const transports: readonly Transport[] = [
  { name: 'plaintext', server: [], login: ['--plaintext'] },
  { name: 'TLS', server: ['--tls'], login: ['--insecure'] },
  { name: 'gRPC-web', server: [], login: ['--plaintext', '--grpc-web'], isWeb: true },
];

test.each(transports)('over $name every step ends and prints as expected of argocd', async (transport) => {
  const argocd = await startArgocd(...transport.server);
  try {
    // the root application of the demo creates the one that is rolled back
    const created = ['applications.argoproj.io/guestbook', '--for=create', '--timeout=60s'];
    expect(await argocd.fairlead.kubectl('wait', '-n', 'argocd', ...created)).toMatchObject({ code: 0 });
    await typeSteps(argocd, transport);
    await diffInPipeline(argocd, transport);
  } finally {
    await argocd.fairlead.stop();
    forget(argocd.fairlead);
  }
});

async function typeSteps({ fairlead, host, runIn, folder }: Argocd, { login }: Transport): Promise<void> {
  writeSeedFiles(fairlead);
  const { stdout } = await fairlead.kubectl('config', 'view', '--raw', '--minify', '--output=json');
  const variables: Record<string, string> = {
    HOST: host,
    PASSWORD: fairlead.password,
    REPO: `file://${fairlead.demo}`,
    DEMO: fairlead.demo,
    FOLDER: fairlead.folder,
    KUBECONFIG: join(fairlead.dataDir, 'kubeconfig'),
    CONTEXT: (JSON.parse(stdout) as { 'current-context': string })['current-context'],
  };
  mkdirSync(join(folder, 'config'), { recursive: true });
  const others: object[] = [];
  for (const { run: line, code: ours = 0, out = [], err = [], argocd = {} } of seedSteps) {
    const { code = ours, prints = [...out, ...err] } = argocd;
    const words = line.replace(/\$([A-Z]+)/g, (_, name: string) => variables[name] ?? '').split(' ');
    const kubeconfig = { KUBECONFIG: variables.KUBECONFIG ?? '' };
    const printed = await runIn(kubeconfig, ...words, ...(words[0] === 'login' ? login : []));
    const text = printed.stdout + printed.stderr;
    const isPrinted = (part: string | RegExp) =>
      typeof part === 'string' ? text.includes(part) : part.test(text);
    const missed = prints.filter((part) => !isPrinted(part));
    if (printed.code !== code || missed.length > 0)
      others.push({ line, code: printed.code, missed, text: text.slice(0, 500) });
  }
  expect(others).toEqual([]);
}

/** As a pipeline types it (S2:2486): the address and the token in the environment, no login, and `--server-side` as argocd names it. */
async function diffInPipeline(argocd: Argocd, { login, isWeb = false }: Transport): Promise<void> {
  const { fairlead, folder, host, run, prints, runIn } = argocd;
  const local = join(folder, 'local');
  cpSync(join(fairlead.demo, 'guestbook'), local, { recursive: true });
  await prints(['proj', 'role', 'create', 'default', 'pipeline']);
  const policy = ['--action', 'get', '--permission', 'allow', '--object', '*'];
  await prints(['proj', 'role', 'add-policy', 'default', 'pipeline', ...policy]);
  const token = await prints(['proj', 'role', 'create-token', 'default', 'pipeline', '--token-only']);
  const env = {
    ARGOCD_CONFIG_DIR: join(folder, 'pipeline'),
    ARGOCD_SERVER: host,
    ARGOCD_AUTH_TOKEN: token.trim(),
    ARGOCD_OPTS: login.join(' '),
  };
  const diff = ['app', 'diff', 'guestbook', '--local', local, '--server-side-generate'];
  const [same, unknown] = [
    await runIn(env, ...diff),
    await runIn(env, ...diff.slice(0, -1), '--server-side'),
  ];
  expect(unknown).toMatchObject({ code: 1, stdout: expect.stringContaining('unknown flag: --server-side') });
  if (isWeb) {
    expect(same).toMatchObject({ code: 20, stderr: expect.stringContaining('--grpc-web') });
    return;
  }
  expect(same).toMatchObject({ code: 0, stdout: '' });
  const greeting = join(local, 'greeting.yaml');
  writeFileSync(greeting, readFileSync(greeting, 'utf8').replace('Welcome aboard', 'Hello'));
  expect(await runIn(env, ...diff)).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/< +GREETING: Welcome aboard\n---\n> +GREETING: Hello/),
  });
  expect((await run('app', 'diff', 'guestbook')).code).toBe(0);
}
