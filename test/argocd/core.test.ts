import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { forget, isSettled } from '../e2e/fairlead.ts';
import { type Argocd, startArgocd } from './argocd.ts';

// compat server §8.1: the unmodified argocd with --core starts an API server of Argo CD of its own on the embedded cluster. What its users
// do with objects works; docs/guide/argocd-command.md says what cannot.

let argocd: Argocd;
beforeAll(async () => {
  argocd = await startArgocd('--demo');
  await argocd.fairlead.until('guestbook', 'settled', isSettled);
});
afterAll(async () => {
  await argocd?.fairlead.stop();
  if (argocd) forget(argocd.fairlead);
});

const core = (line: string) =>
  argocd.runIn(
    { KUBECONFIG: join(argocd.fairlead.dataDir, 'kubeconfig') },
    ...[...line.split(' '), '--core', '--kube-context', 'argocd'],
  );

const created = (name: string): string =>
  [
    `app create ${name} --repo file://${argocd.fairlead.demo} --path guestbook --validate=false`,
    `--dest-server https://kubernetes.default.svc --dest-namespace ${name} --sync-option CreateNamespace=true`,
  ].join(' ');

test('applications and projects are listed, read, refreshed, created, synced to a commit and deleted', async () => {
  const commit = execFileSync('git', ['-C', argocd.fairlead.demo, 'rev-parse', 'HEAD'], { encoding: 'utf8' });
  const lines: [line: string, pattern: RegExp][] = [
    ['app list', /^argocd\/guestbook +.* Synced +Healthy/m],
    ['app get guestbook', /^Sync Status: +Synced to/m],
    ['app get guestbook --refresh', /^Health Status: +Healthy$/m],
    ['app history guestbook', /^0 +\d{4}-/m],
    ['app wait guestbook --timeout 60', /^Health Status: +Healthy$/m],
    ['cluster list', /in-cluster +\S+ +Successful/],
    ['proj create team', /^$/],
    ['proj list', /^team/m],
    ['proj delete team', /^$/],
    [created('core'), /application 'core' created/],
    [`app sync core --revision ${commit.trim()} --timeout 60`, /^Phase: +Succeeded$/m],
    ['app wait core --health --timeout 60', /^Health Status: +Healthy$/m],
    ['app delete core -y', /application 'core' deleted/],
  ];
  for (const [line, pattern] of lines) {
    const { code, stdout, stderr } = await core(line);
    expect({ line, code, text: code === 0 ? stdout : stderr }).toEqual({
      line,
      code: 0,
      text: expect.stringMatching(pattern),
    });
  }
});

test('what needs the repo-server or Redis of Argo CD ends at once and names it', async () => {
  for (const [line, pattern] of [
    ['app sync guestbook --timeout 20', /error resolving repo revision.*code = Unavailable/],
    ['app manifests guestbook', /cannot find ready pod with selector: .*argocd-redis/],
    ['app diff guestbook', /cannot find ready pod with selector: .*argocd-redis/],
    ['app resources guestbook', /cannot find ready pod with selector: .*argocd-redis/],
  ] as const)
    expect(await core(line), line).toMatchObject({ code: 20, stderr: expect.stringMatching(pattern) });
});
