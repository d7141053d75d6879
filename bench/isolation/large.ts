import { join } from 'node:path';
import type { Application } from '#base/model';
import { type GitRepositoryFixture, gitRepository } from '../../test/git-repository.ts';

/** What renders the same fifty megabytes. */
export type Way = 'directory' | 'kustomize' | 'helm';

/** How many of each size in bytes: fifty megabytes, and no object too large to be applied by anybody. */
const sizes = [
  { count: 100, bytes: 200_000 },
  { count: 1000, bytes: 25_000 },
  { count: 2000, bytes: 2_500 },
];
/** What an engine prints may have a million nodes, and each line makes two. */
const lineBytes = 200;

/** A repository whose one application is fifty megabytes, in about thirty files. */
export async function largeRepository(folder: string, way: Way): Promise<GitRepositoryFixture> {
  const repository = await gitRepository(join(folder, 'large'));
  const files = sizes.flatMap(({ count, bytes }, size) => filesOf(count, bytes, size));
  const prefix = way === 'helm' ? 'templates/' : '';
  const named = files.map((text, index) => [`${prefix}part-${index}.yaml`, text] as const);
  await repository.commit({ ...Object.fromEntries(named), ...around(way, files.length) });
  await repository.git('repack', '-adq', '--window=0'); // who fetches it does not wait for that
  return repository;
}

function filesOf(count: number, bytes: number, size: number): string[] {
  const objects = Array.from({ length: count }, (_one, index) => configMap(`large-${size}-${index}`, bytes));
  const perFile = Math.ceil(count / 10);
  return Array.from({ length: 10 }, (_one, at) =>
    objects.slice(at * perFile, (at + 1) * perFile).join('---\n'),
  );
}

function configMap(name: string, bytes: number): string {
  const lines = Array.from({ length: Math.floor(bytes / lineBytes) }, (_one, index) => {
    return `  key-${index}: ${`${name} ${index} `.padEnd(lineBytes - 12 - `${index}`.length, 'x')}\n`;
  });
  return `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n${lines.join('')}`;
}

function around(way: Way, parts: number): Record<string, string> {
  if (way === 'helm') return { 'Chart.yaml': 'apiVersion: v2\nname: large\nversion: 1.0.0\n' };
  if (way === 'directory') return {};
  const resources = Array.from({ length: parts }, (_one, index) => `- part-${index}.yaml\n`);
  return { 'kustomization.yaml': `resources:\n${resources.join('')}` };
}

/** An application of a repository, which is healed when it drifts and takes everything along when it goes. */
export function application(
  name: string,
  source: { readonly repoURL: string; readonly path: string; readonly namespace: string },
): Application {
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name, namespace: 'argocd', finalizers: ['resources-finalizer.argocd.argoproj.io'] },
    spec: {
      project: 'default',
      source: { repoURL: source.repoURL, path: source.path, targetRevision: 'main' },
      destination: { server: 'https://kubernetes.default.svc', namespace: source.namespace },
      syncPolicy: { automated: { prune: true, selfHeal: true }, syncOptions: ['CreateNamespace=true'] },
    },
  };
}
