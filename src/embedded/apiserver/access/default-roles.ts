import type { Item } from '../item.ts';
import type { RoleRule } from './rule.ts';

/**
 * compat cluster 3.18: the default roles and bindings of a cluster with RBAC, as far as clients need them; those
 * of single controllers and of kubelets' certificates are left out, because the controllers here need none.
 */

const read = 'get list watch';
const write = 'create delete deletecollection patch update';
const readWrite = 'create delete deletecollection get list patch update watch';

const words = (text: string): string[] => text.split(' ').map((word) => (word === 'core' ? '' : word));

const on = (verbs: string, groups: string, resources: string, names?: string): RoleRule => ({
  verbs: words(verbs),
  apiGroups: words(groups),
  resources: words(resources),
  ...(names !== undefined && { resourceNames: words(names) }),
});

const at = (verbs: string, urls: string): RoleRule => ({ verbs: words(verbs), nonResourceURLs: words(urls) });

const rules: Readonly<Record<string, readonly RoleRule[]>> = {
  'cluster-admin': [on('*', '*', '*'), at('*', '*')],
  'system:aggregate-to-admin': [
    on('create', 'authorization.k8s.io', 'localsubjectaccessreviews'),
    on(readWrite, 'rbac.authorization.k8s.io', 'rolebindings roles'),
  ],
  'system:aggregate-to-edit': [
    on(read, 'core', 'pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy'),
    on('impersonate', 'core', 'serviceaccounts'),
    on(write, 'core', 'pods pods/attach pods/exec pods/portforward pods/proxy'),
    on('create', 'core', 'pods/eviction'),
    on(
      write,
      'core',
      'configmaps persistentvolumeclaims replicationcontrollers replicationcontrollers/scale secrets serviceaccounts services services/proxy',
    ),
    on('create', 'core', 'serviceaccounts/token'),
    on(write, 'core events.k8s.io', 'events'),
    on(
      write,
      'apps',
      'daemonsets deployments deployments/rollback deployments/scale replicasets replicasets/scale statefulsets statefulsets/scale',
    ),
    on(write, 'autoscaling', 'horizontalpodautoscalers'),
    on(write, 'batch', 'cronjobs jobs'),
    on(
      write,
      'extensions',
      'daemonsets deployments deployments/rollback deployments/scale ingresses networkpolicies replicasets replicasets/scale replicationcontrollers/scale',
    ),
    on(write, 'policy', 'poddisruptionbudgets'),
    on(write, 'networking.k8s.io', 'ingresses networkpolicies'),
    on(readWrite, 'coordination.k8s.io', 'leases'),
    on(write, 'resource.k8s.io', 'resourceclaims resourceclaimtemplates'),
  ],
  'system:aggregate-to-view': [
    on(
      read,
      'core',
      'configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods replicationcontrollers replicationcontrollers/scale serviceaccounts services services/status',
    ),
    on(
      read,
      'core',
      'bindings limitranges namespaces/status pods/log pods/status replicationcontrollers/status resourcequotas resourcequotas/status',
    ),
    on(read, 'core', 'namespaces'),
    on(read, 'core events.k8s.io', 'events'),
    on(read, 'discovery.k8s.io', 'endpointslices'),
    on(
      read,
      'apps',
      'controllerrevisions daemonsets daemonsets/status deployments deployments/scale deployments/status replicasets replicasets/scale replicasets/status statefulsets statefulsets/scale statefulsets/status',
    ),
    on(read, 'autoscaling', 'horizontalpodautoscalers horizontalpodautoscalers/status'),
    on(read, 'batch', 'cronjobs cronjobs/status jobs jobs/status'),
    on(
      read,
      'extensions',
      'daemonsets daemonsets/status deployments deployments/scale deployments/status ingresses ingresses/status networkpolicies replicasets replicasets/scale replicasets/status replicationcontrollers/scale',
    ),
    on(read, 'policy', 'poddisruptionbudgets poddisruptionbudgets/status'),
    on(read, 'networking.k8s.io', 'ingresses ingresses/status networkpolicies'),
    on(read, 'resource.k8s.io', 'resourceclaims resourceclaims/status resourceclaimtemplates'),
  ],
  'system:auth-delegator': [
    on('create', 'authentication.k8s.io', 'tokenreviews'),
    on('create', 'authorization.k8s.io', 'subjectaccessreviews'),
  ],
  'system:basic-user': [
    on('create', 'authorization.k8s.io', 'selfsubjectaccessreviews selfsubjectrulesreviews'),
    on('create', 'authentication.k8s.io', 'selfsubjectreviews'),
  ],
  'system:discovery': [
    at('get', '/api /api/* /apis /apis/* /healthz /livez /openapi /openapi/* /readyz /version /version/'),
  ],
  'system:heapster': [
    on(read, 'core', 'events namespaces nodes pods'),
    on(read, 'extensions', 'deployments'),
  ],
  'system:kube-aggregator': [on(read, 'core', 'endpoints services')],
  'system:kube-controller-manager': [
    on('create patch update', 'core events.k8s.io', 'events'),
    on('create', 'coordination.k8s.io', 'leases'),
    on('get update', 'coordination.k8s.io', 'leases', 'kube-controller-manager'),
    on('create', 'core', 'secrets serviceaccounts'),
    on('delete', 'core', 'secrets'),
    on('get', 'core', 'configmaps namespaces secrets serviceaccounts'),
    on('update', 'core', 'secrets serviceaccounts'),
    on('create', 'authentication.k8s.io', 'tokenreviews'),
    on('create', 'authorization.k8s.io', 'subjectaccessreviews'),
    on('list watch', '*', '*'),
    on('create', 'core', 'serviceaccounts/token'),
  ],
  'system:kube-dns': [on('list watch', 'core', 'endpoints services')],
  'system:kube-scheduler': [
    on('create patch update', 'core events.k8s.io', 'events'),
    on('create', 'coordination.k8s.io', 'leases'),
    on('get list update watch', 'coordination.k8s.io', 'leases', 'kube-scheduler'),
    on(readWrite, 'coordination.k8s.io', 'leasecandidates'),
    on(read, 'core', 'nodes'),
    on('delete get list watch', 'core', 'pods'),
    on('create', 'core', 'bindings pods/binding'),
    on('patch update', 'core', 'pods/status'),
    on(read, 'core', 'replicationcontrollers services'),
    on(read, 'apps extensions', 'replicasets'),
    on(read, 'apps', 'statefulsets'),
    on(read, 'policy', 'poddisruptionbudgets'),
    on(read, 'core', 'persistentvolumeclaims persistentvolumes'),
    on('create', 'authentication.k8s.io', 'tokenreviews'),
    on('create', 'authorization.k8s.io', 'subjectaccessreviews'),
    on(read, 'storage.k8s.io', 'csinodes'),
    on(read, 'storage.k8s.io', 'volumeattachments'),
    on(read, 'core', 'namespaces'),
    on(read, 'storage.k8s.io', 'csidrivers'),
    on(read, 'storage.k8s.io', 'csistoragecapacities'),
    on(read, 'resource.k8s.io', 'deviceclasses'),
    on('get list patch update watch', 'resource.k8s.io', 'resourceclaims'),
    on('get list patch update watch', 'resource.k8s.io', 'resourceclaims/status'),
    on('update', 'core', 'pods/finalizers'),
    on(read, 'resource.k8s.io', 'resourceslices'),
    on('create delete', 'resource.k8s.io', 'resourceclaims'),
    on('patch update', 'resource.k8s.io', 'resourceclaims/binding'),
  ],
  'system:kubelet-api-admin': [
    on(read, 'core', 'nodes'),
    on('proxy', 'core', 'nodes'),
    on('*', 'core', 'nodes/log nodes/metrics nodes/proxy nodes/stats'),
    on('*', 'core', 'nodes/configz nodes/healthz nodes/pods'),
  ],
  'system:monitoring': [
    at('get', '/flagz /healthz /healthz/* /livez /livez/* /metrics /metrics/slis /readyz /readyz/* /statusz'),
    on('get', 'core', 'nodes/metrics'),
  ],
  'system:node': [
    on('create', 'authentication.k8s.io', 'tokenreviews'),
    on('create', 'authorization.k8s.io', 'localsubjectaccessreviews subjectaccessreviews'),
    on(read, 'core', 'services'),
    on('create get list watch', 'core', 'nodes'),
    on('patch update', 'core', 'nodes/status'),
    on('patch update', 'core', 'nodes'),
    on('create patch update', 'core events.k8s.io', 'events'),
    on(read, 'core', 'pods'),
    on('create delete', 'core', 'pods'),
    on('patch update', 'core', 'pods/status'),
    on('create', 'core', 'pods/eviction'),
    on(read, 'core', 'configmaps secrets'),
    on('get', 'core', 'persistentvolumeclaims persistentvolumes'),
    on('get', 'core', 'endpoints'),
    on('create get list watch', 'certificates.k8s.io', 'certificatesigningrequests'),
    on('create delete get patch update', 'coordination.k8s.io', 'leases'),
    on('get', 'storage.k8s.io', 'volumeattachments'),
    on('create', 'core', 'serviceaccounts/token'),
    on('get patch update', 'core', 'persistentvolumeclaims/status'),
    on(read, 'storage.k8s.io', 'csidrivers'),
    on('create delete get patch update', 'storage.k8s.io', 'csinodes'),
    on(read, 'node.k8s.io', 'runtimeclasses'),
    on('get', 'resource.k8s.io', 'resourceclaims'),
    on('deletecollection', 'resource.k8s.io', 'resourceslices'),
    on('get', 'core', 'serviceaccounts'),
  ],
  'system:node-bootstrapper': [
    on('create get list watch', 'certificates.k8s.io', 'certificatesigningrequests'),
  ],
  'system:node-problem-detector': [
    on('get', 'core', 'nodes'),
    on('patch', 'core', 'nodes/status'),
    on('create patch update', 'core events.k8s.io', 'events'),
  ],
  'system:node-proxier': [
    on('list watch', 'core', 'endpoints services'),
    on(read, 'core', 'nodes'),
    on('create patch update', 'core events.k8s.io', 'events'),
    on('list watch', 'networking.k8s.io', 'servicecidrs'),
    on('list watch', 'discovery.k8s.io', 'endpointslices'),
  ],
  'system:persistent-volume-provisioner': [
    on('create delete get list watch', 'core', 'persistentvolumes'),
    on('get list update watch', 'core', 'persistentvolumeclaims'),
    on(read, 'storage.k8s.io', 'storageclasses'),
    on('watch', 'core', 'events'),
    on('create patch update', 'core events.k8s.io', 'events'),
  ],
  'system:public-info-viewer': [at('get', '/healthz /livez /readyz /version /version/')],
  'system:service-account-issuer-discovery': [
    at(
      'get',
      '/.well-known/openid-configuration /.well-known/openid-configuration/ /openid/v1/jwks /openid/v1/jwks/',
    ),
  ],
  'system:volume-scheduler': [
    on('get list patch update watch', 'core', 'persistentvolumes'),
    on(read, 'storage.k8s.io', 'storageclasses'),
    on('get list patch update watch', 'core', 'persistentvolumeclaims'),
  ],
};

