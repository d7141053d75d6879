import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CliStep } from './cli-steps.ts';
import type { Fairlead } from './fairlead.ts';

/** The command lines that the users' guides print (server §8.2), as they print them, each after its document and line. */
export const printedLines: readonly string[] = readFileSync(
  join(import.meta.dirname, '../seeds/testdata/commands.txt'),
  'utf8',
)
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => line.replace(/^\S+ /, ''));

/** The command and its flags in order, without what a reader fills in: `app sync --force`. */
export function commandIn(line: string): string {
  const words = line.split(/\s+/);
  const end = words[0] === 'login' ? 1 : words[1] === 'role' ? 3 : 2;
  const flags = words.filter((word) => /^--?[a-z]/.test(word)).map((word) => word.replace(/=.*$/, ''));
  return [...words.slice(0, end), ...[...new Set(flags)].sort()].join(' ');
}

/**
 * A step, and where the unmodified argocd differs, its exit code and what it prints instead: it lacks the command, the flag or the
 * meaning, or says it in other words.
 */
type SeedStep = CliStep & {
  readonly argocd?: { readonly code?: number; readonly prints?: readonly (string | RegExp)[] };
};

const quiet = { prints: [/^$/] };

export const seedSteps: readonly SeedStep[] = [
  { run: 'login $HOST --username admin --password $PASSWORD', out: ['logged in successfully'] },
  {
    run: 'app create hello-world --repo $REPO --path guestbook --dest-server https://kubernetes.default.svc --dest-namespace hello-world --sync-option CreateNamespace=true',
    out: ["application 'hello-world' created"],
  },
  {
    run: 'app create at-the-root --repo $REPO --path . --dest-server https://kubernetes.default.svc --dest-namespace default',
    out: ["application 'at-the-root' created"],
  },
  { run: 'app delete at-the-root --yes', out: ['deleted'] },
  { run: 'app sync hello-world', out: ['Succeeded'] },
  { run: 'app list', out: ['argocd/hello-world'] },
  { run: 'app get hello-world', out: ['Health Status'] },
  { run: 'app refresh hello-world', out: ['refreshed'], argocd: { code: 1, prints: ['Usage:'] } },
  { run: 'app sync hello-world --force', out: ['Succeeded'] },
  { run: 'proj create emergency-override -f $FOLDER/emergency.yaml', out: ['created'], argocd: quiet },
  { run: 'app set hello-world --project emergency-override' },
  { run: 'app sync hello-world', out: ['Succeeded'] },
  { run: 'app set hello-world --project default' },
  {
    run: 'proj create team-payments -f $FOLDER/payments.yaml',
    out: ["project 'team-payments' created"],
    argocd: quiet,
  },
  {
    run: 'proj role create-token team-payments oncall --expires-in 24h',
    out: ['Create token succeeded', 'Token: ey'],
  },
  { run: 'app wait hello-world --health --timeout 300', out: ['Healthy'] },
  { run: 'app history hello-world', out: ['ID', 'REVISION'] },
  { run: 'app rollback hello-world 0', out: [/^Phase: +Succeeded$/m], argocd: { prints: [] } },
  { run: 'app rollback guestbook 0', code: 20, err: ['auto-sync'] },
  { run: 'cluster add $CONTEXT', out: ['added'], err: ['without a prompt'], argocd: { prints: ['added'] } },
  // the kubeconfig has a context of the cluster's name, so argocd deletes the service account too
  { run: 'cluster rm $CONTEXT --yes', argocd: { prints: [/Cluster '.*' removed/] } },
  {
    run: 'cluster add $CONTEXT --name staging --namespace default --namespace kube-system',
    out: ["as 'staging'"],
    argocd: { prints: ['added'] },
  },
  { run: 'cluster rm staging --yes', argocd: { code: 20, prints: ["Cluster 'staging' removed"] } },
  {
    run: 'cluster add $CONTEXT --name staging --kubeconfig $KUBECONFIG',
    out: ["as 'staging'"],
    argocd: { prints: [/Cluster 'https:.*' added/] },
  },
  {
    run: 'cluster add $CONTEXT --name staging --kubeconfig $KUBECONFIG --namespace default --namespace kube-system --upsert',
    out: ["as 'staging'"],
    argocd: { prints: [/Cluster 'https:.*' added/] },
  },
  { run: 'cluster list', out: ['STATUS', 'Successful'] },
  { run: 'cluster get staging', out: ['name: staging'] },
  { run: 'cluster rm staging --yes', argocd: { code: 20, prints: ["Cluster 'staging' removed"] } },
  { run: 'repo add $REPO --username git --password secret', out: ['added'] },
  { run: 'repo get $REPO', out: ['Successful'] },
  { run: 'app diff hello-world', out: [/^$/] },
  {
    run: 'app get hello-world -o yaml',
    out: ['kind: Application'],
    argocd: { prints: ['name: hello-world'] },
  },
  {
    run: 'app diff hello-world --local $DEMO/guestbook --server-side',
    argocd: { code: 1, prints: ['unknown flag: --server-side'] },
  },
  { run: 'appset create $FOLDER/set.yaml', out: ['created'] },
  {
    run: 'appset generate my-app-appset -o yaml',
    out: ['name: my-app-dev', 'name: my-app-staging'],
    argocd: { code: 20, prints: ['error reading applicationset from file'] },
  },
  {
    run: 'app list -p default -o yaml',
    out: ['kind: Application'],
    argocd: { prints: ['name: hello-world'] },
  },
  {
    run: 'app list -p default -o yaml --multi-doc',
    out: ['kind: Application'],
    argocd: { code: 1, prints: ['unknown flag: --multi-doc'] },
  },
  { run: 'appset list', out: ['argocd/my-app-appset'] },
  { run: 'appset delete my-app-appset --yes', out: ['deleted'] },
  {
    run: 'app delete hello-world',
    out: ['deleted'],
    err: ['without a prompt'],
    argocd: { prints: ['deleted'] },
  },
];

/** The files that the steps name. */
export function writeSeedFiles(fairlead: Fairlead): void {
  const project = (name: string) => `apiVersion: argoproj.io/v1alpha1
kind: AppProject
metadata: {name: ${name}}
spec:
  sourceRepos: ['*']
  destinations: [{server: '*', namespace: '*'}]
  clusterResourceWhitelist: [{group: '*', kind: '*'}]
  roles: [{name: oncall, policies: ['p, proj:${name}:oncall, applications, sync, ${name}/*, allow']}]
`;
  writeFileSync(join(fairlead.folder, 'payments.yaml'), project('team-payments'));
  writeFileSync(join(fairlead.folder, 'emergency.yaml'), project('emergency-override'));
  const set = `apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: my-app-appset, namespace: argocd}
spec:
  generators: [{list: {elements: [{env: dev}, {env: staging}]}}]
  template:
    metadata: {name: 'my-app-{{env}}'}
    spec:
      project: team-payments
      source: {repoURL: "file://${fairlead.demo}", path: guestbook, targetRevision: HEAD}
      destination: {server: "https://kubernetes.default.svc", namespace: 'set-{{env}}'}
      syncPolicy: {automated: {}, syncOptions: [CreateNamespace=true]}
`;
  writeFileSync(join(fairlead.folder, 'set.yaml'), set);
}
