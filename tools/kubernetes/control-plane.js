// A real Kubernetes control plane on the loopback interface: etcd, the API server with RBAC, the controllers, the
// scheduler, and kwok, whose one node runs every pod in name only.
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { apiOf } from './api.js';
import { writeCertificates } from './certificates.js';
import { freePorts, startProgram, until } from './processes.js';

const node = 'kwok-0';

/** Starts it in an empty folder; resolves to the path of its kubeconfig once pods can run. */
export async function startControlPlane(folder, binaries) {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const [server, controllers, scheduler, etcd, etcdPeer, kwok] = await freePorts(6);
  await writeCertificates(folder, server);
  copyFileSync(join(folder, 'pki/admin.kubeconfig'), join(folder, 'kubeconfig'));
  const program = (name) => join(binaries, name);
  startProgram(folder, 'etcd', [program('etcd'), ...etcdFlags(folder, etcd, etcdPeer)]);
  startProgram(folder, 'kube-apiserver', [program('kube-apiserver'), ...serverFlags(server, etcd)]);
  const { call } = apiOf(folder);
  await until(folder, 'kube-apiserver', async () => (await call('GET', '/readyz')) === 'ok');
  startProgram(folder, 'kube-controller-manager', [
    program('kube-controller-manager'),
    ...clientFlags('kube-controller-manager', controllers),
    '--use-service-account-credentials=true',
    '--service-account-private-key-file=pki/sa.key',
    '--root-ca-file=pki/ca.crt',
    '--cluster-signing-cert-file=pki/ca.crt',
    '--cluster-signing-key-file=pki/ca.key',
  ]);
  startProgram(folder, 'kube-scheduler', [
    program('kube-scheduler'),
    ...clientFlags('kube-scheduler', scheduler),
  ]);
  startProgram(folder, 'kwok', [program('kwok'), ...kwokFlags(folder, binaries, kwok)]);
  await call('POST', '/api/v1/nodes', fakeNode());
  await until(folder, 'kube-controller-manager', () =>
    call('GET', '/api/v1/namespaces/default/serviceaccounts/default'),
  );
  await until(folder, 'kwok', async () => {
    const { status } = await call('GET', `/api/v1/nodes/${node}`);
    return status.conditions?.some(({ reason }) => reason === 'KubeletReady');
  });
  return join(folder, 'kubeconfig');
}

/** In the order in which they are stopped: who asks before who answers. */
export const controlPlanePrograms = [
  ['kwok', 'kube-scheduler', 'kube-controller-manager'],
  ['kube-apiserver'],
  ['etcd'],
];

function etcdFlags(folder, port, peerPort) {
  const [client, peer] = [port, peerPort].map((one) => `http://127.0.0.1:${one}`);
  return [
    '--name=test',
    `--data-dir=${join(folder, 'etcd')}`,
    '--unsafe-no-fsync', // nothing here is worth waiting for a disk
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=test=${peer}`,
    '--log-level=warn',
  ];
}

function serverFlags(port, etcdPort) {
  return [
    `--etcd-servers=http://127.0.0.1:${etcdPort}`,
    '--bind-address=127.0.0.1',
    '--advertise-address=127.0.0.1',
    `--secure-port=${port}`,
    '--endpoint-reconciler-type=none',
    '--tls-cert-file=pki/apiserver.crt',
    '--tls-private-key-file=pki/apiserver.key',
    '--client-ca-file=pki/ca.crt',
    '--authorization-mode=Node,RBAC',
    '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
    '--service-account-key-file=pki/sa.pub',
    '--service-account-signing-key-file=pki/sa.key',
    '--requestheader-client-ca-file=pki/ca.crt',
    '--requestheader-allowed-names=front-proxy-client',
    '--requestheader-extra-headers-prefix=X-Remote-Extra-',
    '--requestheader-group-headers=X-Remote-Group',
    '--requestheader-username-headers=X-Remote-User',
    '--proxy-client-cert-file=pki/front-proxy-client.crt',
    '--proxy-client-key-file=pki/front-proxy-client.key',
    '--kubelet-preferred-address-types=InternalIP',
    '--service-cluster-ip-range=10.96.0.0/16',
    '--allow-privileged=true',
    '--profiling=false',
  ];
}

function clientFlags(name, port) {
  const kubeconfig = `pki/${name}.kubeconfig`;
  return [
    `--kubeconfig=${kubeconfig}`,
    `--authentication-kubeconfig=${kubeconfig}`,
    `--authorization-kubeconfig=${kubeconfig}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    '--cert-dir=run',
    '--leader-elect=false',
    '--kube-api-qps=500',
    '--kube-api-burst=1000',
    '--profiling=false',
  ];
}

/** Every pod of kwok's has the same log: one line. */
function kwokFlags(folder, binaries, port) {
  const log = join(folder, 'pod.log');
  writeFileSync(log, '2026-01-01T00:00:00.000000000Z stdout F hello from a pod in name only\n');
  const logs = {
    apiVersion: 'kwok.x-k8s.io/v1alpha1',
    kind: 'ClusterLogs',
    metadata: { name: 'all' },
    spec: { logs: [{ logsFile: log }] },
  };
  writeFileSync(join(folder, 'pod-logs.yaml'), JSON.stringify(logs));
  return [
    '--kubeconfig=pki/kwok.kubeconfig',
    `--config=${join(binaries, 'stages.yaml')}`,
    '--config=pod-logs.yaml',
    '--manage-all-nodes=true',
    '--cidr=10.244.0.0/16',
    '--node-ip=127.0.0.1',
    `--node-port=${port}`,
    `--server-address=127.0.0.1:${port}`,
    '--node-lease-duration-seconds=40',
  ];
}

function fakeNode() {
  const resources = { cpu: '32', memory: '256Gi', pods: '250' };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name: node,
      annotations: { 'node.alpha.kubernetes.io/ttl': '0', 'kwok.x-k8s.io/node': 'fake' },
      labels: {
        'kubernetes.io/hostname': node,
        'kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        'kubernetes.io/role': 'agent',
      },
    },
    status: { allocatable: resources, capacity: resources },
  };
}