/** Aggregated roles: each has the rules of the roles with its label. */
const aggregated: Readonly<Record<string, string | undefined>> = {
  admin: undefined,
  edit: 'admin',
  view: 'edit',
};

const bindings: Readonly<Record<string, readonly string[]>> = {
  'cluster-admin': ['Group system:masters'],
  'system:basic-user': ['Group system:authenticated'],
  'system:discovery': ['Group system:authenticated'],
  'system:kube-controller-manager': ['User system:kube-controller-manager'],
  'system:kube-dns': ['ServiceAccount kube-system/kube-dns'],
  'system:kube-scheduler': ['User system:kube-scheduler'],
  'system:monitoring': ['Group system:monitoring'],
  'system:node': [],
  'system:node-proxier': ['User system:kube-proxy'],
  'system:public-info-viewer': ['Group system:authenticated', 'Group system:unauthenticated'],
  'system:service-account-issuer-discovery': ['Group system:serviceaccounts'],
  'system:volume-scheduler': ['User system:kube-scheduler'],
};

const api = 'rbac.authorization.k8s.io';
const apiVersion = `${api}/v1`;
const annotations = { 'rbac.authorization.kubernetes.io/autoupdate': 'true' };
const gatheredBy = (role: string) => ({ [`${api}/aggregate-to-${role}`]: 'true' });

