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
  const { host } = new URL(fairlead.url);
  await must(fairlead.cli('login', host, '--username', 'admin', '--password', fairlead.password));
  return {
    fairlead,
    text: (file) => readFileSync(new URL(file, folder), 'utf8').replaceAll(remote, `file://${root}/`),
    repository: (name) => gitRepository(join(root, name)),
    apply: async (...manifests) => {
      for (const manifest of manifests) await must(fairlead.apply(manifest));
    },
    cli: (...words) => must(fairlead.cli(...words)),
    kubectl: (...words) => must(fairlead.kubectl(...words)),
    stop: async () => {
      // the next suite on this cluster begins with the settings of a new installation
      const none = ['configmap/argocd-cm', '-n', 'argocd', '--type=merge', '-p', '{"data":null}'];
      if (kubeconfig) await must(fairlead.kubectl('patch', ...none));
      await fairlead.stop();
      forget(fairlead);
    },
  };
}

export const namespace = (name: string) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
