import { execFile } from 'node:child_process';
import type { Ctx } from '#base/std';
import type { Collection, KubeClient } from '#kubernetes/client';

/** What a scenario is played on. */
export type Environment = {
  readonly ctx: Ctx;
  readonly kube: KubeClient;
  readonly kubeconfig: string;
  /** Of the web server that metrics measure. */
  readonly web: { readonly url: string; answer(path: string, body: unknown): void };
};

const groups: Readonly<Record<string, readonly string[]>> = {
  'argoproj.io/v1alpha1': ['Rollout', 'AnalysisTemplate', 'AnalysisRun', 'Experiment'],
  'apps/v1': ['ReplicaSet', 'Deployment'],
  'batch/v1': ['Job'],
  'networking.k8s.io/v1': ['Ingress'],
  'networking.istio.io/v1beta1': ['VirtualService', 'DestinationRule'],
  'policy/v1': ['PodDisruptionBudget'],
  v1: ['Pod', 'Service', 'Event', 'Namespace'],
};

/** The kinds whose objects are compared. */
export const kinds = [
  ...['Rollout', 'ReplicaSet', 'AnalysisRun', 'Experiment', 'Deployment', 'Job', 'Pod', 'Service'],
  ...['Ingress', 'VirtualService', 'DestinationRule'],
] as const;

export function refOf(kind: string): Pick<Collection, 'apiVersion' | 'kind'> {
  const [apiVersion] = Object.entries(groups).find(([, members]) => members.includes(kind)) ?? [];
  if (apiVersion === undefined) throw new Error(`scenarios know no ${kind}`);
  return { apiVersion, kind };
}

/** Types a line of the plugin. Throws what it printed when it fails. */
export function typePlugin({ kubeconfig }: Environment, namespace: string, line: string): Promise<string> {
  const words = [...line.split(' '), '--kubeconfig', kubeconfig, '-n', namespace];
  const program = process.env.FAIRLEAD_TEST_ROLLOUTS ?? '';
  return new Promise((resolve, reject) => {
    execFile(program, words, { timeout: 60_000 }, (error, stdout, stderr) => {
      if (error) reject(new Error(`${line}: ${stdout}${stderr}`));
      else resolve(stdout);
    });
  });
}