function metadata(name: string, gatherer: string | undefined) {
  const labels = { 'kubernetes.io/bootstrapping': 'rbac-defaults', ...(gatherer && gatheredBy(gatherer)) };
  return { name, labels, annotations };
}

const contributor = (name: string): string | undefined => /^system:aggregate-to-(\w+)$/.exec(name)?.[1];

function subject(text: string) {
  const [kind = '', name = ''] = text.split(' ');
  if (kind !== 'ServiceAccount') return { apiGroup: api, kind, name };
  const [namespace, account] = name.split('/');
  return { kind, name: account, namespace };
}

/** The objects themselves. */
export function defaultRoles(): Item[] {
  const roles = Object.entries(rules).map(([name, own]) => ({
    apiVersion,
    kind: 'ClusterRole',
    metadata: metadata(name, contributor(name)),
    rules: own,
  }));
  const gatherers = Object.entries(aggregated).map(([name, gatherer]) => ({
    apiVersion,
    kind: 'ClusterRole',
    metadata: metadata(name, gatherer),
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: gatheredBy(name) }] },
    rules: [],
  }));
  const bound = Object.entries(bindings).map(([name, subjects]) => ({
    apiVersion,
    kind: 'ClusterRoleBinding',
    metadata: metadata(name, undefined),
    ...(subjects.length > 0 && { subjects: subjects.map(subject) }),
    roleRef: { apiGroup: api, kind: 'ClusterRole', name },
  }));
  return [...roles, ...gatherers, ...bound];
}
