import { defaultRoles } from './access/default-roles.ts';
import { type Core, peek } from './core.ts';
import type { Item } from './item.ts';
import { version } from './version.ts';
import { create } from './write/create.ts';
import { internalWrite, resourceFor } from './write/internal-write.ts';

const manager = 'kube-apiserver';

/**
 * Creates the objects that every new cluster has (contract cluster 3.20), as far as they are missing; safe to
 * repeat.
 */
export function furnishCluster(core: Core): void {
  for (const item of core.access.usesRoles ? [...essentials, ...defaultRoles()] : essentials) {
    const resource = resourceFor(core, item);
    const { namespace = '', name = '' } = item.metadata;
    if (peek(core, resource.collection, namespace, name)) continue;
    create(internalWrite(core, resource, manager, { namespace }), item);
  }
}

const namespace = (name: string): Item => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });

const priority = (name: string, value: number, description: string): Item => ({
  apiVersion: 'scheduling.k8s.io/v1',
  kind: 'PriorityClass',
  metadata: { name },
  value,
  description,
});

const capacity = { cpu: '8', memory: '32Gi', pods: '110', 'ephemeral-storage': '100Gi' };

const essentials: readonly Item[] = [
  ...['default', 'kube-system', 'kube-public', 'kube-node-lease'].map(namespace),
  priority(
    'system-node-critical',
    2_000_001_000,
    'Used for system critical pods that must not be moved from their current node.',
  ),
  priority(
    'system-cluster-critical',
    2_000_000_000,
    'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
  ),
  {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'standard', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
    provisioner: 'embed.fairlead.dev/none',
    reclaimPolicy: 'Delete',
    volumeBindingMode: 'Immediate',
  },
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name: 'kubernetes',
      namespace: 'default',
      labels: { component: 'apiserver', provider: 'kubernetes' },
    },
    spec: {
      clusterIP: '10.96.0.1',
      ports: [{ name: 'https', port: 443, protocol: 'TCP', targetPort: 6443 }],
    },
  },
  {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name: 'embedded-0',
      labels: {
        'kubernetes.io/hostname': 'embedded-0',
        'kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        'node-role.kubernetes.io/control-plane': '',
      },
    },
    spec: { podCIDR: '10.244.0.0/24', podCIDRs: ['10.244.0.0/24'] },
    status: {
      capacity,
      allocatable: capacity,
      conditions: [
        {
          type: 'Ready',
          status: 'True',
          reason: 'KubeletReady',
          message: 'the node of an embedded cluster is always ready',
        },
      ],
      addresses: [
        { type: 'InternalIP', address: '192.0.2.1' },
        { type: 'Hostname', address: 'embedded-0' },
      ],
      nodeInfo: {
        architecture: 'amd64',
        bootID: '',
        containerRuntimeVersion: 'none://0',
        kernelVersion: 'none',
        kubeProxyVersion: '',
        kubeletVersion: version,
        machineID: '',
        operatingSystem: 'linux',
        osImage: 'embedded',
        systemUUID: '',
      },
    },
  },
];
