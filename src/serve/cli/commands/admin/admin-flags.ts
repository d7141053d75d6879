import type { Command } from 'commander';
import type { KubeFlags } from '../../session/kube.ts';

export type ClusterFlags = KubeFlags & { namespace: string };

/** How a command that needs no server reaches the cluster. */
export const reaching = (command: Command): Command =>
  command
    .option('-n, --namespace <name>', 'where the control plane keeps its objects', 'argocd')
    .option('--kubeconfig <path>', 'how to reach the cluster (default: as kubectl does)')
    .option('--context <name>', 'the context of the kubeconfig');
