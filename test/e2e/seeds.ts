import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type GitRepositoryFixture, gitRepository } from '../git-repository.ts';
import { type Fairlead, forget, onCluster, startFairlead } from './fairlead.ts';

const { FAIRLEAD_TEST_KUBECONFIG: kubeconfig } = process.env;
const folder = new URL('../seeds/testdata/', import.meta.url);
const remote = 'https://github.com/';

/** The users' documents in use: the program on whatever cluster there is, and the repositories they name on this machine. */
export type Seeds = {
  readonly fairlead: Fairlead;
  /** A file of the documents, as they print it but for where its repositories are. */
  text(file: string): string;
  /** A repository that a document names, `your-org/my-app-manifests`. */
  repository(name: string): Promise<GitRepositoryFixture>;
  /** What kubectl makes of manifests, which must all be accepted. */
  apply(...manifests: readonly (string | object)[]): Promise<void>;
  /** A command that must work; what it prints. */
  cli(...words: string[]): Promise<string>;
  kubectl(...words: string[]): Promise<string>;
  stop(): Promise<void>;
};

export async function startSeeds(): Promise<Seeds> {
  const fairlead = await startFairlead(...(kubeconfig ? onCluster(kubeconfig) : ['--no-demo']));
  const root = join(fairlead.folder, 'repositories');
  const must = async (ran: ReturnType<Fairlead['cli']>): Promise<string> => {
    const { code, stdout, stderr } = await ran;
    expect(code, stderr).toBe(0);
    return stdout;
  };
  const made: string[] = [];
  const { host } = new URL(fairlead.url);
  await must(fairlead.cli('login', host, '--username', 'admin', '--password', fairlead.password));
  return {
    fairlead,
    text: (file) => readFileSync(new URL(file, folder), 'utf8').replaceAll(remote, `file://${root}/`),
    repository: (name) => gitRepository(join(root, name)),
    apply: async (...manifests) => {
      for (const manifest of manifests) {
        await must(fairlead.apply(manifest));
        if (isNamespace(manifest)) made.push(manifest.metadata.name);
      }
    },
    cli: (...words) => must(fairlead.cli(...words)),
    kubectl: (...words) => must(fairlead.kubectl(...words)),
    stop: async () => {
      if (kubeconfig) await leaveNothing(fairlead, made);
      await fairlead.stop();
      forget(fairlead);
    },
  };
}

/** The next suite on this cluster begins with the settings of a new installation, and finds no object of this one. */
async function leaveNothing({ kubectl }: Fairlead, namespaces: readonly string[]): Promise<void> {
  const limits = ['--ignore-not-found', '--timeout=40s'];
  for (const kind of ['applicationsets', 'applications'])
    await kubectl('delete', kind, '--all', '-n', 'argocd', ...limits);
  if (namespaces.length > 0) await kubectl('delete', 'namespace', ...namespaces, ...limits);
  const none = ['configmap/argocd-cm', '-n', 'argocd', '--type=merge', '-p', '{"data":null}'];
  const { code, stderr } = await kubectl('patch', ...none);
  expect(code, stderr).toBe(0);
}

type Namespace = ReturnType<typeof namespace>;

const isNamespace = (manifest: string | object): manifest is Namespace =>
  typeof manifest === 'object' && 'kind' in manifest && manifest.kind === 'Namespace';

export const namespace = (name: string) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
